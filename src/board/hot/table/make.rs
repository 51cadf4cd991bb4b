//! Making a move by copying the position and changing the copy.

use std::cell::Cell;

use crate::board::king_pass::Seen;
use crate::board::moves::Move;
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::position::Board;
use crate::board::square::Square;
use crate::board::zobrist;

/// The position after `mv`, which is neither castling nor en passant, without an en
/// passant square. If it is not `RARE`, it is no promotion and costs no castling right.
///
/// No reference to `next` may be taken, so that the compiler builds it in the caller's
/// slot. Otherwise it would copy it, and a copy right after single-byte stores stalls the
/// processor.
#[inline(never)]
pub(in crate::board::hot) fn make<const RARE: bool>(board: &Board, mv: Move) -> Board {
    let (us, them) = (board.side, !board.side);
    let (from, to) = (mv.from(), mv.to());
    let mover = board.piece_on(from);
    let victim = board.piece_on(to);
    let placed = match mv.promotion_kind() {
        Some(kind) if RARE => Piece::new(us, kind),
        _ => mover,
    };
    let left = zobrist::piece(mover, from);
    let entered = zobrist::piece(placed, to);
    let taken = zobrist::piece(victim, to);
    let mut next = board.clone();
    next.squares[from.index()] = Piece::EMPTY;
    next.squares[to.index()] = placed;
    next.family_keys[victim.family_index()] ^= taken;
    next.family_keys[mover.family_index()] ^= left;
    next.family_keys[placed.family_index()] ^= entered;
    next.lists[us.index()] = replace(&board.lists[us.index()], from, to);
    next.lists[them.index()] = replace(&board.lists[them.index()], to, Square::NONE);
    let changed = left ^ entered ^ taken;
    next.key = board.key ^ zobrist::SIDE ^ zobrist::en_passant(board.ep) ^ changed;
    next.seen = Cell::new(Seen::NOTHING);
    next.side = them;
    next.ep = Square::NONE;
    if RARE && board.may_lose_rights(mover, victim) {
        let (rooks, key) = board.rights_after(mv, mover);
        next.rooks = rooks;
        next.key ^= key;
    }
    let is_irreversible = !victim.is_empty() || mover.is_kind(Kind::Pawn);
    next.halfmove = if is_irreversible { 0 } else { board.halfmove.saturating_add(1) };
    next.fullmove = board.fullmove.saturating_add(us as u16);
    next
}

/// The piece list with `new` in place of `old`, which it need not have. No slot is
/// looked for: sixteen comparisons at once are quicker.
#[inline(always)]
fn replace(list: &[Square; MAX_PIECES], old: Square, new: Square) -> [Square; MAX_PIECES] {
    let change = old.0 ^ new.0;
    list.map(|sq| Square(sq.0 ^ if sq == old { change } else { 0 }))
}
