//! Vector code for accumulators and outputs, by level of instructions. All levels give equal
//! results.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "aarch64")]
mod neon;

mod portable;

#[cfg(target_family = "wasm")]
mod wasm;

use super::feature_state::{FeatureDiff, FeatureState};
use super::features::Perspective;
use super::network::{Accumulator, FEATURES, L1, Stack, WeightRow};
use carrybit_board::cpu::{self, Level};

/// The kernels of a level that the processor has.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "aarch64"), allow(dead_code, reason = "for other processors"))]
pub struct Kernels {
    level: Level,
    /// Whether the level `neon` uses the dot product.
    has_dot_product: bool,
}

impl Kernels {
    /// The kernels of `level`, or portable ones if the processor lacks it.
    pub fn new(level: Level) -> Kernels {
        Kernels {
            level: if level.is_supported() { level } else { Level::Scalar },
            has_dot_product: cpu::has_dot_product(),
        }
    }

    /// Writes to `diff` the inputs added and removed between two positions.
    #[inline]
    pub(super) fn diff(self, before: &FeatureState, after: &FeatureState, diff: &mut FeatureDiff) {
        #[cfg(target_arch = "x86_64")]
        if self.level == Level::Avx512 {
            // SAFETY: `new` has checked that the processor has this level.
            return unsafe { avx512::diff(before, after, diff) };
        }
        #[cfg(target_arch = "aarch64")]
        if self.level == Level::Neon {
            // SAFETY: every 64-bit ARM processor has NEON.
            let changed = unsafe { neon::changed_squares(&before.pieces, &after.pieces) };
            return after.diff_on(changed, before, diff);
        }
        after.diff(before, diff);
    }

    /// `to` = `from` + added rows - removed rows, wrapping.
    #[inline]
    pub(super) fn update(
        self,
        from: &Accumulator,
        to: &mut Accumulator,
        rows: &[WeightRow; FEATURES],
        perspective: Perspective,
        diff: &FeatureDiff,
    ) {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            // SAFETY: `new` has checked that the processor has this level.
            Level::Avx512 => return unsafe { avx512::update(from, to, rows, perspective, diff) },
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::update(from, to, rows, perspective, diff) },
            _ => {}
        }
        portable::update(from, to, rows, perspective, diff);
    }

    /// The output of the network.
    #[inline]
    pub fn output(self, ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            // SAFETY: `new` has checked that the processor has this level.
            Level::Avx512 => return unsafe { avx512::output(ours, theirs, stack) },
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::output(ours, theirs, stack) },
            _ => {}
        }
        #[cfg(target_arch = "aarch64")]
        match (self.level, self.has_dot_product) {
            (Level::Neon, true) => {
                // SAFETY: `new` has checked that the processor has the dot product.
                return unsafe { neon::output_by_dot_products(ours, theirs, stack) };
            }
            // SAFETY: every 64-bit ARM processor has NEON.
            (Level::Neon, false) => return unsafe { neon::output(ours, theirs, stack) },
            _ => {}
        }
        #[cfg(target_family = "wasm")]
        return wasm::output(ours, theirs, stack);
        #[cfg(not(target_family = "wasm"))]
        portable::output(ours, theirs, stack)
    }
}

/// The activations of the first layer, 0 to 126, the side to move's first.
#[repr(C, align(64))]
struct Activations([[i8; L1 / 2]; 2]);

#[cfg(test)]
mod tests {
    use std::{array, iter};

    use fastrand::Rng;

    use super::*;
    use crate::eval::nnue::network::{ACT_ONE, Dense, L2, ONE};

    /// Random neurons, many of them at an end.
    fn random(rng: &mut Rng, limit: i16) -> Accumulator {
        Accumulator(array::from_fn(|_| {
            rng.i16(-limit..=limit).saturating_mul(2).clamp(-limit, limit)
        }))
    }

    #[test]
    fn all_levels_have_the_same_output() {
        let mut rng = Rng::with_seed(1);
        for round in 0..300 {
            let limit = if round % 2 == 0 { i16::MAX } else { ONE as i16 + 100 };
            let [ours, theirs] = array::from_fn(|_| match round {
                0 | 1 => Accumulator([i16::MAX; L1]),
                _ => random(&mut rng, limit),
            });
            let weight = |rng: &mut Rng| match round {
                0 => i8::MIN,
                1 => i8::MAX,
                _ => rng.i8(..),
            };
            let l1_weights = array::from_fn(|_| array::from_fn(|_| weight(&mut rng)));
            let sums: [i64; L2] = array::from_fn(|neuron| {
                let activation = |neurons: &Accumulator, at: usize| {
                    let value = |at: usize| f64::from(neurons.0[at].clamp(0, ONE as i16));
                    (value(at) * value(at + L1 / 2) / 128.0 + 0.5).floor() as i64
                };
                let product = |at: usize| {
                    let neurons = if at < L1 / 2 { &ours } else { &theirs };
                    let weight: i8 = l1_weights[neuron][at];
                    activation(neurons, at % (L1 / 2)) * i64::from(weight)
                };
                (0..L1).map(product).sum()
            });
            let sums = sums.map(|sum| i32::try_from(sum).expect("32 bits"));
            let mut stack = Stack { l1_weights, dense: Dense::ZERO };
            for neuron in 0..=L2 {
                stack.dense = match neuron {
                    L2 => Dense::from_numbers(iter::repeat_with(|| rng.f32() - 0.5)),
                    // The output is this neuron, shifted into its range.
                    _ => Dense::ZERO,
                };
                let shift = |sum: i32| 0.5 - sum as f32 / (ACT_ONE * ONE as f32);
                stack.dense.l1_biases = sums.map(shift);
                if neuron < L2 {
                    stack.dense.l2_weights[neuron][0] = 1.0;
                    stack.dense.l3_weights[0] = 1.0;
                }
                let expected = stack.dense.output(&sums);
                for kernels in Level::supported().map(Kernels::new) {
                    for has_dot_product in [kernels.has_dot_product, false] {
                        let kernels = Kernels { has_dot_product, ..kernels };
                        let output = kernels.output(&ours, &theirs, &stack);
                        let (output, expected) = (output.to_bits(), expected.to_bits());
                        assert_eq!(output, expected, "{kernels:?}, neuron {neuron}");
                    }
                }
            }
        }
    }
}
