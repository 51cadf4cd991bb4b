//! A network's numbers and their file: what a sound one is.
//!
//! Nothing of the engine is used here, so that `build.rs` checks with the same code the
//! network that it embeds.
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
//! | 2 × 4608 × H | weights of the first layer, feature by feature, `i16` |
//! | 2 × H | biases of the first layer, `i16` |
//! | 8 × 2 × 2 × H | weights of the outputs, bucket by bucket, the side to move's first, `i16` |
//! | 8 × 4 | biases of the outputs, in units of 1/([`ONE`] × [`QB`]), `i32` |
//! | 4 | what an output of 1 is worth, in centipawns, `i32` |

/// How many features a view has for pieces: of two colours and six kinds on 64 squares.
pub const PIECE_FEATURES: usize = 2 * 6 * 64;

/// How many marks a piece may have.
pub const MARKS: usize = 2;

/// How many zones the own king may stand in: each has features for pieces of its own.
pub const ZONES: usize = 4;

/// How many features a view has: those for pieces, zone by zone, then as many for each mark.
pub const FEATURES: usize = (ZONES + MARKS) * PIECE_FEATURES;

/// The most pieces that a board has.
pub const MAX_PIECES: usize = 32;

/// The number of neurons of the engine's network, for each view.
pub const HIDDEN: usize = 256;

/// The number of outputs.
pub const BUCKETS: usize = 8;

/// What stands for 1 in the first layer.
pub const QA: i32 = 511;

/// What stands for 1 in activations: about the largest number that fits an `i16`.
pub const ONE: i32 = activation(QA as i16) as i32;

/// What stands for 1 in the weights of the output.
pub const QB: i32 = 256;

/// What an output of 1 is worth unless a network says otherwise, in centipawns.
pub const SCALE: i32 = 400;

/// The most that it may be worth.
pub const MAX_SCALE: i32 = 10_000;

/// The most neurons that a file may have.
pub const MAX_HIDDEN: usize = 4096;

/// How a file begins.
pub const MAGIC: [u8; 8] = *b"carrynet";

/// The version of the format.
pub const VERSION: u32 = 5;

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
    HEADER_LEN + 2 * hidden * (FEATURES + 1 + 2 * BUCKETS) + 4 * (BUCKETS + 1)
}

