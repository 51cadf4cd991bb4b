//! The network in floating point: its parameters and their layout.
//!
//! # The network
//! A position has two *perspectives*, first that of the side to move. Each has a list of
//! features, one for each piece and one more for each threat to it. A feature has a row of
//! weights, one for each neuron; the rows of a perspective's features and the biases add up to
//! its *accumulator*. SCReLU, `clamp(x, 0, 1)²`, is applied to each number in it. The output is
//! the weighted sum of both perspectives plus a bias; the number of pieces selects the weights
//! and the bias. An output of 1 is worth `scale` centipawns.

use std::ops::Range;

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::{MAX_ON_BOARD, PIECE_FEATURES, SCALE, Shape};

use crate::random::Random;

/// Neurons computed at a time; the number of neurons is a multiple.
pub const BLOCK: usize = 32;

pub(super) const PERSPECTIVES: usize = 2;

/// Initial feature weights are within `±INITIAL_WEIGHT`: sums of 25 have a standard deviation
/// of 0.3, well within the range where SCReLU has a gradient.
const INITIAL_WEIGHT: f32 = 0.1;

/// One number for each neuron of a block.
pub(super) type Lane = [f32; BLOCK];

/// A network in floating point.
///
/// The order of the parameters: the feature weights `[neurons / BLOCK][features][BLOCK]`, the
/// first layer's biases `[neurons]`, the output weights
/// `[neurons / BLOCK][outputs][2][BLOCK]`, the side to move first, and the outputs' biases
/// `[outputs]`. Gradients and moments have the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatNet {
    pub shape: Shape,
    /// Centipawns of an output of 1.
    pub scale: i32,
    /// All parameters.
    pub parameters: AVec<f32>,
}

impl FloatNet {
    /// A network with all parameters 0.
    ///
    /// # Panics
    /// If the number of neurons is not a positive multiple of [`BLOCK`].
    pub fn zero(shape: Shape) -> FloatNet {
        let neurons = shape.neurons;
        assert!(
            neurons > 0 && neurons.is_multiple_of(BLOCK),
            "the number of neurons, {neurons}, is not a positive multiple of {BLOCK}"
        );
        FloatNet { shape, scale: SCALE, parameters: avec![0.0; parameter_count(&shape)] }
    }

    /// A network to begin training with: small random weights, no biases. A piece has equal
    /// weights in all king buckets.
    ///
    /// # Panics
    /// As [`FloatNet::zero`].
    pub fn random(shape: Shape, seed: u64) -> FloatNet {
        let mut network = FloatNet::zero(shape);
        let mut random = Random::new(seed);
        let output_weight = (PERSPECTIVES as f32 * shape.neurons as f32).sqrt().recip();
        let (features, outputs) = (..network.feature_bias(0), network.output_weights());
        network.parameters[features].fill_with(|| INITIAL_WEIGHT * random.symmetric());
        for block in network.parameters[features].chunks_exact_mut(shape.feature_count() * BLOCK) {
            for bucket in 1..shape.king_bucket_count() {
                block.copy_within(..PIECE_FEATURES * BLOCK, bucket * PIECE_FEATURES * BLOCK);
            }
        }
        network.parameters[outputs].fill_with(|| output_weight * random.symmetric());
        network
    }

    /// This network in another shape (Chen, Goodfellow and Shlens, "Net2Net", 2016). Its
    /// evaluations are unchanged if each output serves the same piece counts as before.
    ///
    /// * An output copies the old output for the middle of its range of piece counts.
    /// * A king bucket copies the old bucket of its squares.
    /// * New threat planes have weights of 0.
    /// * New neurons have random rows and output weights of 0.
    pub fn reshaped(&self, shape: Shape, seed: u64) -> Result<FloatNet, String> {
        let old = &self.shape;
        if shape.neurons < old.neurons || shape.threat_planes < old.threat_planes {
            return Err(format!("{old}; neurons and threat planes cannot be removed"));
        }
        let mut network = FloatNet::random(shape, seed);
        network.scale = self.scale;
        let outputs = network.output_weights();
        network.parameters[outputs].fill(0.0);
        // For each new set of features (a king bucket or a threat plane), the old set to copy.
        let mut sets = vec![None; shape.king_bucket_count() + shape.threat_planes];
        for (bucket, old_bucket) in shape.king_buckets.into_iter().zip(old.king_buckets) {
            let first = *sets[usize::from(bucket)].get_or_insert(usize::from(old_bucket));
            if first != usize::from(old_bucket) {
                return Err(format!(
                    "king bucket {bucket} has squares of the old buckets {first} and {old_bucket}"
                ));
            }
        }
        for plane in 0..old.threat_planes {
            sets[shape.king_bucket_count() + plane] = Some(old.king_bucket_count() + plane);
        }
        for neuron in 0..old.neurons {
            for feature in 0..shape.feature_count() {
                let number = sets[feature / PIECE_FEATURES].map_or(0.0, |old_set| {
                    let old = old_set * PIECE_FEATURES + feature % PIECE_FEATURES;
                    self.parameters[self.feature_weight(old, neuron)]
                });
                let at = network.feature_weight(feature, neuron);
                network.parameters[at] = number;
            }
            let at = network.feature_bias(neuron);
            network.parameters[at] = self.parameters[self.feature_bias(neuron)];
        }
        for output in 0..shape.outputs {
            let first = (output * MAX_ON_BOARD).div_ceil(shape.outputs) + 1;
            let last = ((output + 1) * MAX_ON_BOARD).div_ceil(shape.outputs);
            let old_output = old.output_bucket(first.midpoint(last));
            for side in 0..PERSPECTIVES {
                for neuron in 0..old.neurons {
                    let at = network.output_weight(output, side, neuron);
                    network.parameters[at] =
                        self.parameters[self.output_weight(old_output, side, neuron)];
                }
            }
            let at = network.output_bias(output);
            network.parameters[at] = self.parameters[self.output_bias(old_output)];
        }
        Ok(network)
    }

