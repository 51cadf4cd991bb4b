//! A position, and the plain questions that its fields answer.
//!
//! [`Board`] is a whole position in 256 bytes: 128 squares, two piece lists and the
//! state. How positions change is told by `changes.rs`; what takes some looking
//! around is the business of the [hot path](super::hot) and of the files beside it.

use std::cell::Cell;

use super::color::Color;
use super::king_pass::{KingPass, Seen};
use super::moves::Move;
use super::piece::{Kind, MAX_PIECES, Piece};
use super::square::Square;

/// The slot of the king in its side's piece list.
pub const KING_SLOT: usize = 0;

/// Bytes of a [`Board`] that hold nothing.
pub(super) const UNUSED: usize = 6;

/// The two sides a king can castle to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wing {
    /// Towards the h-file; the king ends on the g-file, the rook on the f-file.
    King = 0,
    /// Towards the a-file; the king ends on the c-file, the rook on the d-file.
    Queen = 1,
}

/// The file on which the kings of standard chess start.
pub(super) const STANDARD_KING_FILE: u8 = 4;

impl Wing {
    /// Both wings, the king's first.
    pub const ALL: [Wing; 2] = [Wing::King, Wing::Queen];

    /// The file of the corner on that side.
    #[inline]
    #[must_use]
    pub const fn corner_file(self) -> u8 {
        match self {
            Wing::King => 7,
            Wing::Queen => 0,
        }
    }

    /// The file the king castles to.
    #[inline]
    #[must_use]
    pub const fn king_file(self) -> u8 {
        match self {
            Wing::King => 6,
            Wing::Queen => 2,
        }
    }

    /// The file the rook castles to.
    #[inline]
    #[must_use]
    pub const fn rook_file(self) -> u8 {
        match self {
            Wing::King => 5,
            Wing::Queen => 3,
        }
    }
}

/// The families of pieces that have a key of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Family {
    /// Pawns.
    Pawn = 0,
    /// Knights and bishops.
    Minor = 1,
    /// Rooks and queens.
    Major = 2,
    /// The king.
    King = 3,
}

/// A position. `Board::default()` is the start position of standard chess.
///
/// It can only be built from a valid position (see [`fen`](super::fen)) and by legal moves,
/// so every `Board` has one king per side and the side not to move is not in check.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Board {
    /// One byte per square; off-board bytes are always empty.
    pub(super) squares: [Piece; 128],
    /// Zobrist keys of each colour's families, `[colour * 4 + family]`.
    pub(super) family_keys: [u64; 8],
    /// Where each side's pieces stand; the king in slot 0, captured pieces on
    /// [`Square::NONE`]. A piece keeps its slot all its life.
    pub(super) lists: [[Square; MAX_PIECES]; 2],
    /// Zobrist key of the whole position.
    pub(super) key: u64,
    /// Where the rooks stand that may still castle, `[colour * 2 + wing]`;
    /// [`Square::NONE`] if that right is gone.
    pub(super) rooks: [Square; 4],
    /// Plies since the last capture, pawn move or null move.
    pub(super) halfmove: u16,
    /// Number of the move, from 1, counted up after Black's.
    pub(super) fullmove: u16,
    /// What has been found out about the king of the side to move.
    pub(super) seen: Cell<Seen>,
    /// Whose turn it is.
    pub(super) side: Color,
    /// The square a pawn just passed over, if it can legally be captured there.
    pub(super) ep: Square,
    /// Leaves no padding: vector code reads and writes the state as bytes.
    pub(super) unused: [u8; UNUSED],
}

