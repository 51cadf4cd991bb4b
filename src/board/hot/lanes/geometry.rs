//! What lies around a square, in 64 lanes.
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
//! A set of lanes is a `u64` with a byte for each ray. All that is known about lanes
//! is read off the difference table at compile time (`Geometry`); the pawns' lanes
//! come from [`Color::forward`] and [`Color::captures`], as the table does.

use crate::board::color::Color;
use crate::board::difference::REACH;
use crate::board::moves::Move;
use crate::board::square::{ALL_STEPS, Delta, KNIGHT_JUMPS, Square};

/// The first lane of each ray: the squares around the centre.
pub(super) const RING: u64 = 0x0101_0101_0101_0101;

/// The last lane of each ray, which holds a knight's jump.
pub(super) const JUMPS: u64 = RING << 7;

/// The lanes of the first ray.
pub(super) const RAY: u64 = 0xff;

/// The lanes of each ray up to the first one in `occupied`, that included; the
/// jumps may be among them or not.
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
    stopped ^ (stopped - RING)
}

/// How many lanes there are for each pawn when all pawns are looked around at
/// once, slot by slot of the piece list; see [`PAWN_STEPS`].
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

/// The flags of a pawn's moves that are no promotions, by its lane. They belong into
/// the byte of the square it leaves.
const PAWN_FLAGS: [u8; LANES_PER_SLOT] = {
    let origin = Square::new(0, 0);
    let moves = [
        Move::quiet(origin, origin),
        Move::double_push(origin, origin),
        Move::capture(origin, origin),
        Move::capture(origin, origin),
    ];
    let mut flags = [0; LANES_PER_SLOT];
    let mut lane = 0;
    while lane < LANES_PER_SLOT {
        assert!(moves[lane].to_bits() < 256);
        flags[lane] = moves[lane].to_bits() as u8;
        lane += 1;
    }
    flags
};

/// `[color]`: from a slot's square to the squares of its lanes, for all slots.
pub(super) const STEPS_OF_SLOTS: [[Delta; 64]; 2] =
    [for_all_slots(PAWN_STEPS[0]), for_all_slots(PAWN_STEPS[1])];
/// The flags of the moves to these lanes.
pub(super) const FLAGS_OF_SLOTS: [u8; 64] = for_all_slots(PAWN_FLAGS);
/// The slot that each lane belongs to.
pub(super) const SLOT_OF_LANE: [u8; 64] = shared_by(LANES_PER_SLOT);

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

/// The number of each lane, divided by `lanes_each`.
pub(super) const fn shared_by(lanes_each: usize) -> [u8; 64] {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = (lane / lanes_each) as u8;
        lane += 1;
    }
    lanes
}

/// The lanes around any square.
pub(super) static GEOMETRY: Geometry = Geometry::new();

/// What the difference table says of each lane.
pub(super) struct Geometry {
    /// From the centre to the square of each lane.
    pub(super) offsets: [Delta; 64],
    /// `[color][lane]`: the kinds with which a piece of that colour on the lane
    /// attacks the centre.
    pub(super) attackers: [[u8; 64]; 2],
    /// `[color][bit of the kind]`: the lanes that a piece attacks from the centre
    /// on an empty board.
    pub(super) attacks: [[u64; 64]; 2],
    /// `[difference]`: the lane of the square that is so far from the centre, as
    /// one bit; none if it is on no lane.
    pub(super) lane: [u64; 256],
    /// `[difference]`: the ray that leads the same way; none if no ray does.
    pub(super) along: [u64; 256],
    /// `[ray]`: the lane of the king, seen from the first square of that ray
    /// around him.
    pub(super) king_behind: [u64; 8],
}

impl Geometry {
    const fn new() -> Geometry {
        let offsets = offsets();
        Geometry {
            offsets,
            attackers: [attackers(&offsets, Color::White), attackers(&offsets, Color::Black)],
            attacks: [attacks(&offsets, Color::White), attacks(&offsets, Color::Black)],
            lane: lane(&offsets),
            along: along(&offsets),
            king_behind: king_behind(&offsets),
        }
    }
}

const fn offsets() -> [Delta; 64] {
    let mut offsets = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        let ray = lane / 8;
        let distance = lane as u8 % 8 + 1;
        offsets[lane] =
            if distance < 8 { ALL_STEPS[ray].wrapping_mul(distance) } else { KNIGHT_JUMPS[ray] };
        lane += 1;
    }
    offsets
}

const fn attackers(offsets: &[Delta; 64], by: Color) -> [u8; 64] {
    let reach = &REACH[by.index()];
    let mut kinds = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        kinds[lane] = reach[offsets[lane].wrapping_neg() as usize];
        lane += 1;
    }
    kinds
}

const fn attacks(offsets: &[Delta; 64], by: Color) -> [u64; 64] {
    let reach = &REACH[by.index()];
    let mut lanes = [0; 64];
    let mut kind = 0;
    while kind < 6 {
        let mut lane = 0;
        while lane < 64 {
            if reach[offsets[lane] as usize] & 1 << kind != 0 {
                lanes[1 << kind] |= 1 << lane;
            }
            lane += 1;
        }
        kind += 1;
    }
    lanes
}

const fn lane(offsets: &[Delta; 64]) -> [u64; 256] {
    let mut lanes = [0; 256];
    let mut lane = 0;
    while lane < 64 {
        lanes[offsets[lane] as usize] = 1 << lane;
        lane += 1;
    }
    lanes
}

const fn along(offsets: &[Delta; 64]) -> [u64; 256] {
    let mut rays = [0; 256];
    let mut lane = 0;
    while lane < 64 {
        if JUMPS >> lane & 1 == 0 {
            rays[offsets[lane] as usize] = RAY << (lane / 8 * 8) & !JUMPS;
        }
        lane += 1;
    }
    rays
}

const fn king_behind(offsets: &[Delta; 64]) -> [u64; 8] {
    let mut lanes = [0; 8];
    let mut ray = 0;
    while ray < 8 {
        let mut back = 0;
        while offsets[back * 8] != offsets[ray * 8].wrapping_neg() {
            back += 1;
        }
        lanes[ray] = 1 << (back * 8);
        ray += 1;
    }
    lanes
}
