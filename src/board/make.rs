//! The parts of making a move that the backends and the special moves share.

use super::check_info::CachedCheckInfo;
use super::position::{KINGS, MAJORS, MINORS, PAWNS};
use super::zobrist;
use super::{Board, Move, PieceByte, Square};

/// The kinds of moves that a backend's `make` plays: those that are not [rare](Board::is_rare), and
/// all but castling and en passant.
pub(super) const ORDINARY: bool = false;
pub(super) const RARE: bool = true;

/// `[piece's byte]`: the index of its group in [`Board::group_keys`]. The empty square may
/// have any index, since its keys are 0.
pub(super) static KEY_INDEX: [u8; 256] = const_array!(256, |byte| {
    const GROUPS: [usize; 8] = [PAWNS, MINORS, MINORS, MAJORS, MAJORS, KINGS, 0, 0];
    let piece = PieceByte(byte as u8);
    (piece.index() / 8 * 4 + GROUPS[piece.kind_index()]) as u8
});

impl PieceByte {
    /// The index of the piece's group in [`Board::group_keys`], below 8.
    #[inline]
    pub(super) const fn key_index(self) -> usize {
        KEY_INDEX[self.0 as usize] as usize % 8
    }
}

impl Board {
    /// The key after `mv`, to prefetch the TT entry. Exact except for castling,
    /// promotions, en passant captures, double pushes that allow one, and moves that cost a
    /// castling right.
    #[inline]
    #[doc(hidden)]
    pub fn key_after(&self, mv: Move) -> u64 {
        let piece = self.byte_on(mv.from());
        self.key
            ^ zobrist::SIDE
            ^ zobrist::en_passant(self.ep)
            ^ zobrist::piece(piece, mv.from())
            ^ zobrist::piece(piece, mv.target())
            ^ zobrist::piece(self.byte_on(mv.target()), mv.target())
    }

    /// Passes the turn: flips the side, counts the move, drops the en passant square and the check
    /// info.
    #[inline]
    pub(super) fn end_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side as u16);
        self.side = !self.side;
        self.key ^= zobrist::SIDE ^ zobrist::en_passant(self.ep);
        self.ep = Square::NONE;
        self.check_info = CachedCheckInfo::empty();
    }

    /// Puts `piece` on an empty square, or takes it off its square. Lists stay unchanged.
    #[inline]
    pub(super) fn toggle(&mut self, piece: PieceByte, sq: Square) {
        let key = zobrist::piece(piece, sq);
        self.key ^= key;
        self.group_keys[piece.key_index()] ^= key;
        self.squares[sq.index()].0 ^= piece.0;
    }
}
