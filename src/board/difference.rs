//! The difference table, the heart of the board.
//!
//! The difference of two squares says which kinds of piece on one could attack the other
//! on an empty board ([`REACH`]) and by which step ([`STEP`]). If
//! the piece at hand is not in the entry, the answer is no, after one look. If
//! it is a knight, king or pawn, the answer is yes. Only for a slider is the path walked,
//! and that is rare. Idea: Bruce Moreland, rec.games.chess.computer.
//!
//! All of it is computed from how the pieces move ([`Kind::steps`],
//! [`Color::captures`]), at compile time. Here are the questions about two squares;
//! what else rests on the table: the king pass, exchanges, generation and legality
//! in [`hot::table`](super::hot::table) and [`legality`](super::legality), and the
//! lanes of [`hot::lanes`](super::hot::lanes), whose geometry is read off it.

use super::color::Color;
use super::piece::Kind;
use super::position::Board;
use super::square::{ALL_STEPS, Delta, KNIGHT_JUMPS, Square};

/// `REACH[color][delta]`: the kinds, as bits of a piece's byte, with which a
/// piece of `color` attacks the square `delta` away from it, on an empty board.
pub static REACH: [[u8; 256]; 2] = [reach_table(Color::White), reach_table(Color::Black)];

/// `STEP[delta]`: the unit step that leads along `delta`, or 0 if the two
/// squares share no rank, file or diagonal.
pub static STEP: [Delta; 256] = step_table();

/// `DIRECTION[delta]`: which of [`ALL_STEPS`] leads along `delta`, or which of
/// [`KNIGHT_JUMPS`] it is; 0 if neither.
pub(super) static DIRECTION: [u8; 256] = direction_table();

const fn step_table() -> [Delta; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 8 {
        let mut delta = 0u8;
        let mut distance = 1;
        while distance < 8 {
            delta = delta.wrapping_add(ALL_STEPS[i]);
            table[delta as usize] = ALL_STEPS[i];
            distance += 1;
        }
        i += 1;
    }
    table
}

const fn direction_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 8 {
        let mut distance = 1;
        while distance < 8 {
            table[ALL_STEPS[i].wrapping_mul(distance) as usize] = i as u8;
            distance += 1;
        }
        table[KNIGHT_JUMPS[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// The row of [`REACH`] of that colour.
const fn reach_table(color: Color) -> [u8; 256] {
    const LONGEST: u8 = 7;
    let mut table = [0; 256];
    let mut kind = 0;
    while kind < Kind::ALL.len() {
        let mover = Kind::ALL[kind];
        let furthest = if mover.slides() { LONGEST } else { 1 };
        let mut step = 0;
        while step < mover.steps().len() {
            let mut distance = 1;
            while distance <= furthest {
                table[mover.steps()[step].wrapping_mul(distance) as usize] |= mover.bit();
                distance += 1;
            }
            step += 1;
        }
        kind += 1;
    }
    let mut side = 0;
    while side < 2 {
        table[color.captures()[side] as usize] |= Kind::Pawn.bit();
        side += 1;
    }
    table
}

impl Board {
    /// Whether the squares strictly between `from` and `to` are empty. The two
    /// must share a line.
    #[inline]
    #[must_use]
    pub fn is_clear_between(&self, from: Square, to: Square) -> bool {
        let step = STEP[from.delta_to(to) as usize];
        debug_assert!(step != 0);
        let mut sq = from.step(step);
        while sq != to {
            if !self.piece_on(sq).is_empty() {
                return false;
            }
            sq = sq.step(step);
        }
        true
    }

    /// Whether the piece on `from` attacks `to` (pawns: by capture).
    #[inline]
    #[must_use]
    pub fn attacks(&self, from: Square, to: Square) -> bool {
        let piece = self.piece_on(from);
        let Some(color) = piece.color() else {
            return false;
        };
        REACH[color.index()][from.delta_to(to) as usize] & piece.0 != 0
            && (!piece.is_slider() || self.is_clear_between(from, to))
    }

    /// Whether a piece of `by` attacks `sq`.
    #[must_use]
    pub fn is_attacked(&self, sq: Square, by: Color) -> bool {
        let reach = &REACH[by.index()];
        self.lists[by.index()].iter().any(|&from| {
            let piece = self.piece_on(from);
            reach[from.delta_to(sq) as usize] & piece.0 != 0
                && (!piece.is_slider() || self.is_clear_between(from, sq))
        })
    }
}
