//! Making moves, by copying the position.
//!
//! [`Board::make`] leaves the old position alone and returns the new one, keys
//! included; [`Board::make_into`] writes it where the caller wants it. What changed
//! on the board is told to an [`Observer`], so that an evaluation can follow; perft
//! passes [`NoObserver`] and pays nothing.

use super::attacks::Seen;
use super::moves::Move;
use super::piece::{Color, Kind, Piece};
use super::square::{EAST, Square, WEST};
use std::cell::Cell;

use super::{Board, Family, KING_SLOT, MAX_PIECES, UNUSED, Wing, rooks_word, simd, zobrist};

/// Hears which pieces leave and enter which squares when a move is made: at
/// most four changes, departures before arrivals on the same square.
pub trait Observer {
    /// `piece` is put on `sq`.
    fn added(&mut self, piece: Piece, sq: Square);
    /// `piece` is taken off `sq`.
    fn removed(&mut self, piece: Piece, sq: Square);
}

/// Ignores all changes, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    #[inline(always)]
    fn added(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn removed(&mut self, _: Piece, _: Square) {}
}

/// Where the key of a piece's family is among [`Board::family_keys`](Board), as
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
    fn family_index(self) -> usize {
        FAMILY_INDEX[self.0 as usize] as usize % 8
    }
}

/// The piece list with `new` in place of `old`, which it need not have. No slot is
/// looked for: sixteen comparisons at once are quicker.
#[inline(always)]
fn replace(list: &[Square; MAX_PIECES], old: Square, new: Square) -> [Square; MAX_PIECES] {
    let change = old.0 ^ new.0;
    list.map(|sq| Square(sq.0 ^ if sq == old { change } else { 0 }))
}

