//! The network in floating point: what it computes, and how its output changes
//! with each parameter.
//!
//! # What the network computes
//! A position is seen twice, first as the side to move sees it, then as the
//! other side does. Each *view* is a list of features, for each piece on the
//! board one and one more for each danger that it is in. A feature has a row of
//! `hidden` weights; the rows of a view's features and the biases add up to its
//! *accumulator*. Each number in it goes through SCReLU, `clamp(x, 0, 1)²`, and the output is the sum of all those of both
//! views, weighted, plus a bias; the weights and the bias are those of the
//! position's *bucket*, by its number of pieces. An output of 1 is worth
//! [`SCALE`](carrybit::eval::nnue::network::SCALE) centipawns.
//!
//! # Why it is fast
//! A view has some 25 features of 4608: their rows are added, nothing else of the
//! big matrix is touched. The rows are cut into blocks of [`BLOCK`] neurons, and
//! a chunk of positions goes through one block after the other: a sum then stays
//! in the processor's registers, and a block of the matrix in one of its caches.
//! The way back would add a view's slopes to the row of each of its features,
//! which reads and writes much memory; instead, a table of the views in which
//! each feature is found (`Occurrences`) lets a row stay in registers until
//! all that has to be added to it has been.

use std::ops::Range;

use carrybit::eval::nnue::features::{FEATURES, MAX_PIECES, PIECE_FEATURES, ZONES};
use carrybit::eval::nnue::network::BUCKETS;

use crate::kernel::{self, Kernel};
use crate::random::Random;

/// How many neurons are computed at a time. The hidden layer's size is a multiple.
pub const BLOCK: usize = 32;

/// The most positions that go through the network at a time.
pub const CHUNK: usize = 256;

/// Views of a position.
const VIEWS: usize = 2;

/// Lanes of output weights to each block of neurons.
const OUTPUT_LANES: usize = BUCKETS * VIEWS;

/// Feature weights lie in `±INITIAL_WEIGHT` at first: 25 of them add up to
/// a spread of 0.3, well within the part of SCReLU that can be learnt from.
const INITIAL_WEIGHT: f32 = 0.1;

/// Neighbouring neurons' numbers.
type Lane = [f32; BLOCK];

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
    pub parameters: Vec<f32>,
}

