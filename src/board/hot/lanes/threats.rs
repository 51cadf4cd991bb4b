//! Threats on lanes: one view from each piece.

use crate::board::color::Color;
use crate::board::piece::Piece;
use crate::board::position::Board;
use crate::board::threats::Threats;

use super::geometry::{GEOMETRY, JUMPS, reach};
use super::unit::Unit;

/// The squares that `by` attacks.
#[inline(always)]
pub(super) fn threats<U: Unit>(unit: U, board: &Board, by: Color) -> Threats {
    let squares = unit.load(&board.squares);
    let mut marks = unit.no_marks();
    for &from in &board.lists[by.index()] {
        let piece = board.piece_on(from);
        if piece.is_empty() {
            continue;
        }
        let view = unit.view(&squares, from);
        let attacks = &GEOMETRY.attacks[by.index()];
        let lanes =
            (reach(unit.occupied(&view)) | JUMPS) & attacks[usize::from(piece.0 & Piece::KINDS)];
        unit.mark(&mut marks, from, lanes);
    }
    unit.attacked(marks)
}
