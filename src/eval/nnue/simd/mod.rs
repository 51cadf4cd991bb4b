//! Vector code for accumulators and outputs, by level of instructions. All levels give equal
//! results.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

mod portable;

#[cfg(target_family = "wasm")]
mod wasm;

use super::feature_state::FeatureDiff;
use super::features::Perspective;
use super::network::{Accumulator, FEATURES};
use crate::sys::cpu::Level;

/// The kernels of a level that the processor has.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    #[cfg(target_arch = "x86_64")]
    level: Level,
}

impl Kernels {
    /// The kernels of `level`, or portable ones if the processor lacks it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "for x86-64"))]
    pub fn new(level: Level) -> Kernels {
        Kernels {
            #[cfg(target_arch = "x86_64")]
            level: if level.is_supported() { level } else { Level::Scalar },
        }
    }

    /// `to` = `from` + added rows - removed rows, wrapping.
    #[inline]
    pub(super) fn update(
        self,
        from: &Accumulator,
        to: &mut Accumulator,
        rows: &[Accumulator; FEATURES],
        perspective: Perspective,
        diff: &FeatureDiff,
    ) {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            // SAFETY: `new` has checked that the processor has this level.
            Level::Avx512 => return unsafe { avx512::update(from, to, rows, perspective, diff) },
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::update(from, to, rows, perspective, diff) },
            Level::Scalar => {}
        }
        portable::update(from, to, rows, perspective, diff);
    }

    /// The weighted sum of the activations. `weights` has those of `ours`, then of `theirs`.
    #[inline]
    pub fn output(
        self,
        ours: &Accumulator,
        theirs: &Accumulator,
        weights: &[Accumulator; 2],
    ) -> i32 {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            // SAFETY: `new` has checked that the processor has this level.
            Level::Avx512 => return unsafe { avx512::output(ours, theirs, weights) },
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::output(ours, theirs, weights) },
            Level::Scalar => {}
        }
        #[cfg(target_family = "wasm")]
        let half_output = wasm::half_output;
        #[cfg(not(target_family = "wasm"))]
        let half_output = portable::half_output;
        half_output(ours, &weights[0]) + half_output(theirs, &weights[1])
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::eval::nnue::network::{ACT_ONE, L1, QA};

    /// Random numbers from `-limit..=limit`, many of them at an end.
    fn random(rng: &mut Rng, limit: i16) -> Accumulator {
        Accumulator(std::array::from_fn(|_| {
            rng.i16(-limit..=limit).saturating_mul(2).clamp(-limit, limit)
        }))
    }

    #[test]
    fn all_levels_have_the_same_output() {
        let mut rng = Rng::with_seed(1);
        // The largest value that all weights of a valid network can have at once.
        let limit = (i32::MAX / ACT_ONE / (2 * L1 as i32)) as i16;
        let full = [Accumulator([i16::MAX; L1]), Accumulator([limit; L1])];
        for round in 0..1000 {
            let neurons = if round % 2 == 0 { i16::MAX } else { QA as i16 + 100 };
            let [(ours, our_weights), (theirs, their_weights)] =
                std::array::from_fn(|_| match round {
                    0 => (full[0], full[1]),
                    _ => (random(&mut rng, neurons), random(&mut rng, limit)),
                });
            let half = |row: &Accumulator, weights: &Accumulator| -> i64 {
                let activation = |neuron: i16| {
                    let value = f64::from(neuron.clamp(0, QA as i16));
                    (value * value / 8.0).round() as i64
                };
                row.0.iter().zip(weights.0).map(|(&n, w)| activation(n) * i64::from(w)).sum()
            };
            let expected = half(&ours, &our_weights) + half(&theirs, &their_weights);
            for level in Level::supported() {
                let sum = Kernels::new(level).output(&ours, &theirs, &[our_weights, their_weights]);
                assert_eq!(i64::from(sum), expected, "{level}");
            }
        }
    }
}
