//! Builds a [`Board`] from its squares, and compares a board with one built afresh: in debug
//! builds after each move, in tests by [`Board::check_invariants`].

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::check_info::CachedCheckInfo;
use super::fen::{Placement, is_castling_rook};
use super::position::{KING_SLOT, UNUSED};
use super::zobrist;
use super::{Board, CastlingSide, CheckInfo, Color, Kind, MAX_PIECES, PieceByte, Square};

impl Board {
    /// Builds a position from its parts. Each side must have exactly one king
    /// and at most sixteen pieces. `rooks` is `[colour * 2 + side]`; `ep` is
    /// dropped if nothing can be captured there.
    pub(super) fn assemble(
        placement: &Placement,
        side: Color,
        rooks: [Square; 4],
        ep: Square,
        halfmove: u16,
        fullmove: u16,
    ) -> Board {
        let mut board = Board {
            squares: placement.squares,
            lists: [[Square::NONE; MAX_PIECES]; 2],
            group_keys: [0; 8],
            key: if side == Color::Black { zobrist::SIDE } else { 0 },
            castling_rooks: rooks,
            halfmove,
            fullmove,
            side,
            ep: Square::NONE,
            unused: [0; UNUSED],
            check_info: CachedCheckInfo::empty(),
        };
        // The king comes first, then the others from queens to pawns: `slots` has the next free
        // slot of each kind, by the index of the piece.
        let mut slots = [0; 16];
        for color in [0, 8] {
            let mut next = 0;
            for index in (color..color + Kind::ALL.len()).rev() {
                slots[index] = next;
                next += placement.counts[index];
            }
        }
        let mut occupied = placement.occupied;
        while occupied != 0 {
            let sq = Square::from_64(occupied.trailing_zeros() as usize % 64);
            occupied &= occupied - 1;
            let piece = board.byte_on(sq);
            let slot = &mut slots[piece.index()];
            board.lists[usize::from(piece.is_color(Color::Black))][usize::from(*slot)] = sq;
            *slot += 1;
            let key = zobrist::piece(piece, sq);
            board.key ^= key;
            board.group_keys[piece.key_index()] ^= key;
        }
        for (index, rook) in rooks.into_iter().enumerate() {
            board.key ^= zobrist::castling(Color::ALL[index / 2], rook);
        }
        if ep != Square::NONE {
            board.set_ep(ep);
        }
        board
    }

    /// Compares lists, keys and state with a full recomputation, and `found` with the check
    /// info that is `expected`.
    pub(super) fn compare_with_fresh(
        &self,
        found: CheckInfo,
        expected: CheckInfo,
    ) -> Result<(), String> {
        let off_board = (0..128).map(Square).filter(|sq| !sq.is_on_board());
        for sq in off_board {
            ensure(self.byte_on(sq).is_empty(), "a piece off the board")?;
        }
        for color in Color::ALL {
            let king = self.byte_on(self.list(color)[KING_SLOT]);
            ensure(king == PieceByte::new(color, Kind::King), "no king in the king's slot")?;
            let on_board = Square::all().filter(|&sq| self.byte_on(sq).is_color(color));
            let mut listed: Vec<Square> =
                self.list(color).iter().copied().filter(|sq| *sq != Square::NONE).collect();
            listed.sort_unstable();
            ensure(on_board.eq(listed), "list and squares differ")?;
            for side in CastlingSide::ALL {
                let (king, rook) = (self.king(color), self.castling_rook_or_none(color, side));
                let in_place = rook == Square::NONE
                    || (is_castling_rook(&self.squares, king, rook, color)
                        && (rook > king) == (side == CastlingSide::King));
                ensure(in_place, "a castling right without king and rook in place")?;
            }
        }
        ensure(self.fullmove > 0, "move number zero")?;
        let fresh = Board::assemble(
            &Placement::of(&self.squares),
            self.side,
            self.castling_rooks,
            self.ep,
            self.halfmove,
            self.fullmove,
        );
        ensure(self.ep == fresh.ep, "an en passant square without a legal capture")?;
        ensure(self.group_keys == fresh.group_keys, "group keys differ")?;
        ensure(self.key == fresh.key, "the key differs")?;
        ensure(found == expected, "the check info differs")?;
        ensure(!self.is_attacked(self.king(!self.side), self.side), "the king can be taken")
    }
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
