//! Making a move by copying the position and changing the copy.

use crate::check_info::CachedCheckInfo;
use crate::make::replace;
use crate::zobrist;
use crate::{Board, Kind, Move, PieceByte, Square};

/// The position after `mv`, without an en passant square. The move must be neither castling nor
/// en passant; a promotion, or a move that costs a castling right, needs `RARE`.
///
/// Take no reference to `next`: the compiler would build it elsewhere and copy it. The vector
/// loads of the copy, right after single-byte stores, would stall (store forwarding fails).
#[inline(never)]
pub(in crate::backend) fn make<const RARE: bool>(board: &Board, mv: Move) -> Board {
    let (us, them) = (board.side, !board.side);
    let (from, to) = (mv.from(), mv.target());
    let mover = board.byte_on(from);
    let victim = board.byte_on(to);
    let placed = match mv.promotion_kind() {
        Some(kind) if RARE => PieceByte::new(us, kind),
        _ => mover,
    };
    let left = zobrist::piece(mover, from);
    let entered = zobrist::piece(placed, to);
    let taken = zobrist::piece(victim, to);
    let is_irreversible = !victim.is_empty() || mover.is_kind(Kind::Pawn);
    let mut next = Board {
        squares: board.squares,
        group_keys: board.group_keys,
        lists: board.lists,
        key: board.key ^ zobrist::SIDE ^ zobrist::en_passant(board.ep) ^ left ^ entered ^ taken,
        castling_rooks: board.castling_rooks,
        halfmove: if is_irreversible { 0 } else { board.halfmove.saturating_add(1) },
        fullmove: board.fullmove.saturating_add(us as u16),
        side: them,
        ep: Square::NONE,
        unused: board.unused,
        check_info: CachedCheckInfo::empty(),
    };
    next.squares[from.index()] = PieceByte::EMPTY;
    next.squares[to.index()] = placed;
    next.group_keys[victim.key_index()] ^= taken;
    next.group_keys[mover.key_index()] ^= left;
    next.group_keys[placed.key_index()] ^= entered;
    next.lists[us.index()] = replace(board.lists[us.index()], from, to);
    next.lists[them.index()] = replace(board.lists[them.index()], to, Square::NONE);
    if RARE && board.may_lose_rights(mover, victim) {
        let (rooks, key) = board.rights_after(mv, mover);
        next.castling_rooks = rooks;
        next.key ^= key;
    }
    next
}
