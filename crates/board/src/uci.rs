//! Moves in UCI's long algebraic notation, such as `e2e4`, `e7e8q` and, for castling, `e1g1` or
//! `e1h1`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

use super::ascii::AsciiBuffer;
use super::castling::STANDARD_KING_FILE;
use super::{Board, CastlingMode, CastlingSide, Kind, Move, MoveError, PieceByte, Square};

impl Board {
    /// Reads a legal move in UCI's long algebraic notation, in upper or lower case.
    /// Castling may be written as the king's step or as king takes own rook, in standard chess
    /// and in Chess960. If the king's step can also be a plain king move, only king takes rook is
    /// castling.
    ///
    /// ```
    /// use carrybit_board::{Board, MoveError};
    ///
    /// let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
    /// assert_eq!(board.parse_uci("e1g1")?, board.parse_uci("e1h1")?);
    /// assert_eq!(board.parse_uci("e1e3"), Err(MoveError::Illegal("e1e3".to_owned())));
    /// assert_eq!(board.parse_uci("O-O"), Err(MoveError::NoMove("O-O".to_owned())));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not that of a legal move.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let bytes = text.as_bytes();
        let (Some(from), Some(to)) = (square_at(bytes, 0), square_at(bytes, 2)) else {
            return Err(MoveError::NoMove(text.to_owned()));
        };
        let found = match bytes[4..] {
            [] => self.find_move(from, to, None),
            [letter] => {
                let kind = Kind::of_ascii(letter);
                kind.and_then(|kind| self.find_move(from, to, Some(kind)))
            }
            _ => None,
        };
        found.ok_or_else(|| MoveError::Illegal(text.to_owned()))
    }

    /// The legal move between two squares, with the kind that a pawn promotes to. Castling may be
    /// given as in [`Board::parse_uci`]: by the king's step, or by king takes own rook.
    ///
    /// ```
    /// use carrybit_board::{Board, Kind, Square};
    ///
    /// let board: Board = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1".parse()?;
    /// let promotion = board.find_move(Square::E7, Square::E8, Some(Kind::Queen));
    /// assert_eq!(promotion.map(|mv| board.san(mv)), Some("e8=Q".to_owned()));
    /// assert_eq!(board.find_move(Square::E7, Square::E8, None), None);
    /// # Ok::<(), carrybit_board::FenError>(())
    /// ```
    pub fn find_move(&self, from: Square, to: Square, promotion: Option<Kind>) -> Option<Move> {
        if !(from.is_on_board() && to.is_on_board()) {
            return None;
        }
        let piece = self.byte_on(from);
        if self.byte_on(to).is_color(self.side) {
            // King takes own rook; otherwise not a move, unless it is the king's step below.
            let castling = Move::castling(from, to);
            if promotion.is_none() && piece.is_kind(Kind::King) && self.is_legal(castling) {
                return Some(castling);
            }
        } else {
            let plain = self.plain_move(piece, from, to, promotion)?;
            if self.is_legal(plain) {
                return Some(plain);
            }
        }
        if promotion.is_some() || from != self.king(self.side) {
            return None;
        }
        self.legal_castlings().find(|castling| castling.to() == to)
    }

    /// The only move of `piece` between these squares that could be legal, castling aside.
    #[inline]
    pub(super) fn plain_move(
        &self,
        piece: PieceByte,
        from: Square,
        to: Square,
        promotion: Option<Kind>,
    ) -> Option<Move> {
        let captures = !self.byte_on(to).is_empty();
        match promotion {
            Some(Kind::Pawn | Kind::King) => None,
            Some(kind) => {
                piece.is_kind(Kind::Pawn).then(|| Move::promotion(from, to, kind, captures))
            }
            None if captures => Some(Move::capture(from, to)),
            None if piece.is_kind(Kind::Pawn) && from.file() != to.file() => {
                Some(Move::en_passant(from, to))
            }
            None if piece.is_kind(Kind::Pawn) && from.rank().abs_diff(to.rank()) == 2 => {
                Some(Move::double_push(from, to))
            }
            None => Some(Move::quiet(from, to)),
        }
    }

    /// The legal castling moves, the king's side first.
    pub(super) fn legal_castlings(&self) -> impl Iterator<Item = Move> + '_ {
        let of_side = |side| self.castling_rook(self.side, side);
        let rooks = CastlingSide::ALL.into_iter().filter_map(of_side);
        let castlings = rooks.map(|rook| Move::castling(self.king(self.side), rook));
        castlings.filter(|&castling| self.is_legal(castling))
    }
}

/// The square that two bytes name, in upper or lower case.
#[inline]
fn square_at(bytes: &[u8], at: usize) -> Option<Square> {
    let &[file, rank] = bytes.get(at..)?.first_chunk()?;
    // Bit 5 is the case of a letter.
    Square::of_ascii([file | 0x20, rank])
}

impl Move {
    /// Reads a move, as [`Board::parse_uci`] does.
    ///
    /// # Errors
    /// If the text is not that of a legal move.
    pub fn from_uci(text: &str, board: &Board) -> Result<Move, MoveError> {
        board.parse_uci(text)
    }

    /// The move in UCI's long algebraic notation. Castling is written as the king's move; in
    /// Chess960, or if king or rook is not on its standard square, as king takes rook, because
    /// the king's move could also be an ordinary one.
    pub fn uci(self, mode: CastlingMode) -> String {
        self.uci_buffer(mode).as_str().to_owned()
    }

    pub(super) fn uci_buffer(self, mode: CastlingMode) -> AsciiBuffer<5> {
        let mut text = AsciiBuffer::new();
        if self.is_null() {
            text.push_all(b"0000");
            return text;
        }
        let is_king_move = mode == CastlingMode::Standard
            && self.from().file() == STANDARD_KING_FILE
            && self.is_castling()
            && self.target().file() == CastlingSide::of(self).corner_file();
        text.push_square(self.from());
        text.push_square(if is_king_move { self.to() } else { self.target() });
        if let Some(kind) = self.promotion_kind() {
            text.push(kind.letter() as u8);
        }
        text
    }
}

/// [UCI's notation](Move::uci) in standard chess; `0000` for a null move.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.uci_buffer(CastlingMode::Standard).as_str())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