    /// The index of the weight from a feature to a neuron.
    pub fn feature_weight(&self, feature: usize, neuron: usize) -> usize {
        (neuron / BLOCK * self.shape.feature_count() + feature) * BLOCK + neuron % BLOCK
    }

    /// The index of the bias of a neuron.
    pub fn feature_bias(&self, neuron: usize) -> usize {
        self.shape.feature_count() * self.shape.neurons + neuron
    }

    /// The indices of the output weights.
    pub fn output_weights(&self) -> Range<usize> {
        self.output_weight(0, 0, 0)..self.output_bias(0)
    }

    /// The index of the weight from a neuron of a perspective to an output.
    pub fn output_weight(&self, output: usize, side: usize, neuron: usize) -> usize {
        let lane = neuron / BLOCK * output_lanes(&self.shape) + output_lane(output, side);
        self.feature_bias(self.shape.neurons) + lane * BLOCK + neuron % BLOCK
    }

    /// The index of the bias of an output.
    pub fn output_bias(&self, output: usize) -> usize {
        parameter_count(&self.shape) - self.shape.outputs + output
    }
}

pub(super) fn parameter_count(shape: &Shape) -> usize {
    (shape.feature_count() + 1 + output_lanes(shape)) * shape.neurons + shape.outputs
}

/// Lanes of output weights in each block.
fn output_lanes(shape: &Shape) -> usize {
    shape.outputs * PERSPECTIVES
}

/// The index of a lane among the output weights of a block.
#[inline(always)]
pub(super) fn output_lane(output: usize, side: usize) -> usize {
    output * PERSPECTIVES + side
}

/// The parameters, or their gradient, of one block of neurons.
pub(super) struct Block<T> {
    /// One lane for each feature.
    pub rows: T,
    /// One lane.
    pub biases: T,
    /// Indexed by [`output_lane`].
    pub outputs: T,
}

impl<T> Block<T> {
    fn new(((rows, biases), outputs): ((T, T), T)) -> Block<T> {
        Block { rows, biases, outputs }
    }
}

/// The parameters of each block.
pub(super) fn blocks(network: &FloatNet) -> impl Iterator<Item = Block<&[Lane]>> {
    let lanes = network.parameters.as_chunks::<BLOCK>().0;
    let (features, outputs) = (network.shape.feature_count(), output_lanes(&network.shape));
    let blocks = network.shape.neurons / BLOCK;
    let (rows, rest) = lanes.split_at(blocks * features);
    let (biases, weights) = rest.split_at(blocks);
    let rows = rows.chunks_exact(features);
    rows.zip(biases.chunks_exact(1)).zip(weights.chunks_exact(outputs)).map(Block::new)
}

/// The gradient of each block.
pub(super) fn blocks_mut<'a>(
    gradient: &'a mut [f32],
    shape: &Shape,
) -> impl Iterator<Item = Block<&'a mut [Lane]>> + use<'a> {
    let lanes = gradient.as_chunks_mut::<BLOCK>().0;
    let (features, outputs) = (shape.feature_count(), output_lanes(shape));
    let blocks = shape.neurons / BLOCK;
    let (rows, rest) = lanes.split_at_mut(blocks * features);
    let (biases, weights) = rest.split_at_mut(blocks);
    let rows = rows.chunks_exact_mut(features);
    rows.zip(biases.chunks_exact_mut(1)).zip(weights.chunks_exact_mut(outputs)).map(Block::new)
}