/// The activation of a neuron, in units of 1/[`ONE`]: the square of its value, clipped to
/// 0..=1 (SCReLU), rounded to the nearest, from the middle up.
#[inline]
#[must_use]
pub const fn activation(neuron: i16) -> i16 {
    let clipped = if neuron < 0 { 0 } else { neuron as i32 };
    let clipped = if clipped > QA { QA } else { clipped };
    // An eighth of the largest square is what just fits.
    ((clipped * clipped + 4) / 8) as i16
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
    /// An output of 1 is worth nothing, or more than [`MAX_SCALE`].
    #[error("a network whose outputs are worth {0} centipawns, not 1 to {MAX_SCALE}")]
    Scale(i32),
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
    /// The output of a bucket can leave the range of an `i32`.
    #[error("a network whose output {0} can overflow")]
    Output(usize),
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
    /// Their biases, in units of 1/([`ONE`] × [`QB`]).
    pub output_biases: [i32; BUCKETS],
    /// What an output of 1 is worth, in centipawns, 1 to [`MAX_SCALE`].
    pub scale: i32,
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
            scale: SCALE,
        }
    }

    /// The weights of one feature, `[neuron]`.
    #[must_use]
    pub fn row(&self, feature: usize) -> &[i16] {
        &self.feature_weights[feature * self.hidden..][..self.hidden]
    }

    /// Whether the arithmetic is exact in 16 bits for the neurons and 32 for the output,
    /// in every position.
    ///
    /// # Errors
    /// If it is not: [`NetworkError::Accumulator`],
    /// [`NetworkError::Scale`] or [`NetworkError::Output`].
    pub fn check(&self) -> Result<(), NetworkError> {
        for neuron in 0..self.hidden {
            let reach = self.reach(neuron);
            if reach > i32::from(i16::MAX) {
                return Err(NetworkError::Accumulator { neuron, reach });
            }
        }
        if !(1..=MAX_SCALE).contains(&self.scale) {
            return Err(NetworkError::Scale(self.scale));
        }
        for (bucket, weights) in self.output_weights.chunks_exact(2 * self.hidden).enumerate() {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            if sum * i64::from(ONE) > i64::from(i32::MAX) {
                return Err(NetworkError::Output(bucket));
            }
        }
        Ok(())
    }

    /// How far from 0 a neuron can be at most, in either direction, whatever the zone, the
    /// pieces and their marks.
    fn reach(&self, neuron: usize) -> i32 {
        let weight = |set: usize, feature: usize| {
            let feature = set * PIECE_FEATURES + feature;
            i32::from(self.feature_weights[feature * self.hidden + neuron])
        };
        // A mark may be there or not, the piece itself always is.
        let marks: Vec<(i32, i32)> = (0..PIECE_FEATURES)
            .map(|feature| {
                (ZONES..ZONES + MARKS).fold((0, 0), |(low, high), set| {
                    let weight = weight(set, feature);
                    (low + weight.min(0), high + weight.max(0))
                })
            })
            .collect();
        let of_pieces = (0..ZONES).map(|zone| {
            let most = |(feature, &(low, high)): (usize, &(i32, i32))| {
                let piece = weight(zone, feature);
                (piece + high).max(-(piece + low))
            };
            let mut most: Vec<i32> = marks.iter().enumerate().map(most).collect();
            most.select_nth_unstable_by(MAX_PIECES, |a, b| b.cmp(a));
            most[..MAX_PIECES].iter().sum::<i32>()
        });
        i32::from(self.feature_biases[neuron]).abs() + of_pieces.max().unwrap_or(0)
    }

    /// All its numbers, as they stand in its file.
    fn payload(&self) -> Vec<u8> {
        let weights = [&self.feature_weights, &self.feature_biases, &self.output_weights];
        let mut payload: Vec<u8> =
            weights.into_iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        payload.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        payload.extend(self.scale.to_le_bytes());
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
        let (weights, wide) = payload.split_at(payload.len() - 4 * (BUCKETS + 1));
        let mut numbers =
            weights.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let wide: Vec<i32> =
            wide.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
        let mut take = |count| numbers.by_ref().take(count).collect::<Vec<i16>>();
        let network = QuantisedNet {
            hidden,
            feature_weights: take(FEATURES * hidden),
            feature_biases: take(hidden),
            output_weights: take(BUCKETS * 2 * hidden),
            output_biases: std::array::from_fn(|bucket| wide[bucket]),
            scale: wide[BUCKETS],
        };
        network.check()?;
        Ok(network)
    }

    /// The network in a file, of the engine's size.
    ///
    /// # Errors
    /// As [`from_bytes`](QuantisedNet::from_bytes), or if it has not [`HIDDEN`] neurons.
    pub fn for_engine(bytes: &[u8]) -> Result<QuantisedNet, NetworkError> {
        let network = QuantisedNet::from_bytes(bytes)?;
        if network.hidden != HIDDEN {
            return Err(NetworkError::OtherHidden(network.hidden));
        }
        Ok(network)
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
            assert_eq!(network.checksum(), crc32fast::hash(&bytes[HEADER_LEN..]));
            assert_eq!(QuantisedNet::from_bytes(&bytes).as_ref(), Ok(&network));
            let expected =
                if hidden == HIDDEN { Ok(network) } else { Err(NetworkError::OtherHidden(hidden)) };
            assert_eq!(QuantisedNet::for_engine(&bytes), expected);
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
        for version in 0..VERSION as u8 {
            assert_eq!(broken(VERSION_AT, version), NetworkError::Version(version.into()));
        }
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
        for zone in 0..ZONES {
            let mut network = QuantisedNet::zeroed(64);
            let weight = |set: usize, feature: usize| (set * PIECE_FEATURES + feature) * 64 + 5;
            for feature in 0..MAX_PIECES {
                network.feature_weights[weight(zone, feature * 20)] =
                    if feature % 2 == 0 { -900 } else { 900 };
            }
            network.feature_biases[5] = i16::MAX - 32 * 900;
            assert_eq!(network.check(), Ok(()));
            network.feature_biases[5] += 1;
            let refused = network.check();
            assert_eq!(refused, Err(NetworkError::Accumulator { neuron: 5, reach: 32_768 }));
            // A piece counts with its worst marks, here without the one that would help.
            network.feature_weights[weight(ZONES, 0)] = 3;
            network.feature_weights[weight(ZONES + 1, 0)] = -2;
            network.feature_weights[weight(zone, 0)] = 900;
            let refused = network.check();
            assert_eq!(refused, Err(NetworkError::Accumulator { neuron: 5, reach: 32_771 }));
            network.feature_biases[5] = i16::MIN;
            assert!(QuantisedNet::from_bytes(&network.to_bytes()).is_err());
        }

        let mut network = QuantisedNet::zeroed(256);
        let rest = i32::MAX / ONE - 2 * i32::from(i16::MAX);
        network.output_weights[3 * 2 * 256..][..3].copy_from_slice(&[
            i16::MAX,
            -i16::MAX,
            rest as i16,
        ]);
        assert_eq!(network.check(), Ok(()));
        network.output_weights[3 * 2 * 256 + 3] = -1;
        assert_eq!(network.check(), Err(NetworkError::Output(3)));

        let mut network = QuantisedNet::zeroed(8);
        for (scale, expected) in [(1, Ok(())), (0, Err(0)), (MAX_SCALE + 1, Err(MAX_SCALE + 1))] {
            network.scale = scale;
            assert_eq!(network.check(), expected.map_err(NetworkError::Scale));
        }
    }
}
