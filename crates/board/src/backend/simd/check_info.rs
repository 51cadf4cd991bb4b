//! Check info from views of 64 lanes: the view from the king's square shows checks and pins; the
//! view from each adjacent square shows whether the king may step there.

use crate::backend::lanes::KingLines;
use crate::{Board, CheckInfo, Color, Square};

use super::geometry::{JUMPS, OFFSETS, RAY, RAY_STARTS, king_behind, reach};
use super::view::{View, ViewBackend};

#[inline(always)]
pub(super) fn find_checkers<B: ViewBackend>(backend: B, board: &Board) -> u16 {
    let view = backend.view(&backend.load(&board.squares), board.king(board.side));
    checkers(backend, board, board.side, &view)
}

#[inline(always)]
pub(super) fn compute_check_info<B: ViewBackend>(backend: B, board: &Board) -> CheckInfo {
    let squares = backend.load(&board.squares);
    let view = backend.view(&squares, board.king(board.side));
    compute_from_view(backend, board, board.side, &squares, &view)
}

/// [`compute_check_info`] for `us`, the side to move, with the view around our king.
#[inline(always)]
pub(super) fn compute_from_view<B: ViewBackend>(
    backend: B,
    board: &Board,
    us: Color,
    squares: &B::Squares,
    view: &View<B::Lanes>,
) -> CheckInfo {
    let open = backend.open(view, us) & RAY_STARTS;
    CheckInfo {
        checkers: checkers(backend, board, us, view),
        pinned: pinned(backend, board, us, view),
        king_moves: backend.ray_starts(safe_steps(backend, board.king(us), us, squares, open)),
    }
}

/// The slots of the enemy pieces that attack our king, the centre of `view`.
#[inline(always)]
fn checkers<B: ViewBackend>(backend: B, board: &Board, us: Color, view: &View<B::Lanes>) -> u16 {
    let mut attackers = (reach(view.occupied) | JUMPS) & backend.attackers(view, !us);
    let mut checkers = 0;
    while attackers != 0 {
        let lane = attackers.trailing_zeros() as usize % 64;
        let sq = board.king(us).step(OFFSETS.0[lane]);
        checkers |= 1 << board.slot_of(!us, sq);
        attackers &= attackers - 1;
    }
    checkers
}

/// The slots of our pinned pieces: those that shield our king, the centre of `view`.
#[inline(always)]
fn pinned<B: ViewBackend>(backend: B, board: &Board, us: Color, view: &View<B::Lanes>) -> u16 {
    // Without our first piece on each ray, some enemies attack the king: they pin that piece.
    let near = reach(view.occupied);
    let shields = near & backend.of(view, us) & !JUMPS;
    let far = reach(view.occupied & !shields);
    let mut pinners = far & !near & !JUMPS & backend.attackers(view, !us);
    let mut pinned = 0;
    while pinners != 0 {
        let ray = RAY << (pinners.trailing_zeros() & !7);
        let shield = (shields & ray).trailing_zeros() as usize % 64;
        pinned |= 1 << board.slot_of(us, board.king(us).step(OFFSETS.0[shield]));
        pinners &= pinners - 1;
    }
    pinned
}

/// Whether the king of the side to move has a legal step.
#[inline(always)]
pub(super) fn has_king_move<B: ViewBackend>(backend: B, board: &Board) -> bool {
    let (us, squares) = (board.side, backend.load(&board.squares));
    let king = board.king(us);
    let mut open = backend.open(&backend.view(&squares, king), us) & RAY_STARTS;
    while open != 0 {
        if is_safe_step(backend, king, us, &squares, open.trailing_zeros() as usize % 64) {
            return true;
        }
        open &= open - 1;
    }
    false
}

/// The lines around the enemy king.
#[inline(always)]
pub(super) fn king_lines<B: ViewBackend>(backend: B, board: &Board) -> KingLines {
    let us = board.side;
    let view = backend.view(&backend.load(&board.squares), board.king(!us));
    let near = reach(view.occupied) & !JUMPS;
    let first = near & backend.of(&view, us);
    // Without our first piece on each ray, some of our sliders attack the king.
    let far = reach(view.occupied & !first);
    let mut behind = far & !near & !JUMPS & backend.attackers(&view, us);
    let mut shields = 0;
    while behind != 0 {
        shields |= first & RAY << (behind.trailing_zeros() & !7);
        behind &= behind - 1;
    }
    KingLines { near, shields }
}

/// The `open` steps of our king that lead to squares without attack.
#[inline(always)]
fn safe_steps<B: ViewBackend>(
    backend: B,
    king: Square,
    us: Color,
    squares: &B::Squares,
    mut open: u64,
) -> u64 {
    let mut safe = 0;
    while open != 0 {
        let lane = open.trailing_zeros() as usize % 64;
        let is_safe = is_safe_step(backend, king, us, squares, lane);
        safe |= u64::from(is_safe) << lane;
        open &= open - 1;
    }
    safe
}

/// Whether the king's step to the square of a lane leads to a square without attack.
#[inline(always)]
fn is_safe_step<B: ViewBackend>(
    backend: B,
    king: Square,
    us: Color,
    squares: &B::Squares,
    lane: usize,
) -> bool {
    let view = backend.view(squares, king.step(OFFSETS.0[lane]));
    // The king does not shield the square behind it.
    !is_attacked(backend, &view, king_behind(lane / 8), !us)
}

/// Whether a piece of `by` attacks the centre of `view` if the lanes of `gone` are empty.
#[inline(always)]
pub(super) fn is_attacked<B: ViewBackend>(
    backend: B,
    view: &View<B::Lanes>,
    gone: u64,
    by: Color,
) -> bool {
    (reach(view.occupied & !gone) | JUMPS) & backend.attackers(view, by) != 0
}
