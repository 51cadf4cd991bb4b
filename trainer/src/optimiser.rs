//! From a gradient to better parameters: AdamW (Ilya Loshchilov and Frank
//! Hutter, 2019), with steps that grow, then shrink along a half cosine.

use std::f64::consts::PI;

use crate::simd::{self, Kernel};
use crate::threads;

/// How slowly the mean of the gradients forgets.
const MEAN_DECAY: f32 = 0.9;
/// How slowly the mean of the gradients' squares forgets.
const SQUARE_DECAY: f32 = 0.999;
/// Keeps from dividing by nothing.
const EPSILON: f32 = 1e-8;
/// The share of each parameter that is taken off at a step of size 1.
const WEIGHT_DECAY: f32 = 0.01;
/// Parameters stay within `±LIMIT`, so that they fit their integers.
const LIMIT: f32 = 1.98;

/// How long the steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The longest step.
    pub rate: f64,
    /// The last step.
    pub final_rate: f64,
    /// So many steps grow up to the longest.
    pub warmup: u64,
    /// The number of steps.
    pub steps: u64,
}

impl Schedule {
    /// The size of a step, counted from 0.
    #[must_use]
    pub fn rate_at(&self, step: u64) -> f64 {
        if step < self.warmup {
            return self.rate * (step + 1) as f64 / self.warmup as f64;
        }
        let len = self.steps.saturating_sub(self.warmup + 1).max(1);
        let progress = ((step - self.warmup) as f64 / len as f64).min(1.0);
        let height = 0.5 * (1.0 + (PI * progress).cos());
        self.final_rate + (self.rate - self.final_rate) * height
    }
}

/// What the optimiser remembers of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimiser {
    /// The mean of the gradients, by parameters.
    pub mean: Vec<f32>,
    /// The mean of their squares.
    pub square: Vec<f32>,
}

impl Optimiser {
    /// Remembers nothing.
    #[must_use]
    pub fn new(parameters: usize) -> Optimiser {
        Optimiser { mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }

    /// Makes a step, the one after `steps_done`, against the sum of the gradients, on
    /// up to so many threads.
    pub fn step(
        &mut self,
        parameters: &mut [f32],
        gradients: &[&[f32]],
        rate: f64,
        steps_done: u64,
        threads: usize,
    ) {
        let count = i32::try_from(steps_done + 1).unwrap_or(i32::MAX);
        let share = parameters.len().div_ceil(threads);
        let parts = parameters
            .chunks_mut(share)
            .zip(self.mean.chunks_mut(share))
            .zip(self.square.chunks_mut(share));
        let steps = parts.enumerate().map(|(index, ((parameters, mean), square))| {
            let range = index * share..index * share + parameters.len();
            Step {
                parameters,
                mean,
                square,
                gradients: gradients.iter().map(|whole| &whole[range.clone()]).collect(),
                rate: rate as f32,
                mean_bias: 1.0 - MEAN_DECAY.powi(count),
                square_bias: 1.0 - SQUARE_DECAY.powi(count),
            }
        });
        threads::map(threads, steps.collect(), simd::run);
    }
}

/// The step of some of the parameters.
struct Step<'a> {
    parameters: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
    gradients: Vec<&'a [f32]>,
    rate: f32,
    /// How much smaller than it should be the mean is, since it began at 0.
    mean_bias: f32,
    /// The same for the squares.
    square_bias: f32,
}

impl Kernel for Step<'_> {
    #[inline(always)]
    fn compute(self) {
        const LEN: usize = 64;
        let len = self.parameters.len();
        let mut start = 0;
        while start < len {
            let part = start..len.min(start + LEN);
            let mut gradient = [0.0; LEN];
            for source in &self.gradients {
                for (sum, &slope) in gradient.iter_mut().zip(&source[part.clone()]) {
                    *sum += slope;
                }
            }
            let numbers = self.parameters[part.clone()]
                .iter_mut()
                .zip(&mut self.mean[part.clone()])
                .zip(&mut self.square[part])
                .zip(&gradient);
            for (((parameter, mean), square), &slope) in numbers {
                *mean += (1.0 - MEAN_DECAY) * (slope - *mean);
                *square += (1.0 - SQUARE_DECAY) * (slope * slope - *square);
                let spread = (*square / self.square_bias).sqrt() + EPSILON;
                let kept = *parameter * (1.0 - self.rate * WEIGHT_DECAY);
                let moved = kept - self.rate * (*mean / self.mean_bias) / spread;
                *parameter = moved.clamp(-LIMIT, LIMIT);
            }
            start += LEN;
        }
    }
}
