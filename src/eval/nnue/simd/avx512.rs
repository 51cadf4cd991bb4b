//! The kernels for processors with AVX-512: thirty-two neurons at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_cmpneq_epi8_mask,
    _mm512_cvtepi8_epi16, _mm512_cvtepu8_epi16, _mm512_dpbusd_epi32, _mm512_mask_add_epi8,
    _mm512_maskz_compress_epi8, _mm512_max_epi16, _mm512_min_epi16, _mm512_mulhrs_epi16,
    _mm512_packus_epi16, _mm512_permutexvar_epi8, _mm512_permutexvar_epi64,
    _mm512_reduce_add_epi32, _mm512_set_epi64, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_slli_epi16, _mm512_sub_epi16, _mm512_test_epi8_mask,
};

use bytemuck::must_cast;

use crate::eval::nnue::feature_state::{FeatureDiff, FeatureState, ROOM, SLACK};
use crate::eval::nnue::features::{Perspective, input};
use crate::eval::nnue::network::{
    Accumulator, ENGINE_NEURONS, FEATURES, L1, L2, ONE, SHAPE, Stack, WeightRow,
};
use carrybit_board::{Kind, PieceByte};

use super::Activations;

const LANES: usize = 32;

/// The number of registers, of the processor's 32, that `update` fills with sums at a time.
const REGISTERS: usize = if L1 <= 24 * LANES { L1 / LANES } else { ENGINE_NEURONS / LANES };

/// The squares, 0 to 63, and by the bit of the kind the [`input`] of a white piece on a1, in units
/// of 64.
const SQUARES_AND_KINDS: [[u8; 64]; 2] = {
    let mut tables = [[0; 64]; 2];
    let mut i = 0;
    while i < 64 {
        tables[0][i] = i as u8;
        tables[1][i] = (input(0, PieceByte(i as u8), 0) / 64) as u8;
        i += 1;
    }
    tables
};

/// [`FeatureState::diff`]: one compression for the inputs of each kind of change.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
pub(super) fn diff(before: &FeatureState, after: &FeatureState, diff: &mut FeatureDiff) {
    let FeatureDiff { added, removed, .. } = diff;
    let (old, new): (__m512i, __m512i) = (must_cast(before.pieces), must_cast(after.pieces));
    let (old_codes, new_codes) = (codes(old), codes(new));
    let changed = _mm512_cmpneq_epi8_mask(old, new);
    let mut removed_len =
        append(removed, 0, 0, changed & _mm512_test_epi8_mask(old, old), old_codes);
    let mut added_len = append(added, 0, 0, changed & _mm512_test_epi8_mask(new, new), new_codes);
    let (old, new) = (&before.threats, &after.threats);
    let planes = [(old.hanging, new.hanging), (old.attacked_by_lesser, new.attacked_by_lesser)];
    for (plane, (old, new)) in planes.into_iter().enumerate().take(SHAPE.threat_planes) {
        let (gone, come) = (old & (changed | !new), new & (changed | !old));
        removed_len = append(removed, removed_len, 1 + plane, gone, old_codes);
        added_len = append(added, added_len, 1 + plane, come, new_codes);
    }
    (diff.added_len, diff.removed_len) = (added_len, removed_len);
}

/// The kind and colour of the piece on each square, as [`input`] encodes them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn codes(pieces: __m512i) -> __m512i {
    // The lookup ignores the bits of the colour.
    let kinds = _mm512_permutexvar_epi8(pieces, must_cast(SQUARES_AND_KINDS[1]));
    let blacks = _mm512_test_epi8_mask(pieces, _mm512_set1_epi8(PieceByte::BLACK as i8));
    _mm512_mask_add_epi8(kinds, blacks, kinds, _mm512_set1_epi8(1))
}

