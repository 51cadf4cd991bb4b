//! A quantised network and its file format.
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
//! | F × N | weights of the first layer, feature by feature, `i8` |
//! | 2 × N | biases of the first layer, `i16` |
//! | O × ([`L2`] × N + 4 × [`Dense::NUMBERS`]) | the layer stack of each output bucket: [`LayerStack::l1_weights`], `i8`, then [`Dense`], `f32` |
//! | 4 | centipawns of an output of 1, `i32` |

use std::array;
use std::iter;

pub use super::shape::*;

/// Quantisation of the first two layers: a weight or a neuron of 1 is stored as this number.
/// Trained weights are within ±1.
pub const ONE: i32 = i8::MAX as i32;

/// Quantisation of the activations of the first layer: an activation of 1 is this number.
pub const ACT_ONE: f32 = (ONE * ONE) as f32 / (1 << ACT_SHIFT) as f32;

/// The product of two neurons, shifted by this, is an activation: 126 at most, so that the sum of
/// two activations times weights fits 16 bits.
const ACT_SHIFT: u32 = 7;

/// The largest bias of the first layer: with the weights of a full board, each piece with all its
/// threats, the sum fits 16 bits.
pub const MAX_BIAS: i16 =
    i16::MAX - ((1 + MAX_THREAT_PLANES) * MAX_ON_BOARD) as i16 * i8::MIN.unsigned_abs() as i16;

/// The default scale: centipawns of an output of 1.
pub const SCALE: i32 = 400;

/// The largest scale.
pub const MAX_SCALE: i32 = 10_000;

/// Values from pawn to king, in centipawns: for the labels of random games, and for the
/// evaluation of a build without a network.
pub const PIECE_VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

const MAGIC: [u8; 8] = *b"carrynet";

const VERSION: u32 = 8;

/// The length of the header, in bytes.
pub const HEADER_LEN: usize = 64;

const VERSION_AT: usize = 8;
const NEURONS_AT: usize = 12;
const CHECKSUM_AT: usize = 16;
/// The offset of T, O and the king buckets, where the data that the checksum covers begin.
const SHAPE_AT: usize = 20;
const KING_BUCKETS_AT: usize = 24;
const RESERVED_AT: usize = KING_BUCKETS_AT + KING_SQUARES;

/// The largest number of a [`Dense`].
pub const MAX_DENSE: f32 = 1000.0;

/// An activation of the first layer, in units of 1/[`ACT_ONE`], 0 to 126: the product of two
/// neurons, each clipped to 0..=1, rounded to the nearest, halves up.
#[inline]
pub const fn activation(one: i16, other: i16) -> u8 {
    const fn clipped(neuron: i16) -> i32 {
        let neuron = if neuron < 0 { 0 } else { neuron as i32 };
        if neuron > ONE { ONE } else { neuron }
    }
    ((clipped(one) * clipped(other) + (1 << (ACT_SHIFT - 1))) >> ACT_SHIFT) as u8
}

impl Shape {
    /// The shape in the header of a network's file, to compile code for it.
    ///
    /// # Panics
    /// If the file is not a network in this format, or its shape is impossible.
    pub const fn of_file(file: &[u8]) -> Shape {
        assert!(file.len() > HEADER_LEN, "the network to embed is too short");
        let mut at = 0;
        while at < MAGIC.len() {
            assert!(file[at] == MAGIC[at], "the file to embed is not a network of Carrybit");
            at += 1;
        }
        assert!(number_at(file, VERSION_AT) == VERSION, "the network has another format");
        let shape = Shape::in_header(file);
        assert!(shape.is_valid(), "the shape of the network is impossible");
        assert!(shape.file_len() == file.len(), "the length of the network does not fit its shape");
        shape
    }

    const fn in_header(header: &[u8]) -> Shape {
        let mut king_buckets = [0; KING_SQUARES];
        let mut sq = 0;
        while sq < KING_SQUARES {
            king_buckets[sq] = header[KING_BUCKETS_AT + sq];
            sq += 1;
        }
        Shape {
            neurons: number_at(header, NEURONS_AT) as usize,
            king_buckets,
            threat_planes: header[SHAPE_AT] as usize,
            outputs: header[SHAPE_AT + 1] as usize,
        }
    }

    /// The length of a network's file, in bytes.
    pub const fn file_len(&self) -> usize {
        HEADER_LEN
            + self.neurons * (self.feature_count() + 2)
            + self.outputs * (L2 * self.neurons + 4 * Dense::NUMBERS)
            + 4
    }
}

