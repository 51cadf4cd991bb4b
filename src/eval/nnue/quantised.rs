//! A quantised network and its file format.
//!
//! `build.rs` compiles this file, too, so it may not use other parts of the engine.
//!
//! # File
//!
//! A header of 64 bytes, then the payload; all numbers are little-endian. A network has B king
//! buckets, T threat planes, N neurons, O outputs, and F = (B + T) × 768 features.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | [`MAGIC`] |
//! | 8..12 | version of the format, [`VERSION`] |
//! | 12..16 | N |
//! | 16..20 | CRC-32 (IEEE) of all that follows |
//! | 20, 21, 22..24 | T, O, zero |
//! | 24..56 | king bucket of each square, a1, b1, c1, d1, a2 to d8 |
//! | 56..64 | zero |
//! | 2 × F × N | weights of the first layer, feature by feature, `i16` |
//! | 2 × N | biases of the first layer, `i16` |
//! | O × 2 × 2 × N | weights of the outputs, output by output, the side to move's first, `i16` |
//! | O × 4 | biases of the outputs, in units of 1/([`ACT_ONE`] × [`QB`]), `i32` |
//! | 4 | centipawns of an output of 1, `i32` |
//!
//! In version 5 only N varied: the header is zero from byte 20 on, and the CRC covers the
//! payload only.

pub use super::shape::*;

/// Quantisation of the first layer: a weight of 1 is stored as this number.
pub const QA: i32 = 511;

/// Quantisation of the activations: an activation of 1 is this number, which just fits an `i16`.
pub const ACT_ONE: i32 = screlu(QA as i16) as i32;

/// Quantisation of the outputs: a weight of 1 is stored as this number.
pub const QB: i32 = 256;

/// The default scale: centipawns of an output of 1.
pub const SCALE: i32 = 400;

/// The largest scale.
pub const MAX_SCALE: i32 = 10_000;

/// Values from pawn to king, in centipawns: for the labels of random games, and for the
/// evaluation of a build without a network.
pub const PIECE_VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

const MAGIC: [u8; 8] = *b"carrynet";

/// The version of the format.
pub const VERSION: u32 = 6;

/// The length of the header, in bytes.
pub const HEADER_LEN: usize = 64;

const VERSION_AT: usize = 8;
const NEURONS_AT: usize = 12;
/// The offset of the checksum.
pub const CHECKSUM_AT: usize = 16;
/// The offset of T, O and the king buckets, where the data that the checksum covers begin.
pub const SHAPE_AT: usize = 20;
const KING_BUCKETS_AT: usize = 24;
const RESERVED_AT: usize = KING_BUCKETS_AT + KING_SQUARES;

/// The activation of a neuron (SCReLU), in units of 1/[`ACT_ONE`]: its value clipped to 0..=1,
/// squared, and rounded to the nearest, halves up.
#[inline]
pub const fn screlu(neuron: i16) -> i16 {
    let clipped = if neuron < 0 { 0 } else { neuron as i32 };
    let clipped = if clipped > QA { QA } else { clipped };
    // An eighth of the largest square just fits 16 bits.
    ((clipped * clipped + 4) / 8) as i16
}

impl Shape {
    /// The length of a network's file, in bytes.
    pub const fn file_len(&self) -> usize {
        HEADER_LEN
            + 2 * self.neurons * (self.feature_count() + 1 + 2 * self.outputs)
            + 4 * (self.outputs + 1)
    }
}

/// Errors when a network is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum NetworkError {
    #[error("not a network of Carrybit")]
    Magic,
    #[error("a network in format {0}, not 5 or {VERSION}")]
    Version(u32),
    #[error("a network of another shape: {}", .0.difference(&SHAPE))]
    OtherShape(Shape),
    #[error("a corrupted network: {0}")]
    Corrupted(&'static str),
    #[error("a network whose outputs are worth {0} centipawns, not 1 to {MAX_SCALE}")]
    Scale(i32),
    #[error("a network whose neuron {neuron} can reach {reach}, more than {}", i16::MAX)]
    Accumulator { neuron: usize, reach: i32 },
    #[error("a network whose output {0} can overflow")]
    Output(usize),
}

