//! Positions as text: FEN in, FEN out.
//!
//! The reader takes one to six fields, separated by blanks. Missing fields are White to move,
//! no castling, no en passant, clock 0, move 1. Castling rights may be written as in standard
//! chess (`KQkq`), as X-FEN or as Shredder-FEN, also mixed: `K` and `Q` are the outermost
//! rook on that side of the king, `A` to `H` the rook on that file. [`Board::from_fen`] can
//! restrict `KQkq` to standard chess.
//!
//! A text that is no FEN, or a position that the engine could not search, is a [`FenError`].
//! The reader ignores a castling right without its king and rook, and an en passant square
//! without a capture, since many programs write them. Piece counts need not be reachable:
//! fifteen queens are accepted, but more than 16 pieces or 8 pawns of a side are refused. The reader
//! never panics.

use std::fmt;
use std::str::FromStr;

use super::castling::STANDARD_KING_FILE;
use super::square::{EAST, WEST};
use super::{Board, CastlingMode, CastlingSide, Color, Kind, MAX_PIECES, PieceByte, Square};

/// The start position of standard chess.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The largest value of both counters, so that they do not overflow in a search.
const MAX_COUNTER: u16 = 9_999;

const MAX_PAWNS: usize = 8;

/// Why a text is not the FEN of a position that can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
#[non_exhaustive]
pub enum FenError {
    #[error("the FEN is empty")]
    Empty,
    #[error("the FEN has more than six fields")]
    TooManyFields,
    #[error("the board has {0} ranks instead of 8")]
    RankCount(usize),
    #[error("rank {0} does not have 8 squares")]
    RankLength(usize),
    #[error("rank {0} has two digits in a row")]
    AdjacentDigits(usize),
    #[error("{0:?} is not a piece letter")]
    Piece(char),
    #[error("the side to move is neither w nor b")]
    Side,
    #[error("the castling rights cannot be read")]
    Castling,
    #[error("the en passant field is neither - nor a square")]
    EnPassant,
    #[error("a counter is not a number")]
    Counter,
    #[error("{0:?} has {1} kings instead of 1")]
    Kings(Color, usize),
    #[error("{0:?} has more than 16 pieces")]
    TooManyPieces(Color),
    #[error("{0:?} has more than 8 pawns")]
    TooManyPawns(Color),
    #[error("a pawn stands on {0}")]
    PawnOnBackRank(Square),
    #[error("the side that is not to move is in check")]
    OpponentInCheck,
    #[error("the king is attacked by more than two pieces")]
    TooManyCheckers,
}

impl FromStr for Board {
    type Err = FenError;

    /// Reads a FEN of one to six fields. A side has one king and at most 16 pieces, 8 of them pawns.
    /// Castling rights may be written as in standard chess, X-FEN or Shredder-FEN. A castling right
    /// without its king and rook, and an en passant square without a legal capture, are ignored.
    /// [`Board::from_fen`] can exclude Chess960.
    ///
    /// # Errors
    /// The first error found.
    fn from_str(text: &str) -> Result<Board, FenError> {
        Board::from_fen(text, CastlingMode::Chess960)
    }
}

impl Board {
    /// Like [`Board::from_str`], but in the standard mode `KQkq` are ignored unless the king is on
    /// the e-file and the rook on the h- or a-file. A right written by the file of its rook is
    /// always read.
    ///
    /// ```
    /// use carrybit::{Board, CastlingMode};
    ///
    /// let outdated = "4k3/8/8/8/8/8/8/5K1R w K - 0 1";
    /// let board = Board::from_fen(outdated, CastlingMode::Standard)?;
    /// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/5K1R w - - 0 1");
    /// # Ok::<(), carrybit::FenError>(())
    /// ```
    ///
    /// # Errors
    /// The first error found.
    pub fn from_fen(text: &str, mode: CastlingMode) -> Result<Board, FenError> {
        let mut fields = text.split_ascii_whitespace();
        let squares = parse_squares(fields.next().ok_or(FenError::Empty)?)?;
        let side = fields.next().unwrap_or("w").parse().map_err(|_| FenError::Side)?;
        check_counts(&squares)?;
        let rooks = parse_castling(fields.next().unwrap_or("-"), &squares, mode)?;
        let ep = parse_en_passant(fields.next().unwrap_or("-"), &squares, side)?;
        let halfmove = parse_counter(fields.next().unwrap_or("0"), 0)?;
        let fullmove = parse_counter(fields.next().unwrap_or("1"), 1)?;
        if fields.next().is_some() {
            return Err(FenError::TooManyFields);
        }

        let board = Board::assemble(squares, side, rooks, ep, halfmove, fullmove);
        if board.is_attacked(board.king(!side), side) {
            return Err(FenError::OpponentInCheck);
        }
        if board.checkers().count() > 2 {
            return Err(FenError::TooManyCheckers);
        }
        Ok(board)
    }

