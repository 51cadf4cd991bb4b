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
            Some(Kind::Pawn) => leap(&mut threats, from, &by.captures()),
            Some(kind) if kind.slides() => slide(&mut threats, board, from, kind.steps()),
            Some(kind) => leap(&mut threats, from, kind.steps()),
            None => {}
        }
    }
    threats
}

/// Marks what a leaper on `from` attacks.
#[inline]
fn leap(threats: &mut Threats, from: Square, jumps: &[Delta]) {
    for &jump in jumps {
        let to = from.step(jump);
        if to.is_on_board() {
            threats.add(to);
        }
    }
}

/// Marks what a slider on `from` attacks, up to and with the first piece.
#[inline]
fn slide(threats: &mut Threats, board: &Board, from: Square, steps: &[Delta]) {
    for &step in steps {
        let mut sq = from.step(step);
        while sq.is_on_board() {
            threats.add(sq);
            if !board.piece_on(sq).is_empty() {
                break;
            }
            sq = sq.step(step);
        }
    }
}
