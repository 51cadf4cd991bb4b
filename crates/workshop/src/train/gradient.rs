//! The backward pass: the gradient of the loss.
//!
//! # Why it is fast
//! Adding the gradient of an accumulator to the weight row of each of its features would read
//! and write much memory. Instead, the inputs are transposed (`Occurrences`), so that a row stays
//! in registers while all gradients of a chunk are added. One thread handles a block of pairs,
//! so all threads share one gradient, and the order of its sums is fixed.

use std::iter;

use aligned_vec::avec;
use carrybit::internals::eval::nnue::network::L2;
use rayon::prelude::*;

use super::inputs::CHUNK;
use super::kernel::{self, Kernel};
use super::model::{
    BLOCK, BlockPair, FloatNet, Lane, PAIR, PERSPECTIVES, block_pairs, l1_blocks, l1_lane,
};
use super::pass::{Pass, activations, clip_16};

/// The bits of the second of two [`shortened`] numbers.
const HIGH: u32 = 0xFFFF_0000;

/// The most positions of one output bucket for which the gradient of the second layer is added up
/// in registers.
const TILE: usize = 32;

/// Adds the gradients of the positions of these passes, after [`Pass::prepare_backward`]: the
/// derivative of the loss with respect to each of [`FloatNet::parameters`].
pub fn add(gradients: &mut [f32], network: &FloatNet, passes: &[Pass]) {
    for pass in passes {
        for (output, dense) in pass.dense_gradient.iter().enumerate() {
            let slopes = &mut gradients[network.dense_numbers(output)];
            iter::zip(slopes, dense.numbers()).for_each(|(sum, slope)| *sum += slope);
        }
    }
    let gradients = block_pairs(gradients, &network.shape);
    let pairs: Vec<_> = l1_blocks(network).zip(gradients).enumerate().collect();
    pairs.into_par_iter().for_each_init(
        || [0, 1].map(|_| avec![[0; BLOCK / 2]; PERSPECTIVES * CHUNK]),
        |slopes, (index, (weights, mut gradient))| {
            let blocks = [index, index + network.shape.neurons / PAIR];
            for pass in passes {
                let (gradient, slopes) = (&mut gradient, slopes.each_mut().map(|s| &mut s[..]));
                kernel::run(Backward { blocks, weights, pass, slopes, gradient });
            }
        },
    );
}