/// A network of any shape, its numbers in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedNet {
    /// The shape.
    pub shape: Shape,
    /// The weights of the first layer, `[feature][neuron]`, in units of 1/[`QA`].
    pub feature_weights: Vec<i16>,
    /// Its biases, `[neuron]`, in units of 1/[`QA`].
    pub feature_biases: Vec<i16>,
    /// The weights of the outputs, `[output][side to move, other side][neuron]`, in
    /// units of 1/[`QB`].
    pub output_weights: Vec<i16>,
    /// Their biases, in units of 1/([`ACT_ONE`] × [`QB`]).
    pub output_biases: Vec<i32>,
    /// Centipawns of an output of 1, 1 to [`MAX_SCALE`].
    pub scale: i32,
}

impl QuantisedNet {
    /// A network of zeros.
    pub fn zeroed(shape: Shape) -> QuantisedNet {
        QuantisedNet {
            shape,
            feature_weights: vec![0; shape.feature_count() * shape.neurons],
            feature_biases: vec![0; shape.neurons],
            output_weights: vec![0; shape.outputs * 2 * shape.neurons],
            output_biases: vec![0; shape.outputs],
            scale: SCALE,
        }
    }

    /// A network that counts pieces by [`PIECE_VALUES`], for differences of up to 15 of a kind.
    ///
    /// Each kind has two neurons, BIAS + STEP × d and BIAS - STEP × d, where d is the own side's
    /// count minus the other's. The difference of their squares is linear: 4 × BIAS × STEP × d.
    ///
    /// # Panics
    /// If there are fewer than twelve neurons.
    pub fn material(shape: Shape) -> QuantisedNet {
        const BIAS: i16 = 256;
        const STEP: i16 = 16;
        const ACTIVATION: i64 = 4 * BIAS as i64 * STEP as i64 / 8;
        let neurons = shape.neurons;
        let mut net = QuantisedNet::zeroed(shape);
        for (kind, value) in PIECE_VALUES.into_iter().enumerate() {
            let [more, fewer] = [2 * kind, 2 * kind + 1];
            net.feature_biases[more..=fewer].fill(BIAS);
            for feature in 0..shape.king_bucket_count() * PIECE_FEATURES {
                if feature / 64 % 6 == kind {
                    let is_own = feature % PIECE_FEATURES < PIECE_FEATURES / 2;
                    let step = if is_own { STEP } else { -STEP };
                    net.feature_weights[feature * neurons + more] = step;
                    net.feature_weights[feature * neurons + fewer] = -step;
                }
            }
            let one = i64::from(ACT_ONE) * i64::from(QB);
            let weight = i64::from(value) * one / (ACTIVATION * i64::from(SCALE));
            for weights in net.output_weights.chunks_exact_mut(2 * neurons) {
                weights[more] = weight as i16;
                weights[fewer] = -weight as i16;
            }
        }
        net
    }

    /// The weights of one feature, `[neuron]`.
    pub fn row(&self, feature: usize) -> &[i16] {
        &self.feature_weights[feature * self.shape.neurons..][..self.shape.neurons]
    }

    /// Checks that no position can overflow the 16 bits of neurons or the 32 of outputs.
    ///
    /// # Errors
    /// [`NetworkError::Accumulator`], [`NetworkError::Scale`] or [`NetworkError::Output`].
    pub fn check(&self) -> Result<(), NetworkError> {
        for neuron in 0..self.shape.neurons {
            let reach = self.reach(neuron);
            if reach > i32::from(i16::MAX) {
                return Err(NetworkError::Accumulator { neuron, reach });
            }
        }
        if !(1..=MAX_SCALE).contains(&self.scale) {
            return Err(NetworkError::Scale(self.scale));
        }
        let outputs = self.output_weights.chunks_exact(2 * self.shape.neurons);
        for (output, weights) in outputs.enumerate() {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            if sum * i64::from(ACT_ONE) > i64::from(i32::MAX) {
                return Err(NetworkError::Output(output));
            }
        }
        Ok(())
    }

