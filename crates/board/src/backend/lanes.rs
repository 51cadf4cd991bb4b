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
//! bishop's the others. A set of lanes is a `u64` with a byte for each ray.

use crate::Delta;
use crate::square::{ALL_STEPS, KNIGHT_JUMPS};

pub(super) const LANE_OFFSETS: [Delta; 64] = const_array!(64, |lane| {
    let (ray, distance) = (lane / 8, lane as u8 % 8 + 1);
    if distance < 8 { ALL_STEPS[ray].wrapping_mul(distance) } else { KNIGHT_JUMPS[ray] }
});

/// `[delta]`: the lane of the square `delta` away from the centre, as one bit; 0 if none.
pub(crate) static LANE_AT: [u64; 256] =
    const_array!(256, |delta| const_mask!(64, |lane| LANE_OFFSETS[lane] as usize == delta));

/// The lines around the enemy king, as sets of the lanes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KingLines {
    /// The squares that a queen would attack from there, with pieces of both sides. Lanes off the
    /// board are undefined.
    pub(crate) near: u64,
    /// Our pieces that shield the king from one of our sliders.
    pub(crate) shields: u64,
}