/// Appends the inputs of the pieces on `squares`, at most [`SLACK`], to a list of length `len`.
/// Returns its new length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
fn append(list: &mut [u16; ROOM], len: usize, part: usize, squares: u64, codes: __m512i) -> usize {
    let low = |bytes| _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes));
    let codes = low(_mm512_maskz_compress_epi8(squares, codes));
    let numbers = low(_mm512_maskz_compress_epi8(squares, must_cast(SQUARES_AND_KINDS[0])));
    let first = _mm512_set1_epi16(input(part, PieceByte(Kind::Pawn.bit()), 0) as i16);
    let inputs = _mm512_add_epi16(_mm512_add_epi16(_mm512_slli_epi16::<6>(codes), numbers), first);
    let room = list[len..].first_chunk_mut::<SLACK>().expect("the list has room");
    *room = must_cast(inputs);
    len + squares.count_ones() as usize
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn update(
    from: &Accumulator,
    to: &mut Accumulator,
    rows: &[WeightRow; FEATURES],
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
                *sum = _mm512_add_epi16(*sum, load_row(row, at(register)));
            }
        }
        for &input in diff.removed() {
            let row = &rows[perspective.row(input)];
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, load_row(row, at(register)));
            }
        }
        for (register, sum) in sums.into_iter().enumerate() {
            store(to, at(register), sum);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn output(ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
    let activations = activations(ours, theirs);
    let inputs = activations.0.as_flattened().as_chunks::<64>().0;
    let mut sums = [0; L2];
    for (sum, weights) in sums.iter_mut().zip(&stack.l1_weights) {
        // Two independent sums shorten the dependency chain.
        let mut totals = [_mm512_setzero_si512(); 2];
        for (at, (inputs, weights)) in inputs.iter().zip(weights.as_chunks::<64>().0).enumerate() {
            let total = &mut totals[at % 2];
            *total = _mm512_dpbusd_epi32(*total, must_cast(*inputs), must_cast(*weights));
        }
        *sum = _mm512_reduce_add_epi32(_mm512_add_epi32(totals[0], totals[1]));
    }
    stack.dense.output(&sums)
}

/// Sixty-four activations at a time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activations(ours: &Accumulator, theirs: &Accumulator) -> Activations {
    let mut activations = Activations([[0; L1 / 2]; 2]);
    // The instruction packs each 16 bytes of a register separately.
    let order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    for (neurons, activations) in [ours, theirs].into_iter().zip(&mut activations.0) {
        for (at, activations) in (0..).step_by(2 * LANES).zip(activations.as_chunks_mut::<64>().0) {
            let packed = _mm512_packus_epi16(products(neurons, at), products(neurons, at + LANES));
            *activations = must_cast(_mm512_permutexvar_epi64(order, packed));
        }
    }
    activations
}

/// `activation`s as 16 bits; those of negative neurons may be negative.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn products(neurons: &Accumulator, at: usize) -> __m512i {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE as i16));
    let first = _mm512_min_epi16(_mm512_max_epi16(load(neurons, at), zero), one);
    let second = _mm512_min_epi16(load(neurons, at + L1 / 2), one);
    // 2^8 × first × second / 2^15, rounded.
    _mm512_mulhrs_epi16(_mm512_slli_epi16::<8>(first), second)
}

/// The [`LANES`] numbers from index `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(numbers: &Accumulator, at: usize) -> __m512i {
    must_cast(*numbers.0[at..].first_chunk::<LANES>().expect("accumulators are whole registers"))
}

/// The [`LANES`] weights from index `at` on, in 16 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_row(row: &WeightRow, at: usize) -> __m512i {
    let lanes = row.0[at..].first_chunk::<LANES>().expect("rows are whole registers");
    _mm512_cvtepi8_epi16(must_cast(*lanes))
}

/// Writes the [`LANES`] numbers from index `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(to: &mut Accumulator, at: usize, numbers: __m512i) {
    let lanes = to.0[at..].first_chunk_mut::<LANES>().expect("accumulators are whole registers");
    *lanes = must_cast(numbers);
}
