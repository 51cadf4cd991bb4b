//! The forward pass: from positions to outputs.
//!
//! # Why it is fast
//! A perspective has some 25 of several thousand features, and only their rows are read. Rows
//! are cut into blocks of [`BLOCK`] neurons, and a chunk of positions passes through one block
//! after the other: a sum stays in registers, and a block of the matrix in a cache. Rows are
//! aligned to cache lines ([`AVec`]).

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::Shape;

use super::inputs::{CHUNK, Inputs, Occurrences};
use super::kernel::{self, Kernel};
use super::model::{BLOCK, FloatNet, Lane, PERSPECTIVES, blocks, output_lane};

/// The forward pass of a chunk, with the intermediate results that the
/// [backward pass](super::gradient) needs.
#[derive(Clone, Debug)]
pub struct Pass {
    pub inputs: Inputs,
    /// The accumulators: `[block][perspective]`.
    accumulators: AVec<Lane>,
    outputs: Vec<f32>,
    /// The derivatives of the loss with respect to the outputs.
    pub(super) output_slopes: Vec<f32>,
    /// Filled by [`Pass::prepare_backward`].
    pub(super) occurrences: Occurrences,
}

impl Pass {
    /// Allocates the buffers for a chunk and networks of this shape.
    pub fn new(shape: &Shape) -> Pass {
        Pass {
            inputs: Inputs::default(),
            accumulators: avec![[0.0; BLOCK]; shape.neurons / BLOCK * CHUNK * PERSPECTIVES],
            outputs: Vec::with_capacity(CHUNK),
            output_slopes: Vec::with_capacity(CHUNK),
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
        let biases = &network.parameters[network.output_bias(0)..];
        self.outputs.clear();
        self.outputs.extend((0..positions).map(|position| biases[self.inputs.output(position)]));
        kernel::run(Forward {
            network,
            inputs: &self.inputs,
            accumulators: &mut self.accumulators,
            outputs: &mut self.outputs,
        });
        &self.outputs
    }

    /// Takes the derivatives of the loss with respect to the outputs of the last
    /// [`Pass::forward`].
    ///
    /// # Panics
    /// If the numbers of gradients and positions differ.
    pub fn prepare_backward(&mut self, output_slopes: &[f32]) {
        assert_eq!(output_slopes.len(), self.inputs.positions());
        self.output_slopes.clear();
        self.output_slopes.extend_from_slice(output_slopes);
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
    inputs: &'a Inputs,
    accumulators: &'a mut [Lane],
    outputs: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn compute(self) {
        let used = self.inputs.positions() * PERSPECTIVES;
        let accumulators = self.accumulators.chunks_exact_mut(CHUNK * PERSPECTIVES);
        for (block, accumulators) in blocks(self.network).zip(accumulators) {
            for (perspective, accumulator) in accumulators[..used].iter_mut().enumerate() {
                let mut total = block.biases[0];
                for &feature in self.inputs.features(perspective) {
                    add(&mut total, &block.rows[usize::from(feature)]);
                }
                *accumulator = total;
            }
            let accumulators = accumulators.as_chunks::<PERSPECTIVES>().0;
            for (position, (accumulators, output)) in
                accumulators.iter().zip(self.outputs.iter_mut()).enumerate()
            {
                let mut sums = [0.0; BLOCK];
                for (side, total) in accumulators.iter().enumerate() {
                    let lane = output_lane(self.inputs.output(position), side);
                    let weights = &block.outputs[lane];
                    for neuron in 0..BLOCK {
                        let active = total[neuron].clamp(0.0, 1.0);
                        sums[neuron] += active * active * weights[neuron];
                    }
                }
                *output += sum(sums);
            }
        }
    }
}

#[inline(always)]
pub(super) fn add(total: &mut Lane, summand: &Lane) {
    for neuron in 0..BLOCK {
        total[neuron] += summand[neuron];
    }
}

/// The sum of a lane, by halves, so that the order is fixed.
#[inline(always)]
fn sum(mut lane: Lane) -> f32 {
    let mut len = BLOCK;
    while len > 1 {
        len /= 2;
        for neuron in 0..len {
            lane[neuron] += lane[neuron + len];
        }
    }
    lane[0]
}