impl Board {
    /// The position after the legal move `mv`.
    ///
    /// # Panics
    /// In debug builds, if `mv` is not legal here.
    #[must_use]
    pub fn make(&self, mv: Move, observer: &mut impl Observer) -> Board {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.fen(true));
        let next = simd::make(self, mv, observer);
        self.check_made(mv, &next);
        next
    }

    /// Makes `next` the position after the legal move `mv`, whatever it was
    /// before: [`Board::make`] into memory that is there already.
    ///
    /// # Panics
    /// In debug builds, if `mv` is not legal here.
    pub fn make_into(&self, mv: Move, observer: &mut impl Observer, next: &mut Board) {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.fen(true));
        simd::make_into(self, mv, observer, next);
        self.check_made(mv, next);
    }

    /// In debug builds, panics if `next` is no sound position after `mv`.
    #[inline(always)]
    pub(super) fn check_made(&self, mv: Move, next: &Board) {
        debug_assert_eq!(next.check_invariants(), Ok(()), "after {mv} in {}", self.fen(true));
    }

    /// [`Board::make_into`] in plain Rust.
    #[inline]
    pub(super) fn make_portably(&self, mv: Move, observer: &mut impl Observer, next: &mut Board) {
        if mv.is_castling() {
            self.castle(mv, observer, next);
        } else if mv.is_en_passant() {
            self.take_en_passant(mv, observer, next);
        } else {
            self.move_piece(mv, observer, next);
        }
    }

    /// Makes `next` the position after `mv`, which is neither castling nor en
    /// passant.
    ///
    /// Field by field: what is returned by value, or assigned as a whole, may first
    /// be built elsewhere, and a copy that follows single bytes' stores makes the
    /// processor wait.
    #[inline(never)]
    fn move_piece(&self, mv: Move, observer: &mut impl Observer, next: &mut Board) {
        let (us, them) = (self.side, !self.side);
        let (from, to) = (mv.from(), mv.to());
        let mover = self.piece_on(from);
        let victim = self.piece_on(to);
        let moved = zobrist::piece(mover, from) ^ zobrist::piece(mover, to);
        let taken = zobrist::piece(victim, to);
        next.squares = self.squares;
        next.squares[from.index()] = Piece::EMPTY;
        next.squares[to.index()] = mover;
        next.family_keys = self.family_keys;
        next.family_keys[victim.family_index()] ^= taken;
        next.family_keys[mover.family_index()] ^= moved;
        next.lists[us.index()] = replace(&self.lists[us.index()], from, to);
        next.lists[them.index()] = replace(&self.lists[them.index()], to, Square::NONE);
        next.key = self.key ^ zobrist::SIDE ^ zobrist::en_passant(self.ep) ^ (moved ^ taken);
        next.seen = Cell::new(Seen::NOTHING);
        next.side = them;
        next.ep = Square::NONE;
        next.rooks = self.rooks;
        if self.may_lose_rights(mover, victim) {
            let (rooks, key) = self.rights_after(mv, mover);
            next.rooks = rooks;
            next.key ^= key;
        }
        let is_irreversible = !victim.is_empty() || mover.is_kind(Kind::Pawn);
        next.halfmove = if is_irreversible { 0 } else { self.halfmove.saturating_add(1) };
        next.fullmove = self.fullmove.saturating_add(us as u16);
        if !victim.is_empty() {
            observer.removed(victim, to);
        }
        observer.removed(mover, from);
        if let Some(kind) = mv.promotion_kind() {
            next.toggle_key(mover, to);
            next.put(Piece::new(us, kind), to, observer);
        } else {
            observer.added(mover, to);
            if mv.is_double_push() {
                next.offer_ep(mv);
            }
        }
    }

    /// The position after passing the turn. The clock of reversible plies starts
    /// anew: nothing before a pass counts as repeated after it.
    ///
    /// # Panics
    /// In debug builds, if the side to move is in check.
    #[must_use]
    pub fn make_null(&self) -> Board {
        debug_assert!(!self.in_check());
        let mut next = self.clone();
        next.halfmove = 0;
        next.clear_ep();
        next.end_turn();
        debug_assert_eq!(next.check_invariants(), Ok(()));
        next
    }

    /// The key of the position after `mv`, early enough to fetch the table's
    /// entry ahead. Exact but for castling, promotion, en passant and lost
    /// castling rights.
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

    /// Hands the turn over: everything that depends on the side to move.
    #[inline]
    fn end_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side as u16);
        self.side = !self.side;
        self.key ^= zobrist::SIDE;
        self.seen = Cell::new(Seen::NOTHING);
    }

    #[inline]
    fn toggle_key(&mut self, piece: Piece, sq: Square) {
        let key = zobrist::piece(piece, sq);
        self.key ^= key;
        self.family_keys[piece.family_index()] ^= key;
    }

    #[inline]
    fn put(&mut self, piece: Piece, sq: Square, observer: &mut impl Observer) {
        self.squares[sq.index()] = piece;
        self.toggle_key(piece, sq);
        observer.added(piece, sq);
    }

    #[inline]
    fn take(&mut self, piece: Piece, sq: Square, observer: &mut impl Observer) {
        self.squares[sq.index()] = Piece::EMPTY;
        self.toggle_key(piece, sq);
        observer.removed(piece, sq);
    }

    /// Makes `next` the position after the castling move `mv`.
    fn castle(&self, mv: Move, observer: &mut impl Observer, next: &mut Board) {
        let us = self.side;
        let wing = Board::wing_of(mv);
        let (king_from, rook_from) = (mv.from(), mv.to());
        let king_to = Square::new(wing.king_file(), king_from.rank());
        let rook_to = Square::new(wing.rook_file(), king_from.rank());
        let (king, rook) = (Piece::new(us, Kind::King), Piece::new(us, Kind::Rook));
        next.clone_from(self);
        let (rooks, key) = self.rights_after(mv, king);
        next.rooks = rooks;
        next.key ^= key;
        next.halfmove = self.halfmove.saturating_add(1);
        // In Chess960 each may land where the other stood: take both off first.
        next.take(king, king_from, observer);
        next.take(rook, rook_from, observer);
        next.put(king, king_to, observer);
        next.put(rook, rook_to, observer);
        let list = &mut next.lists[us.index()];
        list[KING_SLOT] = king_to;
        list[self.slot_of(us, rook_from)] = rook_to;
        next.clear_ep();
        next.end_turn();
    }

    /// Makes `next` the position after the capture en passant `mv`.
    fn take_en_passant(&self, mv: Move, observer: &mut impl Observer, next: &mut Board) {
        let (us, them) = (self.side, !self.side);
        let victim_on = mv.to().step(them.forward());
        next.clone_from(self);
        next.halfmove = 0;
        next.take(Piece::new(them, Kind::Pawn), victim_on, observer);
        next.take(Piece::new(us, Kind::Pawn), mv.from(), observer);
        next.put(Piece::new(us, Kind::Pawn), mv.to(), observer);
        next.lists[us.index()][self.slot_of(us, mv.from())] = mv.to();
        next.lists[them.index()][self.slot_of(them, victim_on)] = Square::NONE;
        next.clear_ep();
        next.end_turn();
    }

    /// Whether a move of `mover` that takes `victim` may cost a castling right.
    #[inline]
    pub(super) fn may_lose_rights(&self, mover: Piece, victim: Piece) -> bool {
        const CASTLERS: u8 = Kind::King.bit() | Kind::Rook.bit();
        (mover.0 | victim.0) & CASTLERS != 0 && self.has_castling_rights()
    }

    /// The rooks that may still castle after `mv`, which moves `mover`, and the
    /// change of the key. Rights go when the king or that rook moves, or the
    /// rook is taken.
    ///
    /// All four are compared at once: a byte below 0x80 carries into its top bit
    /// when 0x7f is added, unless it is 0.
    #[inline(always)]
    pub(super) fn rights_after(&self, mv: Move, mover: Piece) -> ([Square; 4], u64) {
        const LOW: u32 = 0x0101_0101;
        const HIGH: u32 = 0x8080_8080;
        const OF_WHITE: u32 = 0x0000_ffff;
        let rooks = rooks_word(self.rooks);
        let differ = |sq: Square| (rooks ^ (LOW * u32::from(sq.0))) + LOW * 0x7f;
        let mut kept = differ(mv.from()) & differ(mv.to()) & HIGH;
        if mover.is_kind(Kind::King) {
            kept &= if self.side == Color::White { !OF_WHITE } else { OF_WHITE };
        }
        let mut lost = kept ^ HIGH;
        let mut key = 0;
        while lost != 0 {
            let index = lost.trailing_zeros() as usize / 8 % 4;
            key ^= zobrist::castling(Color::ALL[index / 2], self.rooks[index]);
            lost &= lost - 1;
        }
        let kept = (kept >> 7) * 0xff;
        let none = LOW * u32::from(Square::NONE.0);
        (((rooks & kept) | (none & !kept)).to_le_bytes().map(Square), key)
    }

    #[inline]
    fn clear_ep(&mut self) {
        if self.ep != Square::NONE {
            self.key ^= zobrist::en_passant(self.ep);
            self.ep = Square::NONE;
        }
    }

    /// Notes the square that the double push `mv`, just made, passed over if a
    /// pawn of the side to move can legally capture there.
    fn offer_ep(&mut self, mv: Move) {
        if self.is_beside_pawn(mv.to(), self.side) {
            self.set_ep(mv.to().step(self.side.forward()));
        }
    }

    /// Whether a pawn of `color` stands next to `sq` on its rank.
    #[inline]
    pub(super) fn is_beside_pawn(&self, sq: Square, color: Color) -> bool {
        let pawn = Piece::new(color, Kind::Pawn);
        self.piece_on(sq.step(WEST)) == pawn || self.piece_on(sq.step(EAST)) == pawn
    }

    /// Sets the en passant square if the side to move can capture there.
    fn set_ep(&mut self, ep: Square) {
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
