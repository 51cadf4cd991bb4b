//! The output kernel for WebAssembly, eight neurons at a time. The compiler does not vectorise
//! the portable kernel.

use std::arch::wasm32::{
    i16x8_extend_high_i8x16, i16x8_extend_high_u8x16, i16x8_extend_low_i8x16,
    i16x8_extend_low_u8x16, i16x8_max, i16x8_min, i16x8_q15mulr_sat, i16x8_shl, i16x8_splat,
    i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, u8x16_narrow_i16x8, v128,
};

use bytemuck::must_cast;

use crate::eval::nnue::network::{Accumulator, L1, L2, ONE, Stack};

use super::Activations;

const LANES: usize = 8;

/// See [`portable::output`](super::portable::output).
#[inline]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
    let activations = activations(ours, theirs);
    let inputs = activations.0.as_flattened().as_chunks::<16>().0;
    let mut sums = [0; L2];
    // Four neurons at a time share the loads of activations.
    for (sums, weights) in
        sums.as_chunks_mut::<4>().0.iter_mut().zip(stack.l1_weights.as_chunks::<4>().0)
    {
        let mut totals = [i32x4_splat(0); 4];
        for (at, inputs) in inputs.iter().enumerate() {
            let inputs = must_cast(*inputs);
            let [low, high] = [i16x8_extend_low_u8x16(inputs), i16x8_extend_high_u8x16(inputs)];
            for (total, weights) in totals.iter_mut().zip(weights) {
                let weights = must_cast(weights.as_chunks::<16>().0[at]);
                *total = i32x4_add(*total, i32x4_dot_i16x8(low, i16x8_extend_low_i8x16(weights)));
                *total = i32x4_add(*total, i32x4_dot_i16x8(high, i16x8_extend_high_i8x16(weights)));
            }
        }
        *sums = totals.map(|total| {
            i32x4_extract_lane::<0>(total)
                + i32x4_extract_lane::<1>(total)
                + i32x4_extract_lane::<2>(total)
                + i32x4_extract_lane::<3>(total)
        });
    }
    stack.dense.output(&sums)
}

#[inline]
fn activations(ours: &Accumulator, theirs: &Accumulator) -> Activations {
    let mut activations = Activations([[0; L1 / 2]; 2]);
    for (neurons, activations) in [ours, theirs].into_iter().zip(&mut activations.0) {
        for (at, activations) in (0..).step_by(2 * LANES).zip(activations.as_chunks_mut::<16>().0) {
            let [low, high] = [products(neurons, at), products(neurons, at + LANES)];
            *activations = must_cast(u8x16_narrow_i16x8(low, high));
        }
    }
    activations
}

/// `activation`s as 16 bits; those of negative neurons may be negative.
#[inline]
fn products(neurons: &Accumulator, at: usize) -> v128 {
    let (zero, one) = (i16x8_splat(0), i16x8_splat(ONE as i16));
    let first = i16x8_min(i16x8_max(load(neurons, at), zero), one);
    let second = i16x8_min(load(neurons, at + L1 / 2), one);
    // 2^8 × first × second / 2^15, rounded.
    i16x8_q15mulr_sat(i16x8_shl(first, 8), second)
}

/// The [`LANES`] numbers from index `at` on.
#[inline]
fn load(numbers: &Accumulator, at: usize) -> v128 {
    must_cast(*numbers.0[at..].first_chunk::<LANES>().expect("accumulators are whole registers"))
}