impl FloatNet {
    /// A network with all parameters 0.
    ///
    /// # Panics
    /// If `hidden` is not a positive multiple of [`BLOCK`].
    #[must_use]
    pub fn zero(hidden: usize) -> FloatNet {
        assert!(hidden > 0 && hidden.is_multiple_of(BLOCK), "no network has {hidden} neurons");
        FloatNet { hidden, parameters: vec![0.0; parameter_count(hidden)] }
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
fn parameter_count(hidden: usize) -> usize {
    (FEATURES + 1 + OUTPUT_LANES) * hidden + BUCKETS
}

/// Where among the lanes of output weights of a block those of a bucket and a view
/// are.
#[inline(always)]
fn output_lane(bucket: usize, view: usize) -> usize {
    bucket * VIEWS + view
}

/// The parameters, or their gradient, of one block of neurons.
struct Block<T> {
    /// One row for each feature.
    rows: T,
    biases: T,
    /// The output weights, by [`output_lane`].
    outputs: T,
}

/// The parameters of a block, by lanes.
fn block(parameters: &[f32], hidden: usize, index: usize) -> Block<&[Lane]> {
    let lanes = parameters.as_chunks::<BLOCK>().0;
    let blocks = hidden / BLOCK;
    let (rows, rest) = lanes.split_at(blocks * FEATURES);
    Block {
        rows: &rows[index * FEATURES..(index + 1) * FEATURES],
        biases: &rest[index..=index],
        outputs: &rest[blocks + index * OUTPUT_LANES..][..OUTPUT_LANES],
    }
}

/// The gradient of a block, by lanes; see [`block`].
fn block_mut(parameters: &mut [f32], hidden: usize, index: usize) -> Block<&mut [Lane]> {
    let lanes = parameters.as_chunks_mut::<BLOCK>().0;
    let blocks = hidden / BLOCK;
    let (rows, rest) = lanes.split_at_mut(blocks * FEATURES);
    let (biases, outputs) = rest.split_at_mut(blocks);
    Block {
        rows: &mut rows[index * FEATURES..(index + 1) * FEATURES],
        biases: &mut biases[index..=index],
        outputs: &mut outputs[index * OUTPUT_LANES..][..OUTPUT_LANES],
    }
}

/// The views of some positions, each one's features, one after the other; and the
/// positions' buckets.
#[derive(Clone, Debug, Default)]
pub struct Views {
    buckets: Vec<u8>,
    /// Where each view's features begin, and where the last one's end.
    starts: Vec<u32>,
    features: Vec<u16>,
}

impl Views {
    /// No views, with room for a chunk's pieces.
    #[must_use]
    pub fn new() -> Views {
        let features = Vec::with_capacity(CHUNK * VIEWS * MAX_PIECES);
        Views { buckets: Vec::with_capacity(CHUNK), starts: vec![0], features }
    }

    /// Forgets all views.
    pub fn clear(&mut self) {
        self.buckets.clear();
        self.starts.truncate(1);
        self.features.clear();
    }

    /// Adds a position of this bucket: the features of the side to move's view and
    /// those of the other side's.
    pub fn push(
        &mut self,
        bucket: usize,
        own: impl Iterator<Item = u16>,
        other: impl Iterator<Item = u16>,
    ) {
        self.buckets.push(bucket as u8);
        self.features.extend(own);
        self.starts.push(self.features.len() as u32);
        self.features.extend(other);
        self.starts.push(self.features.len() as u32);
    }

    /// How many positions there are.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.buckets.len()
    }

    /// The bucket of a position.
    #[inline(always)]
    #[must_use]
    pub fn bucket(&self, position: usize) -> usize {
        usize::from(self.buckets[position])
    }

    /// The features of a view, of two for each position.
    #[inline(always)]
    #[must_use]
    pub fn features(&self, view: usize) -> &[u16] {
        &self.features[self.starts[view] as usize..self.starts[view + 1] as usize]
    }
}

/// For each feature, the views in which it is found.
#[derive(Clone, Debug)]
struct Occurrences {
    /// Where each feature's views begin, and where the last one's end.
    starts: Vec<u32>,
    views: Vec<u16>,
}

impl Occurrences {
    fn new() -> Occurrences {
        Occurrences { starts: vec![0; FEATURES + 1], views: Vec::new() }
    }

