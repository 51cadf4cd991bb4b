//! All ranks in one register.

use std::arch::x86_64::*;

use crate::board::hot::lanes::ranks::Ranks;
use crate::board::piece::Piece;

/// Eight words. The first is rank 1.
#[derive(Clone, Copy)]
pub(super) struct OneRegister(__m512i);

impl OneRegister {
    /// The board without its spare half. Nothing else makes a value, so that one is proof
    /// of the instructions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn pack(squares: &[Piece; 128]) -> OneRegister {
        let start = squares.as_ptr().cast::<u8>();
        // SAFETY: the loads stay within the 128 bytes.
        unsafe {
            let lower = _mm512_loadu_si512(start.cast());
            let upper = _mm512_loadu_si512(start.add(64).cast());
            let used = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            OneRegister(_mm512_permutex2var_epi64(lower, used, upper))
        }
    }
}

// SAFETY of all blocks below: a value is proof that the processor has the instructions.
impl Ranks for OneRegister {
    #[inline(always)]
    fn every(self, byte: u8) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn having(self, bits: u8) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe {
            _mm512_movm_epi8(_mm512_test_epi8_mask(self.0, _mm512_set1_epi8(bits as i8)))
        })
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        let count = u64::from(BITS.unsigned_abs());
        // SAFETY: see above.
        OneRegister(unsafe {
            let count = _mm_cvtsi64_si128(count as i64);
            if BITS > 0 { _mm512_sll_epi64(self.0, count) } else { _mm512_srl_epi64(self.0, count) }
        })
    }

    #[inline(always)]
    fn moved<const RANKS: i32, const FILES: i32>(self, times: i32) -> Self {
        let words = self.0;
        // SAFETY: see above.
        OneRegister(unsafe {
            let none = _mm512_setzero_si512();
            let words = match RANKS * times {
                0 => words,
                1 => _mm512_alignr_epi64::<7>(words, none),
                2 => _mm512_alignr_epi64::<6>(words, none),
                4 => _mm512_alignr_epi64::<4>(words, none),
                -1 => _mm512_alignr_epi64::<1>(none, words),
                -2 => _mm512_alignr_epi64::<2>(none, words),
                -4 => _mm512_alignr_epi64::<4>(none, words),
                ranks => unreachable!("nothing moves {ranks} ranks"),
            };
            match FILES * times {
                0 => words,
                1 => _mm512_slli_epi64::<8>(words),
                2 => _mm512_slli_epi64::<16>(words),
                4 => _mm512_slli_epi64::<32>(words),
                -1 => _mm512_srli_epi64::<8>(words),
                -2 => _mm512_srli_epi64::<16>(words),
                -4 => _mm512_srli_epi64::<32>(words),
                files => unreachable!("nothing moves {files} files"),
            }
        })
    }

    #[inline(always)]
    fn top_bits(self) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_movepi8_mask(self.0) }
    }
}
