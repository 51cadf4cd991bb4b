//! The 64 lanes around a square.
//!
//! Around any square there are eight rays of at most seven squares, and eight
//! knight's jumps: 64 squares, one byte each in a vector register. Ray by ray,
//! nearest square first, the jump last:
//!
//! ```text
//! lane    0    1    2    3    4    5    6    7  |   8    9  ...   14    15
//!       +16  +32  +48  +64  +80  +96 +112  +33  |  +1   +2  ...   +7   +18
//!       '------- north, one to seven ----'  jump  '------ east -----'  jump
//! ```
//!
//! The rays are in the order of [`ALL_STEPS`]: a rook's are the first 32 lanes, a
//! bishop's the others.
//!
//! A set of lanes is a `u64` with a byte for each ray. All tables are computed at compile
//! time, from the difference table and, for pawns, [`Color::forward`] and
//! [`Color::captures`].

use crate::board::color::Color;
use crate::board::difference::REACH;
use crate::board::moves::Move;
use crate::board::square::{ALL_STEPS, Delta, KNIGHT_JUMPS, Square};

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

/// The lane of the king, seen from the first square of the ray around it.
#[inline(always)]
pub(super) const fn king_behind(ray: usize) -> u64 {
    1 << (8 * (ray ^ 2))
}

const _: () = {
    let mut ray = 0;
    while ray < 8 {
        assert!(ALL_STEPS[ray ^ 2] == ALL_STEPS[ray].wrapping_neg());
        ray += 1;
    }
};

/// Aligned to a cache line, so that no load of a register crosses one.
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

const LANE_OFFSETS: [Delta; 64] = {
    let mut offsets = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        let (ray, distance) = (lane / 8, lane as u8 % 8 + 1);
        offsets[lane] =
            if distance < 8 { ALL_STEPS[ray].wrapping_mul(distance) } else { KNIGHT_JUMPS[ray] };
        lane += 1;
    }
    offsets
};

/// From the centre to the square of each lane.
pub(super) static OFFSETS: Aligned<[Delta; 64]> = Aligned(LANE_OFFSETS);

/// `[color][lane]`: the kinds with which a piece of that colour on the lane attacks the
/// centre on an empty board.
pub(super) static ATTACKERS: [Aligned<[u8; 64]>; 2] =
    [Aligned(attackers(Color::White)), Aligned(attackers(Color::Black))];

/// `[color][bit of the kind]`: the lanes that a piece attacks from the centre on an empty
/// board.
pub(super) static ATTACKS: [[u64; 64]; 2] = [attacks(Color::White), attacks(Color::Black)];

/// `[difference]`: the lane of the square that far from the centre, as one bit; 0 if none.
pub(super) static LANE_AT: [u64; 256] = lane_tables().0;

/// `[difference]`: the ray along the difference; 0 if none.
pub(super) static RAY_ALONG: [u64; 256] = lane_tables().1;

const fn attackers(by: Color) -> [u8; 64] {
    let mut kinds = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        kinds[lane] = REACH[by.index()][LANE_OFFSETS[lane].wrapping_neg() as usize];
        lane += 1;
    }
    kinds
}

const fn attacks(by: Color) -> [u64; 64] {
    let mut lanes = [0; 64];
    let mut i = 0;
    while i < 6 * 64 {
        let (kind, lane) = (i / 64, i % 64);
        if REACH[by.index()][LANE_OFFSETS[lane] as usize] & 1 << kind != 0 {
            lanes[1 << kind] |= 1 << lane;
        }
        i += 1;
    }
    lanes
}

const fn lane_tables() -> ([u64; 256], [u64; 256]) {
    let (mut lanes, mut rays) = ([0; 256], [0; 256]);
    let mut lane = 0;
    while lane < 64 {
        let delta = LANE_OFFSETS[lane] as usize;
        lanes[delta] = 1 << lane;
        if lane % 8 < 7 {
            rays[delta] = (RAY & !JUMPS) << (lane / 8 * 8);
        }
        lane += 1;
    }
    (lanes, rays)
}

/// The lanes of each slot when all pawns are looked around at once, slot by slot of the
/// piece list:
///
/// ```text
/// lane     0     1      2      3   |   4     5  ...
///        push  double  west   east | push  double
///        '------- slot 0 ---------'  '-- slot 1
/// ```
pub(super) const LANES_PER_SLOT: usize = 4;

/// `[color]`: from a pawn to the squares of its lanes.
pub(super) const PAWN_STEPS: [[Delta; LANES_PER_SLOT]; 2] =
    [pawn_steps(Color::White), pawn_steps(Color::Black)];

/// `[color]`: from a slot's square to the squares of its lanes, for all slots.
pub(super) static PAWN_OFFSETS: [Aligned<[Delta; 64]>; 2] =
    [Aligned(for_all_slots(PAWN_STEPS[0])), Aligned(for_all_slots(PAWN_STEPS[1]))];

/// The flags of the moves to these lanes, which are no promotions, for the origin's byte.
pub(super) static PAWN_FLAGS: Aligned<[u8; 64]> = Aligned(for_all_slots({
    let origin = Square::new(0, 0);
    let (push, double) = (Move::quiet(origin, origin), Move::double_push(origin, origin));
    let capture = Move::capture(origin, origin).to_bits() as u8;
    [push.to_bits() as u8, double.to_bits() as u8, capture, capture]
}));

/// The slot that each lane belongs to.
pub(super) static SLOT_OF_LANE: Aligned<[u8; 64]> = Aligned(lane_numbers(LANES_PER_SLOT));

const fn pawn_steps(color: Color) -> [Delta; LANES_PER_SLOT] {
    let (push, [west, east]) = (color.forward(), color.captures());
    [push, push.wrapping_mul(2), west, east]
}

const fn for_all_slots(lanes_of_slot: [u8; LANES_PER_SLOT]) -> [u8; 64] {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = lanes_of_slot[lane % LANES_PER_SLOT];
        lane += 1;
    }
    lanes
}

/// The number of each lane, divided by `divisor`.
pub(super) const fn lane_numbers(divisor: usize) -> [u8; 64] {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = (lane / divisor) as u8;
        lane += 1;
    }
    lanes
}
