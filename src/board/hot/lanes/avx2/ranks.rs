//! The ranks in two registers.

use std::arch::x86_64::*;

use crate::board::hot::lanes::ranks::Ranks;
use crate::board::piece::Piece;

/// Four words and four words. The first is rank 1.
#[derive(Clone, Copy)]
pub(super) struct TwoRegisters([__m256i; 2]);

/// Each word to the next place, and the last to the first.
const UP: i32 = 0b_10_01_00_11;
/// Each word to the place before, and the first to the last.
const DOWN: i32 = 0b_00_11_10_01;
/// The first word, as a choice among halves of words.
const FIRST: i32 = 0b_0000_0011;
/// The last word.
const LAST: i32 = 0b_1100_0000;

impl TwoRegisters {
    /// The board without its spare half. Nothing else makes a value, so that one is proof
    /// of the instructions.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn pack(squares: &[Piece; 128]) -> TwoRegisters {
        let start = squares.as_ptr().cast::<__m256i>();
        // SAFETY: the four loads are of the 128 bytes.
        let words = unsafe {
            let [a, b, c, d] = each!(at in [0, 1, 2, 3] => _mm256_loadu_si256(start.add(at)));
            let pairs = [_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d)];
            each!(pair in pairs => _mm256_permute4x64_epi64::<0b_11_01_10_00>(pair))
        };
        TwoRegisters(words)
    }

    /// Each word that many ranks up.
    #[inline(always)]
    fn moved_up(self, ranks: i32) -> [__m256i; 2] {
        let [low, high] = self.0;
        // SAFETY: see above.
        unsafe {
            let none = _mm256_setzero_si256();
            match ranks {
                0 => [low, high],
                1 => {
                    let [low, high] =
                        each!(half in [low, high] => _mm256_permute4x64_epi64::<UP>(half));
                    [_mm256_blend_epi32::<FIRST>(low, none), _mm256_blend_epi32::<FIRST>(high, low)]
                }
                2 => [
                    _mm256_permute2x128_si256::<0x08>(low, low),
                    _mm256_permute2x128_si256::<0x21>(low, high),
                ],
                4 => [none, low],
                -1 => {
                    let [low, high] =
                        each!(half in [low, high] => _mm256_permute4x64_epi64::<DOWN>(half));
                    [_mm256_blend_epi32::<LAST>(low, high), _mm256_blend_epi32::<LAST>(high, none)]
                }
                -2 => [
                    _mm256_permute2x128_si256::<0x21>(low, high),
                    _mm256_permute2x128_si256::<0x81>(high, high),
                ],
                -4 => [high, none],
                ranks => unreachable!("nothing moves {ranks} ranks"),
            }
        }
    }
}

// SAFETY of all blocks below: a value is proof that the processor has the instructions.
impl Ranks for TwoRegisters {
    #[inline(always)]
    fn every(self, byte: u8) -> Self {
        // SAFETY: see above.
        TwoRegisters([unsafe { _mm256_set1_epi8(byte as i8) }; 2])
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        TwoRegisters(unsafe { [_mm256_and_si256(a, c), _mm256_and_si256(b, d)] })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        TwoRegisters(unsafe { [_mm256_or_si256(a, c), _mm256_or_si256(b, d)] })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        TwoRegisters(unsafe { [_mm256_andnot_si256(c, a), _mm256_andnot_si256(d, b)] })
    }

    #[inline(always)]
    fn having(self, bits: u8) -> Self {
        let words = self.and(self.every(bits)).0;
        // SAFETY: see above.
        let lacking = TwoRegisters(unsafe {
            each!(half in words => _mm256_cmpeq_epi8(half, _mm256_setzero_si256()))
        });
        self.every(u8::MAX).without(lacking)
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        // SAFETY: see above.
        TwoRegisters(unsafe {
            let count = _mm_cvtsi32_si128(BITS.abs());
            if BITS > 0 {
                each!(half in self.0 => _mm256_sll_epi64(half, count))
            } else {
                each!(half in self.0 => _mm256_srl_epi64(half, count))
            }
        })
    }

    #[inline(always)]
    fn moved<const RANKS: i32, const FILES: i32>(self, times: i32) -> Self {
        let words = self.moved_up(RANKS * times);
        // SAFETY: see above.
        TwoRegisters(unsafe {
            match FILES * times {
                0 => words,
                1 => each!(half in words => _mm256_slli_epi64::<8>(half)),
                2 => each!(half in words => _mm256_slli_epi64::<16>(half)),
                4 => each!(half in words => _mm256_slli_epi64::<32>(half)),
                -1 => each!(half in words => _mm256_srli_epi64::<8>(half)),
                -2 => each!(half in words => _mm256_srli_epi64::<16>(half)),
                -4 => each!(half in words => _mm256_srli_epi64::<32>(half)),
                files => unreachable!("nothing moves {files} files"),
            }
        })
    }

    #[inline(always)]
    fn top_bits(self) -> u64 {
        let [low, high] = self.0;
        // SAFETY: see above.
        let [low, high] = unsafe { [_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)] };
        u64::from(low as u32) | u64::from(high as u32) << 32
    }
}
