//! The vector instructions of WebAssembly, for threat features only. The rest of its hot path is
//! [`portable`](crate::backend::portable).

use core::arch::wasm32::{i64x2_shuffle, u8x16_bitmask, u8x16_ne, u64x2_shl, u64x2_shr};
pub(super) use core::arch::wasm32::{
    u8x16_splat as splat, u64x2 as words, v128 as Register, v128_and as and, v128_andnot as andnot,
    v128_or as or,
};

use crate::{Board, ThreatFeatures};

use super::four_registers::FourRegisters;

pub(in crate::backend) fn threat_features(board: &Board) -> ThreatFeatures {
    super::threats::threat_features(FourRegisters::pack(&board.squares))
}

/// 0xff in the bytes that have one of these bits, else 0.
#[inline(always)]
pub(super) fn test(bytes: Register, bits: Register) -> Register {
    u8x16_ne(and(bytes, bits), splat(0))
}

/// The words shifted by that many bits, to the left if positive.
#[inline(always)]
pub(super) fn shift(words: Register, bits: i32) -> Register {
    if bits > 0 { u64x2_shl(words, bits as u32) } else { u64x2_shr(words, -bits as u32) }
}

/// The upper word of `low` and the lower word of `high`.
#[inline(always)]
pub(super) fn between(low: Register, high: Register) -> Register {
    i64x2_shuffle::<1, 2>(low, high)
}

/// The top bits of 64 bytes.
#[inline(always)]
pub(super) fn movemask(bytes: [Register; 4]) -> u64 {
    let [a, b, c, d] = bytes.map(|bytes| u64::from(u8x16_bitmask(bytes)));
    a | b << 16 | c << 32 | d << 48
}
