//! The backward pass: the gradient of the loss.
//!
//! # Why it is fast
//! Adding the gradient of an accumulator to the weight row of each of its features would read
//! and write much memory. Instead, the inputs are transposed (`Occurrences`), so that a row stays
//! in registers while all gradients of a chunk are added. One thread handles a block of pairs,
//! so all threads share one gradient, and the order of its sums is fixed.

use std::iter;

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::{L2, Shape};
use rayon::prelude::*;

use super::inputs::CHUNK;
use super::kernel::{self, Kernel};
use super::model::{
    BLOCK, BlockPair, FloatNet, Lane, PAIR, PERSPECTIVES, block_pairs, block_pairs_mut, l1_lane,
    parameter_count,
};
use super::pass::{Pass, add, clip};

/// The derivative of the loss with respect to each parameter of a network.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// In the order of [`FloatNet::parameters`].
    pub gradients: AVec<f32>,
}

impl Gradient {
    /// A zero gradient for networks of this shape.
    pub fn new(shape: &Shape) -> Gradient {
        Gradient { gradients: avec![0.0; parameter_count(shape)] }
    }

    /// Adds the gradients of the positions of these passes, after [`Pass::prepare_backward`].
    pub fn add(&mut self, network: &FloatNet, passes: &[Pass]) {
        for pass in passes {
            for (output, dense) in pass.dense_gradient.iter().enumerate() {
                let slopes = &mut self.gradients[network.dense_numbers(output)];
                iter::zip(slopes, dense.numbers()).for_each(|(sum, slope)| *sum += slope);
            }
        }
        let gradients = block_pairs_mut(&mut self.gradients, &network.shape);
        let pairs: Vec<_> = block_pairs(network).zip(gradients).enumerate().collect();
        pairs.into_par_iter().for_each_init(
            || [0, 1].map(|_| avec![[[0.0; BLOCK]; PERSPECTIVES]; CHUNK]),
            |slopes, (index, (pair, mut gradient))| {
                let blocks = [index, index + network.shape.neurons / PAIR];
                for pass in passes {
                    let (gradient, slopes) = (&mut gradient, slopes.each_mut().map(|s| &mut s[..]));
                    let weights = pair.l1_weights;
                    kernel::run(Backward { blocks, weights, pass, slopes, gradient });
                }
            },
        );
    }
}

/// The backward pass of a chunk through a pair of blocks.
struct Backward<'a, 'b> {
    /// The indices of the blocks.
    blocks: [usize; 2],
    /// The weights of the second layer.
    weights: &'a [Lane],
    pass: &'a Pass,
    /// Buffers for the derivatives of the loss with respect to the accumulators.
    slopes: [&'a mut [[Lane; PERSPECTIVES]]; 2],
    gradient: &'a mut BlockPair<&'b mut [Lane]>,
}

impl Kernel for Backward<'_, '_> {
    #[inline(always)]
    fn compute(self) {
        let Backward { blocks, weights, pass, slopes: [first_slopes, second_slopes], gradient } =
            self;
        let [firsts, seconds] = blocks.map(|block| pass.accumulators(block));
        let mut bias_gradient = [gradient.biases[0][0], gradient.biases[1][0]];
        for (position, sums) in pass.sums.iter().enumerate() {
            for side in 0..PERSPECTIVES {
                let lane = l1_lane(pass.inputs.output(position), side);
                let (weights, gradient) =
                    (&weights[lane..][..L2], &mut gradient.l1_weights[lane..][..L2]);
                let (first, second) = (&firsts[position][side], &seconds[position][side]);
                let mut activations = [0.0; BLOCK];
                for at in 0..BLOCK {
                    activations[at] = clip(first[at]).0 * clip(second[at]).0;
                }
                let mut activation_slopes = [0.0; BLOCK];
                for ((slope, weights), gradient) in iter::zip(sums, weights).zip(gradient) {
                    for at in 0..BLOCK {
                        gradient[at] += slope * activations[at];
                        activation_slopes[at] += slope * weights[at];
                    }
                }
                let slopes =
                    [&mut first_slopes[position][side], &mut second_slopes[position][side]];
                let [first_slopes, second_slopes] = slopes;
                for at in 0..BLOCK {
                    let ((one, one_slope), (other, other_slope)) =
                        (clip(first[at]), clip(second[at]));
                    first_slopes[at] = activation_slopes[at] * other * one_slope;
                    second_slopes[at] = activation_slopes[at] * one * other_slope;
                }
                add(&mut bias_gradient[0], first_slopes);
                add(&mut bias_gradient[1], second_slopes);
            }
        }
        for (biases, sum) in iter::zip(&mut gradient.biases, bias_gradient) {
            biases[0] = sum;
        }
        for (rows, slopes) in iter::zip(&mut gradient.rows, [first_slopes, second_slopes]) {
            let slopes = slopes.as_flattened();
            for (feature, row) in rows.iter_mut().enumerate() {
                let perspectives = pass.occurrences.of(feature);
                if perspectives.is_empty() {
                    continue;
                }
                let mut total = *row;
                for &perspective in perspectives {
                    add(&mut total, &slopes[usize::from(perspective)]);
                }
                *row = total;
            }
        }
    }
}