impl Board {
    /// The piece on `sq`; empty off the board.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, sq: Square) -> Piece {
        self.squares[sq.index()]
    }

    /// The pieces as bytes, 0 where a square is empty: a rank to each word, the first
    /// file lowest.
    #[inline]
    pub(crate) fn packed(&self) -> [u64; 8] {
        std::array::from_fn(|rank| {
            let used: &[Piece; 8] = self.squares[16 * rank..].first_chunk().expect("a rank");
            u64::from_le_bytes(used.map(|piece| piece.0))
        })
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The piece list of `color`: the king first; [`Square::NONE`] where a
    /// piece has been captured or never was.
    #[inline]
    #[must_use]
    pub fn list(&self, color: Color) -> &[Square; MAX_PIECES] {
        &self.lists[color.index()]
    }

    /// The pieces of `color` on the board, the king first.
    #[inline]
    pub fn pieces(&self, color: Color) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.list(color)
            .iter()
            .map(|&sq| (sq, self.piece_on(sq)))
            .filter(|(_, piece)| !piece.is_empty())
    }

    /// How many pieces both sides have, 2 to 32.
    #[inline]
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.lists.as_flattened().iter().filter(|&&sq| sq != Square::NONE).count()
    }

    /// The sum of a weight for each piece of both sides, by its kind from pawn to king;
    /// weights are at most 31.
    #[inline]
    #[must_use]
    pub fn weigh(&self, weights: [u8; Kind::ALL.len()]) -> u32 {
        const LOW_BITS: u64 = u64::from_le_bytes([1; 8]);
        debug_assert!(weights.iter().all(|&weight| weight < 32), "{weights:?}");
        // A sum for each file: its eight pieces come to less than 256.
        let files = self.packed().into_iter().fold(0, |files, rank| {
            weights.iter().enumerate().fold(files, |files, (kind, &weight)| {
                files + (rank >> kind & LOW_BITS) * u64::from(weight)
            })
        });
        files.to_le_bytes().map(u32::from).iter().sum()
    }

    /// Where the king of `color` stands.
    #[inline]
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.lists[color.index()][KING_SLOT]
    }

    /// Zobrist key of the position: pieces, side to move, castling rights, and
    /// the en passant square if a capture there is legal.
    #[inline]
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Key of the pawns of both sides.
    #[inline]
    #[must_use]
    pub fn pawn_key(&self) -> u64 {
        self.family_key(Color::White, Family::Pawn) ^ self.family_key(Color::Black, Family::Pawn)
    }

    /// Key of all pieces of `color` but the pawns.
    #[inline]
    #[must_use]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.family_key(color, Family::Minor)
            ^ self.family_key(color, Family::Major)
            ^ self.family_key(color, Family::King)
    }

    /// Key of one family of pieces of one colour.
    #[inline]
    #[must_use]
    pub fn family_key(&self, color: Color, family: Family) -> u64 {
        self.family_keys[color.index() * 4 + family as usize]
    }

    /// Whether `color` has pieces of that family. The key answers: without a piece it
    /// is 0, and with some of them it is 0 once in 2^64 positions.
    #[inline]
    fn has_family(&self, color: Color, family: Family) -> bool {
        self.family_key(color, family) != 0
    }

    /// The square behind a pawn that has just moved two ranks, if it can be
    /// captured there legally; else [`Square::NONE`].
    #[inline]
    #[must_use]
    pub fn ep(&self) -> Square {
        self.ep
    }

    /// Plies since the last capture, pawn move or null move. A FEN may start above 100.
    #[inline]
    #[must_use]
    pub fn halfmove(&self) -> u16 {
        self.halfmove
    }

    /// Number of the move, from 1.
    #[inline]
    #[must_use]
    pub fn fullmove(&self) -> u16 {
        self.fullmove
    }

    /// Plies from the start of the game to here, by the number of the move.
    #[must_use]
    pub fn ply(&self) -> usize {
        2 * usize::from(self.fullmove).saturating_sub(1) + self.side().index()
    }

    /// The square of the rook that `color` may still castle with on that wing,
    /// or [`Square::NONE`].
    #[inline]
    #[must_use]
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Square {
        self.rooks[color.index() * 2 + wing as usize]
    }

    /// Whether anybody may still castle.
    #[inline]
    #[must_use]
    pub fn has_castling_rights(&self) -> bool {
        // As one word, not byte by byte.
        rooks_word(self.rooks) != rooks_word([Square::NONE; 4])
    }

    /// Whether `color` may still castle.
    #[inline]
    #[must_use]
    pub fn has_castling_right(&self, color: Color) -> bool {
        Wing::ALL.into_iter().any(|wing| self.castling_rook(color, wing) != Square::NONE)
    }

    /// The king pass, taken by `look` if it is not known yet, and remembered.
    #[inline(always)]
    pub(super) fn king_pass_by(&self, look: impl FnOnce(&Board) -> KingPass) -> KingPass {
        match self.seen.get().pass() {
            Some(pass) => pass,
            None => {
                let pass = look(self);
                self.seen.set(Seen::all(pass));
                pass
            }
        }
    }

    /// Whether `color` has a piece besides king and pawns. Without one, passing
    /// may be the best move (zugzwang).
    #[inline]
    #[must_use]
    pub fn has_non_pawns(&self, color: Color) -> bool {
        self.has_family(color, Family::Minor) | self.has_family(color, Family::Major)
    }

    /// Whether `color` has nothing but its king.
    #[inline]
    #[must_use]
    pub fn has_bare_king(&self, color: Color) -> bool {
        !(self.has_family(color, Family::Pawn) | self.has_non_pawns(color))
    }

    /// Whether there is a pawn, rook or queen on the board: then there is enough
    /// material to mate with.
    #[inline]
    #[must_use]
    pub fn has_pawns_or_majors(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            self.has_family(color, Family::Pawn) | self.has_family(color, Family::Major)
        })
    }

    /// Whether there is a knight or a bishop on the board.
    #[inline]
    #[must_use]
    pub fn has_minors(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.has_family(color, Family::Minor))
    }

    /// What the move `mv` captures, en passant included.
    #[inline]
    #[must_use]
    pub fn captured_kind(&self, mv: Move) -> Option<Kind> {
        match mv {
            _ if !mv.is_capture() => None,
            _ if mv.is_en_passant() => Some(Kind::Pawn),
            _ => self.piece_on(mv.to()).kind(),
        }
    }

    /// The move `mv` in UCI's long algebraic notation; castling as the king's
    /// step, or as king takes rook if `chess960` or if king or rook do not castle
    /// from where standard chess has them: such a step could be another move.
    #[must_use]
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        let is_standard = mv.from().file() == STANDARD_KING_FILE
            && mv.to().file() == Self::wing_of(mv).corner_file();
        if mv.is_castling() && is_standard && !chess960 {
            format!("{}{}", mv.from(), Self::castled_king(mv))
        } else {
            mv.to_string()
        }
    }

    /// Where a castling move brings the king.
    #[must_use]
    pub fn castled_king(castling: Move) -> Square {
        Square::new(Self::wing_of(castling).king_file(), castling.from().rank())
    }

    /// Which way a castling move goes.
    #[inline]
    pub(super) fn wing_of(castling: Move) -> Wing {
        if castling.to() > castling.from() { Wing::King } else { Wing::Queen }
    }

    /// The slot of the piece on `sq` in the piece list of `color`.
    ///
    /// Finds the byte by arithmetic on 16 bytes at once: after the xor it is the
    /// lowest zero byte, and the subtraction's borrow marks that one first.
    #[inline]
    pub(super) fn slot_of(&self, color: Color, sq: Square) -> usize {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let list = &self.lists[color.index()];
        let half = |at: usize| -> u64 {
            let bytes: [u8; 8] = std::array::from_fn(|i| list[at + i].0);
            let differs = u64::from_le_bytes(bytes) ^ (LOW * u64::from(sq.0));
            differs.wrapping_sub(LOW) & !differs & HIGH
        };
        let low = half(0);
        let slot =
            if low != 0 { low.trailing_zeros() / 8 } else { 8 + half(8).trailing_zeros() / 8 };
        debug_assert!(slot < MAX_PIECES as u32 && list[slot as usize] == sq);
        slot as usize & (MAX_PIECES - 1)
    }
}

/// The rooks that may castle as one word, the first in its lowest byte.
#[inline]
pub(super) fn rooks_word(rooks: [Square; 4]) -> u32 {
    u32::from_le_bytes(rooks.map(|rook| rook.0))
}

const _: () = assert!(size_of::<Board>() == 256);

/// Equality of positions with their counters, whatever has been looked at yet.
/// The order within the piece lists does not matter.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.squares == other.squares
            && self.side == other.side
            && self.ep == other.ep
            && self.rooks == other.rooks
            && self.halfmove == other.halfmove
            && self.fullmove == other.fullmove
    }
}

impl Eq for Board {}
