//! Gives a network the scale of another one.
//!
//! The search prunes by margins in centipawns, which were tuned with one network. The next
//! network is trained on scores of searches, so its evaluations are larger. The new scale makes
//! them equally large on average.

use std::path::PathBuf;

use carrybit::Board;
use carrybit::internals::eval::nnue::network::{MAX_SCALE, QuantisedNet};

use super::arguments::{MAX_SCORE, MIN_PLY, SCALE};
use super::data::{Filter, TrainingData};
use super::network_file;
use super::quantise::board;
use super::smoothing::Smoothing;
use crate::error::Error;
use crate::progress::print_stderr;

/// The most positions in the comparison.
const COMPARED: usize = 50_000;
/// Rows in memory, a random sample of a larger number.
const WINDOW: usize = 10 * COMPARED;

/// The default filter of a training.
const FILTER: Filter = Filter {
    min_ply: MIN_PLY,
    max_score: MAX_SCORE,
    validation: 0.0,
    smoothing: Smoothing { plies: 0, scale: SCALE, eval_share: 0.0 },
};

/// The networks and the positions.
#[derive(Clone, Debug, clap::Args)]
pub struct RescaleArguments {
    /// The network to change
    pub net: PathBuf,

    /// Files with games, or folders of them
    #[arg(required = true)]
    pub games: Vec<PathBuf>,

    /// The network with the wanted mean absolute evaluation
    #[arg(long, value_name = "NET")]
    pub like: PathBuf,

    /// The file for the result
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the network with another scale, and prints both mean absolute evaluations.
pub fn run(arguments: &RescaleArguments) -> Result<(), Error> {
    let mut net = network_file::read(&arguments.net)?;
    let like = network_file::read(&arguments.like)?;
    let mut data = TrainingData::read(&arguments.games, FILTER, WINDOW, None)?;
    let rows = data.part(0);
    let step = rows.len().div_ceil(COMPARED).max(1);
    let boards: Vec<Board> = rows.iter().step_by(step).filter_map(board).collect();
    let [size, wanted] = [&net, &like].map(|net| mean_size(net, &boards));
    net.scale = rescaled(net.scale, size, wanted)?;
    network_file::write(&arguments.out, &net)?;
    print_stderr(format_args!(
        "mean absolute evaluation of {} positions: {size:.1} cp, other network {wanted:.1} cp; \
         an output of 1 is now worth {} cp, checksum {:08x}",
        boards.len(),
        net.scale,
        net.checksum()
    ));
    Ok(())
}

/// The mean absolute evaluation, in centipawns.
fn mean_size(net: &QuantisedNet, boards: &[Board]) -> f64 {
    let sum: f64 = boards.iter().map(|board| f64::from(net.evaluate(board)).abs()).sum();
    sum / boards.len().max(1) as f64
}

/// The scale that changes the mean absolute evaluation from `size` to `wanted`.
fn rescaled(scale: i32, size: f64, wanted: f64) -> Result<i32, Error> {
    if size <= 0.0 || wanted <= 0.0 {
        return Err(Error::NothingToCompare);
    }
    let scale = (f64::from(scale) * wanted / size).round();
    let is_allowed = (1.0..=f64::from(MAX_SCALE)).contains(&scale);
    if is_allowed { Ok(scale as i32) } else { Err(Error::Scale(scale)) }
}

#[cfg(test)]
mod tests {
    use carrybit::internals::eval::nnue::network::{SHAPE, Shape};

    use super::*;

    #[test]
    fn new_scale_gives_the_wanted_mean_evaluation() {
        assert_eq!(rescaled(400, 200.0, 150.0).ok(), Some(300));
        assert_eq!(rescaled(1, 1.0, 10_000.0).ok(), Some(MAX_SCALE));
        assert!(matches!(rescaled(300, 1.0, 1000.0), Err(Error::Scale(_))));
        assert!(matches!(rescaled(1, 1000.0, 1.0), Err(Error::Scale(_))));
        assert!(matches!(rescaled(400, 0.0, 100.0), Err(Error::NothingToCompare)));
        let mut net = QuantisedNet::material(Shape { neurons: 12, ..SHAPE });
        let boards = ["4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]
            .map(|fen| fen.parse().expect("a FEN"));
        assert_eq!(mean_size(&net, &boards), 450.0);
        net.scale = rescaled(net.scale, 450.0, 225.0).expect("a scale");
        assert_eq!(mean_size(&net, &boards), 225.0);
    }
}
