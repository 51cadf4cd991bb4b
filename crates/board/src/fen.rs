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
//! without a capture, since many programs write them. Larger counters than 9,999 are read as 9,999.
//! Piece counts need not be reachable: fifteen queens are accepted, but more than 16 pieces or 8
//! pawns of a side are refused. The reader never panics.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use super::ascii::AsciiBuffer;
use super::castling::STANDARD_KING_FILE;
use super::square::{EAST, WEST};
use super::{Board, CastlingMode, CastlingSide, Color, Kind, MAX_PIECES, PieceByte, Square};

/// The start position of standard chess.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The largest value of both counters, so that they do not overflow in a search.
pub(super) const MAX_COUNTER: u16 = 9_999;

const MAX_PAWNS: u8 = 8;

/// The length of the longest FEN: 64 squares and 7 slashes, side, castling, en passant, two
/// counters of five digits, and five blanks.
const LONGEST: usize = 71 + 1 + 4 + 2 + 2 * 5 + 5;

/// Why a text is not the FEN of a position that can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages describe the variants")]
#[non_exhaustive]
pub enum FenError {
    Empty,
    TooManyFields,
    /// The number of ranks, which is not 8.
    RankCount(usize),
    /// The number of a rank, 1 to 8, without 8 squares.
    RankLength(usize),
    /// The number of a rank with two digits in a row.
    AdjacentDigits(usize),
    Piece(char),
    Side,
    Castling,
    EnPassant,
    Counter,
    Kings(Color, usize),
    TooManyPieces(Color),
    TooManyPawns(Color),
    PawnOnBackRank(Square),
    OpponentInCheck,
    TooManyCheckers,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Empty => f.write_str("the FEN is empty"),
            FenError::TooManyFields => f.write_str("the FEN has more than six fields"),
            FenError::RankCount(number) => write!(f, "the board has not 8 ranks but {number}"),
            FenError::RankLength(number) => write!(f, "rank {number} does not have 8 squares"),
            FenError::AdjacentDigits(number) => write!(f, "rank {number} has two digits in a row"),
            FenError::Piece(letter) => write!(f, "{letter:?} is not a piece letter"),
            FenError::Side => f.write_str("the side to move is neither w nor b"),
            FenError::Castling => f.write_str("the castling rights cannot be read"),
            FenError::EnPassant => f.write_str("the en passant field is neither - nor a square"),
            FenError::Counter => f.write_str("a counter is not a number"),
            FenError::Kings(color, count) => write!(f, "{color:?} has {count} kings instead of 1"),
            FenError::TooManyPieces(color) => write!(f, "{color:?} has more than 16 pieces"),
            FenError::TooManyPawns(color) => write!(f, "{color:?} has more than 8 pawns"),
            FenError::PawnOnBackRank(sq) => write!(f, "a pawn stands on {sq}"),
            FenError::OpponentInCheck => f.write_str("the side that is not to move is in check"),
            FenError::TooManyCheckers => {
                f.write_str("the king is attacked by more than two pieces")
            }
        }
    }
}

