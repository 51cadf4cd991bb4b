//! Tables and arithmetic for sets of [lanes](super::super::lanes). All tables are computed at
//! compile time, from the difference table and, for pawns, [`Color::forward`] and
//! [`Color::pawn_captures`].

use crate::backend::lanes::LANE_OFFSETS;
use crate::difference::{REACH, STEP};
use crate::square::{ALL_STEPS, OFF_BOARD};
use crate::{Color, Delta, Move, Square};

pub(super) use crate::backend::lanes::LANE_AT;

/// The first lane of each ray: the king's steps.
pub(super) const RAY_STARTS: u64 = 0x0101_0101_0101_0101;

/// The last lane of each ray, which holds a knight's jump.
pub(super) const JUMPS: u64 = RAY_STARTS << 7;

/// The lanes of the first ray.
pub(super) const RAY: u64 = 0xff;

/// The lanes of each ray up to and including the first one in `occupied`; jumps are
/// undefined.
///
/// Subtracting 1 from a byte flips its bits up to the lowest one that is set,
/// and the exclusive or with the byte leaves exactly these. The jump's bit is set
/// in each byte first, so that no byte borrows from the next: eight rays in one
/// subtraction.
///
/// ```text
/// occupied          . . X . . X .     pieces on the third and sixth square
/// with the jump     . . X . . X . J
/// less one          x x . . . X . J
/// difference        x x x . . . . .   the reach
/// ```
#[inline(always)]
pub(super) const fn reach(occupied: u64) -> u64 {
    let stopped = occupied | JUMPS;
    stopped ^ (stopped - RAY_STARTS)
}

/// The lane of the king in the view from the square next to it on `ray`.
#[inline(always)]
pub(super) const fn king_behind(ray: usize) -> u64 {
    1 << (8 * (ray ^ 2))
}

const _: () = {
    let opposite: u8 = const_mask!(8, |ray| ALL_STEPS[ray ^ 2] == ALL_STEPS[ray].wrapping_neg());
    assert!(opposite == u8::MAX);
};

/// Aligned to a cache line, so that no load of a register crosses one.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// From the centre to the square of each lane.
pub(super) static OFFSETS: Aligned<[Delta; 64]> = Aligned(LANE_OFFSETS);

/// The place of a square on the board without its spare half: its place in a pair of ranks in the
/// low four bits, the pair in the next two. Off the board the top bit is set, for which shuffles of
/// bytes give 0.
pub(super) const fn packed(square: u8) -> u8 {
    if square & OFF_BOARD != 0 {
        return 0x80;
    }
    let (file, rank) = (square & 7, square >> 4);
    rank >> 1 << 4 | (rank & 1) << 3 | file
}

/// `[square]`: its lanes on the board.
pub(super) static ON_BOARD: [u64; 128] = const_array!(128, |square| {
    const_mask!(64, |lane| OFFSETS.0[lane].wrapping_add(square as u8) & OFF_BOARD == 0)
});

/// `[color][lane]`: the kinds of piece of that colour that attack the centre from the lane,
/// on an empty board.
pub(super) static ATTACKERS: [Aligned<[u8; 64]>; 2] = const_array!(2, |color| {
    Aligned(const_array!(64, |lane| REACH[color][LANE_OFFSETS[lane].wrapping_neg() as usize]))
});

/// `[color][bit of the kind]`: the lanes that a piece attacks from the centre on an empty
/// board.
pub(super) static ATTACKS: [[u64; 64]; 2] =
    const_array!(2, |color| const_array!(64, |kinds| const_mask!(64, |lane| {
        REACH[color][LANE_OFFSETS[lane] as usize] & kinds as u8 != 0
    })));

/// `[delta]`: the lanes of the ray that leads along `delta`; 0 if none.
pub(super) static RAY_ALONG: [u64; 256] = const_array!(256, |delta| {
    let step = STEP[delta];
    const_mask!(64, |lane| step != 0 && STEP[LANE_OFFSETS[lane] as usize] == step)
});

/// The number of lanes of each slot in the view of all pawns, which follows the piece list:
///
/// ```text
/// lane     0     1      2      3   |   4     5  ...
///        push  double  west   east | push  double
///        '------- slot 0 ---------'  '-- slot 1
/// ```
pub(super) const LANES_PER_SLOT: usize = 4;

/// `[color]`: from a pawn to the squares of its lanes.
pub(super) const PAWN_STEPS: [[Delta; LANES_PER_SLOT]; 2] = const_array!(2, |color| {
    let color = Color::ALL[color];
    let (push, [west, east]) = (color.forward(), color.pawn_captures());
    [push, push.wrapping_mul(2), west, east]
});

/// `[color]`: from a slot's square to the squares of its lanes, for all slots.
pub(super) static PAWN_OFFSETS: [Aligned<[Delta; 64]>; 2] = const_array!(2, |color| {
    Aligned(const_array!(64, |lane| PAWN_STEPS[color][lane % LANES_PER_SLOT]))
});

/// The flags of the moves to these lanes, except promotions: they are in the low byte of a
/// move, which also holds the origin.
pub(super) static PAWN_FLAGS: Aligned<[u8; 64]> = Aligned({
    let origin = Square::new(0, 0);
    let (push, double) = (Move::quiet(origin, origin), Move::double_push(origin, origin));
    let capture = Move::capture(origin, origin);
    let moves = [push, double, capture, capture];
    const_array!(64, |lane| moves[lane % LANES_PER_SLOT].to_bits() as u8)
});

/// The slot that each lane belongs to.
pub(super) static SLOT_OF_LANE: Aligned<[u8; 64]> =
    Aligned(const_array!(64, |lane| (lane / LANES_PER_SLOT) as u8));
