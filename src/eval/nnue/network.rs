//! The network: its definition, and its layout in the engine's memory.
//!
//! ```text
//! F features of the side to move -> N neurons -+
//!                                (same weights) +-> products of pairs -> 16 -> 32 -> output
//! F features of the other side   -> N neurons -+    (weights by the number of pieces)
//! ```
//!
//! The first layer is in integers: weights in units of 1/[`ONE`], and [`activation`]s, products of
//! two neurons, in units of 1/[`ACT_ONE`]. The sums of the second layer are integers, too; the rest
//! ([`Dense::output`]) is in floating point, in a fixed order. [`QuantisedNet::evaluate`] and
//! [`centipawns`] define the evaluation; the vector code gives equal results.

use std::array;
use std::fmt;
use std::io;
use std::iter;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use bytemuck::Zeroable;

use crate::sys::files;
use crate::sys::large_pages::LargeBox;
use carrybit_board::{Board, Color};

pub use super::embedded::*;
use super::features;
pub use super::quantised::*;

impl QuantisedNet {
    /// The value of the position for the side to move, in centipawns, computed from scratch.
    pub fn evaluate(&self, board: &Board) -> i32 {
        let side = board.side();
        let activations = [side, !side].map(|color| self.activations(board, color)).concat();
        let stack = &self.stacks[self.shape.output_bucket(board.piece_count())];
        let mut weights = stack.l1_weights.chunks_exact(self.shape.neurons);
        let sums = array::from_fn(|_| {
            let weights = weights.next().expect("a row for each neuron");
            iter::zip(&activations, weights).map(|(&a, &w)| i32::from(a) * i32::from(w)).sum()
        });
        centipawns(stack.dense.output(&sums), self.scale)
    }

    /// The activations of one perspective.
    fn activations(&self, board: &Board, color: Color) -> Vec<u8> {
        let mut neurons = self.feature_biases.clone();
        for feature in self.shape.active_features(board, color) {
            for (neuron, &weight) in iter::zip(&mut neurons, self.row(feature)) {
                *neuron += i16::from(weight);
            }
        }
        let (ones, others) = neurons.split_at(neurons.len() / 2);
        iter::zip(ones, others).map(|(&one, &other)| activation(one, other)).collect()
    }
}

/// Centipawns from an output and the scale.
#[inline]
pub fn centipawns(output: f32, scale: i32) -> i32 {
    (output * scale as f32).round_ties_even() as i32
}

/// The accumulator of the first layer: a number for each neuron of one perspective, aligned to a
/// cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Accumulator(pub [i16; L1]);

/// A row of weights of the first layer, one for each neuron, aligned to a cache line.
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
pub struct WeightRow(pub [i8; L1]);

/// The [`LayerStack`] of an output bucket.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Stack {
    /// The weights of the second layer.
    pub l1_weights: [[i8; L1]; L2],
    /// All further numbers.
    pub dense: Dense,
}

/// A network of the engine's shape, in the memory layout of the vector code.
pub struct Network {
    /// The weights of the first layer, a row for each feature, in the order of the inputs
    /// (`features::input`).
    pub(super) feature_weights: LargeBox<[WeightRow; FEATURES]>,
    /// Its biases.
    pub feature_biases: Accumulator,
    /// The further layers, by output bucket.
    pub stacks: Box<[Stack; SHAPE.outputs]>,
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
        let network = QuantisedNet::from_bytes(bytes)?;
        if network.shape != SHAPE {
            return Err(NetworkError::OtherShape(network.shape.difference(&SHAPE)));
        }
        let mut feature_weights = LargeBox::<[WeightRow; FEATURES]>::zeroed();
        for (row, weights) in feature_weights.iter_mut().enumerate() {
            weights.0.copy_from_slice(network.row(features::feature_in(row)));
        }
        let stack = |LayerStack { l1_weights, dense }: &LayerStack| {
            let l1_weights = l1_weights.as_chunks().0.try_into().expect("a row for each neuron");
            Stack { l1_weights, dense: *dense }
        };
        let stacks: Box<[Stack]> = network.stacks.iter().map(stack).collect();
        Ok(Network {
            feature_weights,
            feature_biases: Accumulator(array::from_fn(|neuron| network.feature_biases[neuron])),
            stacks: stacks.try_into().expect("a stack for each output bucket"),
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
            Arc::new(Network::read(&embedded_file()).expect("the build checked the network"))
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