impl core::error::Error for FenError {}

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
    /// use carrybit_board::{Board, CastlingMode};
    ///
    /// let outdated = "4k3/8/8/8/8/8/8/5K1R w K - 0 1";
    /// let board = Board::from_fen(outdated, CastlingMode::Standard)?;
    /// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/5K1R w - - 0 1");
    /// # Ok::<(), carrybit_board::FenError>(())
    /// ```
    ///
    /// # Errors
    /// The first error found.
    pub fn from_fen(text: &str, mode: CastlingMode) -> Result<Board, FenError> {
        let (placement, rest) = parse_placement(text)?;
        let mut fields = rest.split_ascii_whitespace();
        let side = fields.next().unwrap_or("w").parse().map_err(|_| FenError::Side)?;
        let kings = placement.check()?;
        let castling = fields.next().unwrap_or("-");
        let rooks = parse_castling(castling, &placement.squares, kings, mode)?;
        let ep = match fields.next().unwrap_or("-") {
            "-" => Square::NONE,
            name => name.parse().map_err(|_| FenError::EnPassant)?,
        };
        let halfmove = parse_counter(fields.next().unwrap_or("0"), 0)?;
        let fullmove = parse_counter(fields.next().unwrap_or("1"), 1)?;
        if fields.next().is_some() {
            return Err(FenError::TooManyFields);
        }
        placement.board(side, rooks, ep, halfmove, fullmove)
    }

    /// The position as a FEN of six fields, as [`Display`](fmt::Display) writes it. Castling rights
    /// are `KQkq`, or the file of the rook if another rook stands further out (X-FEN). An en
    /// passant square is written only if a capture there is legal.
    pub fn fen(&self) -> String {
        self.fen_buffer(false).as_str().to_owned()
    }

    /// The position as a FEN with the rooks' files as castling rights (Shredder-FEN), for Chess960.
    pub fn shredder_fen(&self) -> String {
        self.fen_buffer(true).as_str().to_owned()
    }

    fn fen_buffer(&self, shredder: bool) -> AsciiBuffer<LONGEST> {
        let mut text = AsciiBuffer::new();
        for (rank, mut word) in self.packed().into_iter().enumerate().rev() {
            // The next file to write. Each byte of the word is a square.
            let mut file = 0;
            while word != 0 {
                let next = word.trailing_zeros() as u8 / 8;
                if next > file {
                    text.push(b'0' + next - file);
                }
                let piece = PieceByte((word >> (8 * next)) as u8);
                text.push(piece.ascii_letter());
                word &= !(0xff << (8 * next));
                file = next + 1;
            }
            if file < 8 {
                text.push(b'8' - file);
            }
            text.push(if rank > 0 { b'/' } else { b' ' });
        }
        text.push(if self.side == Color::White { b'w' } else { b'b' });
        text.push(b' ');
        self.push_castling(shredder, &mut text);
        text.push(b' ');
        if self.ep.is_on_board() {
            text.push_square(self.ep);
        } else {
            text.push(b'-');
        }
        text.push(b' ');
        text.push_number(self.halfmove);
        text.push(b' ');
        text.push_number(self.fullmove);
        text
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

    fn push_castling(&self, shredder: bool, text: &mut AsciiBuffer<LONGEST>) {
        if !self.has_any_castling_right() {
            text.push(b'-');
            return;
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                let is_outermost =
                    || outermost_rook(&self.squares, self.king(color), color, side) == rook;
                let letter = if !shredder && is_outermost() {
                    b"kq"[side as usize]
                } else {
                    b'a' + rook.file()
                };
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
    }
}

/// Reads the first field; returns the rest of the text, too.
fn parse_placement(text: &str) -> Result<(Placement, &str), FenError> {
    /// `[byte]`: the number of squares that a piece's letter or a digit takes; 0 for others.
    static WIDTH: [u8; 256] = const_array!(256, |byte| match byte as u8 {
        digit @ b'1'..=b'8' => digit - b'0',
        letter => Kind::of_ascii(letter).is_some() as u8,
    });
    let text = text.trim_ascii_start();
    if text.is_empty() {
        return Err(FenError::Empty);
    }
    let mut placement = Placement::new();
    let (mut rank, mut file, mut after_digit) = (7, 0, false);
    let mut end = text.len();
    for (at, byte) in text.bytes().enumerate() {
        let width = WIDTH[usize::from(byte)];
        if width == 0 {
            if byte.is_ascii_whitespace() {
                end = at;
                break;
            }
            if byte != b'/' {
                // All bytes before are ASCII, so a character begins here.
                let letter = text[at..].chars().next().unwrap_or_default();
                return Err(first_error(text, FenError::Piece(letter)));
            }
            if file != 8 || rank == 0 {
                return Err(first_error(text, FenError::RankLength(rank + 1)));
            }
            (rank, file, after_digit) = (rank - 1, 0, false);
            continue;
        }
        let is_digit = byte <= b'8';
        if is_digit && after_digit {
            return Err(first_error(text, FenError::AdjacentDigits(rank + 1)));
        }
        after_digit = is_digit;
        if file + width > 8 {
            return Err(first_error(text, FenError::RankLength(rank + 1)));
        }
        // Empty for a digit, which saves an unpredictable branch.
        placement.put(Square((rank << 4) as u8 | file), PieceByte::of_ascii(byte));
        file += width;
    }
    if file != 8 || rank > 0 {
        return Err(first_error(text, FenError::RankLength(rank + 1)));
    }
    Ok((placement, &text[end..]))
}

/// A wrong number of ranks comes before all other errors of the first field.
#[cold]
fn first_error(text: &str, other: FenError) -> FenError {
    let field = text.split_ascii_whitespace().next().unwrap_or_default();
    let count = field.split('/').count();
    if count == 8 { other } else { FenError::RankCount(count) }
}

/// The pieces on their squares, with what the checks and [`Board::assemble`] need to know of them.
pub(super) struct Placement {
    pub(super) squares: [PieceByte; 128],
    /// The occupied squares, a bit for each [`Square::to_64`].
    pub(super) occupied: u64,
    /// The number of pieces, by [`PieceByte::index`].
    pub(super) counts: [u8; 16],
    /// The square of the last piece put down, by [`PieceByte::index`].
    last: [Square; 16],
}

impl Placement {
    fn new() -> Placement {
        Placement {
            squares: [PieceByte::EMPTY; 128],
            occupied: 0,
            counts: [0; 16],
            last: [Square::NONE; 16],
        }
    }

    pub(super) fn of(squares: &[PieceByte; 128]) -> Placement {
        let mut placement = Placement::new();
        for sq in Square::ALL {
            placement.put(sq, squares[sq.index()]);
        }
        placement
    }

    /// Puts a piece on a square that has none, or does nothing if it is empty: without a branch,
    /// as the counts of the empty square do not matter.
    #[inline(always)]
    fn put(&mut self, sq: Square, piece: PieceByte) {
        self.squares[sq.index()] = piece;
        self.occupied |= u64::from(!piece.is_empty()) << (sq.to_64() % 64);
        self.counts[piece.index()] += 1;
        self.last[piece.index()] = sq;
    }

    /// Checks the numbers of pieces, and that no pawn stands on a back rank. Returns the kings'
    /// squares.
    pub(super) fn check(&self) -> Result<[Square; 2], FenError> {
        for color in Color::ALL {
            let counts = &self.counts[8 * color.index()..][..Kind::ALL.len()];
            let kings = usize::from(counts[Kind::King.index()]);
            if kings != 1 {
                return Err(FenError::Kings(color, kings));
            }
            if usize::from(counts.iter().sum::<u8>()) > MAX_PIECES {
                return Err(FenError::TooManyPieces(color));
            }
            if counts[Kind::Pawn.index()] > MAX_PAWNS {
                return Err(FenError::TooManyPawns(color));
            }
        }
        let is_pawn = |sq: &Square| self.squares[sq.index()].is_kind(Kind::Pawn);
        let mut back_ranks = Square::ALL[..8].iter().chain(&Square::ALL[56..]).copied();
        if let Some(pawn) = back_ranks.find(is_pawn) {
            return Err(FenError::PawnOnBackRank(pawn));
        }
        Ok(Color::ALL.map(|color| self.last[PieceByte::new(color, Kind::King).index()]))
    }

    /// The position with these pieces, which have passed [`Placement::check`]. An error if the
    /// checks are impossible or the opponent is in check.
    pub(super) fn board(
        &self,
        side: Color,
        rooks: [Square; 4],
        ep: Square,
        halfmove: u16,
        fullmove: u16,
    ) -> Result<Board, FenError> {
        let ep = passed_square(ep, &self.squares, side);
        let board = Board::assemble(self, side, rooks, ep, halfmove, fullmove);
        if board.is_attacked(board.king(!side), side) {
            return Err(FenError::OpponentInCheck);
        }
        if board.checker_slots().count_ones() > 2 {
            return Err(FenError::TooManyCheckers);
        }
        Ok(board)
    }
}

/// Reads the castling rights into the rooks' squares, `[colour * 2 + side]`. Ignores rights
/// without king and rook in place, and a second right on the same side.
fn parse_castling(
    text: &str,
    squares: &[PieceByte; 128],
    kings: [Square; 2],
    mode: CastlingMode,
) -> Result<[Square; 4], FenError> {
    let mut rooks = [Square::NONE; 4];
    if text == "-" {
        return Ok(rooks);
    }
    let mut rights = [0; 2];
    for letter in text.bytes() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        rights[color.index()] += 1;
        if rights[color.index()] > 2 {
            return Err(FenError::Castling);
        }
        let king = kings[color.index()];
        let by_side = |side: CastlingSide| {
            let rook = outermost_rook(squares, king, color, side);
            let is_standard =
                king.file() == STANDARD_KING_FILE && rook.file() == side.corner_file();
            if mode == CastlingMode::Chess960 || is_standard { rook } else { Square::NONE }
        };
        let rook = match letter.to_ascii_lowercase() {
            b'k' => by_side(CastlingSide::King),
            b'q' => by_side(CastlingSide::Queen),
            file @ b'a'..=b'h' => Square::new(file - b'a', king.rank()),
            _ => return Err(FenError::Castling),
        };
        if !is_castling_rook(squares, king, rook, color) {
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

/// Whether king and rook of `color` stand so that they may castle: on the own back rank.
pub(super) fn is_castling_rook(
    squares: &[PieceByte; 128],
    king: Square,
    rook: Square,
    color: Color,
) -> bool {
    king.relative_rank(color) == 0
        && rook.is_on_board()
        && rook.relative_rank(color) == 0
        && squares[rook.index()] == PieceByte::new(color, Kind::Rook)
}

/// The rook of `color` on the king's rank nearest to the edge on that side;
/// [`Square::NONE`] if there is none.
fn outermost_rook(
    squares: &[PieceByte; 128],
    king: Square,
    color: Color,
    side: CastlingSide,
) -> Square {
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

/// The en passant square `ep`, or [`Square::NONE`] if no pawn can just have passed over it.
/// [`Board::assemble`] tests whether a capture there is legal.
fn passed_square(ep: Square, squares: &[PieceByte; 128], side: Color) -> Square {
    let them = !side;
    if !ep.is_on_board() || ep.relative_rank(them) != 2 {
        return Square::NONE;
    }
    let came_from = ep.step(side.forward());
    let stands_on = ep.step(them.forward());
    let is_empty = |sq: Square| squares[sq.index()].is_empty();
    let passed = is_empty(ep)
        && is_empty(came_from)
        && squares[stands_on.index()] == PieceByte::new(them, Kind::Pawn);
    if passed { ep } else { Square::NONE }
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
        f.pad(self.fen_buffer(false).as_str())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.shredder_fen())
    }
}
