//! The backward pass: the gradient of the loss.
//!
//! # Why it is fast
//! Adding the gradient of an accumulator to the weight row of each of its features would read
//! and write much memory. Instead, the inputs are transposed (`Occurrences`), so that a row stays
//! in registers while all gradients of a chunk are added. One thread handles a block of neurons, so
//! all threads share one gradient, and the order of its sums is fixed.

use aligned_vec::{AVec, avec};
use carrybit::internals::eval::nnue::network::Shape;
use rayon::prelude::*;

use super::inputs::CHUNK;
use super::kernel::{self, Kernel};
use super::model::{
    BLOCK, Block, FloatNet, Lane, PERSPECTIVES, blocks, blocks_mut, output_lane, parameter_count,
};
use super::pass::{Pass, add};

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
            for (position, slope) in pass.output_slopes.iter().enumerate() {
                self.gradients[network.output_bias(pass.inputs.output(position))] += slope;
            }
        }
        let gradients = blocks_mut(&mut self.gradients, &network.shape);
        let pairs: Vec<_> = blocks(network).zip(gradients).enumerate().collect();
        pairs.into_par_iter().for_each_init(
            || avec![[[0.0; BLOCK]; PERSPECTIVES]; CHUNK],
            |gradients, (index, (block, mut gradient))| {
                for pass in passes {
                    let gradient = &mut gradient;
                    kernel::run(Backward {
                        index,
                        weights: block.outputs,
                        pass,
                        gradients,
                        gradient,
                    });
                }
            },
        );
    }
}

/// The backward pass of a chunk through a block.
struct Backward<'a, 'b> {
    index: usize,
    /// The block's output weights.
    weights: &'a [Lane],
    pass: &'a Pass,
    /// A buffer for the derivatives of the loss with respect to the accumulators.
    gradients: &'a mut [[Lane; PERSPECTIVES]],
    gradient: &'a mut Block<&'b mut [Lane]>,
}

impl Kernel for Backward<'_, '_> {
    #[inline(always)]
    fn compute(self) {
        let Backward { index, weights, pass, gradients, gradient } = self;
        let accumulators = pass.accumulators(index);
        for side in 0..PERSPECTIVES {
            let mut bias_gradient = gradient.biases[0];
            for (position, ((accumulator, slope), &output_slope)) in
                accumulators.iter().zip(gradients.iter_mut()).zip(&pass.output_slopes).enumerate()
            {
                let lane = output_lane(pass.inputs.output(position), side);
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
        let gradients = gradients.as_flattened();
        for (feature, row) in gradient.rows.iter_mut().enumerate() {
            let perspectives = pass.occurrences.of(feature);
            if perspectives.is_empty() {
                continue;
            }
            let mut total = *row;
            for &perspective in perspectives {
                add(&mut total, &gradients[usize::from(perspective)]);
            }
            *row = total;
        }
    }
}
