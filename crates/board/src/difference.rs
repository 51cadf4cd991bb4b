//! The difference table, the heart of the board.
//!
//! The difference of two squares determines which kinds of piece on one could attack the
//! other on an empty board ([`REACH`]) and by which step ([`STEP`]). A piece that is not in
//! the entry does not attack; a knight, king or pawn in the entry does. Only a slider in the
//! entry, a rare case, needs a test of the path. Idea: Bruce Moreland,
//! rec.games.chess.computer.
//!
//! All tables are computed at compile time from [`Kind::steps`] and [`Color::pawn_captures`].
//! The difference table also underlies [`legality`](super::legality), check info, exchanges
//! and generation in [`backend::portable`](super::backend::portable), and the geometry of
//! [`backend::simd`](super::backend::simd).

use super::square::{ALL_STEPS, KNIGHT_JUMPS};
use super::{Board, Color, Delta, Kind, Square};

/// `REACH[color][delta]`: the kinds of piece of `color`, as bits of a piece's byte, that attack
/// the square `delta` away from them, on an empty board.
pub static REACH: [[u8; 256]; 2] = const_array!(2, |color| const_array!(256, |delta| {
    let captures = Color::ALL[color].pawn_captures();
    const_mask!(6, |kind| {
        let mover = Kind::ALL[kind];
        let steps = if kind == Kind::Pawn.index() { captures.as_slice() } else { mover.steps() };
        let step = if mover.slides() { STEP[delta] } else { delta as Delta };
        let found: u8 = const_mask!(steps.len(), |i| steps[i] == step);
        found != 0
    })
}));

/// `STEP[delta]`: the unit step that leads along `delta`, or 0 if the two
/// squares share no rank, file or diagonal.
pub static STEP: [Delta; 256] = line_tables().0;

/// `DIRECTION[delta]`: the index of the step along `delta` in [`ALL_STEPS`], or of the jump
/// `delta` in [`KNIGHT_JUMPS`]; 0 if neither.
pub(super) static DIRECTION: [u8; 256] = line_tables().1;

const fn line_tables() -> ([Delta; 256], [u8; 256]) {
    let (mut steps, mut directions) = ([0; 256], [0; 256]);
    let mut i = 0;
    while i < 8 {
        directions[KNIGHT_JUMPS[i] as usize] = i as u8;
        let mut distance = 1;
        while distance < 8 {
            let delta = ALL_STEPS[i].wrapping_mul(distance) as usize;
            steps[delta] = ALL_STEPS[i];
            directions[delta] = i as u8;
            distance += 1;
        }
        i += 1;
    }
    (steps, directions)
}

impl Board {
    /// Whether the squares strictly between `from` and `to` are empty. The two must be different
    /// squares of the board on one rank, file or diagonal; [`Board::attacks`] tests that, too.
    ///
    /// # Panics
    /// In debug builds, if they share no line. In other builds, the call may then never return.
    #[inline]
    pub fn is_clear_between(&self, from: Square, to: Square) -> bool {
        self.is_clear_without([], from, to)
    }

    /// [`Board::is_clear_between`] if the squares of `vacated` were empty.
    #[inline]
    pub(super) fn is_clear_without<const N: usize>(
        &self,
        vacated: [Square; N],
        from: Square,
        to: Square,
    ) -> bool {
        all_between(from, to, |sq| vacated.contains(&sq) || self.byte_on(sq).is_empty())
    }

    /// Whether the piece on `from` attacks `to`, pins aside: a pawn by a capture, any piece also
    /// where a piece of its own side stands. False if `from` is empty.
    #[inline]
    pub fn attacks(&self, from: Square, to: Square) -> bool {
        let piece = self.byte_on(from);
        let Some(color) = piece.color() else { return false };
        REACH[color.index()][from.delta_to(to) as usize] & piece.0 != 0
            && (!piece.is_slider() || self.is_clear_between(from, to))
    }

    /// Whether a piece of `by` attacks `sq`, pinned pieces included.
    pub fn is_attacked(&self, sq: Square, by: Color) -> bool {
        self.list(by).iter().any(|&from| self.attacks(from, sq))
    }

    /// The squares of the pieces of `by` that attack `sq`, pinned pieces included.
    pub fn attackers(&self, sq: Square, by: Color) -> impl Iterator<Item = Square> + '_ {
        self.list(by).iter().copied().filter(move |&from| self.attacks(from, sq))
    }
}

/// Whether `holds` is true for all squares strictly between `from` and `to`, which must share
/// a line.
#[inline]
pub(super) fn all_between(from: Square, to: Square, holds: impl Fn(Square) -> bool) -> bool {
    let step = STEP[from.delta_to(to) as usize];
    debug_assert!(step != 0);
    let mut sq = from.step(step);
    while sq != to {
        if !holds(sq) {
            return false;
        }
        sq = sq.step(step);
    }
    true
}
