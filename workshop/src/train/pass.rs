//! The forward pass: from positions to outputs.
//!
//! # Why it is fast
//! A perspective has some 25 of several thousand features, and only their rows are read. Rows
//! are cut into blocks of [`BLOCK`] neurons, and a chunk of positions passes through one block
//! after the other: a sum stays in registers, and a block of the matrix in a cache. Rows are
//! aligned to cache lines ([`AVec`]).

use std::iter;

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::{Dense, DenseValues, L2, L3, Shape, sum};

use super::inputs::{CHUNK, Inputs, Occurrences};
use super::kernel::{self, Kernel};
use super::model::{BLOCK, FloatNet, Lane, PAIR, PERSPECTIVES, block_pairs, l1_lane};

/// The forward pass of a chunk, with the intermediate results that the
/// [backward pass](super::gradient) needs.
#[derive(Clone, Debug)]
pub struct Pass {
    pub inputs: Inputs,
    /// The accumulators: `[block][perspective]`.
    accumulators: AVec<Lane>,
    /// The sums of the second layer, then their derivatives.
    pub(super) sums: Vec<[f32; L2]>,
    values: Vec<DenseValues>,
    outputs: Vec<f32>,
    /// The further layers, by output bucket, and their gradient.
    dense: Vec<Dense>,
    pub(super) dense_gradient: Vec<Dense>,
    /// Filled by [`Pass::prepare_backward`].
    pub(super) occurrences: Occurrences,
}

impl Pass {
    /// Allocates the buffers for a chunk and networks of this shape.
    pub fn new(shape: &Shape) -> Pass {
        Pass {
            inputs: Inputs::default(),
            accumulators: avec![[0.0; BLOCK]; shape.neurons / BLOCK * CHUNK * PERSPECTIVES],
            sums: Vec::with_capacity(CHUNK),
            values: Vec::with_capacity(CHUNK),
            outputs: Vec::with_capacity(CHUNK),
            dense: Vec::new(),
            dense_gradient: Vec::new(),
            occurrences: Occurrences::new(shape.feature_count()),
        }
    }

    /// The network's outputs for the positions in `inputs`.
    ///
    /// # Panics
    /// If there are more than [`CHUNK`] positions.
    pub fn forward(&mut self, network: &FloatNet) -> &[f32] {
        let positions = self.inputs.positions();
        assert!(positions <= CHUNK, "more positions than a chunk");
        self.sums.clear();
        self.sums.resize(positions, [0.0; L2]);
        self.values.clear();
        self.outputs.clear();
        self.dense = (0..network.shape.outputs).map(|output| network.dense(output)).collect();
        kernel::run(Forward { network, pass: self });
        &self.outputs
    }

    /// Takes the derivatives of the loss with respect to the outputs of the last
    /// [`Pass::forward`].
    ///
    /// # Panics
    /// If the numbers of gradients and positions differ.
    pub fn prepare_backward(&mut self, output_slopes: &[f32]) {
        assert_eq!(output_slopes.len(), self.inputs.positions());
        self.dense_gradient.clear();
        self.dense_gradient.resize(self.dense.len(), Dense::ZERO);
        kernel::run(DenseBackward { output_slopes, pass: self });
        self.occurrences.fill(&self.inputs);
    }

    /// The accumulators of a block, by position and perspective.
    pub(super) fn accumulators(&self, block: usize) -> &[[Lane; PERSPECTIVES]] {
        let used = self.inputs.positions() * PERSPECTIVES;
        let accumulators = &self.accumulators[block * CHUNK * PERSPECTIVES..][..used];
        accumulators.as_chunks::<PERSPECTIVES>().0
    }
}

