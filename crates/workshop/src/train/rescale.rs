//! Gives a network the scale of another one.
//!
//! The search prunes by margins in centipawns, which were tuned with one network. The next
//! network is trained on scores of searches, so its evaluations are larger, and more so in some
//! phases of the game. New factors for each output make them equally large on average where the
//! position is not decided.

use std::iter;
use std::path::PathBuf;

use carrybit::Board;
use carrybit::internals::eval::nnue::network::{Dense, MAX_SCALE, QuantisedNet};

use super::arguments::{MAX_SCORE, MIN_PLY};
use super::data::{Filter, TrainingData};
use super::quantise::board;
use super::smoothing::Smoothing;
use crate::error::Error;
use crate::files;
use crate::progress::print_stderr;

/// The most positions in the comparison.
const COMPARED: usize = 50_000;
/// Positions with a larger advantage by the other network, in centipawns, do not count: they would
/// dominate the mean.
const MAX_ADVANTAGE_CP: i32 = 200;
/// An output with fewer compared positions gets the factor of all of them.
const LEAST_COMPARED: usize = 100;
/// Rows in memory, a random sample of a larger number.
const WINDOW: usize = 10 * COMPARED;

/// The default filter of a training.
const FILTER: Filter = Filter {
    min_ply: MIN_PLY,
    max_score: MAX_SCORE,
    validation: 0.0,
    smoothing: Smoothing { plies: 0, eval_share: 0.0, early_wdl: 0.0 },
};

#[derive(Clone, Debug, clap::Args)]
pub struct RescaleArguments {
    /// The network to change
    pub net: PathBuf,

    /// Files with games, or folders of them
    #[arg(required = true)]
    pub games: Vec<PathBuf>,

    /// The network with the wanted mean absolute evaluation where it is within 200 cp
    #[arg(long, value_name = "NET")]
    pub like: PathBuf,

    /// The file for the result
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the network with another scale and other output weights, and prints the mean absolute
/// evaluations and the factors of the outputs.
pub fn run(arguments: &RescaleArguments) -> Result<(), Error> {
    let mut net = files::read_network(&arguments.net)?;
    let like = files::read_network(&arguments.like)?;
    let mut data = TrainingData::read(&arguments.games, &[], FILTER, WINDOW, None)?;
    let rows = data.part(0);
    let step = rows.len().div_ceil(COMPARED).max(1);
    let is_compared = |board: &Board| like.evaluate(board).abs() < MAX_ADVANTAGE_CP;
    let boards = rows.iter().step_by(step).filter_map(board);
    let mut boards: Vec<Board> = boards.filter(is_compared).collect();
    let [size, wanted] = [&net, &like].map(|net| mean_size(net, &boards));
    net.scale = rescaled(net.scale, size, wanted)?;
    let output = |board: &Board| net.shape.output_bucket(board.piece_count());
    boards.sort_by_key(output);
    let of_output = |wanted| {
        let [start, end] =
            [wanted, wanted + 1].map(|at| boards.partition_point(|b| output(b) < at));
        &boards[start..end]
    };
    let factors: Vec<f64> =
        (0..net.shape.outputs).map(|at| factor(&net, &like, of_output(at))).collect();
    for (stack, &factor) in iter::zip(&mut net.stacks, &factors) {
        let Dense { l3_weights, l3_bias, .. } = &mut stack.dense;
        l3_weights.iter_mut().chain([l3_bias]).for_each(|number| *number *= factor as f32);
    }
    files::write_network(&arguments.out, &net)?;
    print_stderr(format_args!(
        "mean absolute evaluation of {} positions: {size:.1} cp, other network {wanted:.1} cp; \
         an output of 1 is now worth {} cp, outputs times {factors:.3?}, checksum {:08x}",
        boards.len(),
        net.scale,
        net.checksum()
    ));
    Ok(())
}

/// The factor for an output that makes the mean absolute evaluations of its positions equal.
fn factor(net: &QuantisedNet, like: &QuantisedNet, boards: &[Board]) -> f64 {
    let [size, wanted] = [net, like].map(|net| mean_size(net, boards));
    let is_known = boards.len() >= LEAST_COMPARED && size > 0.0 && wanted > 0.0;
    if is_known { wanted / size } else { 1.0 }
}

/// The mean absolute evaluation, in centipawns.
fn mean_size(net: &QuantisedNet, boards: &[Board]) -> f64 {
    let sum: f64 = boards.iter().map(|board| f64::from(net.evaluate(board)).abs()).sum();
    sum / boards.len().max(1) as f64
}

/// The scale that changes the mean absolute evaluation from `size` to `wanted`.
fn rescaled(scale: i32, size: f64, wanted: f64) -> Result<i32, Error> {
    if size <= 0.0 || wanted <= 0.0 {
        let problem =
            "cannot compare the networks: no positions in these games, or all evaluations are 0";
        return Err(Error::Refused(problem.to_owned()));
    }
    let scale = (f64::from(scale) * wanted / size).round();
    if !(1.0..=f64::from(MAX_SCALE)).contains(&scale) {
        let problem = format!("the scale would be {scale:.1}, outside 1 to {MAX_SCALE}");
        return Err(Error::Refused(problem));
    }
    Ok(scale as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_beyond_its_range_is_refused() {
        assert_eq!(rescaled(400, 200.0, 150.0).ok(), Some(300));
        assert_eq!(rescaled(1, 1.0, 10_000.0).ok(), Some(MAX_SCALE));
        assert!(rescaled(300, 1.0, 1000.0).is_err() && rescaled(1, 1000.0, 1.0).is_err());
    }
}
