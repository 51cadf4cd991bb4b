//! The vector instructions of WebAssembly, for threat features only. The rest of its hot path is
//! [`portable`](crate::backend::portable).

use core::arch::wasm32::*;

use crate::{Board, ThreatFeatures};

use super::threats::Ranks;

pub(in crate::backend) fn threat_features(board: &Board) -> ThreatFeatures {
    super::threats::threat_features(FourRegisters::pack(board))
}

/// Eight words, two in each register. The first is rank 1.
#[derive(Clone, Copy)]
struct FourRegisters([v128; 4]);

impl FourRegisters {
    fn pack(board: &Board) -> FourRegisters {
        let [a, b, c, d, e, f, g, h] = board.packed();
        FourRegisters([u64x2(a, b), u64x2(c, d), u64x2(e, f), u64x2(g, h)])
    }

    #[inline(always)]
    fn map(self, act: impl Fn(v128) -> v128) -> FourRegisters {
        FourRegisters(self.0.map(act))
    }

    #[inline(always)]
    fn zip(self, other: FourRegisters, act: impl Fn(v128, v128) -> v128) -> FourRegisters {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        FourRegisters([act(a, e), act(b, f), act(c, g), act(d, h)])
    }
}

impl Ranks for FourRegisters {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        FourRegisters([u8x16_splat(byte); 4])
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| v128_and(a, b))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| v128_or(a, b))
    }

    #[inline(always)]
    fn andnot(self, other: Self) -> Self {
        self.zip(other, |a, b| v128_andnot(a, b))
    }

    #[inline(always)]
    fn test(self, bits: u8) -> Self {
        let (wanted, none) = (u8x16_splat(bits), u8x16_splat(0));
        self.map(|bytes| u8x16_ne(v128_and(bytes, wanted), none))
    }

    #[inline(always)]
    fn shift(self, bits: i32) -> Self {
        self.map(|words| {
            if bits > 0 { u64x2_shl(words, bits as u32) } else { u64x2_shr(words, -bits as u32) }
        })
    }

    #[inline(always)]
    fn step_up(self, ranks: i32) -> Self {
        let ([a, b, c, d], none) = (self.0, u64x2_splat(0));
        /// The upper word of `low` and the lower word of `high`.
        #[inline(always)]
        fn between(low: v128, high: v128) -> v128 {
            i64x2_shuffle::<1, 2>(low, high)
        }
        FourRegisters(match ranks {
            0 => [a, b, c, d],
            1 => [between(none, a), between(a, b), between(b, c), between(c, d)],
            2 => [none, a, b, c],
            4 => [none, none, a, b],
            -1 => [between(a, b), between(b, c), between(c, d), between(d, none)],
            -2 => [b, c, d, none],
            -4 => [c, d, none, none],
            ranks => unreachable!("no step of {ranks} ranks"),
        })
    }

    #[inline(always)]
    fn movemask(self) -> u64 {
        let [a, b, c, d] = self.0.map(|bytes| u64::from(u8x16_bitmask(bytes)));
        a | b << 16 | c << 32 | d << 48
    }
}
