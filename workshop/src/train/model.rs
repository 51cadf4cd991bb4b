//! The network in floating point: its parameters, and where each of them lies.
//!
//! # What the network computes
//! A position is seen twice, first as the side to move sees it, then as the other side does.
//! Each *view* is a list of features, one for each piece on the board and one more for each
//! danger that it is in. A feature has a row of `hidden` weights; the rows of a view's features
//! and the biases add up to its *accumulator*. Each number in it goes through SCReLU,
//! `clamp(x, 0, 1)²`, and the output is the sum of all those of both views, weighted, plus a
//! bias; the weights and the bias are those of the position's *bucket*, by its number of
//! pieces. An output of 1 is worth [`SCALE`](carrybit::eval::nnue::network::SCALE) centipawns.

use std::ops::Range;

use aligned_vec::{AVec, avec};
use carrybit::eval::nnue::features::{FEATURES, PIECE_FEATURES, ZONES};
use carrybit::eval::nnue::network::BUCKETS;

use crate::random::Random;

/// How many neurons are computed at a time, and learn at a time. The hidden layer's size is a
/// multiple.
pub const BLOCK: usize = 32;

/// Views of a position.
pub(super) const VIEWS: usize = 2;

/// Lanes of output weights to each block of neurons.
pub(super) const OUTPUT_LANES: usize = BUCKETS * VIEWS;

/// Feature weights lie in `±INITIAL_WEIGHT` at first: 25 of them add up to
/// a spread of 0.3, well within the part of SCReLU that can be learnt from.
const INITIAL_WEIGHT: f32 = 0.1;

/// Neighbouring neurons' numbers.
pub(super) type Lane = [f32; BLOCK];

/// A network's parameters.
///
/// They lie in one array, in this order: the feature weights
/// `[hidden / BLOCK][FEATURES][BLOCK]`, the hidden layer's biases `[hidden]`, the
/// output weights `[hidden / BLOCK][BUCKETS][2][BLOCK]`, those of the side to move
/// first, and the outputs' biases `[BUCKETS]`. Gradients and the optimiser's memory
/// have the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatNet {
    hidden: usize,
    /// All parameters.
    pub parameters: AVec<f32>,
}

impl FloatNet {
    /// A network with all parameters 0.
    ///
    /// # Panics
    /// If `hidden` is not a positive multiple of [`BLOCK`].
    #[must_use]
    pub fn zero(hidden: usize) -> FloatNet {
        assert!(hidden > 0 && hidden.is_multiple_of(BLOCK), "no network has {hidden} neurons");
        FloatNet { hidden, parameters: avec![0.0; parameter_count(hidden)] }
    }

    /// A network to start learning from: small random weights, no biases.
    ///
    /// # Panics
    /// As [`FloatNet::zero`].
    #[must_use]
    pub fn random(hidden: usize, seed: u64) -> FloatNet {
        let mut network = FloatNet::zero(hidden);
        let mut random = Random::new(seed);
        let output_weight = (VIEWS as f32 * hidden as f32).sqrt().recip();
        let (features, outputs) = (..network.feature_bias(0), network.output_weights());
        network.parameters[features].fill_with(|| INITIAL_WEIGHT * random.symmetric());
        network.share_rows();
        network.parameters[outputs].fill_with(|| output_weight * random.symmetric());
        network
    }

    /// Copies the first zone's rows to all others.
    fn share_rows(&mut self) {
        let rows = self.feature_bias(0);
        for block in self.parameters[..rows].chunks_exact_mut(FEATURES * BLOCK) {
            for zone in 1..ZONES {
                block.copy_within(..PIECE_FEATURES * BLOCK, zone * PIECE_FEATURES * BLOCK);
            }
        }
    }

