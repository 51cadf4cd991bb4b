//! The kernels as plain loops, which the compiler vectorises.

use std::iter;

use crate::eval::nnue::feature_state::FeatureDiff;
use crate::eval::nnue::features::Perspective;
use crate::eval::nnue::network::{Accumulator, FEATURES, L1, screlu};

/// Neurons that an update keeps in registers: sixteen registers of 16 bytes, as most processors
/// have, or eight of 32. In WebAssembly the compiler needs some registers for other values.
const PART: usize = match (L1 % 128, cfg!(target_family = "wasm")) {
    (0, false) => 128,
    (0, true) => 64,
    _ => 32,
};

#[inline(always)]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[Accumulator; FEATURES],
    perspective: Perspective,
    diff: &FeatureDiff,
) {
    const { assert!(L1.is_multiple_of(PART)) };
    for ((from, to), part) in
        iter::zip(from.0.as_chunks::<PART>().0, to.0.as_chunks_mut().0).zip(0..)
    {
        let weights = |input: u16| &rows[perspective.row(input)].0.as_chunks::<PART>().0[part];
        let mut sums = *from;
        for &input in diff.added() {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for &input in diff.removed() {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *to = sums;
    }
}

/// The weighted sum of one side's activations.
#[inline(always)]
pub(super) fn half_output(neurons: &Accumulator, weights: &Accumulator) -> i32 {
    // By reference, because iteration by value copies the arrays first.
    iter::zip(&neurons.0, &weights.0)
        .map(|(&neuron, &weight)| i32::from(screlu(neuron)) * i32::from(weight))
        .sum()
}