const fn number_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Errors when a network is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum NetworkError {
    #[error("not a network of Carrybit")]
    Magic,
    #[error("a network in format {0}, not {VERSION}")]
    Version(u32),
    #[error("a network of another shape: {0}")]
    OtherShape(String),
    #[error("a corrupted network: {0}")]
    Corrupted(&'static str),
    #[error("a network whose outputs are worth {0} centipawns, not 1 to {MAX_SCALE}")]
    Scale(i32),
    #[error("a network with a bias of {0} in the first layer, beyond ±{MAX_BIAS}")]
    Bias(i16),
    #[error("a network with numbers beyond ±{MAX_DENSE} after the first layer")]
    Dense,
}

/// The layers after the first one, for one output bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerStack {
    /// The weights of the second layer, `[L2][activation]`, in units of 1/[`ONE`]. The activations
    /// of the side to move come first; activation i of a side is that of neurons i and i + N / 2.
    pub l1_weights: Vec<i8>,
    /// All further numbers.
    pub dense: Dense,
}

/// The numbers of a [`LayerStack`] in floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dense {
    /// The biases of the second layer.
    pub l1_biases: [f32; L2],
    /// The weights of the third layer, by its inputs: the neurons of the second layer clipped to
    /// 0..=1, then their squares clipped to 1.
    pub l2_weights: [[f32; L3]; 2 * L2],
    /// Its biases.
    pub l2_biases: [f32; L3],
    /// The weights of the output. Its inputs are the neurons of the third layer, clipped to 0..=1.
    pub l3_weights: [f32; L3],
    /// Its bias.
    pub l3_bias: f32,
}

impl Dense {
    /// The count of numbers.
    pub const NUMBERS: usize = L2 + 2 * L2 * L3 + 2 * L3 + 1;

    /// All zeros.
    pub const ZERO: Dense = Dense {
        l1_biases: [0.0; L2],
        l2_weights: [[0.0; L3]; 2 * L2],
        l2_biases: [0.0; L3],
        l3_weights: [0.0; L3],
        l3_bias: 0.0,
    };

    /// All numbers, in the order of the file.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + '_ {
        let l2_weights = self.l2_weights.as_flattened().iter();
        let numbers = self.l1_biases.iter().chain(l2_weights).chain(&self.l2_biases);
        numbers.chain(&self.l3_weights).copied().chain([self.l3_bias])
    }

    /// The reverse of [`Dense::numbers`].
    ///
    /// # Panics
    /// If there are fewer than [`Dense::NUMBERS`].
    pub fn from_numbers(numbers: impl IntoIterator<Item = f32>) -> Dense {
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().expect("all numbers");
        Dense {
            l1_biases: array::from_fn(|_| next()),
            l2_weights: array::from_fn(|_| array::from_fn(|_| next())),
            l2_biases: array::from_fn(|_| next()),
            l3_weights: array::from_fn(|_| next()),
            l3_bias: next(),
        }
    }

    /// The output for the sums of the second layer, in units of 1/([`ACT_ONE`] × [`ONE`]).
    #[inline(always)]
    pub fn output(&self, sums: &[i32; L2]) -> f32 {
        const UNIT: f32 = 1.0 / (ACT_ONE * ONE as f32);
        self.forward(sums.map(|sum| sum as f32 * UNIT)).output
    }

    /// All values of the layers for the sums of the second layer.
    ///
    /// The order of additions is fixed and no multiplication is fused with one, so all processors
    /// give the same result.
    #[inline(always)]
    pub fn forward(&self, sums: [f32; L2]) -> DenseValues {
        let mut second = sums;
        let mut inputs = [0.0; 2 * L2];
        for neuron in 0..L2 {
            second[neuron] += self.l1_biases[neuron];
            inputs[neuron] = second[neuron].clamp(0.0, 1.0);
            inputs[L2 + neuron] = (second[neuron] * second[neuron]).min(1.0);
        }
        let mut third = self.l2_biases;
        for (input, weights) in iter::zip(&inputs, &self.l2_weights) {
            for neuron in 0..L3 {
                third[neuron] += input * weights[neuron];
            }
        }
        let mut products = [0.0; L3];
        for neuron in 0..L3 {
            products[neuron] = third[neuron].clamp(0.0, 1.0) * self.l3_weights[neuron];
        }
        DenseValues { second, inputs, third, output: sum(products) + self.l3_bias }
    }
}

/// The values of a [`Dense`].
#[derive(Clone, Copy, Debug)]
pub struct DenseValues {
    /// The neurons of the second layer.
    pub second: [f32; L2],
    /// The inputs of the third layer.
    pub inputs: [f32; 2 * L2],
    /// The neurons of the third layer.
    pub third: [f32; L3],
    /// The output.
    pub output: f32,
}

/// The sum of a power of two of numbers, by halves, so that the order is fixed.
#[inline(always)]
fn sum<const N: usize>(mut numbers: [f32; N]) -> f32 {
    let mut len = N;
    while len > 1 {
        len /= 2;
        for at in 0..len {
            numbers[at] += numbers[at + len];
        }
    }
    numbers[0]
}

