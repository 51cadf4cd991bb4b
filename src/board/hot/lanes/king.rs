//! The king pass on lanes: one view from the king's square shows checks and pins, one
//! from each square next to it whether it may go there.

use crate::board::color::Color;
use crate::board::king_pass::KingPass;
use crate::board::position::Board;
use crate::board::square::Square;

use super::geometry::{GEOMETRY, JUMPS, RAY, RING, reach};
use super::unit::Unit;

/// The slots of the enemy's pieces that give check.
#[inline(always)]
pub(super) fn find_checkers<U: Unit>(unit: U, board: &Board) -> u16 {
    let view = unit.view(&unit.load(&board.squares), board.king(board.side));
    checkers(unit, board, board.side, &view)
}

/// The look around the king of the side to move.
#[inline(always)]
pub(super) fn look<U: Unit>(unit: U, board: &Board) -> KingPass {
    let squares = unit.load(&board.squares);
    let view = unit.view(&squares, board.king(board.side));
    look_from(unit, board, board.side, &squares, &view)
}

/// The same for `us`, with the board in registers and the view around our king.
#[inline(always)]
pub(super) fn look_from<U: Unit>(
    unit: U,
    board: &Board,
    us: Color,
    squares: &U::Squares,
    view: &U::View,
) -> KingPass {
    let king = board.king(us);
    let open = unit.open(view, us);
    KingPass {
        checkers: checkers(unit, board, us, view),
        pinned: pinned(unit, board, us, view),
        ring: unit.ring(safe_steps(unit, king, us, squares, open & RING)),
    }
}

/// The slots of the enemy's pieces that attack our king, which is the centre of
/// `view`.
#[inline(always)]
fn checkers<U: Unit>(unit: U, board: &Board, us: Color, view: &U::View) -> u16 {
    let mut attackers = (reach(unit.occupied(view)) | JUMPS) & unit.attackers(view, !us);
    let mut checkers = 0;
    while attackers != 0 {
        let lane = attackers.trailing_zeros() as usize % 64;
        let sq = board.king(us).step(GEOMETRY.offsets[lane]);
        checkers |= 1 << board.slot_of(!us, sq);
        attackers &= attackers - 1;
    }
    checkers
}

/// The slots of our pinned pieces: those that shield our king, which is the centre of
/// `view`.
#[inline(always)]
fn pinned<U: Unit>(unit: U, board: &Board, us: Color, view: &U::View) -> u16 {
    // Who would attack the king if our first piece on its ray were not there?
    let occupied = unit.occupied(view);
    let near = reach(occupied);
    let shields = near & unit.of(view, us) & !JUMPS;
    let far = reach(occupied & !shields);
    let mut pinners = far & !near & !JUMPS & unit.attackers(view, !us);
    let mut pinned = 0;
    while pinners != 0 {
        let ray = RAY << (pinners.trailing_zeros() & !7);
        let shield = (shields & ray).trailing_zeros() as usize % 64;
        pinned |= 1 << board.slot_of(us, board.king(us).step(GEOMETRY.offsets[shield]));
        pinners &= pinners - 1;
    }
    pinned
}

/// The `open` lanes of our king's ring where no piece attacks it.
#[inline(always)]
fn safe_steps<U: Unit>(
    unit: U,
    king: Square,
    us: Color,
    squares: &U::Squares,
    mut open: u64,
) -> u64 {
    let mut safe = 0;
    while open != 0 {
        let lane = open.trailing_zeros() as usize % 64;
        let view = unit.view(squares, king.step(GEOMETRY.offsets[lane]));
        // The king does not shield the square behind it.
        let is_safe = !is_attacked(unit, &view, GEOMETRY.king_behind[lane / 8], !us);
        safe |= u64::from(is_safe) << lane;
        open &= open - 1;
    }
    safe
}

/// Whether a piece of `by` attacks the centre of `view` when those on the lanes of
/// `gone` are not there.
#[inline(always)]
pub(super) fn is_attacked<U: Unit>(unit: U, view: &U::View, gone: u64, by: Color) -> bool {
    (reach(unit.occupied(view) & !gone) | JUMPS) & unit.attackers(view, by) != 0
}
