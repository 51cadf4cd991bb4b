//! Making a move on lanes: each part of the position is loaded, changed and stored as
//! a whole.
use crate::board::moves::Move;
use crate::board::piece::{Kind, Piece};
use crate::board::position::{Board, rooks_word};
use crate::board::zobrist;

use super::image::{Image, State};
use super::unit::Unit;

/// The position after `mv`, which is neither castling nor en passant, without an en
/// passant square. If it is not `RARE`, it is no promotion and costs no castling right.
///
/// Nothing is stored before all is known; see [`Image`].
#[inline(always)]
pub(super) fn make<const RARE: bool, U: Unit>(unit: U, board: &Board, mv: Move) -> Board {
    let (from, to) = (mv.from(), mv.to());
    let mover = board.piece_on(from);
    let victim = board.piece_on(to);
    let moved = zobrist::piece(mover, from) ^ zobrist::piece(mover, to);
    let taken = zobrist::piece(victim, to);
    let mut family_keys = unit.rekey(&board.family_keys, [(mover, moved), (victim, taken)]);
    let mut key = zobrist::en_passant(board.ep) ^ moved ^ taken;
    let mut placed = mover;
    let mut rooks = 0;
    if RARE && let Some(kind) = mv.promotion_kind() {
        placed = Piece::new(board.side, kind);
        let (pawn, officer) = (zobrist::piece(mover, to), zobrist::piece(placed, to));
        family_keys = unit.rekey(&family_keys, [(mover, pawn), (placed, officer)]);
        key ^= pawn ^ officer;
    }
    if RARE && board.may_lose_rights(mover, victim) {
        let (left, lost) = board.rights_after(mv, mover);
        rooks = rooks_word(left) ^ rooks_word(board.rooks);
        key ^= lost;
    }
    let is_irreversible = victim.0 | (mover.0 & Kind::Pawn.bit()) != 0;
    let image = Image {
        squares: unit.moved(&board.squares, from, to, placed),
        family_keys,
        lists: unit.relist(&board.lists, from, to),
        state: State::after(unit, board, key, rooks, is_irreversible),
    };
    image.into_board()
}
