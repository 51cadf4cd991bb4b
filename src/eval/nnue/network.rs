//! The network: its definition, and its layout in the engine's memory.
//!
//! ```text
//! F features of the side to move -> N neurons -+
//!                                (same weights) +-> the output bucket for the piece count
//! F features of the other side   -> N neurons -+
//! ```
//!
//! All numbers are integers. The first layer is in units of 1/[`QA`], the output weights are in
//! units of 1/[`QB`]. Activations, squares of neurons, are in units of 1/[`ACT_ONE`]
//! ([`screlu`]). [`QuantisedNet::evaluate`] and [`centipawns`] define the evaluation; the vector
//! code gives equal results.

use std::fmt;
use std::io;
use std::iter;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::board::{Board, Color};
use crate::sys::files;

use super::features;
pub use super::quantised::*;

/// The file of the network to embed, checked by `build.rs`.
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.nnue"));

impl QuantisedNet {
    /// The value of the position for the side to move, in centipawns, computed from scratch.
    pub fn evaluate(&self, board: &Board) -> i32 {
        let (side, neurons) = (board.side(), self.shape.neurons);
        let bucket = self.shape.output_bucket(board.piece_count());
        let weights = &self.output_weights[bucket * 2 * neurons..][..2 * neurons];
        let (ours, theirs) = weights.split_at(neurons);
        let sum = self.half(board, side, ours) + self.half(board, !side, theirs);
        centipawns(sum, self.output_biases[bucket], self.scale)
    }

    /// The weighted sum of the activations of one perspective.
    fn half(&self, board: &Board, color: Color, output_weights: &[i16]) -> i32 {
        let mut neurons = self.feature_biases.clone();
        for feature in self.shape.active_features(board, color) {
            for (neuron, &weight) in iter::zip(&mut neurons, self.row(feature)) {
                *neuron += weight;
            }
        }
        iter::zip(neurons, output_weights)
            .map(|(neuron, &weight)| i32::from(screlu(neuron)) * i32::from(weight))
            .sum()
    }
}

/// Centipawns from the weighted sum of the activations, the bias of the output, and the scale.
#[inline]
pub const fn centipawns(sum: i32, output_bias: i32, scale: i32) -> i32 {
    // At most about 2^32 × MAX_SCALE / 2^23, which fits an `i32`.
    ((sum as i64 + output_bias as i64) * scale as i64 / (ACT_ONE * QB) as i64) as i32
}

/// A number for each neuron of one perspective, aligned to a cache line: the accumulator of the
/// first layer, or a row of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Accumulator(pub [i16; L1]);

const _: () = assert!(L1.is_multiple_of(32) && L1 <= MAX_NEURONS, "whole cache lines");

impl Accumulator {
    /// All zeros.
    pub const ZERO: Accumulator = Accumulator([0; L1]);

    fn of(numbers: &[i16]) -> Accumulator {
        Accumulator(numbers.try_into().expect("a number for each neuron"))
    }
}

/// A network of the engine's shape, in the memory layout of the vector code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The weights of the first layer, a row for each feature, in the order of the inputs
    /// (`features::input`).
    pub feature_weights: Box<[Accumulator; FEATURES]>,
    /// Its biases.
    pub feature_biases: Accumulator,
    /// The weights of the outputs, the side to move's first.
    pub output_weights: Box<[[Accumulator; 2]; OUTPUT_BUCKETS]>,
    /// Their biases.
    pub output_biases: [i32; OUTPUT_BUCKETS],
    /// Centipawns of an output of 1.
    pub scale: i32,
    /// The CRC-32 of the file's payload.
    checksum: u32,
}

impl Network {
    /// Reads a network.
    ///
    /// # Errors
    /// If it is damaged, or has a shape other than the engine's.
    pub fn read(bytes: &[u8]) -> Result<Network, NetworkError> {
        let network = QuantisedNet::for_engine(bytes)?;
        let rows: Box<[Accumulator]> = (0..FEATURES)
            .map(|row| Accumulator::of(network.row(features::feature_in(row))))
            .collect();
        let outputs = network.output_weights.chunks_exact(L1).map(Accumulator::of);
        let outputs: Box<[[Accumulator; 2]]> = outputs.collect::<Vec<_>>().as_chunks().0.into();
        Ok(Network {
            feature_weights: rows.try_into().expect("a row for each feature"),
            feature_biases: Accumulator::of(&network.feature_biases),
            output_weights: outputs.try_into().expect("two rows for each output"),
            output_biases: network.output_biases.try_into().expect("a bias for each output"),
            scale: network.scale,
            checksum: crc32fast::hash(&bytes[HEADER_LEN..]),
        })
    }

    /// Reads the network in a file.
    ///
    /// # Errors
    /// If the file cannot be read, and the errors of [`Network::read`].
    pub fn load(path: &Path) -> io::Result<Network> {
        let limit = Shape { neurons: MAX_NEURONS, ..SHAPE }.file_len();
        let bytes = files::read(path, limit as u64)?;
        Network::read(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// The engine's own network, read at the first call.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::read(EMBEDDED).expect("the build checked the network"))
        });
        Arc::clone(&NETWORK)
    }

    /// The CRC-32 of the file's payload, which identifies the network.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_no_network = option_env!("CARRYBIT_EVALFILE") == Some("none");
        if has_no_network && self.checksum == Network::embedded().checksum {
            return write!(f, "piece values only, built without a network");
        }
        write!(f, "network {:08x}", self.checksum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_1_is_worth_the_scale() {
        const HALF: i32 = ACT_ONE * QB / 2;
        for (sum, bias, expected) in
            [(2 * HALF, 0, SCALE), (HALF, -2 * HALF, -SCALE / 2), (1 - 2 * HALF / SCALE, 0, 0)]
        {
            assert_eq!(centipawns(sum, bias, SCALE), expected);
        }
        for pieces in 1..=MAX_ON_BOARD {
            assert_eq!(SHAPE.output_bucket(pieces), (pieces - 1) / 4);
        }
    }

    #[test]
    fn without_a_network_pieces_have_their_values() {
        let network = QuantisedNet::material(SHAPE);
        assert_eq!(network.check(), Ok(()));
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", 0),
            ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", 900),
            ("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", -900),
            ("4k3/pp6/8/8/8/8/2N2B2/4K2R w - - 0 1", 320 + 330 + 500 - 2 * 100),
            ("7k/8/8/8/8/QQQQQQQQ/QQQQQQQ1/7K b - - 0 1", -15 * 900),
        ] {
            assert_eq!(network.evaluate(&fen.parse().expect("a FEN")), expected, "{fen}");
        }
    }
}