/// The backward pass of a chunk through a pair of blocks.
struct Backward<'a, 'b> {
    /// The indices of the blocks.
    blocks: [usize; 2],
    /// The weights of the second layer.
    weights: &'a [Lane],
    pass: &'a Pass,
    /// Buffers for the derivatives of the loss with respect to the accumulators, [`shortened`] for
    /// half the memory traffic.
    slopes: [&'a mut [[u32; BLOCK / 2]]; 2],
    gradient: &'a mut BlockPair<'b>,
}

impl Kernel for Backward<'_, '_> {
    #[inline(always)]
    fn compute(self) {
        let Backward { blocks, weights, pass, slopes: [first_slopes, second_slopes], gradient } =
            self;
        let [firsts, seconds] = blocks.map(|block| pass.accumulators(block));
        let mut bias_gradient = [gradient.biases[0][0], gradient.biases[1][0]];
        let mut activations_of = [[[0.0; BLOCK]; TILE]; PERSPECTIVES];
        let mut start = 0;
        let buckets = pass.inputs.outputs.chunk_by(|output, next| output == next);
        for tile in buckets.flat_map(|bucket| bucket.chunks(TILE)) {
            let (output, sums) = (usize::from(tile[0]), &pass.sums[start..][..tile.len()]);
            for (side, activations_of) in activations_of.iter_mut().enumerate() {
                let lane = l1_lane(output, side);
                let weights = &weights[lane..][..L2];
                for (position, (sums, activations_of)) in
                    (start..).zip(iter::zip(sums, &mut *activations_of))
                {
                    let (first, second) = (&firsts[position][side], &seconds[position][side]);
                    *activations_of = activations(first, second);
                    let mut activation_slopes = [0.0; BLOCK];
                    for (slope, weights) in iter::zip(sums, weights) {
                        for at in 0..BLOCK {
                            activation_slopes[at] += slope * weights[at];
                        }
                    }
                    let mut slopes = [[0.0; BLOCK]; 2];
                    for at in 0..BLOCK {
                        let ((one, one_slope), (other, other_slope)) =
                            (clip_16(first[at]), clip_16(second[at]));
                        slopes[0][at] = activation_slopes[at] * other * one_slope;
                        slopes[1][at] = activation_slopes[at] * one * other_slope;
                    }
                    for (total, slopes) in iter::zip(&mut bias_gradient, &slopes) {
                        accumulate(total, slopes);
                    }
                    let place = pass.inputs.places[position * PERSPECTIVES + side];
                    first_slopes[usize::from(place)] = shortened(&slopes[0]);
                    second_slopes[usize::from(place)] = shortened(&slopes[1]);
                }
                for (neuron, gradient) in gradient.l1_weights[lane..][..L2].iter_mut().enumerate() {
                    // A copy stays in registers.
                    let mut total = *gradient;
                    for (sums, activations) in iter::zip(sums, &*activations_of) {
                        let slope = sums[neuron];
                        for at in 0..BLOCK {
                            total[at] += slope * activations[at];
                        }
                    }
                    *gradient = total;
                }
            }
            start += tile.len();
        }
        for (biases, sum) in iter::zip(&mut gradient.biases, bias_gradient) {
            biases[0] = sum;
        }
        for (rows, slopes) in iter::zip(&mut gradient.rows, [first_slopes, second_slopes]) {
            for (feature, row) in rows.iter_mut().enumerate() {
                let places = pass.occurrences.of(feature);
                if places.is_empty() {
                    continue;
                }
                // Two sums for each half shorten the dependency chain.
                let [mut low, mut high] = [[0.0; BLOCK / 2]; 2];
                let [mut other_low, mut other_high] = [[0.0; BLOCK / 2]; 2];
                let (pairs, last) = places.as_chunks::<2>();
                for &[place, other] in pairs {
                    let [slopes, others] = [place, other].map(|place| &slopes[usize::from(place)]);
                    for neuron in 0..BLOCK / 2 {
                        low[neuron] += f32::from_bits(slopes[neuron] << 16);
                        high[neuron] += f32::from_bits(slopes[neuron] & HIGH);
                    }
                    for neuron in 0..BLOCK / 2 {
                        other_low[neuron] += f32::from_bits(others[neuron] << 16);
                        other_high[neuron] += f32::from_bits(others[neuron] & HIGH);
                    }
                }
                for &place in last {
                    let slopes = &slopes[usize::from(place)];
                    for neuron in 0..BLOCK / 2 {
                        low[neuron] += f32::from_bits(slopes[neuron] << 16);
                        high[neuron] += f32::from_bits(slopes[neuron] & HIGH);
                    }
                }
                let (low_row, high_row) = row.split_at_mut(BLOCK / 2);
                for (row, total) in [(low_row, [low, other_low]), (high_row, [high, other_high])] {
                    total.iter().for_each(|total| accumulate(row, total));
                }
            }
        }
    }
}

#[inline(always)]
fn accumulate(total: &mut [f32], summand: &[f32]) {
    for (total, summand) in iter::zip(total, summand) {
        *total += summand;
    }
}

/// The upper halves of the numbers, rounded: sign, exponent and seven bits (bfloat16). The second
/// half of the lane is in the high bits.
#[inline(always)]
fn shortened(numbers: &Lane) -> [u32; BLOCK / 2] {
    let mut halves = [0; BLOCK / 2];
    for at in 0..BLOCK / 2 {
        let low = numbers[at].to_bits().wrapping_add(0x8000) >> 16;
        halves[at] = low | numbers[at + BLOCK / 2].to_bits().wrapping_add(0x8000) & HIGH;
    }
    halves
}