    /// This network with more neurons, `hidden` in all. The new ones see what those of a
    /// [random](FloatNet::random) network do, and do not count in the outputs yet: it computes
    /// what it did (Chen, Goodfellow and Shlens, "Net2Net", 2016).
    ///
    /// # Panics
    /// If `hidden` is less than it has, or no multiple of [`BLOCK`].
    #[must_use]
    pub fn grown(&self, hidden: usize, seed: u64) -> FloatNet {
        assert!(hidden >= self.hidden, "{hidden} neurons are fewer than {}", self.hidden);
        let mut grown = FloatNet::random(hidden, seed);
        let outputs = grown.output_weights();
        grown.parameters[outputs].fill(0.0);
        // In each part the blocks that are there already come first.
        let starts = |net: &FloatNet| {
            [0, net.feature_bias(0), net.output_weight(0, 0, 0), net.output_bias(0)]
        };
        let ends = [starts(self)[1], starts(self)[2], starts(self)[3], self.parameters.len()];
        for ((to, from), end) in starts(&grown).into_iter().zip(starts(self)).zip(ends) {
            let part = &self.parameters[from..end];
            grown.parameters[to..to + part.len()].copy_from_slice(part);
        }
        grown
    }

    /// Neurons of the hidden layer, for each view.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Where the weight from a feature to a neuron lies in the parameters.
    #[must_use]
    pub fn feature_weight(&self, feature: usize, neuron: usize) -> usize {
        (neuron / BLOCK * FEATURES + feature) * BLOCK + neuron % BLOCK
    }

    /// Where the bias of a neuron lies in the parameters.
    #[must_use]
    pub fn feature_bias(&self, neuron: usize) -> usize {
        FEATURES * self.hidden + neuron
    }

    /// Where the output weights lie in the parameters.
    #[must_use]
    pub fn output_weights(&self) -> Range<usize> {
        self.output_weight(0, 0, 0)..self.output_bias(0)
    }

    /// Where the weight from a view's neuron to a bucket's output lies in the
    /// parameters.
    #[must_use]
    pub fn output_weight(&self, bucket: usize, view: usize, neuron: usize) -> usize {
        let lane = neuron / BLOCK * OUTPUT_LANES + output_lane(bucket, view);
        (FEATURES + 1) * self.hidden + lane * BLOCK + neuron % BLOCK
    }

    /// Where the bias of a bucket's output lies in the parameters.
    #[must_use]
    pub fn output_bias(&self, bucket: usize) -> usize {
        (FEATURES + 1 + OUTPUT_LANES) * self.hidden + bucket
    }
}

/// How many parameters a network has.
pub(super) fn parameter_count(hidden: usize) -> usize {
    (FEATURES + 1 + OUTPUT_LANES) * hidden + BUCKETS
}

/// Where among the lanes of output weights of a block those of a bucket and a view
/// are.
#[inline(always)]
pub(super) fn output_lane(bucket: usize, view: usize) -> usize {
    bucket * VIEWS + view
}

/// The parameters, or their gradient, of one block of neurons.
pub(super) struct Block<T> {
    /// One row for each feature.
    pub rows: T,
    /// One lane.
    pub biases: T,
    /// The output weights, by [`output_lane`].
    pub outputs: T,
}

impl<T> Block<T> {
    fn new(((rows, biases), outputs): ((T, T), T)) -> Block<T> {
        Block { rows, biases, outputs }
    }
}

/// The parameters of each block, by lanes.
pub(super) fn blocks(network: &FloatNet) -> impl Iterator<Item = Block<&[Lane]>> {
    let lanes = network.parameters.as_chunks::<BLOCK>().0;
    let blocks = network.hidden / BLOCK;
    let (rows, rest) = lanes.split_at(blocks * FEATURES);
    let (biases, outputs) = rest.split_at(blocks);
    let rows = rows.chunks_exact(FEATURES);
    let outputs = outputs.chunks_exact(OUTPUT_LANES);
    rows.zip(biases.chunks_exact(1)).zip(outputs).map(Block::new)
}

/// The gradient of each block, by lanes.
pub(super) fn blocks_mut(
    gradient: &mut [f32],
    hidden: usize,
) -> impl Iterator<Item = Block<&mut [Lane]>> {
    let lanes = gradient.as_chunks_mut::<BLOCK>().0;
    let blocks = hidden / BLOCK;
    let (rows, rest) = lanes.split_at_mut(blocks * FEATURES);
    let (biases, outputs) = rest.split_at_mut(blocks);
    let rows = rows.chunks_exact_mut(FEATURES);
    let outputs = outputs.chunks_exact_mut(OUTPUT_LANES);
    rows.zip(biases.chunks_exact_mut(1)).zip(outputs).map(Block::new)
}
