//! Threats by walking from each piece.

use crate::board::color::Color;
use crate::board::piece::Kind;
use crate::board::position::Board;
use crate::board::square::{Delta, Square};
use crate::board::threats::Threats;

/// The squares that `by` attacks.
pub(in crate::board::hot) fn threats(board: &Board, by: Color) -> Threats {
    let mut threats = Threats::NONE;
    for (from, piece) in board.pieces(by) {
        match piece.kind() {
            Some(Kind::Pawn) => leap(&mut threats, Kind::Pawn, from, &by.captures()),
            Some(kind) if kind.slides() => slide(&mut threats, board, kind, from),
            Some(kind) => leap(&mut threats, kind, from, kind.steps()),
            None => {}
        }
    }
    threats
}

/// Marks what a leaper on `from` attacks.
#[inline]
fn leap(threats: &mut Threats, leaper: Kind, from: Square, jumps: &[Delta]) {
    for &jump in jumps {
        let to = from.step(jump);
        if to.is_on_board() {
            threats.add(to, leaper);
        }
    }
}

/// Marks what a slider on `from` attacks, up to and with the first piece.
#[inline]
fn slide(threats: &mut Threats, board: &Board, slider: Kind, from: Square) {
    for &step in slider.steps() {
        let mut sq = from.step(step);
        while sq.is_on_board() {
            threats.add(sq, slider);
            if !board.piece_on(sq).is_empty() {
                break;
            }
            sq = sq.step(step);
        }
    }
}
