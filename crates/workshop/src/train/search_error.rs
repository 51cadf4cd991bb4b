//! Measures the error of networks: their distance from scores of deep searches.
//!
//! The loss of a training depends on its games and labels; this error compares networks of
//! different trainings. Positions of other players' games are best, as the games of one network
//! favour it.

use std::io::Write;
use std::path::{Path, PathBuf};

use carrybit::Board;
use carrybit::internals::eval::nnue::network::QuantisedNet;
use carrybit_board::MAX_PIECES;

use super::smoothing::points;
use crate::error::Error;
use crate::files;

/// Groups of positions by the number of pieces. Each has a map of its own, as the worth of a
/// centipawn differs between engines and phases of the game, and training on results changes it: by
/// one factor for all, some errors fell by up to 12 % that rise with these maps. Figures are in
/// `docs/HISTORY.md`, "A calibrated error".
const GROUPS: usize = 4;

#[derive(Clone, Debug, clap::Args)]
pub struct SearchErrorArguments {
    /// Networks of any shapes; each is compared with the first
    #[arg(required = true)]
    pub nets: Vec<PathBuf>,

    /// Positions in EPD, with the score of a deep search as the operation `ce`, in centipawns from
    /// the view of the side to move; crates/workshop/label.py makes such files
    #[arg(long, value_name = "FILE")]
    pub against: PathBuf,
}

/// Prints two errors of each network after the best rising map from its evaluations to points
/// (sigmoid of the score over 400): the mean squared distance times a million, of which a few
/// positions make up most, and the mean distance times a thousand. For further networks also the
/// difference of each error from that of the first network, with the standard error.
pub fn run(arguments: &SearchErrorArguments, out: &mut impl Write) -> Result<(), Error> {
    let positions = read(&arguments.against)?;
    writeln!(out, "{} positions", positions.len())?;
    let mut first: Option<[Vec<f64>; 2]> = None;
    for path in &arguments.nets {
        let squares = squared_errors(&files::read_network(path)?, &positions);
        let errors = [squares.iter().map(|square| square.sqrt()).collect(), squares];
        let [distance, square] = errors.each_ref().map(|errors: &Vec<f64>| mean(errors).0);
        let (square, distance) = (square * 1e6, distance * 1e3);
        write!(out, "{}: {square:.1}, {distance:.2}", path.display())?;
        if let Some(first) = &first {
            for (errors, first) in errors.iter().zip(first).rev() {
                let percent = 100.0 / mean(first).0;
                let changes: Vec<f64> = errors.iter().zip(first).map(|(a, b)| a - b).collect();
                let (change, spread) = mean(&changes);
                write!(out, ", {:+.2} ± {:.2} %", change * percent, spread * percent)?;
            }
        }
        writeln!(out)?;
        first.get_or_insert(errors);
    }
    Ok(())
}

/// The positions of a file with their scores.
fn read(path: &Path) -> Result<Vec<(Board, f64)>, Error> {
    let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
    let positions: Result<Vec<_>, Error> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            parse(line).map_err(|error| {
                Error::Refused(format!("{}, line {}: {error}", path.display(), at + 1))
            })
        })
        .collect();
    let positions = positions?;
    if positions.len() < 2 {
        return Err(Error::of(path, "cannot compare networks on fewer than two positions"));
    }
    Ok(positions)
}

fn parse(line: &str) -> Result<(Board, f64), String> {
    let mut words = line.split_ascii_whitespace();
    let fields: Vec<&str> = words.by_ref().take(4).collect();
    let board = fields.join(" ").parse().map_err(|error| format!("{error}"))?;
    let operations = words.collect::<Vec<_>>().join(" ");
    let score = operations.split(';').find_map(|operation| operation.trim().strip_prefix("ce "));
    let score = score.ok_or("the operation ce is missing")?;
    Ok((board, score.parse().map_err(|error| format!("ce {score}: {error}"))?))
}

/// The squared error of each position.
fn squared_errors(net: &QuantisedNet, positions: &[(Board, f64)]) -> Vec<f64> {
    let mut errors = vec![0.0; positions.len()];
    for group in 0..GROUPS {
        let is_in = |board: &Board| (board.piece_count() - 1) * GROUPS / (2 * MAX_PIECES) == group;
        // From both sides' views, so that the map is the same for both.
        let mut items: Vec<Item> = Vec::new();
        for (at, (board, score)) in
            positions.iter().enumerate().filter(|(_, (board, _))| is_in(board))
        {
            let (eval, points) = (net.evaluate(board), points(*score));
            items.push(Item { at, eval, points, mapped: 0.0 });
            items.push(Item { at, eval: -eval, points: 1.0 - points, mapped: 0.0 });
        }
        map(&mut items);
        for item in items {
            errors[item.at] = (item.mapped - item.points).powi(2);
        }
    }
    errors
}

/// A position's index, evaluation in centipawns, and points by the search and by the map.
#[derive(Clone, Copy, Debug)]
struct Item {
    at: usize,
    eval: i32,
    points: f64,
    mapped: f64,
}

/// Sets `mapped` to the rising function of the evaluation with the least mean squared error, by
/// pooling adjacent violators (M. Ayer and others, *An Empirical Distribution Function for Sampling
/// with Incomplete Information*, 1955).
fn map(items: &mut [Item]) {
    // Among equal evaluations points must fall: then they are pooled, and have one value.
    items.sort_by(|a, b| a.eval.cmp(&b.eval).then(b.points.total_cmp(&a.points)));
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for item in &*items {
        let mut pool = (item.points, 1);
        while let Some((sum, count)) =
            pools.pop_if(|(sum, count)| *sum * pool.1 as f64 > pool.0 * *count as f64)
        {
            pool = (pool.0 + sum, pool.1 + count);
        }
        pools.push(pool);
    }
    let mut rest = items;
    for (sum, count) in pools {
        let (pool, after) = rest.split_at_mut(count);
        pool.iter_mut().for_each(|item| item.mapped = sum / count as f64);
        rest = after;
    }
}

/// The mean and its standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_rises_and_pools_what_falls() {
        let all = [(-50, 0.1), (20, 0.5), (20, 0.7), (0, 0.4), (10, 0.2), (90, 0.6)];
        let mut items = all.map(|(eval, points)| Item { at: 0, eval, points, mapped: 0.0 });
        map(&mut items);
        let mapped = items.map(|item| (item.eval, (item.mapped * 1000.0).round()));
        assert_eq!(
            mapped,
            [(-50, 100.0), (0, 300.0), (10, 300.0), (20, 600.0), (20, 600.0), (90, 600.0)]
        );
    }
}