    /// The largest absolute value of a neuron, over all king buckets, pieces and threats.
    fn reach(&self, neuron: usize) -> i32 {
        let king_buckets = self.shape.king_bucket_count();
        let weight = |set: usize, feature: usize| {
            let feature = set * PIECE_FEATURES + feature;
            i32::from(self.feature_weights[feature * self.shape.neurons + neuron])
        };
        // Each threat of a piece is optional; the piece itself is not.
        let threats: Vec<(i32, i32)> = (0..PIECE_FEATURES)
            .map(|feature| {
                let planes = king_buckets..king_buckets + self.shape.threat_planes;
                planes.fold((0, 0), |(low, high), plane| {
                    let weight = weight(plane, feature);
                    (low + weight.min(0), high + weight.max(0))
                })
            })
            .collect();
        let of_pieces = (0..king_buckets).map(|bucket| {
            let most = |(feature, &(low, high)): (usize, &(i32, i32))| {
                let piece = weight(bucket, feature);
                (piece + high).max(-(piece + low))
            };
            let mut most: Vec<i32> = threats.iter().enumerate().map(most).collect();
            most.select_nth_unstable_by(MAX_ON_BOARD, |a, b| b.cmp(a));
            most[..MAX_ON_BOARD].iter().sum::<i32>()
        });
        i32::from(self.feature_biases[neuron]).abs() + of_pieces.max().unwrap_or(0)
    }

    fn payload(&self) -> Vec<u8> {
        let weights = [&self.feature_weights, &self.feature_biases, &self.output_weights];
        let mut payload: Vec<u8> =
            weights.into_iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        payload.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        payload.extend(self.scale.to_le_bytes());
        payload
    }

