//! The output kernel for WebAssembly, eight neurons at a time. The compiler does not vectorise
//! the portable kernel.

use std::arch::wasm32::{
    i16x8_max, i16x8_min, i16x8_q15mulr_sat, i16x8_shl, i16x8_splat, i32x4_add, i32x4_dot_i16x8,
    i32x4_extract_lane, i32x4_splat, v128, v128_load,
};

use crate::eval::nnue::network::{Accumulator, L1, QA};

const LANES: usize = 8;

/// See [`portable::half_output`](super::portable::half_output).
#[inline]
pub(super) fn half_output(neurons: &Accumulator, weights: &Accumulator) -> i32 {
    let (zero, one) = (i16x8_splat(0), i16x8_splat(QA as i16));
    // Two independent sums shorten the dependency chain.
    let mut sums = [i32x4_splat(0); 2];
    for at in (0..L1).step_by(2 * LANES) {
        for (sum, at) in sums.iter_mut().zip([at, at + LANES]) {
            let clipped = i16x8_min(i16x8_max(load(neurons, at), zero), one);
            // (64 × clipped)² / 2^15, rounded, is the activation: clipped² / 8.
            let shifted = i16x8_shl(clipped, 6);
            let activation = i16x8_q15mulr_sat(shifted, shifted);
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(activation, load(weights, at)));
        }
    }
    let sum = i32x4_add(sums[0], sums[1]);
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

/// The [`LANES`] numbers from `at` on.
#[inline]
fn load(numbers: &Accumulator, at: usize) -> v128 {
    let lanes: &[i16; LANES] =
        numbers.0[at..].first_chunk().expect("accumulators are whole registers");
    // SAFETY: reads exactly the bytes of `lanes`; any alignment is valid.
    unsafe { v128_load(lanes.as_ptr().cast()) }
}
