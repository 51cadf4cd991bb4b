//! The kernels as plain loops, which compilers turn into the vector instructions
//! of whatever processor they compile for.

use std::iter;

use crate::eval::nnue::features::{FEATURES, Turn};
use crate::eval::nnue::network::{HIDDEN, Row, activation};

/// How many neurons an update works on at a time: as many as fit sixteen registers of
/// 16 bytes, which is what most processors have, or eight of 32. In a page, the engine that
/// compiles WebAssembly keeps some for itself.
const PART: usize = if cfg!(target_family = "wasm") { 64 } else { 128 };

/// `to` becomes `from` with the rows of the inputs `added` and without those of
/// `removed`, as the view with that `turn` sees them.
#[inline(always)]
pub(super) fn update(
    from: &Row,
    to: &mut Row,
    rows: &[Row; FEATURES],
    turn: Turn,
    added: &[u16],
    removed: &[u16],
) {
    const { assert!(HIDDEN.is_multiple_of(PART)) };
    for ((from, to), part) in
        iter::zip(from.0.as_chunks::<PART>().0, to.0.as_chunks_mut().0).zip(0..)
    {
        let weights = |input: u16| &rows[turn.row(input)].0.as_chunks::<PART>().0[part];
        let mut sums = *from;
        for &input in added {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for &input in removed {
            for (sum, weight) in iter::zip(&mut sums, weights(input)) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *to = sums;
    }
}

/// What one view adds to the sum of the output: the activations, each times its weight.
#[inline(always)]
pub(super) fn half_output(neurons: &Row, weights: &Row) -> i32 {
    // By reference: arrays that are iterated by value are copied first.
    iter::zip(&neurons.0, &weights.0)
        .map(|(&neuron, &weight)| i32::from(activation(neuron)) * i32::from(weight))
        .sum()
}
