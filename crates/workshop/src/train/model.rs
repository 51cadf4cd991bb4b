//! The network in floating point: its parameters and their layout.
//!
//! # The network
//! A position has two *perspectives*, first that of the side to move. Each has a list of
//! features, one for each piece and one more for each threat to it. A feature has a row of
//! weights, one for each neuron; the rows of a perspective's features and the biases add up to
//! its *accumulator*. Neuron i and neuron i + N / 2 make a pair; their product, both clipped to
//! 0..=1, is an *activation*. The activations of both perspectives are the inputs of a small
//! network with layers of [`L2`] and [`L3`] neurons ([`Dense`]); the number of pieces selects its
//! weights. An output of 1 is worth `scale` centipawns.

use std::iter;
use std::ops::Range;

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::{
    Dense, L2, L3, MAX_ON_BOARD, ONE, PIECE_FEATURES, SCALE, Shape,
};
use fastrand::Rng;
use rayon::prelude::*;

use super::kernel::{self, Kernel};

/// Neurons computed at a time.
pub const BLOCK: usize = 32;

/// The number of neurons is a multiple: a block, and the block of the other neurons of its pairs.
pub const PAIR: usize = 2 * BLOCK;

pub(super) const PERSPECTIVES: usize = 2;

/// Initial feature weights are within `±INITIAL_WEIGHT`: sums of 25 have a standard deviation
/// of 0.3, well within the range where activations have a gradient.
const INITIAL_WEIGHT: f32 = 0.1;

/// One number for each neuron of a block.
pub(super) type Lane = [f32; BLOCK];

/// The neurons of a block, in units of 1/[`ONE`].
pub(super) type Lane16 = [i16; BLOCK];

/// The weights to the neurons of a block, in units of 1/[`ONE`].
pub(super) type Lane8 = [i8; BLOCK];

/// Lanes that a thread rounds at a time.
const LANES_PER_TASK: usize = 256;

/// The first layer in the integers of the engine, for the forward pass: so the training takes the
/// rounding into account, and the memory traffic is a quarter.
#[derive(Clone, Debug)]
pub struct FirstLayer {
    /// In the order of [`FloatNet::parameters`].
    rows: AVec<Lane8>,
    biases: AVec<Lane16>,
}

impl FirstLayer {
    /// The rounded first layer of a network.
    pub fn new(network: &FloatNet) -> FirstLayer {
        let (features, blocks) = (network.shape.feature_count(), network.shape.neurons / BLOCK);
        let (rows, biases) = (avec![[0; BLOCK]; features * blocks], avec![[0; BLOCK]; blocks]);
        let mut layer = FirstLayer { rows, biases };
        layer.update(network);
        layer
    }

    /// Rounds the first layer of a network of the same shape.
    pub fn update(&mut self, network: &FloatNet) {
        let parameters = network.parameters.as_chunks::<BLOCK>().0;
        self.rows
            .par_chunks_mut(LANES_PER_TASK)
            .zip(parameters.par_chunks(LANES_PER_TASK))
            .for_each(|(rows, parameters)| kernel::run(Round { rows, parameters }));
        for (biases, parameters) in iter::zip(&mut self.biases[..], &parameters[self.rows.len()..])
        {
            *biases = parameters.map(|parameter| (parameter * ONE as f32).round() as i16);
        }
    }

    /// The rows and the biases of a block.
    pub(super) fn block(&self, block: usize) -> (&[Lane8], &Lane16) {
        let features = self.rows.len() / self.biases.len();
        (&self.rows[block * features..][..features], &self.biases[block])
    }
}

struct Round<'a> {
    rows: &'a mut [Lane8],
    parameters: &'a [Lane],
}

impl Kernel for Round<'_> {
    #[inline(always)]
    fn compute(self) {
        for (row, parameters) in iter::zip(self.rows, self.parameters) {
            for (weight, parameter) in iter::zip(row, parameters) {
                // The sum has no bits for fractions, so its low bits are the rounded number.
                const ROUNDER: f32 = (3 << 22) as f32;
                let units = (parameter * ONE as f32).clamp(i8::MIN.into(), i8::MAX.into());
                *weight = (units + ROUNDER).to_bits() as i8;
            }
        }
    }
}