    /// Turns views inside out, by counting.
    fn fill(&mut self, views: &Views) {
        self.starts.fill(0);
        for &feature in &views.features {
            self.starts[usize::from(feature)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.views.resize(views.features.len(), 0);
        // From the ends down to the beginnings, so that views stay in order.
        for view in (0..views.positions() * VIEWS).rev() {
            for &feature in views.features(view) {
                let place = &mut self.starts[usize::from(feature)];
                *place -= 1;
                self.views[*place as usize] = view as u16;
            }
        }
    }

    #[inline(always)]
    fn of(&self, feature: usize) -> &[u16] {
        &self.views[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}

/// One thread's scratch space, and the gradient that it adds up.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The views of the positions that go through the network next.
    pub views: Views,
    occurrences: Occurrences,
    /// The accumulators of the views, by blocks: `[block][view]`.
    accumulators: Vec<Lane>,
    /// How the loss changes with the numbers of an accumulator's block: `[view]`.
    slopes: Vec<Lane>,
    outputs: Vec<f32>,
    /// How the loss changes with each parameter.
    pub gradient: Vec<f32>,
}

impl Pass {
    /// Scratch space for networks of this size.
    #[must_use]
    pub fn new(hidden: usize) -> Pass {
        let views = CHUNK * VIEWS;
        Pass {
            views: Views::new(),
            occurrences: Occurrences::new(),
            accumulators: vec![[0.0; BLOCK]; hidden / BLOCK * views],
            slopes: vec![[0.0; BLOCK]; views],
            outputs: Vec::with_capacity(CHUNK),
            gradient: vec![0.0; parameter_count(hidden)],
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

    /// Adds to the gradient what the positions of the last [`Pass::forward`] have
    /// to say, given how the loss changes with the output for each.
    pub fn backward(&mut self, network: &FloatNet, output_slopes: &[f32]) {
        assert_eq!(output_slopes.len(), self.views.positions());
        self.occurrences.fill(&self.views);
        for (position, slope) in output_slopes.iter().enumerate() {
            self.gradient[network.output_bias(self.views.bucket(position))] += slope;
        }
        kernel::run(Backward {
            network,
            views: &self.views,
            occurrences: &self.occurrences,
            accumulators: &self.accumulators,
            output_slopes,
            slopes: &mut self.slopes,
            gradient: &mut self.gradient,
        });
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
        let hidden = self.network.hidden;
        for (index, accumulators) in self.accumulators.chunks_exact_mut(CHUNK * VIEWS).enumerate() {
            let block = block(&self.network.parameters, hidden, index);
            let positions = accumulators.as_chunks_mut::<VIEWS>().0;
            for ((position, accumulators), output) in
                positions.iter_mut().enumerate().zip(self.outputs.iter_mut())
            {
                let bucket = self.views.bucket(position);
                let mut sums = [0.0; BLOCK];
                for (side, accumulator) in accumulators.iter_mut().enumerate() {
                    let mut total = block.biases[0];
                    for &feature in self.views.features(VIEWS * position + side) {
                        add(&mut total, &block.rows[usize::from(feature)]);
                    }
                    *accumulator = total;
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

struct Backward<'a> {
    network: &'a FloatNet,
    views: &'a Views,
    occurrences: &'a Occurrences,
    accumulators: &'a [Lane],
    output_slopes: &'a [f32],
    slopes: &'a mut [Lane],
    gradient: &'a mut [f32],
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    fn compute(self) {
        let hidden = self.network.hidden;
        for (index, accumulators) in self.accumulators.chunks_exact(CHUNK * VIEWS).enumerate() {
            let weights = block(&self.network.parameters, hidden, index).outputs;
            let gradient = block_mut(self.gradient, hidden, index);
            let accumulators = accumulators.as_chunks::<VIEWS>().0;
            let slopes = self.slopes.as_chunks_mut::<VIEWS>().0;
            for side in 0..VIEWS {
                let mut bias_gradient = gradient.biases[0];
                for (position, ((accumulator, slope), &output_slope)) in
                    accumulators.iter().zip(slopes.iter_mut()).zip(self.output_slopes).enumerate()
                {
                    let lane = output_lane(self.views.bucket(position), side);
                    let (weights, output_gradient) = (&weights[lane], &mut gradient.outputs[lane]);
                    let (accumulator, slope) = (&accumulator[side], &mut slope[side]);
                    for neuron in 0..BLOCK {
                        let sum = accumulator[neuron];
                        let active = sum.clamp(0.0, 1.0);
                        // SCReLU's slope is 2x between 0 and 1, else 0.
                        let steepness = if active == sum { 2.0 * active } else { 0.0 };
                        output_gradient[neuron] += output_slope * (active * active);
                        slope[neuron] = output_slope * weights[neuron] * steepness;
                        bias_gradient[neuron] += slope[neuron];
                    }
                }
                gradient.biases[0] = bias_gradient;
            }
            for (feature, row) in gradient.rows.iter_mut().enumerate() {
                let views = self.occurrences.of(feature);
                if views.is_empty() {
                    continue;
                }
                let mut total = *row;
                for &view in views {
                    add(&mut total, &self.slopes[usize::from(view)]);
                }
                *row = total;
            }
        }
    }
}

#[inline(always)]
fn add(total: &mut Lane, summand: &Lane) {
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
