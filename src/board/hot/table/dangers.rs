//! Dangers by walking from each piece.

use crate::board::color::Color;
use crate::board::dangers::{Dangers, lesser_than};
use crate::board::piece::{Kind, Piece};
use crate::board::position::Board;
use crate::board::square::{Delta, Square};

/// Which pieces hang and which are outranked.
pub(in crate::board::hot) fn dangers(board: &Board) -> Dangers {
    let mut reached = Reached { board, by_own: [false; 64], by_other: [0; 64] };
    for color in Color::ALL {
        for (from, piece) in board.pieces(color) {
            match piece.kind() {
                Some(Kind::Pawn) => reached.leap(from, &color.captures()),
                Some(kind) if kind.slides() => reached.slide(from, kind.steps()),
                Some(kind) => reached.leap(from, kind.steps()),
                None => {}
            }
        }
    }
    let mut dangers = Dangers::default();
    for color in Color::ALL {
        for (sq, piece) in board.pieces(color) {
            let (hangs, is_outranked) = reached.dangers_of(sq, piece);
            dangers.hanging |= u64::from(hangs) << sq.to_64();
            dangers.outranked |= u64::from(is_outranked) << sq.to_64();
        }
    }
    dangers
}

/// The pieces that others reach, by [`Square::to_64`].
struct Reached<'a> {
    board: &'a Board,
    /// Whether one of their own side does.
    by_own: [bool; 64],
    /// The kinds of the other side that do, as bits of a [`Piece`].
    by_other: [u8; 64],
}

impl Reached<'_> {
    /// Notes what a leaper on `from` reaches.
    #[inline]
    fn leap(&mut self, from: Square, jumps: &[Delta]) {
        for &jump in jumps {
            self.note(from, from.step(jump));
        }
    }

    /// Notes what a slider on `from` reaches: the first piece on each ray.
    #[inline]
    fn slide(&mut self, from: Square, steps: &[Delta]) {
        for &step in steps {
            let mut to = from.step(step);
            while to.is_on_board() && self.board.piece_on(to).is_empty() {
                to = to.step(step);
            }
            self.note(from, to);
        }
    }

    /// Notes that the piece on `from` reaches the one on `to`, if there is one.
    #[inline]
    fn note(&mut self, from: Square, to: Square) {
        if !to.is_on_board() {
            return;
        }
        let (piece, other) = (self.board.piece_on(from), self.board.piece_on(to));
        if piece.color() == other.color() {
            self.by_own[to.to_64() % 64] = true;
        } else {
            self.by_other[to.to_64() % 64] |= piece.0 & Piece::KINDS;
        }
    }

    /// Whether `piece` on `sq` hangs, and whether it is outranked.
    #[inline]
    fn dangers_of(&self, sq: Square, piece: Piece) -> (bool, bool) {
        let (by_own, by_other) = (self.by_own[sq.to_64() % 64], self.by_other[sq.to_64() % 64]);
        let lesser = piece.kind().map_or(0, lesser_than);
        (by_other != 0 && !by_own, by_other & lesser != 0)
    }
}
