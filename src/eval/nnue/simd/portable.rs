//! The kernels as plain loops, which compilers turn into the vector instructions
//! of whatever processor they compile for.

use std::iter;

use crate::eval::nnue::network::{HIDDEN, QA, Row};

/// `to` becomes `from` with all rows of `added` and without those of `removed`.
#[inline(always)]
pub(super) fn update<const A: usize, const R: usize>(
    from: &Row,
    to: &mut Row,
    added: [&Row; A],
    removed: [&Row; R],
) {
    for neuron in 0..HIDDEN {
        let mut value = from.0[neuron];
        for row in added {
            value = value.wrapping_add(row.0[neuron]);
        }
        for row in removed {
            value = value.wrapping_sub(row.0[neuron]);
        }
        to.0[neuron] = value;
    }
}

/// Adds a row to the neurons.
#[inline(always)]
pub(super) fn add(neurons: &mut Row, row: &Row) {
    for (neuron, weight) in iter::zip(&mut neurons.0, row.0) {
        *neuron = neuron.wrapping_add(weight);
    }
}

/// What one view adds to the sum of the output: the squared activations, each
/// times its weight.
#[inline(always)]
pub(super) fn half_output(neurons: &Row, weights: &Row) -> i32 {
    iter::zip(neurons.0, weights.0)
        .map(|(neuron, weight)| {
            let clipped = neuron.clamp(0, QA as i16);
            // The check of the network sees to it that this fits.
            let product = clipped.wrapping_mul(weight);
            i32::from(product) * i32::from(clipped)
        })
        .sum()
}
