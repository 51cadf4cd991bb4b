//! The network: its shape, its numbers and their file.
//!
//! ```text
//! 768 features of the side to move  -> H neurons -+
//!                                   (same weights) +-> the output of the bucket
//! 768 features of the other side    -> H neurons -+
//! ```
//!
//! All numbers are integers. Those of the first layer are in units of 1/[`QA`],
//! those of the second in units of 1/[`QB`]. A neuron's activation is the square
//! of its value, clipped to 0..=1 (SCReLU). The second layer has [`BUCKETS`]
//! outputs, one of which is asked, by the number of pieces ([`bucket`]). What comes
//! out is defined here, in [`QuantisedNet::evaluate`] and [`centipawns`]; however
//! fast it is computed elsewhere, it is this number.
//!
//! # File
//!
//! 64 bytes of header, then the payload; all numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | [`MAGIC`] |
//! | 8..12 | version of the format, [`VERSION`] |
//! | 12..16 | number of neurons H |
//! | 16..20 | CRC-32 (IEEE) of the payload |
//! | 20..64 | zero |
//! | 2 × 768 × H | weights of the first layer, feature by feature, `i16` |
//! | 2 × H | biases of the first layer, `i16` |
//! | 8 × 2 × 2 × H | weights of the outputs, bucket by bucket, the side to move's first, `i16` |
//! | 8 × 4 | biases of the outputs, in units of 1/([`QA`] × [`QB`]), `i32` |

use std::fmt;
use std::io;
use std::iter;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::board::{Board, Color};
use crate::files;

use super::features::{FEATURES, MAX_ACTIVE, View};

/// The number of neurons of the engine's network, for each view.
pub const HIDDEN: usize = 256;

/// The number of outputs.
pub const BUCKETS: usize = 8;

/// Which output is asked in a position with this many pieces, 1 to [`MAX_ACTIVE`].
#[inline]
#[must_use]
pub const fn bucket(pieces: usize) -> usize {
    (pieces - 1) * BUCKETS / MAX_ACTIVE
}

/// What stands for 1 in the first layer.
pub const QA: i32 = 255;

/// What stands for 1 in the weights of the output.
pub const QB: i32 = 64;

/// What an output of 1 is worth, in centipawns.
pub const SCALE: i32 = 400;

/// The largest weight of the output: a neuron's value times this fits an `i16`.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The most neurons that a file may have.
pub const MAX_HIDDEN: usize = 4096;

/// The file of the engine's own network, chosen by `build.rs`.
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.nnue"));

// What cannot be the engine's network does not compile.
const _: () = {
    let is_network = match EMBEDDED.first_chunk() {
        Some(magic) => u64::from_le_bytes(*magic) == u64::from_le_bytes(MAGIC),
        None => false,
    };
    assert!(is_network, "the file to embed (CARRYBIT_EVALFILE) is not a network of Carrybit");
    assert!(
        EMBEDDED.len() == file_len(HIDDEN),
        "the network to embed (CARRYBIT_EVALFILE) has another size than the engine's"
    );
};

/// How a file begins.
pub const MAGIC: [u8; 8] = *b"carrynet";

/// The version of the format.
pub const VERSION: u32 = 2;

/// The length of the header, in bytes.
pub const HEADER_LEN: usize = 64;

const VERSION_AT: usize = 8;
/// Where in a file the number of neurons is.
pub const HIDDEN_AT: usize = 12;
/// Where in a file the checksum is.
pub const CHECKSUM_AT: usize = 16;
const RESERVED_AT: usize = 20;

/// The length of the file of a network with `hidden` neurons, in bytes.
#[must_use]
pub const fn file_len(hidden: usize) -> usize {
    HEADER_LEN + 2 * hidden * (FEATURES + 1 + 2 * BUCKETS) + 4 * BUCKETS
}