/// A network in floating point.
///
/// The order of the parameters: the feature weights `[neurons / BLOCK][features][BLOCK]`, the
/// first layer's biases `[neurons]`, the weights of the second layer
/// `[neurons / PAIR][outputs][2][L2][BLOCK]`, the side to move first, and the further numbers
/// `[outputs][Dense::NUMBERS]`. Gradients and moments have the same order.
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
    /// If the number of neurons is not a positive multiple of [`PAIR`].
    pub fn zero(shape: Shape) -> FloatNet {
        assert!(shape.neurons > 0 && shape.neurons.is_multiple_of(PAIR), "{shape}");
        FloatNet { shape, scale: SCALE, parameters: avec![0.0; parameter_count(&shape)] }
    }

    /// A network to begin training with: small random weights, no biases. A piece has equal
    /// weights in all king buckets.
    pub fn random(shape: Shape, seed: u64) -> FloatNet {
        let mut network = FloatNet::zero(shape);
        let mut rng = Rng::with_seed(seed);
        let mut symmetric = || 2.0 * rng.f32() - 1.0;
        let features = ..network.feature_bias(0);
        network.parameters[features].fill_with(|| INITIAL_WEIGHT * symmetric());
        for block in network.parameters[features].chunks_exact_mut(shape.feature_count() * BLOCK) {
            for bucket in 1..shape.king_bucket_count() {
                block.copy_within(..PIECE_FEATURES * BLOCK, bucket * PIECE_FEATURES * BLOCK);
            }
        }
        let mut fill = |weights: &mut [f32], inputs: usize| {
            let limit = (inputs as f32).sqrt().recip();
            weights.fill_with(|| limit * symmetric());
        };
        let l1_weights = network.l1_weights();
        fill(&mut network.parameters[l1_weights], shape.neurons);
        for output in 0..shape.outputs {
            let mut dense = Dense::ZERO;
            fill(dense.l2_weights.as_flattened_mut(), 2 * L2);
            fill(&mut dense.l3_weights, L3);
            network.set_dense(output, &dense);
        }
        network
    }

    /// This network in another shape (Chen, Goodfellow and Shlens, "Net2Net", 2016). Its
    /// evaluations are unchanged if each output serves the same piece counts as before.
    ///
    /// * An output copies the old output for the middle of its range of piece counts.
    /// * A king bucket copies the old bucket of its squares.
    /// * New threat planes have weights of 0.
    /// * New neurons have random rows, and their activations have weights of 0.
    pub fn reshaped(&self, shape: Shape, seed: u64) -> Result<FloatNet, String> {
        let old = &self.shape;
        if shape.neurons < old.neurons || shape.threat_planes < old.threat_planes {
            return Err(format!("{old}; neurons and threat planes cannot be removed"));
        }
        let mut network = FloatNet::random(shape, seed);
        network.scale = self.scale;
        let l1_weights = network.l1_weights();
        network.parameters[l1_weights].fill(0.0);
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
        let pairs = old.neurons / 2;
        for old_neuron in 0..old.neurons {
            let is_second = old_neuron >= pairs;
            let neuron =
                if is_second { old_neuron - pairs + shape.neurons / 2 } else { old_neuron };
            for feature in 0..shape.feature_count() {
                let number = sets[feature / PIECE_FEATURES].map_or(0.0, |old_set| {
                    let old = old_set * PIECE_FEATURES + feature % PIECE_FEATURES;
                    self.parameters[self.feature_weight(old, old_neuron)]
                });
                let at = network.feature_weight(feature, neuron);
                network.parameters[at] = number;
            }
            let at = network.feature_bias(neuron);
            network.parameters[at] = self.parameters[self.feature_bias(old_neuron)];
        }
        for output in 0..shape.outputs {
            let first = (output * MAX_ON_BOARD).div_ceil(shape.outputs) + 1;
            let last = ((output + 1) * MAX_ON_BOARD).div_ceil(shape.outputs);
            let old_output = old.output_bucket(first.midpoint(last));
            for (neuron, side, pair) in weights_of_output(pairs) {
                let at = network.l1_weight(output, neuron, side, pair);
                network.parameters[at] =
                    self.parameters[self.l1_weight(old_output, neuron, side, pair)];
            }
            network.set_dense(output, &self.dense(old_output));
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

    /// The indices of the weights of the second layer.
    pub(super) fn l1_weights(&self) -> Range<usize> {
        self.l1_weight(0, 0, 0, 0)..self.dense_numbers(0).start
    }

    /// The index of the weight from the activation of a perspective's pair to a neuron of the
    /// second layer.
    pub fn l1_weight(&self, output: usize, neuron: usize, side: usize, pair: usize) -> usize {
        let lane = pair / BLOCK * l1_lanes(&self.shape) + l1_lane(output, side) + neuron;
        self.feature_bias(self.shape.neurons) + lane * BLOCK + pair % BLOCK
    }

    /// The indices of the further numbers of an output.
    pub fn dense_numbers(&self, output: usize) -> Range<usize> {
        let end = parameter_count(&self.shape) - (self.shape.outputs - 1 - output) * Dense::NUMBERS;
        end - Dense::NUMBERS..end
    }

    /// The further layers of an output.
    pub fn dense(&self, output: usize) -> Dense {
        Dense::from_numbers(self.parameters[self.dense_numbers(output)].iter().copied())
    }

    pub(super) fn set_dense(&mut self, output: usize, dense: &Dense) {
        let range = self.dense_numbers(output);
        for (own, number) in iter::zip(&mut self.parameters[range], dense.numbers()) {
            *own = number;
        }
    }
}

/// The neuron, the side and the pair of each weight of the second layer for an output, in the
/// order of the file.
pub(super) fn weights_of_output(pairs: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..L2 * PERSPECTIVES * pairs)
        .map(move |at| (at / pairs / PERSPECTIVES, at / pairs % PERSPECTIVES, at % pairs))
}

