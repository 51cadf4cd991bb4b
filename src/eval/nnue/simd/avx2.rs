//! The kernels for processors with AVX2: sixteen neurons at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_hadd_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_mulhrs_epi16, _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_slli_epi16,
};

use bytemuck::must_cast;

use crate::eval::nnue::feature_state::FeatureDiff;
use crate::eval::nnue::features::Perspective;
use crate::eval::nnue::network::{Accumulator, FEATURES, L1, L2, ONE, Stack, WeightRow};

use super::{Activations, portable};

const LANES: usize = 16;

#[target_feature(enable = "avx2")]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[WeightRow; FEATURES],
    perspective: Perspective,
    diff: &FeatureDiff,
) {
    portable::update(from, to, rows, perspective, diff);
}

#[target_feature(enable = "avx2")]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
    let activations = activations(ours, theirs);
    let inputs = activations.0.as_flattened().as_chunks::<32>().0;
    let ones = _mm256_set1_epi16(1);
    let mut sums = [0; L2];
    // Four neurons at a time share the loads of activations.
    for (sums, weights) in
        sums.as_chunks_mut::<4>().0.iter_mut().zip(stack.l1_weights.as_chunks::<4>().0)
    {
        let mut totals = [_mm256_setzero_si256(); 4];
        for (at, inputs) in inputs.iter().enumerate() {
            let inputs = must_cast(*inputs);
            for (total, weights) in totals.iter_mut().zip(weights) {
                let weights = must_cast(weights.as_chunks::<32>().0[at]);
                let products = _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), ones);
                *total = _mm256_add_epi32(*total, products);
            }
        }
        let [a, b, c, d] = totals;
        let totals = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let (low, high) = (_mm256_castsi256_si128(totals), _mm256_extracti128_si256::<1>(totals));
        *sums = must_cast(_mm_add_epi32(low, high));
    }
    stack.dense.output(&sums)
}

/// Thirty-two activations at a time.
#[inline]
#[target_feature(enable = "avx2")]
fn activations(ours: &Accumulator, theirs: &Accumulator) -> Activations {
    let mut activations = Activations([[0; L1 / 2]; 2]);
    for (neurons, activations) in [ours, theirs].into_iter().zip(&mut activations.0) {
        for (at, activations) in (0..).step_by(2 * LANES).zip(activations.as_chunks_mut::<32>().0) {
            let packed = _mm256_packus_epi16(products(neurons, at), products(neurons, at + LANES));
            // The instruction packs the halves of a register separately.
            *activations = must_cast(_mm256_permute4x64_epi64::<0b_11_01_10_00>(packed));
        }
    }
    activations
}

/// [`activation`](crate::eval::nnue::network::activation)s as 16 bits; those of negative neurons
/// may be negative.
#[inline]
#[target_feature(enable = "avx2")]
fn products(neurons: &Accumulator, at: usize) -> __m256i {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(ONE as i16));
    let first = _mm256_min_epi16(_mm256_max_epi16(load(neurons, at), zero), one);
    let second = _mm256_min_epi16(load(neurons, at + L1 / 2), one);
    // 2^8 × first × second / 2^15, rounded.
    _mm256_mulhrs_epi16(_mm256_slli_epi16::<8>(first), second)
}

/// The [`LANES`] numbers from index `at` on.
#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &Accumulator, at: usize) -> __m256i {
    must_cast(*numbers.0[at..].first_chunk::<LANES>().expect("accumulators are whole registers"))
}
