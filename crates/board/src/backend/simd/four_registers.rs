//! The board in four registers of 16 bytes, for NEON and WebAssembly.

#[cfg(target_arch = "aarch64")]
use super::neon::*;
use super::threats::Ranks;
#[cfg(target_family = "wasm")]
use super::wasm::*;
use crate::PieceByte;

/// Eight words, two in each register. The first is rank 1.
#[derive(Clone, Copy)]
pub(super) struct FourRegisters(pub(super) [Register; 4]);

impl FourRegisters {
    /// The board without its spare half.
    #[inline(always)]
    pub(super) fn pack(squares: &[PieceByte; 128]) -> FourRegisters {
        let rank = |rank: usize| {
            let used: &[PieceByte; 8] = squares[16 * rank..].first_chunk().expect("a rank");
            u64::from_le_bytes(used.map(|piece| piece.0))
        };
        FourRegisters([0, 2, 4, 6].map(|first| words(rank(first), rank(first + 1))))
    }

    #[inline(always)]
    fn map(self, act: impl Fn(Register) -> Register) -> FourRegisters {
        FourRegisters(self.0.map(act))
    }

    #[inline(always)]
    fn zip(
        self,
        other: FourRegisters,
        act: impl Fn(Register, Register) -> Register,
    ) -> FourRegisters {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        FourRegisters([act(a, e), act(b, f), act(c, g), act(d, h)])
    }
}

#[allow(clippy::redundant_closure, reason = "WebAssembly's intrinsics are no `Fn`")]
impl Ranks for FourRegisters {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        FourRegisters([splat(byte); 4])
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| and(a, b))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| or(a, b))
    }

    #[inline(always)]
    fn andnot(self, other: Self) -> Self {
        self.zip(other, |a, b| andnot(a, b))
    }

    #[inline(always)]
    fn test(self, bits: u8) -> Self {
        self.map(|bytes| test(bytes, splat(bits)))
    }

    #[inline(always)]
    fn shift(self, bits: i32) -> Self {
        self.map(|words| shift(words, bits))
    }

    #[inline(always)]
    fn step_up(self, ranks: i32) -> Self {
        let ([a, b, c, d], none) = (self.0, splat(0));
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
        movemask(self.0)
    }
}
