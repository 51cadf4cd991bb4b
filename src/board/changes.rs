//! How a position changes: the building blocks of making a move, and castling and en
//! passant, which are made the same way on every processor. Positions are also assembled
//! here.

use std::cell::Cell;

use super::color::Color;
use super::king_pass::Seen;
use super::moves::Move;
use super::piece::{Kind, MAX_PIECES, Piece};
use super::position::{Board, Family, KING_SLOT, UNUSED, Wing};
use super::square::Square;
use super::zobrist;

/// Where the key of a piece's family is among a [`Board`]'s, as
/// one bit, by the piece's byte; no bit for the empty square.
pub(super) const fn family_bits() -> [u8; 256] {
    let mut bits = [0; 256];
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 6 {
            let of = Kind::ALL[kind];
            let family = match of {
                Kind::Pawn => Family::Pawn,
                Kind::Knight | Kind::Bishop => Family::Minor,
                Kind::Rook | Kind::Queen => Family::Major,
                Kind::King => Family::King,
            };
            bits[Piece::new(Color::ALL[color], of).0 as usize] = 1 << (color * 4 + family as usize);
            kind += 1;
        }
        color += 1;
    }
    bits
}

/// [`family_bits`] by the bits' numbers; any for the empty square, whose keys are 0.
static FAMILY_INDEX: [u8; 256] = {
    let bits = family_bits();
    let mut families = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        families[byte] = bits[byte].trailing_zeros() as u8 % 8;
        byte += 1;
    }
    families
};

impl Piece {
    /// Where its family's key is among the eight of a [`Board`].
    #[inline]
    pub(super) fn family_index(self) -> usize {
        FAMILY_INDEX[self.0 as usize] as usize % 8
    }
}

impl Board {
    /// The key of the position after `mv`, early enough to fetch the table's
    /// entry ahead. Exact except for castling, promotions, en passant captures, double
    /// pushes that allow one, and moves that cost a castling right.
    #[inline]
    #[must_use]
    pub fn key_after(&self, mv: Move) -> u64 {
        let piece = self.piece_on(mv.from());
        self.key
            ^ zobrist::SIDE
            ^ zobrist::en_passant(self.ep)
            ^ zobrist::piece(piece, mv.from())
            ^ zobrist::piece(piece, mv.to())
            ^ zobrist::piece(self.piece_on(mv.to()), mv.to())
    }

    /// The position after the castling move `mv`.
    pub(super) fn castle(&self, mv: Move) -> Board {
        let us = self.side;
        let wing = Board::wing_of(mv);
        let (king_from, rook_from) = (mv.from(), mv.to());
        let king_to = Square::new(wing.king_file(), king_from.rank());
        let rook_to = Square::new(wing.rook_file(), king_from.rank());
        let (king, rook) = (Piece::new(us, Kind::King), Piece::new(us, Kind::Rook));
        let mut next = self.clone();
        let (rooks, key) = self.rights_after(mv, king);
        next.rooks = rooks;
        next.key ^= key;
        next.halfmove = self.halfmove.saturating_add(1);
        // In Chess960 each may land where the other stood: take both off first.
        next.take(king, king_from);
        next.take(rook, rook_from);
        next.put(king, king_to);
        next.put(rook, rook_to);
        let list = &mut next.lists[us.index()];
        list[KING_SLOT] = king_to;
        list[self.slot_of(us, rook_from)] = rook_to;
        next.clear_ep();
        next.end_turn();
        next
    }

    /// The position after the capture en passant `mv`.
    pub(super) fn take_en_passant(&self, mv: Move) -> Board {
        let (us, them) = (self.side, !self.side);
        let victim_on = mv.to().step(them.forward());
        let mut next = self.clone();
        next.halfmove = 0;
        next.take(Piece::new(them, Kind::Pawn), victim_on);
        next.take(Piece::new(us, Kind::Pawn), mv.from());
        next.put(Piece::new(us, Kind::Pawn), mv.to());
        next.lists[us.index()][self.slot_of(us, mv.from())] = mv.to();
        next.lists[them.index()][self.slot_of(them, victim_on)] = Square::NONE;
        next.clear_ep();
        next.end_turn();
        next
    }

    /// The position after passing the turn. The clock of reversible plies starts
    /// anew: nothing before a pass counts as repeated after it.
    pub(super) fn pass_turn(&self) -> Board {
        let mut next = self.clone();
        next.halfmove = 0;
        next.clear_ep();
        next.end_turn();
        next
    }

    /// Hands the turn over: everything that depends on the side to move.
    #[inline]
    fn end_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side as u16);
        self.side = !self.side;
        self.key ^= zobrist::SIDE;
        self.seen = Cell::new(Seen::NOTHING);
    }

    #[inline]
    pub(super) fn toggle_key(&mut self, piece: Piece, sq: Square) {
        let key = zobrist::piece(piece, sq);
        self.key ^= key;
        self.family_keys[piece.family_index()] ^= key;
    }

    #[inline]
    pub(super) fn put(&mut self, piece: Piece, sq: Square) {
        self.squares[sq.index()] = piece;
        self.toggle_key(piece, sq);
    }

    #[inline]
    fn take(&mut self, piece: Piece, sq: Square) {
        self.squares[sq.index()] = Piece::EMPTY;
        self.toggle_key(piece, sq);
    }

    #[inline]
    fn clear_ep(&mut self) {
        if self.ep != Square::NONE {
            self.key ^= zobrist::en_passant(self.ep);
            self.ep = Square::NONE;
        }
    }

    /// Notes the en passant square `ep` in a position that has none, if the side to move
    /// can legally capture there.
    pub(super) fn set_ep(&mut self, ep: Square) {
        if self.has_en_passant(ep) {
            self.ep = ep;
            self.key ^= zobrist::en_passant(ep);
        }
    }

    /// Builds a position from its parts. Each side must have exactly one king
    /// and at most sixteen pieces. `rooks` is `[colour * 2 + wing]`; `ep` is
    /// dropped if nothing can be captured there.
    pub(super) fn assemble(
        squares: [Piece; 128],
        side: Color,
        rooks: [Square; 4],
        ep: Square,
        halfmove: u16,
        fullmove: u16,
    ) -> Board {
        let mut board = Board {
            squares,
            lists: [[Square::NONE; MAX_PIECES]; 2],
            family_keys: [0; 8],
            key: 0,
            rooks,
            halfmove,
            fullmove,
            seen: Cell::new(Seen::NOTHING),
            side,
            ep: Square::NONE,
            unused: [0; UNUSED],
        };
        for color in Color::ALL {
            // The king comes first, then the others from queens to pawns.
            let mut slot = 0;
            for kind in Kind::ALL.into_iter().rev() {
                for sq in Square::all().filter(|sq| squares[sq.index()] == Piece::new(color, kind))
                {
                    board.lists[color.index()][slot] = sq;
                    board.toggle_key(Piece::new(color, kind), sq);
                    slot += 1;
                }
            }
            for wing in Wing::ALL {
                board.key ^= zobrist::castling(color, board.castling_rook(color, wing));
            }
        }
        if side == Color::Black {
            board.key ^= zobrist::SIDE;
        }
        if ep != Square::NONE {
            board.set_ep(ep);
        }
        board
    }
}