    /// The CRC-32 of the file's payload, which identifies the network.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.payload())
    }

    /// The file of this network.
    ///
    /// # Panics
    /// If the lengths of the parts do not follow from the shape.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Shape { neurons, king_buckets, threat_planes, outputs } = self.shape;
        let mut covered = vec![threat_planes as u8, outputs as u8, 0, 0];
        covered.extend(king_buckets);
        covered.resize(HEADER_LEN - SHAPE_AT, 0);
        covered.extend(self.payload());
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((neurons as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&covered).to_le_bytes());
        bytes.extend(covered);
        assert_eq!(bytes.len(), self.shape.file_len(), "the parts fit together");
        bytes
    }

    /// Reads a network.
    ///
    /// # Errors
    /// If the file is damaged or not a network, and the errors of [`check`](QuantisedNet::check).
    pub fn from_bytes(bytes: &[u8]) -> Result<QuantisedNet, NetworkError> {
        const LENGTH: &str = "its length does not fit its shape";
        if !bytes.starts_with(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        let corrupted = |what| Err(NetworkError::Corrupted(what));
        let Some((header, payload)) = bytes.split_at_checked(HEADER_LEN) else {
            return corrupted(LENGTH);
        };
        let field = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let (shape, covered, reserved) = match field(VERSION_AT) {
            VERSION => {
                let shape = Shape {
                    neurons: field(NEURONS_AT) as usize,
                    king_buckets: std::array::from_fn(|sq| header[KING_BUCKETS_AT + sq]),
                    threat_planes: header[SHAPE_AT].into(),
                    outputs: header[SHAPE_AT + 1].into(),
                };
                let reserved = [&header[SHAPE_AT + 2..KING_BUCKETS_AT], &header[RESERVED_AT..]];
                (shape, &bytes[SHAPE_AT..], reserved.concat())
            }
            5 => {
                let (neurons, king_buckets) = (field(NEURONS_AT) as usize, VERSION_5_KING_BUCKETS);
                let shape = Shape { neurons, king_buckets, threat_planes: 2, outputs: 8 };
                (shape, payload, header[SHAPE_AT..].to_vec())
            }
            other => return Err(NetworkError::Version(other)),
        };
        if !shape.is_valid() {
            return corrupted("its shape is impossible");
        }
        if bytes.len() != shape.file_len() {
            return corrupted(LENGTH);
        }
        if field(CHECKSUM_AT) != crc32fast::hash(covered) {
            return corrupted("its checksum is wrong");
        }
        if reserved.iter().any(|&byte| byte != 0) {
            return corrupted("its header is not clean");
        }
        let (weights, wide) = payload.split_at(payload.len() - 4 * (shape.outputs + 1));
        let mut numbers =
            weights.as_chunks().0.iter().map(|&number: &[u8; 2]| i16::from_le_bytes(number));
        let mut output_biases: Vec<i32> =
            wide.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
        let scale = output_biases.pop().expect("the last number is the scale");
        let mut take = |count| numbers.by_ref().take(count).collect::<Vec<i16>>();
        let network = QuantisedNet {
            shape,
            feature_weights: take(shape.feature_count() * shape.neurons),
            feature_biases: take(shape.neurons),
            output_weights: take(shape.outputs * 2 * shape.neurons),
            output_biases,
            scale,
        };
        network.check()?;
        Ok(network)
    }

    /// Reads a network of the engine's shape.
    ///
    /// # Errors
    /// If it has another shape, and the errors of [`from_bytes`](QuantisedNet::from_bytes).
    pub fn for_engine(bytes: &[u8]) -> Result<QuantisedNet, NetworkError> {
        let network = QuantisedNet::from_bytes(bytes)?;
        match network.shape {
            SHAPE => Ok(network),
            other => Err(NetworkError::OtherShape(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape other than the engine's.
    const SMALL: Shape =
        Shape { neurons: 8, king_buckets: [0; KING_SQUARES], threat_planes: 1, outputs: 3 };

    fn random(shape: Shape) -> QuantisedNet {
        let mut rng = fastrand::Rng::with_seed(shape.neurons as u64);
        let mut below = |limit: i16| rng.i16(-limit..=limit);
        let mut network = QuantisedNet::zeroed(shape);
        network.feature_weights.fill_with(|| below(100));
        network.feature_biases.fill_with(|| below(100));
        network.output_weights.fill_with(|| below(64));
        network.output_biases.fill_with(|| below(10_000).into());
        network
    }

    #[test]
    fn networks_of_all_shapes_are_written_and_read() {
        let mut king_buckets: [u8; KING_SQUARES] = std::array::from_fn(|sq| sq as u8);
        king_buckets.reverse();
        for shape in [
            SMALL,
            SHAPE,
            Shape { threat_planes: 0, ..SMALL },
            Shape { outputs: 9, neurons: 1, ..SHAPE },
            Shape { king_buckets, ..SMALL },
        ] {
            let network = random(shape);
            let bytes = network.to_bytes();
            assert_eq!(network.checksum(), crc32fast::hash(&bytes[HEADER_LEN..]));
            assert_eq!(QuantisedNet::from_bytes(&bytes).as_ref(), Ok(&network));
            let expected =
                if shape == SHAPE { Ok(network) } else { Err(NetworkError::OtherShape(shape)) };
            assert_eq!(QuantisedNet::for_engine(&bytes), expected);
        }
        assert_eq!(
            NetworkError::OtherShape(SMALL).to_string(),
            "a network of another shape: 8 neurons, not 256 neurons; king buckets 0000, not king \
             buckets 0011/2222/3333; 1 threat planes, not 2 threat planes; 3 outputs, not 8 outputs"
        );
    }

    #[test]
    fn format_5_is_read() {
        let network = random(Shape { neurons: 8, ..SHAPE });
        let mut bytes = network.to_bytes();
        bytes[VERSION_AT] = 5;
        bytes[SHAPE_AT..HEADER_LEN].fill(0);
        bytes[CHECKSUM_AT..SHAPE_AT].copy_from_slice(&network.checksum().to_le_bytes());
        assert_eq!(QuantisedNet::from_bytes(&bytes), Ok(network));
        bytes[HEADER_LEN - 1] = 1;
        let unclean = NetworkError::Corrupted("its header is not clean");
        assert_eq!(QuantisedNet::from_bytes(&bytes), Err(unclean));
    }

    #[test]
    fn each_flaw_of_a_file_is_named() {
        let good = random(SMALL).to_bytes();
        let broken = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            QuantisedNet::from_bytes(&bytes).expect_err("a flaw").to_string()
        };
        for (at, byte, flaw) in [
            (0, b'x', "not a network of Carrybit"),
            (VERSION_AT, 4, "a network in format 4, not 5 or 6"),
            (NEURONS_AT, 0, "a corrupted network: its shape is impossible"),
            (SHAPE_AT, 3, "a corrupted network: its shape is impossible"),
            (SHAPE_AT + 1, 33, "a corrupted network: its shape is impossible"),
            (KING_BUCKETS_AT, 2, "a corrupted network: its shape is impossible"),
            (KING_BUCKETS_AT, 255, "a corrupted network: its shape is impossible"),
            (NEURONS_AT, 9, "a corrupted network: its length does not fit its shape"),
            (CHECKSUM_AT, !good[CHECKSUM_AT], "a corrupted network: its checksum is wrong"),
            (HEADER_LEN - 1, 1, "a corrupted network: its checksum is wrong"),
            (99, !good[99], "a corrupted network: its checksum is wrong"),
        ] {
            assert_eq!(broken(at, byte), flaw, "byte {at}");
        }
        for len in 0..good.len() {
            let error = QuantisedNet::from_bytes(&good[..len]).expect_err("too short").to_string();
            let flaw = if len < MAGIC.len() { "not a network" } else { "its length" };
            assert!(error.contains(flaw), "{len} bytes: {error}");
        }
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let shape = Shape { neurons: 64, ..SHAPE };
        for bucket in 0..KING_BUCKETS {
            let mut network = QuantisedNet::zeroed(shape);
            let weight = |set: usize, feature: usize| (set * PIECE_FEATURES + feature) * 64 + 5;
            for feature in 0..MAX_ON_BOARD {
                network.feature_weights[weight(bucket, feature * 20)] =
                    if feature % 2 == 0 { -900 } else { 900 };
            }
            network.feature_biases[5] = i16::MAX - 32 * 900;
            assert_eq!(network.check(), Ok(()));
            network.feature_biases[5] += 1;
            let refused = network.check();
            assert_eq!(refused, Err(NetworkError::Accumulator { neuron: 5, reach: 32_768 }));
            // A piece counts with its worst threats.
            network.feature_weights[weight(KING_BUCKETS, 0)] = 3;
            network.feature_weights[weight(KING_BUCKETS + 1, 0)] = -2;
            network.feature_weights[weight(bucket, 0)] = 900;
            let refused = network.check();
            assert_eq!(refused, Err(NetworkError::Accumulator { neuron: 5, reach: 32_771 }));
            network.feature_biases[5] = i16::MIN;
            assert!(QuantisedNet::from_bytes(&network.to_bytes()).is_err());
        }

        let mut network = QuantisedNet::zeroed(shape);
        const MAX: i16 = i16::MAX;
        let rest = (i32::MAX / ACT_ONE - 2 * i32::from(MAX)) as i16;
        network.output_weights[3 * 2 * 64..][..3].copy_from_slice(&[MAX, -MAX, rest]);
        assert_eq!(network.check(), Ok(()));
        network.output_weights[3 * 2 * 64 + 3] = -1;
        assert_eq!(network.check(), Err(NetworkError::Output(3)));

        let mut network = QuantisedNet::zeroed(SMALL);
        for (scale, expected) in [(1, Ok(())), (0, Err(0)), (MAX_SCALE + 1, Err(MAX_SCALE + 1))] {
            network.scale = scale;
            assert_eq!(network.check(), expected.map_err(NetworkError::Scale));
        }
    }
}