struct Forward<'a> {
    network: &'a FloatNet,
    pass: &'a mut Pass,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn compute(self) {
        let Forward { network, pass } = self;
        let Pass { inputs, accumulators, sums, values, outputs, dense, .. } = pass;
        let used = inputs.positions() * PERSPECTIVES;
        let (firsts, seconds) =
            accumulators.split_at_mut(network.shape.neurons / PAIR * CHUNK * PERSPECTIVES);
        let [firsts, seconds] =
            [firsts, seconds].map(|half| half.chunks_exact_mut(CHUNK * PERSPECTIVES));
        for ((pair, first), second) in block_pairs(network).zip(firsts).zip(seconds) {
            let blocks = iter::zip(pair.rows, pair.biases).zip([&mut *first, &mut *second]);
            for ((rows, biases), accumulators) in blocks {
                for (perspective, accumulator) in accumulators[..used].iter_mut().enumerate() {
                    let mut total = biases[0];
                    for &feature in inputs.features(perspective) {
                        add(&mut total, &rows[usize::from(feature)]);
                    }
                    *accumulator = total;
                }
            }
            for (position, sums) in sums.iter_mut().enumerate() {
                let activations: [Lane; PERSPECTIVES] = std::array::from_fn(|side| {
                    let at = position * PERSPECTIVES + side;
                    activations(&first[at], &second[at])
                });
                let weights: [&[Lane]; PERSPECTIVES] = std::array::from_fn(|side| {
                    &pair.l1_weights[l1_lane(inputs.output(position), side)..][..L2]
                });
                for (neuron, total) in sums.iter_mut().enumerate() {
                    let mut products = [0.0; BLOCK];
                    for (activations, weights) in iter::zip(&activations, weights) {
                        for (at, product) in products.iter_mut().enumerate() {
                            *product += activations[at] * weights[neuron][at];
                        }
                    }
                    *total += sum(products);
                }
            }
        }
        for (position, &sums) in sums.iter().enumerate() {
            let result = dense[inputs.output(position)].forward(sums);
            outputs.push(result.output);
            values.push(result);
        }
    }
}

/// The backward pass through the further layers. Replaces the sums by their derivatives.
struct DenseBackward<'a> {
    output_slopes: &'a [f32],
    pass: &'a mut Pass,
}

impl Kernel for DenseBackward<'_> {
    #[inline(always)]
    fn compute(self) {
        let Pass { inputs, sums, values, dense, dense_gradient, .. } = self.pass;
        let positions = self.output_slopes.iter().zip(values).zip(sums).enumerate();
        for (position, ((&output_slope, values), sums)) in positions {
            let bucket = inputs.output(position);
            let (dense, gradient) = (&dense[bucket], &mut dense_gradient[bucket]);
            gradient.l3_bias += output_slope;
            let mut third = [0.0; L3];
            for (neuron, total) in third.iter_mut().enumerate() {
                let (active, slope) = clip(values.third[neuron]);
                gradient.l3_weights[neuron] += output_slope * active;
                *total = output_slope * dense.l3_weights[neuron] * slope;
                gradient.l2_biases[neuron] += *total;
            }
            let mut input_slopes = [0.0; 2 * L2];
            for (input, slope) in input_slopes.iter_mut().enumerate() {
                let (weights, gradient) =
                    (&dense.l2_weights[input], &mut gradient.l2_weights[input]);
                let mut products = [0.0; L3];
                for neuron in 0..L3 {
                    gradient[neuron] += values.inputs[input] * third[neuron];
                    products[neuron] = weights[neuron] * third[neuron];
                }
                *slope = sum(products);
            }
            for neuron in 0..L2 {
                let value = values.second[neuron];
                let (_, slope) = clip(value);
                let (_, square_slope) = clip(value * value);
                sums[neuron] = input_slopes[neuron] * slope
                    + input_slopes[L2 + neuron] * square_slope * 2.0 * value;
                gradient.l1_biases[neuron] += sums[neuron];
            }
        }
    }
}

/// A number clipped to 0..=1, and the derivative.
#[inline(always)]
pub(super) fn clip(number: f32) -> (f32, f32) {
    let clipped = number.clamp(0.0, 1.0);
    (clipped, if clipped == number { 1.0 } else { 0.0 })
}

/// The activations of a block of pairs.
#[inline(always)]
fn activations(first: &Lane, second: &Lane) -> Lane {
    let mut activations = [0.0; BLOCK];
    for (at, activation) in activations.iter_mut().enumerate() {
        *activation = first[at].clamp(0.0, 1.0) * second[at].clamp(0.0, 1.0);
    }
    activations
}

#[inline(always)]
pub(super) fn add(total: &mut Lane, summand: &Lane) {
    for neuron in 0..BLOCK {
        total[neuron] += summand[neuron];
    }
}