/// A network of any shape, its numbers in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedNet {
    /// The shape.
    pub shape: Shape,
    /// The weights of the first layer, `[feature][neuron]`, in units of 1/[`ONE`].
    pub feature_weights: Vec<i8>,
    /// Its biases, `[neuron]`, in units of 1/[`ONE`], within ±[`MAX_BIAS`].
    pub feature_biases: Vec<i16>,
    /// The further layers, for each output bucket.
    pub stacks: Vec<LayerStack>,
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
            stacks: vec![
                LayerStack { l1_weights: vec![0; L2 * shape.neurons], dense: Dense::ZERO };
                shape.outputs
            ],
            scale: SCALE,
        }
    }

    /// A network that counts pieces by [`PIECE_VALUES`], for differences of up to 15 of a kind.
    ///
    /// Each kind has an activation of 32 + 2 × d, where d is the own side's count minus the
    /// other's, and a neuron in each further layer, which hands it on.
    ///
    /// # Panics
    /// If there are fewer than twelve neurons.
    pub fn material(shape: Shape) -> QuantisedNet {
        const EVEN: i8 = 32;
        const STEP: i8 = 2;
        const WEIGHT: i8 = 64;
        let neurons = shape.neurons;
        let mut net = QuantisedNet::zeroed(shape);
        for (kind, value) in PIECE_VALUES.into_iter().enumerate() {
            net.feature_biases[kind] = EVEN.into();
            net.feature_biases[neurons / 2 + kind] = ONE as i16;
            for feature in 0..shape.king_bucket_count() * PIECE_FEATURES {
                if feature / 64 % 6 == kind {
                    let is_own = feature % PIECE_FEATURES < PIECE_FEATURES / 2;
                    net.feature_weights[feature * neurons + kind] =
                        if is_own { STEP } else { -STEP };
                }
            }
            // With a neuron of 1 in its pair, a neuron of up to 64 is itself the activation.
            let [even, step] = [EVEN, STEP].map(|activation| {
                f32::from(WEIGHT) * f32::from(activation) / (ONE as f32 * ACT_ONE)
            });
            let weight = value as f32 / SCALE as f32 / step;
            for stack in &mut net.stacks {
                stack.l1_weights[kind * neurons + kind] = WEIGHT;
                stack.dense.l2_weights[kind][kind] = 1.0;
                stack.dense.l3_weights[kind] = weight;
                stack.dense.l3_bias -= weight * even;
            }
        }
        net
    }

    /// The weights of one feature, `[neuron]`.
    pub fn row(&self, feature: usize) -> &[i8] {
        &self.feature_weights[feature * self.shape.neurons..][..self.shape.neurons]
    }

    /// Checks that all numbers are within their ranges, so that no position overflows a neuron.
    ///
    /// # Errors
    /// [`NetworkError::Bias`], [`NetworkError::Scale`] or [`NetworkError::Dense`].
    pub fn check(&self) -> Result<(), NetworkError> {
        let limits = -MAX_BIAS..=MAX_BIAS;
        if let Some(&bias) = self.feature_biases.iter().find(|bias| !limits.contains(bias)) {
            return Err(NetworkError::Bias(bias));
        }
        if !(1..=MAX_SCALE).contains(&self.scale) {
            return Err(NetworkError::Scale(self.scale));
        }
        let mut numbers = self.stacks.iter().flat_map(|stack| stack.dense.numbers());
        // False for a number that is none (NaN).
        if numbers.all(|number| number.abs() <= MAX_DENSE) {
            Ok(())
        } else {
            Err(NetworkError::Dense)
        }
    }

    fn payload(&self) -> Vec<u8> {
        let bytes = |weights: &[i8]| weights.iter().map(|weight| weight.cast_unsigned()).collect();
        let mut payload: Vec<u8> = bytes(&self.feature_weights);
        payload.extend(self.feature_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        for LayerStack { l1_weights, dense } in &self.stacks {
            payload.extend(bytes(l1_weights));
            payload.extend(dense.numbers().flat_map(f32::to_le_bytes));
        }
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
        let version = number_at(header, VERSION_AT);
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let shape = Shape::in_header(header);
        if !shape.is_valid() {
            return corrupted("its shape is impossible");
        }
        if bytes.len() != shape.file_len() {
            return corrupted(LENGTH);
        }
        if number_at(header, CHECKSUM_AT) != crc32fast::hash(&bytes[SHAPE_AT..]) {
            return corrupted("its checksum is wrong");
        }
        let mut reserved =
            header[SHAPE_AT + 2..KING_BUCKETS_AT].iter().chain(&header[RESERVED_AT..]);
        if reserved.any(|&byte| byte != 0) {
            return corrupted("its header is not clean");
        }
        let mut rest = payload;
        let mut take = |count: usize| rest.split_off(..count).expect("the length was checked");
        let weights = |bytes: &[u8]| bytes.iter().map(|byte| byte.cast_signed()).collect();
        let neurons = shape.neurons;
        let network = QuantisedNet {
            shape,
            feature_weights: weights(take(shape.feature_count() * neurons)),
            feature_biases: {
                let numbers = take(2 * neurons).as_chunks().0.iter();
                numbers.map(|number| i16::from_le_bytes(*number)).collect()
            },
            stacks: (0..shape.outputs)
                .map(|_| {
                    let l1_weights = weights(take(L2 * neurons));
                    let numbers = take(4 * Dense::NUMBERS).as_chunks().0.iter();
                    let dense =
                        Dense::from_numbers(numbers.map(|number| f32::from_le_bytes(*number)));
                    LayerStack { l1_weights, dense }
                })
                .collect(),
            scale: take(4).try_into().map(i32::from_le_bytes).expect("four bytes"),
        };
        network.check()?;
        Ok(network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Shape =
        Shape { neurons: 8, king_buckets: [0; KING_SQUARES], threat_planes: 1, outputs: 3 };

    fn random(shape: Shape) -> QuantisedNet {
        let mut rng = fastrand::Rng::with_seed(shape.neurons as u64);
        let mut below = |limit: i16| rng.i16(-limit..=limit);
        let mut network = QuantisedNet::zeroed(shape);
        network.feature_weights.fill_with(|| below(127) as i8);
        network.feature_biases.fill_with(|| below(100));
        for stack in &mut network.stacks {
            stack.l1_weights.fill_with(|| below(127) as i8);
            stack.dense = Dense::from_numbers(iter::repeat_with(|| f32::from(below(1000)) / 7.0));
        }
        network
    }

    #[test]
    fn networks_of_all_shapes_are_written_and_read() {
        let mut king_buckets: [u8; KING_SQUARES] = array::from_fn(|sq| sq as u8);
        king_buckets.reverse();
        for shape in [
            SMALL,
            Shape::DEFAULT,
            Shape { threat_planes: 0, ..SMALL },
            Shape { outputs: 9, neurons: 2, ..Shape::DEFAULT },
            Shape { king_buckets, ..SMALL },
        ] {
            let network = random(shape);
            let bytes = network.to_bytes();
            assert_eq!(network.checksum(), crc32fast::hash(&bytes[HEADER_LEN..]));
            assert_eq!(QuantisedNet::from_bytes(&bytes).as_ref(), Ok(&network));
        }
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
            (VERSION_AT, 7, "a network in format 7, not 8"),
            (NEURONS_AT, 0, "a corrupted network: its shape is impossible"),
            (SHAPE_AT, 3, "a corrupted network: its shape is impossible"),
            (SHAPE_AT + 1, 33, "a corrupted network: its shape is impossible"),
            (KING_BUCKETS_AT, 2, "a corrupted network: its shape is impossible"),
            (KING_BUCKETS_AT, 255, "a corrupted network: its shape is impossible"),
            (NEURONS_AT, 9, "a corrupted network: its shape is impossible"),
            (NEURONS_AT, 10, "a corrupted network: its length does not fit its shape"),
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
    fn numbers_out_of_range_are_refused() {
        let mut network = QuantisedNet::zeroed(SMALL);
        network.feature_weights.fill(i8::MIN);
        for (bias, expected) in [
            (MAX_BIAS, Ok(())),
            (-MAX_BIAS - 1, Err(NetworkError::Bias(-MAX_BIAS - 1))),
            (i16::MIN, Err(NetworkError::Bias(i16::MIN))),
        ] {
            network.feature_biases[5] = bias;
            assert_eq!(network.check(), expected);
            assert_eq!(QuantisedNet::from_bytes(&network.to_bytes()).map(|_| ()), expected);
        }

        let mut network = QuantisedNet::zeroed(SMALL);
        for (number, expected) in [
            (-MAX_DENSE, Ok(())),
            (MAX_DENSE.next_up(), Err(NetworkError::Dense)),
            (f32::NAN, Err(NetworkError::Dense)),
        ] {
            network.stacks[2].dense.l2_weights[31][5] = number;
            assert_eq!(network.check(), expected);
        }

        let mut network = QuantisedNet::zeroed(SMALL);
        for (scale, expected) in [(1, Ok(())), (0, Err(0)), (MAX_SCALE + 1, Err(MAX_SCALE + 1))] {
            network.scale = scale;
            assert_eq!(network.check(), expected.map_err(NetworkError::Scale));
        }
    }
}
