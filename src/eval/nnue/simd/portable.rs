//! The kernels as plain loops, which the compiler vectorises.

use std::array;
use std::iter;

use crate::eval::nnue::feature_state::FeatureDiff;
use crate::eval::nnue::features::Perspective;
use crate::eval::nnue::network::{
    Accumulator, ENGINE_NEURONS, FEATURES, L1, Stack, WeightRow, activation,
};

/// Neurons that an update keeps in registers: sixteen registers of 16 bytes, as most processors
/// have, or eight of 32. In WebAssembly the compiler needs some registers for other values.
const PART: usize = if cfg!(target_family = "wasm") { 64 } else { ENGINE_NEURONS };

#[inline(always)]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[WeightRow; FEATURES],
    perspective: Perspective,
    diff: &FeatureDiff,
) {
    for ((from, to), part) in
        iter::zip(from.0.as_chunks::<PART>().0, to.0.as_chunks_mut().0).zip(0..)
    {
        let weights = |input: u16| &rows[perspective.row(input)].0.as_chunks::<PART>().0[part];
        let mut sums = *from;
        for &input in diff.added() {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_add(i16::from(*weight));
            }
        }
        for &input in diff.removed() {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_sub(i16::from(*weight));
            }
        }
        *to = sums;
    }
}

/// The output of the network.
#[inline(always)]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
    // 16 bits, since many processors multiply these only.
    let mut activations = [0i16; L1];
    for (neurons, activations) in
        iter::zip([ours, theirs], activations.as_chunks_mut::<{ L1 / 2 }>().0)
    {
        for (at, number) in activations.iter_mut().enumerate() {
            *number = activation(neurons.0[at], neurons.0[at + L1 / 2]).into();
        }
    }
    let sums = array::from_fn(|neuron| {
        iter::zip(&activations, &stack.l1_weights[neuron])
            .map(|(&activation, &weight)| i32::from(activation) * i32::from(weight))
            .sum()
    });
    stack.dense.output(&sums)
}
