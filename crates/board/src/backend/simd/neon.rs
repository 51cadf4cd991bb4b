//! The vector instructions of 64-bit ARM, for views and threats. The rest of its hot path is
//! [`portable`](crate::backend::portable).
//!
//! The board without its spare half fills four registers, and one instruction looks up 16 bytes in
//! all of them. There is no instruction that collects the top bits of bytes. Three insertions and a
//! narrowing shift do it for a view, whose lanes are dealt out to the four registers in turn.

use core::arch::aarch64::*;

use crate::backend::lanes::KingLines;
pub(in crate::backend) use crate::backend::portable::{copy, count, count_replies, generate, make};
use crate::see::Exchange;
use crate::{Board, CheckInfo, Color, PieceByte, SeeValues, Square, ThreatFeatures, Threats};

use super::four_registers::FourRegisters;
use super::geometry::{self, Aligned, OFFSETS, ON_BOARD, packed};
use super::view::{View, ViewBackend};
use super::{check_info, see};

pub(super) type Register = uint8x16_t;

pub(in crate::backend) fn find_checkers(board: &Board) -> u16 {
    check_info::find_checkers(Neon, board)
}

pub(in crate::backend) fn has_king_move(board: &Board) -> bool {
    check_info::has_king_move(Neon, board)
}

pub(in crate::backend) fn compute_check_info(board: &Board) -> CheckInfo {
    check_info::compute_check_info(Neon, board)
}

pub(in crate::backend) fn king_lines(board: &Board) -> KingLines {
    check_info::king_lines(Neon, board)
}

pub(in crate::backend) fn see_loop(board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
    see::see_loop(Neon, board, exchange, values)
}

pub(in crate::backend) fn threats(board: &Board, by: Color) -> Threats {
    super::threats::threats(FourRegisters::pack(&board.squares), by)
}

pub(in crate::backend) fn threat_features(board: &Board) -> ThreatFeatures {
    super::threats::threat_features(FourRegisters::pack(&board.squares))
}

// SAFETY of all blocks below: every 64-bit ARM processor has NEON. Those that touch memory say more.

#[inline(always)]
pub(super) fn splat(byte: u8) -> Register {
    // SAFETY: see above.
    unsafe { vdupq_n_u8(byte) }
}

#[inline(always)]
pub(super) fn and(one: Register, other: Register) -> Register {
    // SAFETY: see above.
    unsafe { vandq_u8(one, other) }
}

#[inline(always)]
pub(super) fn or(one: Register, other: Register) -> Register {
    // SAFETY: see above.
    unsafe { vorrq_u8(one, other) }
}

#[inline(always)]
pub(super) fn andnot(one: Register, other: Register) -> Register {
    // SAFETY: see above.
    unsafe { vbicq_u8(one, other) }
}

/// 0xff in the bytes that have one of these bits, else 0.
#[inline(always)]
pub(super) fn test(bytes: Register, bits: Register) -> Register {
    // SAFETY: see above.
    unsafe { vtstq_u8(bytes, bits) }
}

#[inline(always)]
pub(super) fn words(low: u64, high: u64) -> Register {
    // SAFETY: see above.
    unsafe { vcombine_u8(vcreate_u8(low), vcreate_u8(high)) }
}

/// The words shifted by that many bits, to the left if positive.
#[inline(always)]
pub(super) fn shift(words: Register, bits: i32) -> Register {
    // SAFETY: see above.
    unsafe {
        let bits = vdupq_n_s64(bits.into());
        vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(words), bits))
    }
}

/// The upper word of `low` and the lower word of `high`.
#[inline(always)]
pub(super) fn between(low: Register, high: Register) -> Register {
    // SAFETY: see above.
    unsafe { vextq_u8::<8>(low, high) }
}

/// A bit for each of 64 bytes, which are 0xff or 0.
#[inline(always)]
pub(super) fn movemask([a, b, c, d]: [Register; 4]) -> u64 {
    // SAFETY: see above.
    unsafe {
        let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let [a, b] = [(a, b), (c, d)].map(|(a, b)| vpaddq_u8(and(a, bits), and(b, bits)));
        let sums = vpaddq_u8(a, b);
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
    }
}

/// The lanes 0, 4, 8..., then 1, 5, 9... and so on.
type Dealt = Aligned<[[u8; 16]; 4]>;

const fn deal(lanes: &[u8; 64]) -> Dealt {
    Aligned(const_array!(4, |register| const_array!(16, |i| lanes[4 * i + register])))
}

/// `[square]`: the places of its lanes on the board without its spare half.
static PLACES: [Dealt; 128] = const_array!(128, |square| {
    deal(&const_array!(64, |lane| packed(OFFSETS.0[lane].wrapping_add(square as u8))))
});

/// [`geometry::ATTACKERS`]
static ATTACKERS: [Dealt; 2] = const_array!(2, |color| deal(&geometry::ATTACKERS[color].0));

#[inline(always)]
fn load(bytes: &Dealt) -> [Register; 4] {
    // SAFETY: see above; each load is of 16 bytes.
    bytes.0.each_ref().map(|bytes| unsafe { vld1q_u8(bytes.as_ptr()) })
}

/// The lanes whose byte is 0xff, of bytes that are 0xff or 0.
#[inline(always)]
fn lanes([a, b, c, d]: [Register; 4]) -> u64 {
    // SAFETY: see above.
    unsafe {
        let pairs = vsriq_n_u8::<2>(vsriq_n_u8::<1>(d, c), vsriq_n_u8::<1>(b, a));
        let twice = vreinterpretq_u16_u8(vsriq_n_u8::<4>(pairs, pairs));
        vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(twice)))
    }
}

#[derive(Clone, Copy)]
struct Neon;

impl ViewBackend for Neon {
    /// The board without its spare half.
    type Squares = uint8x16x4_t;
    /// The lanes, dealt out.
    type Lanes = [Register; 4];

    #[inline(always)]
    fn load(self, squares: &[PieceByte; 128]) -> Self::Squares {
        let [a, b, c, d] = FourRegisters::pack(squares).0;
        uint8x16x4_t(a, b, c, d)
    }

    #[inline(always)]
    fn view(self, squares: &Self::Squares, sq: Square) -> View<Self::Lanes> {
        let places = load(&PLACES[sq.index()]);
        // SAFETY: see above.
        let pieces = places.map(|places| unsafe { vqtbl4q_u8(*squares, places) });
        let occupied = lanes(pieces.map(|piece| test(piece, piece)));
        View { pieces, on_board: ON_BOARD[sq.index()], occupied }
    }

    #[inline(always)]
    fn test(self, view: &View<Self::Lanes>, bit: u8) -> u64 {
        lanes(view.pieces.map(|pieces| test(pieces, splat(bit))))
    }

    #[inline(always)]
    fn attackers(self, view: &View<Self::Lanes>, by: Color) -> u64 {
        let ([a, b, c, d], [e, f, g, h]) = (view.pieces, load(&ATTACKERS[by.index()]));
        let own = splat(by.bit());
        let attacks = |pieces, kinds| and(test(pieces, kinds), test(pieces, own));
        lanes([attacks(a, e), attacks(b, f), attacks(c, g), attacks(d, h)])
    }
}