    /// The position as a FEN of six fields, as [`Display`](fmt::Display) writes it. Castling rights
    /// are `KQkq`, or the file of the rook if another rook stands further out (X-FEN). An en
    /// passant square is written only if a capture there is legal.
    pub fn fen(&self) -> String {
        self.fen_with(&self.castling_text(false))
    }

    /// The position as a FEN with the rooks' files as castling rights (Shredder-FEN), for Chess960.
    pub fn shredder_fen(&self) -> String {
        self.fen_with(&self.castling_text(true))
    }

    fn fen_with(&self, castling: &str) -> String {
        let rank = |rank| -> String {
            let pieces = (0..8).map(|file| self.byte_on(Square::new(file, rank)));
            pieces.map(|piece| if piece.is_empty() { '1' } else { piece.letter() }).collect()
        };
        let ranks: Vec<String> = (0..8).rev().map(rank).collect();
        let mut squares = ranks.join("/");
        for run in (2..=8).rev() {
            squares = squares.replace(&"1".repeat(run), &run.to_string());
        }
        let (side, ep) = (self.side(), self.ep);
        format!("{squares} {side} {castling} {ep} {} {}", self.halfmove(), self.fullmove())
    }

    /// The board as text in 18 lines, White at the bottom.
    pub fn diagram(&self) -> String {
        let edge = " +---+---+---+---+---+---+---+---+\n";
        let mut text = edge.to_owned();
        for rank in (0..8).rev() {
            for file in 0..8 {
                let piece = self.byte_on(Square::new(file, rank));
                text += &format!(" | {}", if piece.is_empty() { ' ' } else { piece.letter() });
            }
            text += &format!(" | {}\n{edge}", rank + 1);
        }
        text + "   a   b   c   d   e   f   g   h\n"
    }

    fn castling_text(&self, chess960: bool) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                let letter = if !chess960 && outermost_rook(&self.squares, color, side) == rook {
                    ['k', 'q'][side as usize]
                } else {
                    char::from(b'a' + rook.file())
                };
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }
}

fn parse_squares(text: &str) -> Result<[PieceByte; 128], FenError> {
    let count = text.split('/').count();
    if count != 8 {
        return Err(FenError::RankCount(count));
    }
    let mut squares = [PieceByte::EMPTY; 128];
    for (rank, rank_text) in (0..8).rev().zip(text.split('/')) {
        let number = usize::from(rank) + 1;
        let (mut file, mut after_digit) = (0, false);
        for letter in rank_text.chars() {
            let empty = letter.to_digit(9).filter(|&digit| digit > 0);
            if empty.is_some() && after_digit {
                return Err(FenError::AdjacentDigits(number));
            }
            after_digit = empty.is_some();
            let piece = match empty {
                Some(_) => PieceByte::EMPTY,
                None => PieceByte::from_letter(letter).ok_or(FenError::Piece(letter))?,
            };
            let width = empty.unwrap_or(1) as u8;
            if file + width > 8 {
                return Err(FenError::RankLength(number));
            }
            squares[Square::new(file, rank).index()] = piece;
            file += width;
        }
        if file != 8 {
            return Err(FenError::RankLength(number));
        }
    }
    Ok(squares)
}

fn check_counts(squares: &[PieceByte; 128]) -> Result<(), FenError> {
    for color in Color::ALL {
        let count = |kind| squares.iter().filter(|&&p| p == PieceByte::new(color, kind)).count();
        let kings = count(Kind::King);
        if kings != 1 {
            return Err(FenError::Kings(color, kings));
        }
        if squares.iter().filter(|piece| piece.is_color(color)).count() > MAX_PIECES {
            return Err(FenError::TooManyPieces(color));
        }
        if count(Kind::Pawn) > MAX_PAWNS {
            return Err(FenError::TooManyPawns(color));
        }
    }
    let on_back_rank =
        |sq: &Square| (sq.rank() == 0 || sq.rank() == 7) && squares[sq.index()].is_kind(Kind::Pawn);
    Square::all().find(on_back_rank).map_or(Ok(()), |sq| Err(FenError::PawnOnBackRank(sq)))
}