/// Why a file is no network that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// It does not begin as a network does.
    #[error("not a network of Carrybit")]
    Magic,
    /// It has a format that is not known here.
    #[error("a network in format {0}, not {VERSION}")]
    Version(u32),
    /// Its number of neurons is zero or above [`MAX_HIDDEN`].
    #[error("a network of {0} neurons, not 1 to {MAX_HIDDEN}")]
    Hidden(u32),
    /// It is a good network, but not of the engine's size.
    #[error("a network of {0} neurons, not {HIDDEN}")]
    OtherHidden(usize),
    /// It is not as long as its number of neurons asks for.
    #[error("a network of {found} bytes, not {expected}")]
    Length {
        /// The length that it should have, in bytes.
        expected: usize,
        /// The length that it has.
        found: usize,
    },
    /// It is not what was written: the checksums differ.
    #[error("a corrupted network: its checksum is {found:08x}, not {expected:08x}")]
    Checksum {
        /// The checksum in the header.
        expected: u32,
        /// That of the payload.
        found: u32,
    },
    /// The bytes kept for later formats are not zero.
    #[error("a corrupted network: its header is not clean")]
    Header,
    /// A neuron can leave the range of an `i16`.
    #[error("a network whose neuron {neuron} can reach {reach}, more than {}", i16::MAX)]
    Accumulator {
        /// The neuron.
        neuron: usize,
        /// The largest value that it might take.
        reach: i32,
    },
    /// A weight of an output is beyond [`MAX_OUTPUT_WEIGHT`].
    #[error("a network whose output has a weight of {0}, beyond {MAX_OUTPUT_WEIGHT}")]
    OutputWeight(i16),
    /// The output of a bucket can leave the range of an `i32`.
    #[error("a network whose output {0} can overflow")]
    Output(usize),
}

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

/// A network of any size, its numbers as the file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedNet {
    /// The number of neurons H, for each view.
    pub hidden: usize,
    /// The weights of the first layer, `[feature][neuron]`, in units of 1/[`QA`].
    pub feature_weights: Vec<i16>,
    /// Its biases, `[neuron]`, in units of 1/[`QA`].
    pub feature_biases: Vec<i16>,
    /// The weights of the outputs, `[bucket][side to move, other side][neuron]`, in
    /// units of 1/[`QB`].
    pub output_weights: Vec<i16>,
    /// Their biases, in units of 1/([`QA`] × [`QB`]).
    pub output_biases: [i32; BUCKETS],
}

impl QuantisedNet {
    /// A network of zeros with `hidden` neurons.
    #[must_use]
    pub fn zeroed(hidden: usize) -> QuantisedNet {
        QuantisedNet {
            hidden,
            feature_weights: vec![0; FEATURES * hidden],
            feature_biases: vec![0; hidden],
            output_weights: vec![0; BUCKETS * 2 * hidden],
            output_biases: [0; BUCKETS],
        }
    }

    /// The weights of one feature, `[neuron]`.
    #[must_use]
    pub fn row(&self, feature: usize) -> &[i16] {
        &self.feature_weights[feature * self.hidden..][..self.hidden]
    }

    /// Whether the arithmetic of [`evaluate`](QuantisedNet::evaluate) is exact in
    /// 16 bits for the neurons and 32 for the output, in every position.
    ///
    /// # Errors
    /// If it is not: [`NetworkError::Accumulator`],
    /// [`NetworkError::OutputWeight`] or [`NetworkError::Output`].
    pub fn check(&self) -> Result<(), NetworkError> {
        let mut weights = Vec::with_capacity(FEATURES);
        for (neuron, &bias) in self.feature_biases.iter().enumerate() {
            weights.clear();
            let column = self.feature_weights.iter().skip(neuron).step_by(self.hidden);
            weights.extend(column.map(|&weight| i32::from(weight).abs()));
            weights.select_nth_unstable_by(MAX_ACTIVE, |a, b| b.cmp(a));
            let reach = i32::from(bias).abs() + weights[..MAX_ACTIVE].iter().sum::<i32>();
            if reach > i32::from(i16::MAX) {
                return Err(NetworkError::Accumulator { neuron, reach });
            }
        }
        for (bucket, weights) in self.output_weights.chunks_exact(2 * self.hidden).enumerate() {
            let mut sum = 0;
            for &weight in weights {
                if weight.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs() {
                    return Err(NetworkError::OutputWeight(weight));
                }
                sum += i64::from(weight).abs();
            }
            if sum * i64::from(QA * QA) > i64::from(i32::MAX) {
                return Err(NetworkError::Output(bucket));
            }
        }
        Ok(())
    }

    /// All its numbers, as they stand in its file.
    fn payload(&self) -> Vec<u8> {
        let weights = [&self.feature_weights, &self.feature_biases, &self.output_weights];
        let mut payload: Vec<u8> =
            weights.into_iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        payload.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        payload
    }

