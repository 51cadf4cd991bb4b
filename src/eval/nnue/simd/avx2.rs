//! The kernels for processors with AVX2: sixteen neurons at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256, _mm256_madd_epi16,
    _mm256_max_epi16, _mm256_min_epi16, _mm256_mulhrs_epi16, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_slli_epi16,
};

use crate::eval::nnue::feature_state::FeatureDiff;
use crate::eval::nnue::features::Perspective;
use crate::eval::nnue::network::{Accumulator, FEATURES, L1, QA};

use super::portable;

const LANES: usize = 16;

#[target_feature(enable = "avx2")]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[Accumulator; FEATURES],
    perspective: Perspective,
    diff: &FeatureDiff,
) {
    portable::update(from, to, rows, perspective, diff);
}

#[target_feature(enable = "avx2")]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, weights: &[Accumulator; 2]) -> i32 {
    // Two independent sums shorten the dependency chain.
    let sum = _mm256_add_epi32(half_output(ours, &weights[0]), half_output(theirs, &weights[1]));
    let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b_00_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b_00_00_00_01>(two));
    _mm_cvtsi128_si32(one)
}

/// See [`portable::half_output`]; eight partial sums.
#[inline]
#[target_feature(enable = "avx2")]
fn half_output(neurons: &Accumulator, weights: &Accumulator) -> __m256i {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sum = zero;
    for at in (0..L1).step_by(LANES) {
        let clipped = _mm256_min_epi16(_mm256_max_epi16(load(neurons, at), zero), one);
        // (64 × clipped)² / 2^15, rounded, is the activation: clipped² / 8.
        let shifted = _mm256_slli_epi16::<6>(clipped);
        let activation = _mm256_mulhrs_epi16(shifted, shifted);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(activation, load(weights, at)));
    }
    sum
}

/// The [`LANES`] numbers from index `at` on; `at` is a multiple of [`LANES`].
#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &Accumulator, at: usize) -> __m256i {
    let lanes: &[i16; LANES] =
        numbers.0[at..].first_chunk().expect("accumulators are whole registers");
    debug_assert!(at.is_multiple_of(LANES));
    // SAFETY: reads exactly the bytes of `lanes`. An accumulator is aligned to 64 bytes, and
    // `at` is a multiple of 16 numbers of two bytes.
    unsafe { _mm256_load_si256(lanes.as_ptr().cast()) }
}
