//! Dangers by walking from each piece.

use crate::board::color::Color;
use crate::board::dangers::{Dangers, lesser_than};
use crate::board::piece::{Kind, Piece};
use crate::board::position::Board;
use crate::board::square::{Delta, Square};

use super::movegen::Walled;

/// Which pieces hang and which are outranked.
pub(in crate::board::hot) fn dangers(board: &Board) -> Dangers {
    // Whose wall it is plays no part.
    let walled = Walled::new(&board.squares, Color::White);
    let mut reached = Reached { walled, by: [[0; 256]; 2] };
    for color in Color::ALL {
        for (from, piece) in board.pieces(color) {
            match piece.kind() {
                Some(Kind::Pawn) => reached.leap(from, piece, &color.captures()),
                Some(kind) if kind.slides() => reached.slide(from, piece, kind.steps()),
                Some(kind) => reached.leap(from, piece, kind.steps()),
                None => {}
            }
        }
    }
    let mut dangers = Dangers::default();
    for color in Color::ALL {
        for (sq, piece) in board.pieces(color) {
            let (hangs, is_outranked) = reached.dangers_of(sq, piece, color);
            dangers.hanging |= u64::from(hangs) << sq.to_64();
            dangers.outranked |= u64::from(is_outranked) << sq.to_64();
        }
    }
    dangers
}

/// The squares that pieces reach, on the board or off it: who is written there, nobody
/// asks, and so no step need ask where it leads.
struct Reached {
    walled: Walled,
    /// By colour and square: the kinds that reach it, as bits of a [`Piece`]. Of a slider's
    /// squares only the last counts.
    by: [[u8; 256]; 2],
}

impl Reached {
    /// Notes what a leaper on `from` reaches.
    #[inline]
    fn leap(&mut self, from: Square, leaper: Piece, jumps: &[Delta]) {
        for &jump in jumps {
            self.note(leaper, from.step(jump));
        }
    }

    /// Notes what a slider on `from` reaches: the first piece on each ray.
    #[inline]
    fn slide(&mut self, from: Square, slider: Piece, steps: &[Delta]) {
        for &step in steps {
            let mut to = from.step(step);
            while self.walled.on(to).is_empty() {
                to = to.step(step);
            }
            self.note(slider, to);
        }
    }

    /// Notes that `piece` reaches this square.
    #[inline]
    fn note(&mut self, piece: Piece, to: Square) {
        let is_black = piece.0 & Piece::BLACK != 0;
        self.by[usize::from(is_black)][usize::from(to.0)] |= piece.0;
    }

    /// Whether `piece`, of that colour, hangs on `sq`, and whether it is outranked.
    #[inline]
    fn dangers_of(&self, sq: Square, piece: Piece, color: Color) -> (bool, bool) {
        let [by_own, by_other] = [color, !color].map(|side| self.by[side.index()][sq.index()]);
        let lesser = piece.kind().map_or(0, lesser_than);
        (by_other != 0 && by_own == 0, by_other & lesser != 0)
    }
}