    /// The CRC-32 of its file's payload, by which it is known.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.payload())
    }

    /// The file of this network.
    ///
    /// # Panics
    /// If the parts have not the lengths that `hidden` asks for.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = self.payload();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.hidden as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.resize(HEADER_LEN, 0);
        bytes.extend(payload);
        assert_eq!(bytes.len(), file_len(self.hidden), "the parts fit together");
        bytes
    }

    /// The network in a file.
    ///
    /// # Errors
    /// If it is none, or none that passes [`check`](QuantisedNet::check).
    pub fn from_bytes(bytes: &[u8]) -> Result<QuantisedNet, NetworkError> {
        let too_short = NetworkError::Length { expected: HEADER_LEN, found: bytes.len() };
        if !bytes.starts_with(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        let (header, payload) = bytes.split_at_checked(HEADER_LEN).ok_or(too_short)?;
        let field = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        if field(VERSION_AT) != VERSION {
            return Err(NetworkError::Version(field(VERSION_AT)));
        }
        let hidden = field(HIDDEN_AT) as usize;
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return Err(NetworkError::Hidden(field(HIDDEN_AT)));
        }
        if bytes.len() != file_len(hidden) {
            return Err(NetworkError::Length { expected: file_len(hidden), found: bytes.len() });
        }
        let (expected, found) = (field(CHECKSUM_AT), crc32fast::hash(payload));
        if expected != found {
            return Err(NetworkError::Checksum { expected, found });
        }
        if header[RESERVED_AT..].iter().any(|&byte| byte != 0) {
            return Err(NetworkError::Header);
        }
        let (weights, biases) = payload.split_at(payload.len() - 4 * BUCKETS);
        let mut numbers =
            weights.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let (biases, _) = biases.as_chunks::<4>();
        let mut take = |count| numbers.by_ref().take(count).collect::<Vec<i16>>();
        let network = QuantisedNet {
            hidden,
            feature_weights: take(FEATURES * hidden),
            feature_biases: take(hidden),
            output_weights: take(BUCKETS * 2 * hidden),
            output_biases: std::array::from_fn(|bucket| i32::from_le_bytes(biases[bucket])),
        };
        network.check()?;
        Ok(network)
    }

    /// What the position is worth to the side to move, in centipawns: the plain
    /// form of the definition, from scratch.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> i32 {
        let side = board.side();
        let bucket = bucket(board.piece_count());
        let weights = &self.output_weights[bucket * 2 * self.hidden..][..2 * self.hidden];
        let (ours, theirs) = weights.split_at(self.hidden);
        let sum = self.half(board, side, ours) + self.half(board, !side, theirs);
        centipawns(sum, self.output_biases[bucket])
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
            .map(|(neuron, &weight)| {
                let clipped = i32::from(neuron).clamp(0, QA);
                clipped * clipped * i32::from(weight)
            })
            .sum()
    }
}

/// The last step: centipawns from the sum of the squared activations, each times
/// its weight, and the bias of the output.
#[inline]
#[must_use]
pub const fn centipawns(sum: i32, output_bias: i32) -> i32 {
    let output = (sum / QA) as i64 + output_bias as i64;
    // At most (2^24 + 2^31) × 400 / 16320: that fits.
    (output * SCALE as i64 / (QA * QB) as i64) as i32
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
    /// The weights of the first layer, a row for each feature.
    pub feature_weights: Box<[Row; FEATURES]>,
    /// Its biases.
    pub feature_biases: Row,
    /// The weights of the outputs, by bucket, the side to move's first.
    pub output_weights: Box<[[Row; 2]; BUCKETS]>,
    /// Their biases.
    pub output_biases: [i32; BUCKETS],
    /// The CRC-32 of its file's payload.
    checksum: u32,
}

