//! The forward pass: from positions to outputs.
//!
//! # Why it is fast
//! A perspective has some 25 of several thousand features, and only their rows are read. Rows
//! are cut into blocks of [`BLOCK`] neurons, and a chunk of positions passes through one block
//! after the other: a sum stays in registers, and a block of the matrix in a cache. Weights have 8
//! bits ([`FirstLayer`]) and are aligned to cache lines ([`AVec`]).

use std::array;
use std::iter;

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::{Dense, DenseValues, L2, L3, ONE, Shape};

use super::inputs::{CHUNK, Inputs, Occurrences};
use super::kernel::{self, Kernel};
use super::model::{BLOCK, FirstLayer, FloatNet, Lane, Lane16, PAIR, PERSPECTIVES, l1_blocks};

/// The unit of a neuron.
const UNIT: f32 = 1.0 / ONE as f32;

/// The forward pass of a chunk, with the intermediate results that the
/// [backward pass](super::gradient) needs.
#[derive(Clone, Debug)]
pub struct Pass {
    pub inputs: Inputs,
    /// The accumulators: `[block][perspective]`.
    accumulators: AVec<Lane16>,
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
            accumulators: avec![[0; BLOCK]; shape.neurons / BLOCK * CHUNK * PERSPECTIVES],
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
    pub fn forward(&mut self, network: &FloatNet, first_layer: &FirstLayer) -> &[f32] {
        let positions = self.inputs.positions();
        assert!(positions <= CHUNK, "more positions than a chunk");
        self.inputs.sort();
        self.sums.clear();
        self.sums.resize(positions, [0.0; L2]);
        self.values.clear();
        self.outputs.clear();
        self.dense = (0..network.shape.outputs).map(|output| network.dense(output)).collect();
        kernel::run(Forward { network, first_layer, pass: self });
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
    pub(super) fn accumulators(&self, block: usize) -> &[[Lane16; PERSPECTIVES]] {
        let used = self.inputs.positions() * PERSPECTIVES;
        let accumulators = &self.accumulators[block * CHUNK * PERSPECTIVES..][..used];
        accumulators.as_chunks::<PERSPECTIVES>().0
    }
}

struct Forward<'a> {
    network: &'a FloatNet,
    first_layer: &'a FirstLayer,
    pass: &'a mut Pass,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn compute(self) {
        let Forward { network, first_layer, pass } = self;
        let Pass { inputs, accumulators, sums, values, outputs, dense, .. } = pass;
        let pairs = network.shape.neurons / PAIR;
        let (firsts, seconds) = accumulators.split_at_mut(pairs * CHUNK * PERSPECTIVES);
        let [firsts, seconds] =
            [firsts, seconds].map(|half| half.chunks_exact_mut(CHUNK * PERSPECTIVES));
        let halves = iter::zip(firsts, seconds);
        // The weights of the second layer, rounded as in the engine, by output and side, with a
        // column for each pair: sums over the pairs then need no sums over lanes.
        let mut columns = avec![[[0.0; L2]; BLOCK]; network.shape.outputs * PERSPECTIVES];
        for ((index, weights), (first, second)) in l1_blocks(network).enumerate().zip(halves) {
            for (columns, rows) in columns.iter_mut().zip(weights.as_chunks::<L2>().0) {
                for (at, column) in columns.iter_mut().enumerate() {
                    for neuron in 0..L2 {
                        column[neuron] = (rows[neuron][at] * ONE as f32).round_ties_even() * UNIT;
                    }
                }
            }
            for (block, accumulators) in [(index, &mut *first), (index + pairs, &mut *second)] {
                let (rows, biases) = first_layer.block(block);
                for perspective in inputs.order.iter().map(|&perspective| perspective.into()) {
                    let mut total = *biases;
                    for &feature in inputs.features(perspective) {
                        let row = &rows[usize::from(feature)];
                        for neuron in 0..BLOCK {
                            total[neuron] += i16::from(row[neuron]);
                        }
                    }
                    accumulators[perspective] = total;
                }
            }
            for (position, sums) in sums.iter_mut().enumerate() {
                let [ours, theirs] = [0, 1].map(|side| {
                    let at = position * PERSPECTIVES + side;
                    activations(&first[at], &second[at])
                });
                let [our_columns, their_columns] =
                    [0, 1].map(|side| &columns[inputs.output(position) * PERSPECTIVES + side]);
                let (mut our_sums, mut their_sums) = ([0.0; L2], [0.0; L2]);
                for at in 0..BLOCK {
                    for neuron in 0..L2 {
                        our_sums[neuron] += ours[at] * our_columns[at][neuron];
                    }
                    for neuron in 0..L2 {
                        their_sums[neuron] += theirs[at] * their_columns[at][neuron];
                    }
                }
                for neuron in 0..L2 {
                    sums[neuron] += our_sums[neuron] + their_sums[neuron];
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
        // With a row for each neuron of the third layer, sums over these need no sums over lanes.
        let columns =
            AVec::<_>::from_iter(0, dense.iter().map(|dense| transposed(&dense.l2_weights)));
        let mut column_gradients = avec![[[0.0; 2 * L2]; L3]; dense.len()];
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
            let inputs = values.inputs;
            let mut input_slopes = [0.0; 2 * L2];
            let columns = iter::zip(&columns[bucket], &mut column_gradients[bucket]);
            for (slope, (weights, gradient)) in iter::zip(third, columns) {
                let mut total = *gradient;
                for input in 0..2 * L2 {
                    total[input] += slope * inputs[input];
                    input_slopes[input] += slope * weights[input];
                }
                *gradient = total;
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
        for (dense, columns) in iter::zip(dense_gradient, &column_gradients[..]) {
            dense.l2_weights = transposed(columns);
        }
    }
}

#[inline(always)]
fn transposed<const N: usize, const M: usize>(rows: &[[f32; N]; M]) -> [[f32; M]; N] {
    array::from_fn(|column| rows.map(|row| row[column]))
}

/// A neuron clipped to 0..=1, and the derivative.
#[inline(always)]
pub(super) fn clip_16(neuron: i16) -> (f32, f32) {
    let clipped = neuron.clamp(0, ONE as i16);
    (f32::from(clipped) * UNIT, if clipped == neuron { 1.0 } else { 0.0 })
}

/// A number clipped to 0..=1, and the derivative.
#[inline(always)]
fn clip(number: f32) -> (f32, f32) {
    let clipped = number.clamp(0.0, 1.0);
    (clipped, if clipped == number { 1.0 } else { 0.0 })
}

/// The activations of a block of pairs.
#[inline(always)]
pub(super) fn activations(first: &Lane16, second: &Lane16) -> Lane {
    let mut activations = [0.0; BLOCK];
    for (at, activation) in activations.iter_mut().enumerate() {
        *activation = clip_16(first[at]).0 * clip_16(second[at]).0;
    }
    activations
}