/// Reads the castling rights into the rooks' squares, `[colour * 2 + side]`. Ignores rights
/// without king and rook in place, and a second right on the same side.
fn parse_castling(
    text: &str,
    squares: &[PieceByte; 128],
    mode: CastlingMode,
) -> Result<[Square; 4], FenError> {
    let mut rooks = [Square::NONE; 4];
    if text == "-" {
        return Ok(rooks);
    }
    let mut rights = [0; 2];
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        rights[color.index()] += 1;
        if rights[color.index()] > 2 {
            return Err(FenError::Castling);
        }
        let king = king_of(squares, color);
        let by_side = |side: CastlingSide| {
            let rook = outermost_rook(squares, color, side);
            let is_standard =
                king.file() == STANDARD_KING_FILE && rook.file() == side.corner_file();
            if mode == CastlingMode::Chess960 || is_standard { rook } else { Square::NONE }
        };
        let rook = match letter.to_ascii_lowercase() {
            'k' => by_side(CastlingSide::King),
            'q' => by_side(CastlingSide::Queen),
            file @ 'a'..='h' => Square::new(file as u8 - b'a', king.rank()),
            _ => return Err(FenError::Castling),
        };
        if king.relative_rank(color) != 0
            || squares[rook.index()] != PieceByte::new(color, Kind::Rook)
        {
            continue;
        }
        let side = if rook > king { CastlingSide::King } else { CastlingSide::Queen };
        let right = &mut rooks[color.index() * 2 + side as usize];
        if *right == Square::NONE {
            *right = rook;
        }
    }
    Ok(rooks)
}

fn king_of(squares: &[PieceByte; 128], color: Color) -> Square {
    Square::all()
        .find(|sq| squares[sq.index()] == PieceByte::new(color, Kind::King))
        .expect("each side has a king")
}

/// The rook of `color` on the king's rank nearest to the edge on that side;
/// [`Square::NONE`] if there is none.
fn outermost_rook(squares: &[PieceByte; 128], color: Color, side: CastlingSide) -> Square {
    let king = king_of(squares, color);
    let inwards = if side == CastlingSide::King { WEST } else { EAST };
    let mut sq = Square::new(side.corner_file(), king.rank());
    while sq != king {
        if squares[sq.index()] == PieceByte::new(color, Kind::Rook) {
            return sq;
        }
        sq = sq.step(inwards);
    }
    Square::NONE
}

/// Reads the en passant square: [`Square::NONE`] unless a pawn can just have passed over it.
/// [`Board::assemble`] tests whether a capture there is legal.
fn parse_en_passant(
    text: &str,
    squares: &[PieceByte; 128],
    side: Color,
) -> Result<Square, FenError> {
    if text == "-" {
        return Ok(Square::NONE);
    }
    let ep: Square = text.parse().map_err(|_| FenError::EnPassant)?;
    let them = !side;
    if ep.relative_rank(them) != 2 {
        return Ok(Square::NONE);
    }
    let came_from = ep.step(side.forward());
    let stands_on = ep.step(them.forward());
    let is_empty = |sq: Square| squares[sq.index()].is_empty();
    let passed = is_empty(ep)
        && is_empty(came_from)
        && squares[stands_on.index()] == PieceByte::new(them, Kind::Pawn);
    Ok(if passed { ep } else { Square::NONE })
}

/// Reads a counter and clamps it to `least..=MAX_COUNTER`; `-` is the least.
fn parse_counter(text: &str, least: u16) -> Result<u16, FenError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if text == "-" || (is_number && text.starts_with('-')) {
        return Ok(least);
    }
    if !is_number {
        return Err(FenError::Counter);
    }
    // All are digits, so parsing fails only if the number is too large.
    Ok(digits.parse().unwrap_or(MAX_COUNTER).clamp(least, MAX_COUNTER))
}

impl Default for Board {
    fn default() -> Board {
        START.parse().expect("the start position is valid")
    }
}

/// The [FEN](Board::fen).
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.fen())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.shredder_fen())
    }
}