impl Network {
    /// The network in a file.
    ///
    /// # Errors
    /// If it is none that can be used, or has not [`HIDDEN`] neurons.
    pub fn read(bytes: &[u8]) -> Result<Network, NetworkError> {
        let network = QuantisedNet::from_bytes(bytes)?;
        if network.hidden != HIDDEN {
            return Err(NetworkError::OtherHidden(network.hidden));
        }
        let rows: Box<[Row]> = network.feature_weights.chunks_exact(HIDDEN).map(Row::of).collect();
        let outputs: Vec<Row> = network.output_weights.chunks_exact(HIDDEN).map(Row::of).collect();
        let outputs: Box<[[Row; 2]]> = outputs.as_chunks().0.into();
        Ok(Network {
            feature_weights: rows.try_into().expect("a row for each feature"),
            feature_biases: Row::of(&network.feature_biases),
            output_weights: outputs.try_into().expect("two rows for each bucket"),
            output_biases: network.output_biases,
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
    ///
    /// # Panics
    /// If the program was built with a network that is not sound.
    #[must_use]
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::read(EMBEDDED).expect("the embedded network is sound"))
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

    /// A network of small random numbers.
    fn random(hidden: usize) -> QuantisedNet {
        let mut rng = fastrand::Rng::with_seed(hidden as u64);
        let mut below = |limit: i16| rng.i16(-limit..=limit);
        let mut network = QuantisedNet::zeroed(hidden);
        network.feature_weights.fill_with(|| below(100));
        network.feature_biases.fill_with(|| below(100));
        network.output_weights.fill_with(|| below(64));
        network.output_biases.fill_with(|| below(10_000).into());
        network
    }

    #[test]
    fn networks_of_all_sizes_survive_their_file() {
        for hidden in [1, 8, 64, 128, HIDDEN] {
            let network = random(hidden);
            let bytes = network.to_bytes();
            assert_eq!(QuantisedNet::from_bytes(&bytes), Ok(network));
            let read = Network::read(&bytes).map(|network| network.checksum());
            match hidden {
                HIDDEN => assert_eq!(read, Ok(crc32fast::hash(&bytes[HEADER_LEN..]))),
                _ => assert_eq!(read, Err(NetworkError::OtherHidden(hidden))),
            }
        }
    }

    #[test]
    fn each_flaw_of_a_file_has_its_name() {
        let good = random(8).to_bytes();
        let broken = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            QuantisedNet::from_bytes(&bytes).expect_err("a flaw")
        };
        assert_eq!(broken(0, b'x'), NetworkError::Magic);
        assert_eq!(broken(VERSION_AT, 1), NetworkError::Version(1));
        assert_eq!(broken(HIDDEN_AT, 0), NetworkError::Hidden(0));
        assert_eq!(broken(HIDDEN_AT + 3, 255), NetworkError::Hidden(0xff00_0008));
        let length = NetworkError::Length { expected: file_len(9), found: good.len() };
        assert_eq!(broken(HIDDEN_AT, 9), length);
        assert!(matches!(broken(CHECKSUM_AT, !good[CHECKSUM_AT]), NetworkError::Checksum { .. }));
        assert!(matches!(broken(99, !good[99]), NetworkError::Checksum { .. }));
        assert_eq!(broken(HEADER_LEN - 1, 1), NetworkError::Header);
        for len in 0..good.len() {
            let error = QuantisedNet::from_bytes(&good[..len]).expect_err("too short");
            let expected = if len < HEADER_LEN { HEADER_LEN } else { good.len() };
            let too_short = NetworkError::Length { expected, found: len };
            assert_eq!(error, if len < MAGIC.len() { NetworkError::Magic } else { too_short });
        }
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let mut network = QuantisedNet::zeroed(64);
        for feature in 0..MAX_ACTIVE {
            network.feature_weights[feature * 20 * 64 + 5] =
                if feature % 2 == 0 { -900 } else { 900 };
        }
        network.feature_biases[5] = i16::MAX - 32 * 900;
        assert_eq!(network.check(), Ok(()));
        network.feature_biases[5] += 1;
        let refused = network.check();
        assert_eq!(refused, Err(NetworkError::Accumulator { neuron: 5, reach: 32_768 }));
        network.feature_biases[5] = i16::MIN;
        assert!(QuantisedNet::from_bytes(&network.to_bytes()).is_err());

        let mut network = QuantisedNet::zeroed(256);
        network.output_weights[100] = -MAX_OUTPUT_WEIGHT;
        assert_eq!(network.check(), Ok(()));
        network.output_weights[100] -= 1;
        assert_eq!(network.check(), Err(NetworkError::OutputWeight(-128)));
        network.output_weights[100] += 1;
        network.output_weights[3 * 2 * 256..][..2 * 256].fill(MAX_OUTPUT_WEIGHT);
        assert_eq!(network.check(), Err(NetworkError::Output(3)));
    }

    #[test]
    fn the_output_has_its_unit() {
        // One neuron that is 1 whenever the side to move has a queen.
        let mut network = QuantisedNet::zeroed(1);
        for sq in 0..64 {
            network.feature_weights[4 * 64 + sq] = QA as i16;
        }
        // All pieces of this are in the first bucket.
        network.output_weights[0] = QB as i16;
        let with_queen = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1".parse().expect("a FEN");
        assert_eq!(network.evaluate(&with_queen), SCALE);
        let against_queen = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1".parse().expect("a FEN");
        assert_eq!(network.evaluate(&against_queen), 0);
        network.output_biases[0] = -QA * QB / 2;
        assert_eq!(network.evaluate(&with_queen), SCALE / 2);
        assert_eq!(network.evaluate(&against_queen), -SCALE / 2);
        assert_eq!(centipawns(-254, 0), 0, "divisions round to zero");
    }

    #[test]
    fn each_number_of_pieces_has_its_bucket() {
        let buckets: Vec<usize> = (1..=MAX_ACTIVE).map(bucket).collect();
        let expected: Vec<usize> = (0..BUCKETS).flat_map(|bucket| [bucket; 4]).collect();
        assert_eq!(buckets, expected);
    }
}
