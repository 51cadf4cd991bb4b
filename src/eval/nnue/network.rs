//! The network: its shape, what comes out of it, and how the engine keeps it. Its numbers
//! and their file are `quantised`.
//!
//! ```text
//! 4608 features of the side to move -> H neurons -+
//!                                   (same weights) +-> the output of the bucket
//! 4608 features of the other side   -> H neurons -+
//! ```
//!
//! All numbers are integers. Those of the first layer are in units of 1/[`QA`],
//! those of the second in units of 1/[`QB`], and activations ([`activation`]), the squares
//! of neurons, in units of 1/[`ONE`]. The second layer has [`BUCKETS`]
//! outputs, one of which is asked, by the number of pieces ([`bucket`]). What comes
//! out is defined here, in [`QuantisedNet::evaluate`] and [`centipawns`]; however
//! fast it is computed elsewhere, it is this number.

use std::fmt;
use std::io;
use std::iter;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::board::{Board, Color};
use crate::sys::files;

use super::features::{self, View};
pub use super::quantised::*;

/// Which output is asked in a position with this many pieces, 1 to [`MAX_PIECES`].
#[inline]
#[must_use]
pub const fn bucket(pieces: usize) -> usize {
    (pieces - 1) * BUCKETS / MAX_PIECES
}

/// The file of the engine's own network, chosen and checked by `build.rs`.
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.nnue"));

/// Why no network could be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What is in it cannot be used.
    #[error("{0}")]
    Network(#[from] NetworkError),
}

impl QuantisedNet {
    /// What the position is worth to the side to move, in centipawns: the plain
    /// form of the definition, from scratch.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> i32 {
        let side = board.side();
        let bucket = bucket(board.piece_count());
        let weights = &self.output_weights[bucket * 2 * self.hidden..][..2 * self.hidden];
        let (ours, theirs) = weights.split_at(self.hidden);
        let sum = self.half(board, side, ours) + self.half(board, !side, theirs);
        centipawns(sum, self.output_biases[bucket], self.scale)
    }

    /// What the view of `color` adds to the sum of the output.
    fn half(&self, board: &Board, color: Color, output_weights: &[i16]) -> i32 {
        let mut neurons = self.feature_biases.clone();
        for feature in View::of(board, color).active(board) {
            for (neuron, &weight) in iter::zip(&mut neurons, self.row(feature)) {
                *neuron += weight;
            }
        }
        iter::zip(neurons, output_weights)
            .map(|(neuron, &weight)| i32::from(activation(neuron)) * i32::from(weight))
            .sum()
    }
}

/// The last step: centipawns from the sum of the activations, each times its weight, the
/// bias of the output, and what an output of 1 is worth.
#[inline]
#[must_use]
pub const fn centipawns(sum: i32, output_bias: i32, scale: i32) -> i32 {
    // At most 2^32 × MAX_SCALE / 2^23: that fits.
    ((sum as i64 + output_bias as i64) * scale as i64 / (ONE * QB) as i64) as i32
}

/// One number for each neuron, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row(pub [i16; HIDDEN]);

const _: () =
    assert!(HIDDEN.is_multiple_of(32) && HIDDEN <= MAX_HIDDEN, "rows of whole cache lines");

impl Row {
    /// All zeros.
    pub const ZERO: Row = Row([0; HIDDEN]);

    /// # Panics
    /// If the slice is not [`HIDDEN`] long.
    fn of(numbers: &[i16]) -> Row {
        Row(numbers.try_into().expect("a number for each neuron"))
    }
}

/// The engine's network: a [`QuantisedNet`] of [`HIDDEN`] neurons in the form in
/// which it is fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The weights of the first layer, a row for each feature, in an order in which views
    /// are easily turned into each other (`features::Turn`).
    pub feature_weights: Box<[Row; FEATURES]>,
    /// Its biases.
    pub feature_biases: Row,
    /// The weights of the outputs, by bucket, the side to move's first.
    pub output_weights: Box<[[Row; 2]; BUCKETS]>,
    /// Their biases.
    pub output_biases: [i32; BUCKETS],
    /// What an output of 1 is worth, in centipawns.
    pub scale: i32,
    /// The CRC-32 of its file's payload.
    checksum: u32,
}

impl Network {
    /// The network in a file.
    ///
    /// # Errors
    /// If it is none that can be used, or has not [`HIDDEN`] neurons.
    pub fn read(bytes: &[u8]) -> Result<Network, NetworkError> {
        let network = QuantisedNet::for_engine(bytes)?;
        let rows: Box<[Row]> =
            (0..FEATURES).map(|row| Row::of(network.row(features::feature_in(row)))).collect();
        let outputs: Vec<Row> = network.output_weights.chunks_exact(HIDDEN).map(Row::of).collect();
        let outputs: Box<[[Row; 2]]> = outputs.as_chunks().0.into();
        Ok(Network {
            feature_weights: rows.try_into().expect("a row for each feature"),
            feature_biases: Row::of(&network.feature_biases),
            output_weights: outputs.try_into().expect("two rows for each bucket"),
            output_biases: network.output_biases,
            scale: network.scale,
            checksum: crc32fast::hash(&bytes[HEADER_LEN..]),
        })
    }

    /// The network in the file of that path.
    ///
    /// # Errors
    /// If there is none that can be used.
    pub fn load(path: &Path) -> Result<Network, LoadError> {
        Ok(Network::read(&files::read(path, file_len(MAX_HIDDEN) as u64)?)?)
    }

    /// The engine's own network, read once for all who ask.
    #[must_use]
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::read(EMBEDDED).expect("the build checked the network"))
        });
        Arc::clone(&NETWORK)
    }

    /// The CRC-32 of its file's payload, by which it is known.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}

/// What evaluates, in a few words: the network's checksum tells it from others.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "network {:08x}", self.checksum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_has_its_unit() {
        // One neuron that is 1 whenever the side to move has a queen.
        let mut network = QuantisedNet::zeroed(1);
        for (zone, sq) in (0..ZONES).flat_map(|zone| (0..64).map(move |sq| (zone, sq))) {
            network.feature_weights[zone * PIECE_FEATURES + 4 * 64 + sq] = QA as i16;
        }
        // All pieces of this are in the first bucket.
        network.output_weights[0] = QB as i16;
        let with_queen = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1".parse().expect("a FEN");
        assert_eq!(network.evaluate(&with_queen), SCALE);
        let against_queen = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1".parse().expect("a FEN");
        assert_eq!(network.evaluate(&against_queen), 0);
        network.output_biases[0] = -ONE * QB / 2;
        assert_eq!(network.evaluate(&with_queen), SCALE / 2);
        assert_eq!(network.evaluate(&against_queen), -SCALE / 2);
        assert_eq!(centipawns(1 - ONE * QB / SCALE, 0, SCALE), 0, "divisions round to zero");
    }

    #[test]
    fn each_number_of_pieces_has_its_bucket() {
        let buckets: Vec<usize> = (1..=MAX_PIECES).map(bucket).collect();
        let expected: Vec<usize> = (0..BUCKETS).flat_map(|bucket| [bucket; 4]).collect();
        assert_eq!(buckets, expected);
    }
}
