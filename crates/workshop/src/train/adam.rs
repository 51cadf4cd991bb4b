//! The optimiser AdamW (Ilya Loshchilov and Frank Hutter, 2019), and the schedule of the learning
//! rate: a linear warm-up, then a half cosine.

use std::f64::consts::PI;

use aligned_vec::{AVec, avec};
use rayon::prelude::*;

use super::kernel::{self, Kernel};

/// Decay of the first moment, the mean of the gradients (beta 1).
const MEAN_DECAY: f32 = 0.9;
/// Decay of the second moment, the mean of their squares (beta 2).
const SQUARE_DECAY: f32 = 0.999;
/// Prevents a division by 0.
const EPSILON: f32 = 1e-8;

const PARAMETERS_PER_TASK: usize = 1 << 13;

/// The learning rate of each step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest learning rate.
    pub rate: f64,
    /// The learning rate of the last step.
    pub final_rate: f64,
    /// The number of steps in which the learning rate grows.
    pub warmup: u64,
    pub steps: u64,
}

impl Schedule {
    /// The learning rate of a step, counted from 0.
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

/// The optimiser and its moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The share of each parameter that a step with learning rate 1 subtracts.
    weight_decay: f32,
    /// Parameters stay within `±limit`.
    limit: f32,
    /// The mean of the gradients, by parameter.
    pub mean: AVec<f32>,
    /// The mean of the squared gradients, by parameter.
    pub square: AVec<f32>,
}

impl Adam {
    /// An optimiser for this number of parameters.
    pub fn new(parameters: usize, weight_decay: f32, limit: f32) -> Adam {
        let (mean, square) = (avec![0.0; parameters], avec![0.0; parameters]);
        Adam { weight_decay, limit, mean, square }
    }

    /// Makes step number `step`, from 0, with the learning rate `rate`.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64, step: u64) {
        let count = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let (rate, limit) = (rate as f32, self.limit);
        let kept = 1.0 - rate * self.weight_decay;
        parameters
            .par_chunks_mut(PARAMETERS_PER_TASK)
            .zip(self.mean.par_chunks_mut(PARAMETERS_PER_TASK))
            .zip(self.square.par_chunks_mut(PARAMETERS_PER_TASK))
            .zip(gradient.par_chunks(PARAMETERS_PER_TASK))
            .for_each(|(((parameters, mean), square), gradient)| {
                kernel::run(Step {
                    parameters,
                    mean,
                    square,
                    gradient,
                    kept,
                    mean_rate: rate / (1.0 - MEAN_DECAY.powi(count)),
                    root_factor: (1.0 - SQUARE_DECAY.powi(count)).sqrt().recip(),
                    limit,
                });
            });
    }
}

struct Step<'a> {
    parameters: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
    gradient: &'a [f32],
    /// The share of the parameters that weight decay leaves.
    kept: f32,
    /// The rate for the mean, and a factor for the root of the square. Both correct moments, which
    /// start at 0 and so are too small (bias correction).
    mean_rate: f32,
    root_factor: f32,
    limit: f32,
}

impl Kernel for Step<'_> {
    #[inline(always)]
    fn compute(self) {
        let numbers = self.parameters.iter_mut().zip(self.mean).zip(self.square).zip(self.gradient);
        for (((parameter, mean), square), &slope) in numbers {
            *mean += (1.0 - MEAN_DECAY) * (slope - *mean);
            *square += (1.0 - SQUARE_DECAY) * (slope * slope - *square);
            let spread = square.sqrt() * self.root_factor + EPSILON;
            let moved = *parameter * self.kept - self.mean_rate * *mean / spread;
            *parameter = moved.clamp(-self.limit, self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learning_rate_grows_then_falls_to_the_final_rate() {
        let schedule = Schedule { rate: 1.0, final_rate: 0.25, warmup: 4, steps: 11 };
        let rates: Vec<f64> = (0..11).map(|step| schedule.rate_at(step)).collect();
        assert_eq!(rates[..5], [0.25, 0.5, 0.75, 1.0, 1.0]);
        assert!(rates[4..].is_sorted_by(|a, b| a > b) && rates[10] == 0.25, "{rates:?}");
    }

    #[test]
    fn parameters_stay_within_their_limit() {
        let mut adam = Adam::new(3, 0.01, 1.5);
        let mut parameters = [1.4, 0.0, -1.4];
        for step in 0..100 {
            adam.step(&mut parameters, &[-1.0, 0.0, 1.0], 0.1, step);
        }
        assert_eq!(parameters, [1.5, 0.0, -1.5]);
    }
}