fn parameter_count(shape: &Shape) -> usize {
    (shape.feature_count() + 1 + L2 * shape.outputs) * shape.neurons
        + shape.outputs * Dense::NUMBERS
}

/// Lanes of weights of the second layer in each pair of blocks.
fn l1_lanes(shape: &Shape) -> usize {
    shape.outputs * PERSPECTIVES * L2
}

/// The index of the first of the [`L2`] lanes of an output and a side.
#[inline(always)]
pub(super) fn l1_lane(output: usize, side: usize) -> usize {
    (output * PERSPECTIVES + side) * L2
}

/// The weights of the second layer of each pair of blocks, indexed by [`l1_lane`].
pub(super) fn l1_blocks(network: &FloatNet) -> impl Iterator<Item = &[Lane]> {
    let lanes = network.parameters[network.l1_weights()].as_chunks().0;
    lanes.chunks_exact(l1_lanes(&network.shape))
}

/// The gradient of a block of neurons and of the block of the other neurons of its pairs.
pub(super) struct BlockPair<'a> {
    /// One lane for each feature.
    pub rows: [&'a mut [Lane]; 2],
    /// One lane.
    pub biases: [&'a mut [Lane]; 2],
    /// Indexed by [`l1_lane`].
    pub l1_weights: &'a mut [Lane],
}

/// The gradient of each pair of blocks.
pub(super) fn block_pairs<'a>(
    gradient: &'a mut [f32],
    shape: &Shape,
) -> impl Iterator<Item = BlockPair<'a>> + use<'a> {
    let lanes = gradient.as_chunks_mut::<BLOCK>().0;
    let (features, weights) = (shape.feature_count(), l1_lanes(shape));
    let pairs = shape.neurons / PAIR;
    let (first_rows, rest) = lanes.split_at_mut(pairs * features);
    let (second_rows, rest) = rest.split_at_mut(pairs * features);
    let (first_biases, rest) = rest.split_at_mut(pairs);
    let (second_biases, rest) = rest.split_at_mut(pairs);
    let rows = first_rows.chunks_exact_mut(features).zip(second_rows.chunks_exact_mut(features));
    let biases = first_biases.chunks_exact_mut(1).zip(second_biases.chunks_exact_mut(1));
    let parts = rows.zip(biases).zip(rest.chunks_exact_mut(weights));
    parts.take(pairs).map(|((rows, biases), l1_weights)| BlockPair {
        rows: rows.into(),
        biases: biases.into(),
        l1_weights,
    })
}
