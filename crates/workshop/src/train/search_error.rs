//! Measures the error of networks: their distance from scores of deep searches.
//!
//! The loss of a training depends on its games and labels; this error compares networks of
//! different trainings. Positions of other players' games are best, as the games of one network
//! favour it.

use std::io::Write;
use std::path::{Path, PathBuf};

use carrybit::Board;
use carrybit::internals::eval::nnue::network::QuantisedNet;

use super::smoothing::points;
use crate::error::Error;
use crate::files;

/// The factors of evaluations that are tried: a network's scale is no error.
const FACTORS: [f64; 2] = [0.25, 4.0];

/// Bisections in the search for the best factor, which is then exact to 0.1 %.
const BISECTIONS: usize = 20;

#[derive(Clone, Debug, clap::Args)]
pub struct SearchErrorArguments {
    /// Networks of any shapes; each is compared with the first
    #[arg(required = true)]
    pub nets: Vec<PathBuf>,

    /// Positions in EPD, with the score of a deep search as the operation `ce`, in centipawns
    /// from the view of the side to move; crates/workshop/label.py makes such files
    #[arg(long, value_name = "FILE")]
    pub against: PathBuf,
}

/// Prints two errors of each network at the best factor for its evaluations, in points (sigmoid of
/// the score over 400): the mean squared distance times a million, of which a few positions make up
/// most, and the mean distance times a thousand. For further networks also the difference of each
/// error from that of the first network, with the standard error.
pub fn run(arguments: &SearchErrorArguments, out: &mut impl Write) -> Result<(), Error> {
    let positions = read(&arguments.against)?;
    writeln!(out, "{} positions", positions.len())?;
    let mut first: Option<[Vec<f64>; 2]> = None;
    for path in &arguments.nets {
        let (factor, squares) = best(&files::read_network(path)?, &positions);
        let errors = [squares.iter().map(|square| square.sqrt()).collect(), squares];
        let [distance, square] = errors.each_ref().map(|errors: &Vec<f64>| mean(errors).0);
        let (square, distance) = (square * 1e6, distance * 1e3);
        write!(out, "{}: {square:.1}, {distance:.2} at a factor of {factor:.3}", path.display())?;
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

/// The factor of a network's evaluations with the smallest mean squared error, and the error of
/// each position.
fn best(net: &QuantisedNet, positions: &[(Board, f64)]) -> (f64, Vec<f64>) {
    let evals: Vec<f64> = positions.iter().map(|(board, _)| net.evaluate(board).into()).collect();
    let errors = |factor: f64| -> Vec<f64> {
        let pairs = evals.iter().zip(positions);
        pairs.map(|(eval, (_, score))| (points(factor * eval) - points(*score)).powi(2)).collect()
    };
    // The derivative changes its sign at the minimum.
    let rises =
        |log: f64| mean(&errors((log + 1e-4).exp())).0 > mean(&errors((log - 1e-4).exp())).0;
    let [mut low, mut high] = FACTORS.map(f64::ln);
    for _ in 0..BISECTIONS {
        let middle = low.midpoint(high);
        if rises(middle) { high = middle } else { low = middle }
    }
    let factor = low.midpoint(high).exp();
    (factor, errors(factor))
}

/// The mean and its standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
