//! The way through the network: from positions to its outputs.
//!
//! # Why it is fast
//! A view has some 25 features of 4608: their rows are added, nothing else of the big matrix
//! is touched. The rows are cut into blocks of [`BLOCK`] neurons, and a chunk of positions
//! goes through one block after the other: a sum then stays in the processor's registers, and
//! a block of the matrix in one of its caches. Rows lie in as few of the cache's lines as they
//! can ([`AVec`]).

use aligned_vec::{AVec, avec};

use super::model::{BLOCK, FloatNet, Lane, VIEWS, blocks, output_lane};
use super::views::{CHUNK, Occurrences, Views};
use crate::kernel::{self, Kernel};

/// A chunk of positions on its way through the network, and what the way
/// [back](super::gradient) needs of it.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The views of the positions that go through the network next.
    pub views: Views,
    /// The accumulators of the views, by blocks: `[block][view]`.
    accumulators: AVec<Lane>,
    outputs: Vec<f32>,
    /// How the loss changes with the outputs.
    output_slopes: Vec<f32>,
    occurrences: Occurrences,
}

impl Pass {
    /// Room for a chunk and networks of this size.
    #[must_use]
    pub fn new(hidden: usize) -> Pass {
        Pass {
            views: Views::new(),
            accumulators: avec![[0.0; BLOCK]; hidden / BLOCK * CHUNK * VIEWS],
            outputs: Vec::with_capacity(CHUNK),
            output_slopes: Vec::with_capacity(CHUNK),
            occurrences: Occurrences::new(),
        }
    }

    /// The network's outputs for the positions in `views`.
    ///
    /// # Panics
    /// If there are more than [`CHUNK`] positions.
    pub fn forward(&mut self, network: &FloatNet) -> &[f32] {
        let positions = self.views.positions();
        assert!(positions <= CHUNK, "too many positions at a time");
        let biases = &network.parameters[network.output_bias(0)..];
        self.outputs.clear();
        self.outputs.extend((0..positions).map(|position| biases[self.views.bucket(position)]));
        kernel::run(Forward {
            network,
            views: &self.views,
            accumulators: &mut self.accumulators,
            outputs: &mut self.outputs,
        });
        &self.outputs
    }

    /// Remembers how the loss changes with each output of the last [`Pass::forward`], for the
    /// way back.
    ///
    /// # Panics
    /// If there are not as many slopes as positions.
    pub fn turn(&mut self, output_slopes: &[f32]) {
        assert_eq!(output_slopes.len(), self.views.positions());
        self.output_slopes.clear();
        self.output_slopes.extend_from_slice(output_slopes);
        self.occurrences.fill(&self.views);
    }

    /// How the loss changes with the outputs, as [`Pass::turn`] was told.
    pub(super) fn output_slopes(&self) -> &[f32] {
        &self.output_slopes
    }

    /// The views in which each feature is found, as of [`Pass::turn`].
    pub(super) fn occurrences(&self) -> &Occurrences {
        &self.occurrences
    }

    /// The accumulators of a block, by positions and views.
    pub(super) fn accumulators(&self, block: usize) -> &[[Lane; VIEWS]] {
        let views = self.views.positions() * VIEWS;
        let accumulators = &self.accumulators[block * CHUNK * VIEWS..][..views];
        accumulators.as_chunks::<VIEWS>().0
    }
}

struct Forward<'a> {
    network: &'a FloatNet,
    views: &'a Views,
    accumulators: &'a mut [Lane],
    outputs: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn compute(self) {
        let used = self.views.positions() * VIEWS;
        let accumulators = self.accumulators.chunks_exact_mut(CHUNK * VIEWS);
        for (block, accumulators) in blocks(self.network).zip(accumulators) {
            for (view, accumulator) in accumulators[..used].iter_mut().enumerate() {
                let mut total = block.biases[0];
                for &feature in self.views.features(view) {
                    add(&mut total, &block.rows[usize::from(feature)]);
                }
                *accumulator = total;
            }
            let accumulators = accumulators.as_chunks::<VIEWS>().0;
            for (position, (accumulators, output)) in
                accumulators.iter().zip(self.outputs.iter_mut()).enumerate()
            {
                let bucket = self.views.bucket(position);
                let mut sums = [0.0; BLOCK];
                for (side, total) in accumulators.iter().enumerate() {
                    let weights = &block.outputs[output_lane(bucket, side)];
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

/// Adds numbers to those of the same neurons.
#[inline(always)]
pub(super) fn add(total: &mut Lane, summand: &Lane) {
    for neuron in 0..BLOCK {
        total[neuron] += summand[neuron];
    }
}

/// The sum of a lane, by halves: the order is the same on every processor.
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
