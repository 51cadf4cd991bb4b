//! The kernels for processors with AVX-512: thirty-two neurons at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_dpwssd_epi32, _mm512_load_si512,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mulhrs_epi16, _mm512_reduce_add_epi32,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_store_si512,
    _mm512_sub_epi16,
};

use crate::eval::nnue::feature_state::FeatureDiff;
use crate::eval::nnue::features::Perspective;
use crate::eval::nnue::network::{Accumulator, FEATURES, L1, QA};

const LANES: usize = 32;

/// The number of registers of sums that `update` fills at a time.
const REGISTERS: usize = if L1.is_multiple_of(8 * LANES) { 8 } else { 1 };

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[Accumulator; FEATURES],
    perspective: Perspective,
    diff: &FeatureDiff,
) {
    for start in (0..L1).step_by(REGISTERS * LANES) {
        let at = |register: usize| start + register * LANES;
        let mut sums = [_mm512_setzero_si512(); REGISTERS];
        for (register, sum) in sums.iter_mut().enumerate() {
            *sum = load(from, at(register));
        }
        for &input in diff.added() {
            let row = &rows[perspective.row(input)];
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi16(*sum, load(row, at(register)));
            }
        }
        for &input in diff.removed() {
            let row = &rows[perspective.row(input)];
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, load(row, at(register)));
            }
        }
        for (register, sum) in sums.into_iter().enumerate() {
            store(to, at(register), sum);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, weights: &[Accumulator; 2]) -> i32 {
    // Two independent sums shorten the dependency chain.
    let [ours, theirs] = [half_output(ours, &weights[0]), half_output(theirs, &weights[1])];
    _mm512_reduce_add_epi32(_mm512_add_epi32(ours, theirs))
}

/// See `portable::half_output`; sixteen partial sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn half_output(neurons: &Accumulator, weights: &Accumulator) -> __m512i {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut sum = zero;
    for at in (0..L1).step_by(LANES) {
        let clipped = _mm512_min_epi16(_mm512_max_epi16(load(neurons, at), zero), one);
        // (64 × clipped)² / 2^15, rounded, is the activation: clipped² / 8.
        let shifted = _mm512_slli_epi16::<6>(clipped);
        let activation = _mm512_mulhrs_epi16(shifted, shifted);
        sum = _mm512_dpwssd_epi32(sum, activation, load(weights, at));
    }
    sum
}

/// The [`LANES`] numbers from index `at` on; `at` is a multiple of [`LANES`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(numbers: &Accumulator, at: usize) -> __m512i {
    let lanes: &[i16; LANES] =
        numbers.0[at..].first_chunk().expect("accumulators are whole registers");
    debug_assert!(at.is_multiple_of(LANES));
    // SAFETY: reads exactly the bytes of `lanes`. An accumulator is aligned to 64 bytes, and
    // `at` is a multiple of 32 numbers of two bytes.
    unsafe { _mm512_load_si512(lanes.as_ptr().cast()) }
}

/// Writes the [`LANES`] numbers from index `at` on; `at` is a multiple of [`LANES`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(to: &mut Accumulator, at: usize, numbers: __m512i) {
    let lanes: &mut [i16; LANES] =
        to.0[at..].first_chunk_mut().expect("accumulators are whole registers");
    debug_assert!(at.is_multiple_of(LANES));
    // SAFETY: as in `load`; `lanes` is the only reference to these bytes.
    unsafe { _mm512_store_si512(lanes.as_mut_ptr().cast(), numbers) };
}
