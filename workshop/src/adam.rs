//! From a gradient to better parameters: AdamW (Ilya Loshchilov and Frank
//! Hutter, 2019), with steps that grow, then shrink along a half cosine.

use std::f64::consts::PI;
use std::ops::AddAssign;

use num_traits::Float;
use rayon::prelude::*;

use crate::kernel::{self, Kernel};

/// How slowly the mean of the gradients forgets.
const MEAN_DECAY: f64 = 0.9;
/// How slowly the mean of the gradients' squares forgets.
const SQUARE_DECAY: f64 = 0.999;

/// The parameters that one thread works on at a time.
const SHARE: usize = 1 << 13;

/// How long the steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The longest step.
    pub rate: f64,
    /// The last step.
    pub final_rate: f64,
    /// How many steps grow up to the longest.
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

/// What keeps parameters within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restraint<T> {
    /// Keeps from dividing by nothing.
    pub epsilon: T,
    /// The share of each parameter that is taken off at a step of size 1.
    pub weight_decay: T,
    /// Parameters stay within `±limit`.
    pub limit: T,
}

/// The optimiser: what it remembers of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<T> {
    restraint: Restraint<T>,
    /// The mean of the gradients, by parameters.
    pub mean: Vec<T>,
    /// The mean of their squares.
    pub square: Vec<T>,
}

impl<T: Float + AddAssign + Send + Sync> Adam<T> {
    /// An optimiser of that many parameters, which remembers nothing.
    #[must_use]
    pub fn new(parameters: usize, restraint: Restraint<T>) -> Adam<T> {
        let nothing = vec![T::zero(); parameters];
        Adam { restraint, mean: nothing.clone(), square: nothing }
    }

    /// Makes a step of size `rate`, the one after `steps_done`, against the gradient.
    pub fn step(&mut self, parameters: &mut [T], gradient: &[T], rate: f64, steps_done: u64) {
        let count = i32::try_from(steps_done + 1).unwrap_or(i32::MAX);
        let [mean_decay, square_decay] = [MEAN_DECAY, SQUARE_DECAY].map(float::<T>);
        let restraint = self.restraint;
        parameters
            .par_chunks_mut(SHARE)
            .zip(self.mean.par_chunks_mut(SHARE))
            .zip(self.square.par_chunks_mut(SHARE))
            .enumerate()
            .for_each(|(index, ((parameters, mean), square))| {
                let range = index * SHARE..index * SHARE + parameters.len();
                kernel::run(Step {
                    parameters,
                    mean,
                    square,
                    gradient: &gradient[range],
                    rate: float(rate),
                    mean_decay,
                    square_decay,
                    mean_bias: T::one() - mean_decay.powi(count),
                    square_bias: T::one() - square_decay.powi(count),
                    restraint,
                });
            });
    }
}

/// The nearest number of that type.
fn float<T: Float>(number: f64) -> T {
    T::from(number).expect("any number has a nearest one")
}

/// The step of some of the parameters.
struct Step<'a, T> {
    parameters: &'a mut [T],
    mean: &'a mut [T],
    square: &'a mut [T],
    gradient: &'a [T],
    rate: T,
    mean_decay: T,
    square_decay: T,
    /// How much smaller than it should be the mean is, since it began at 0.
    mean_bias: T,
    /// The same for the squares.
    square_bias: T,
    restraint: Restraint<T>,
}

impl<T: Float + AddAssign> Kernel for Step<'_, T> {
    #[inline(always)]
    fn compute(self) {
        let Restraint { epsilon, weight_decay, limit } = self.restraint;
        let one = T::one();
        let numbers = self.parameters.iter_mut().zip(self.mean).zip(self.square).zip(self.gradient);
        for (((parameter, mean), square), &slope) in numbers {
            *mean += (one - self.mean_decay) * (slope - *mean);
            *square += (one - self.square_decay) * (slope * slope - *square);
            let spread = (*square / self.square_bias).sqrt() + epsilon;
            let kept = *parameter * (one - self.rate * weight_decay);
            let moved = kept - self.rate * (*mean / self.mean_bias) / spread;
            *parameter = num_traits::clamp(moved, -limit, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_then_shrink_to_the_last() {
        let schedule = Schedule { rate: 1.0, final_rate: 0.25, warmup: 4, steps: 11 };
        let rates: Vec<f64> = (0..11).map(|step| schedule.rate_at(step)).collect();
        assert_eq!(rates[..5], [0.25, 0.5, 0.75, 1.0, 1.0]);
        assert!(rates[4..].is_sorted_by(|a, b| a > b) && rates[10] == 0.25, "{rates:?}");
    }

    #[test]
    fn both_precisions_go_to_the_bottom_of_a_bowl() {
        let restraint = Restraint { epsilon: 1e-8, weight_decay: 0.0, limit: 10.0 };
        let schedule = Schedule { rate: 0.1, final_rate: 0.0, warmup: 10, steps: 500 };
        let mut singles = vec![3.0_f32; SHARE + 5];
        let mut doubles = vec![3.0_f64; SHARE + 5];
        let mut single =
            Adam::new(singles.len(), Restraint { epsilon: 1e-8, weight_decay: 0.0, limit: 10.0 });
        let mut double = Adam::new(doubles.len(), restraint);
        for step in 0..schedule.steps {
            let slopes: Vec<f32> = singles.iter().map(|number| number + 1.0).collect();
            single.step(&mut singles, &slopes, schedule.rate_at(step), step);
            let slopes: Vec<f64> = doubles.iter().map(|number| number + 1.0).collect();
            double.step(&mut doubles, &slopes, schedule.rate_at(step), step);
        }
        assert!(singles.iter().all(|number| (number + 1.0).abs() < 1e-3), "{}", singles[0]);
        assert!(doubles.iter().all(|number| (number + 1.0).abs() < 1e-3), "{}", doubles[0]);
    }

    #[test]
    fn parameters_stay_within_their_limit() {
        let restraint = Restraint { epsilon: 1e-8, weight_decay: 0.01, limit: 1.5_f32 };
        let mut adam = Adam::new(3, restraint);
        let mut parameters = [1.4, 0.0, -1.4];
        for step in 0..100 {
            adam.step(&mut parameters, &[-1.0, 0.0, 1.0], 0.1, step);
        }
        assert_eq!(parameters, [1.5, 0.0, -1.5]);
    }

    #[test]
    fn the_decays_are_the_nearest_numbers_in_either_precision() {
        assert_eq!([MEAN_DECAY, SQUARE_DECAY].map(float::<f32>), [0.9_f32, 0.999_f32]);
    }
}
