//! Moves in standard algebraic notation (SAN), as people write them: `Nf3`, `exd8=Q+`.
//!
//! The writer follows the PGN standard: the shortest disambiguation, `O-O` for castling (in
//! Chess960 too), and `+` or `#`.
//!
//! The reader accepts more. It never panics.
//!
//! * Castling: also `0-0` and `o-o`.
//! * Origin: also one longer than needed, up to `Ng1-f3` and `g1f3` (UCI's notation). If only one
//!   pawn can capture on a square, also without its file: `xd5`, `d5`.
//! * Between origin and target: `x`, `:`, `-` or nothing.
//! * Promotion: `=Q`, `/Q`, `(Q)` or `Q`.
//! * At the end: any of the marks `+#!?`, and `e.p.`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::ascii::AsciiBuffer;
use super::difference::REACH;
use super::square::{EAST, WEST};
use super::{Board, CastlingSide, Kind, MAX_PIECES, Move, PieceByte, Square};

/// The length of the longest SAN, such as `Qa1xb2#` and `axb8=Q#`.
const LONGEST: usize = 7;

/// Why a text is not a legal move; each variant has the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not a move in this notation.
    NoMove(String),
    /// No legal move fits.
    Illegal(String),
    /// More than one legal move fits.
    Ambiguous(String),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::NoMove(text) => write!(f, "{text:?} is not a move"),
            MoveError::Illegal(text) => write!(f, "{text:?} is not legal"),
            MoveError::Ambiguous(text) => write!(f, "{text:?} may be more than one move"),
        }
    }
}

impl core::error::Error for MoveError {}

impl Board {
    /// The move in SAN.
    ///
    /// ```
    /// use carrybit_board::Board;
    ///
    /// let board: Board = "3rk2r/4P3/8/8/8/8/8/R3K1N1 w - - 0 1".parse()?;
    /// assert_eq!(board.san(board.parse_uci("e7d8q")?), "exd8=Q+");
    /// assert_eq!(board.san(board.parse_uci("a1a8")?), "Ra8");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the move is not legal.
    pub fn san(&self, mv: Move) -> String {
        assert!(self.is_legal(mv), "{mv} is not legal in {self}");
        let mut text = AsciiBuffer::<LONGEST>::new();
        match self.byte_on(mv.from()).kind() {
            _ if mv.is_castling() => match CastlingSide::of(mv) {
                CastlingSide::King => text.push_all(b"O-O"),
                CastlingSide::Queen => text.push_all(b"O-O-O"),
            },
            Some(kind) if kind != Kind::Pawn => {
                text.push(letter(kind));
                self.disambiguate(mv, kind, &mut text);
                if mv.is_capture() {
                    text.push(b'x');
                }
                text.push_square(mv.target());
            }
            _ => {
                if mv.is_capture() {
                    text.push(b'a' + mv.from().file());
                    text.push(b'x');
                }
                text.push_square(mv.target());
            }
        }
        if let Some(kind) = mv.promotion_kind() {
            text.push(b'=');
            text.push(letter(kind));
        }
        if self.gives_check(mv) {
            text.push(if self.make(mv).has_legal_move() { b'+' } else { b'#' });
        }
        text.as_str().to_owned()
    }

    /// Writes the part of the origin that SAN needs: nothing, file, rank, or both.
    #[inline]
    fn disambiguate(&self, mv: Move, kind: Kind, text: &mut AsciiBuffer<LONGEST>) {
        if kind == Kind::King {
            return;
        }
        let (from, to) = (mv.from(), mv.target());
        let piece = self.byte_on(from);
        let (mut has_rival, mut shares_file, mut shares_rank) = (false, false, false);
        for &rival in self.list(self.side) {
            // A rival answers a check like the move itself, which is legal.
            if self.byte_on(rival) == piece
                && rival != from
                && self.attacks(rival, to)
                && self.keeps_pin(rival, to)
            {
                has_rival = true;
                shares_file |= rival.file() == from.file();
                shares_rank |= rival.rank() == from.rank();
            }
        }
        if has_rival && (!shares_file || shares_rank) {
            text.push(b'a' + from.file());
        }
        if shares_file {
            text.push(b'1' + from.rank());
        }
    }

    /// Several moves in SAN, each legal after those before it.
    ///
    /// # Panics
    /// If a move is not legal.
    pub fn san_line(&self, moves: &[Move]) -> Vec<String> {
        let mut board = self.clone();
        let san = |&mv: &Move| {
            let text = board.san(mv);
            board = board.make(mv);
            text
        };
        moves.iter().map(san).collect()
    }

    /// Reads a legal move in SAN. It also accepts longer origins up to `Ng1-f3` and `g1f3`,
    /// castling with zeros, promotions without `=`, and marks such as `+`, `!?` and `e.p.` at the
    /// end.
    ///
    /// ```
    /// use carrybit_board::Board;
    ///
    /// let board = Board::default();
    /// assert_eq!(board.parse_san("Nf3")?, board.parse_san("g1f3")?);
    /// assert!(board.parse_san("Nd4").is_err());
    /// # Ok::<(), carrybit_board::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// If no legal move fits, or more than one.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let pattern = Pattern::parse(text).ok_or_else(|| MoveError::NoMove(text.to_owned()))?;
        let found = match pattern {
            Pattern::Castling(side) => {
                Ok(self.legal_castlings().find(|&mv| CastlingSide::of(mv) == side))
            }
            Pattern::Step(step) => self.find_step(step),
        };
        found
            .and_then(|mv| mv.ok_or(MoveError::Illegal as fn(String) -> MoveError))
            .map_err(|error| error(text.to_owned()))
    }

    /// The legal move that fits `step`. The error is [`MoveError::Ambiguous`].
    fn find_step(&self, step: Step) -> Result<Option<Move>, fn(String) -> MoveError> {
        let Step { kind, file, rank, to, promotion } = step;
        let us = self.side;
        let origin = file.zip(rank).map(|(file, rank)| Square::new(file, rank));
        let (mut found, mut two_fit) = (None, false);
        let mut consider = |from: Square| {
            let plain = self.plain_move(self.byte_on(from), from, to, promotion);
            if let Some(mv) = plain.filter(|&mv| self.is_legal(mv)) {
                two_fit = found.is_some();
                found = Some(mv);
            }
        };
        let is_named = |from: Square| {
            file.is_none_or(|file| from.file() == file)
                && rank.is_none_or(|rank| from.rank() == rank)
        };
        // Only a step with a whole origin has no kind.
        match (origin, kind.unwrap_or(Kind::Pawn)) {
            (Some(from), _) => {
                if kind.is_none_or(|kind| self.byte_on(from).is_kind(kind)) {
                    consider(from);
                }
            }
            (None, Kind::King) => {
                let king = self.king(us);
                if is_named(king) {
                    consider(king);
                }
            }
            (None, Kind::Pawn) => {
                let pawn = PieceByte::new(us, Kind::Pawn);
                let back = (!us).forward();
                let behind = to.step(back);
                let origins = [behind, behind.step(back), behind.step(WEST), behind.step(EAST)];
                let is_pawn = |&sq: &Square| sq.is_on_board() && self.byte_on(sq) == pawn;
                let pawns = origins.into_iter().filter(is_pawn);
                pawns.filter(|&sq| is_named(sq)).for_each(consider);
            }
            (None, kind) => {
                let mut slots = self.slots_reaching(kind, to);
                while slots != 0 {
                    let from = self.list(us)[slots.trailing_zeros() as usize % MAX_PIECES];
                    if is_named(from) {
                        consider(from);
                    }
                    slots &= slots - 1;
                }
            }
        }
        if two_fit {
            return Err(MoveError::Ambiguous);
        }
        // `e1g1` and `e1h1` also mean castling, unless another move has these squares.
        if found.is_none()
            && matches!(kind, None | Some(Kind::King))
            && promotion.is_none()
            && origin == Some(self.king(us))
        {
            found = self.legal_castlings().find(|mv| to == mv.target() || to == mv.to());
        }
        Ok(found)
    }

    /// The pieces of `kind`, no pawns, that reach `to` on an empty board: a bit for each slot of
    /// the piece list. Tests all slots without a branch, which would be unpredictable.
    fn slots_reaching(&self, kind: Kind, to: Square) -> u16 {
        let us = self.side;
        let piece = PieceByte::new(us, kind);
        let mut slots = 0;
        for (slot, &from) in self.list(us).iter().enumerate() {
            let reaches = REACH[us.index()][from.delta_to(to) as usize] & piece.0 != 0;
            slots |= u16::from(reaches & (self.byte_on(from) == piece)) << slot;
        }
        slots
    }
}

/// A parsed move, before it is compared with the legal moves.
#[derive(Clone, Copy)]
enum Pattern {
    Castling(CastlingSide),
    Step(Step),
}

#[derive(Clone, Copy)]
struct Step {
    /// `None` if the text has only the two squares.
    kind: Option<Kind>,
    /// The file of the origin, if given.
    file: Option<u8>,
    /// The rank of the origin, if given.
    rank: Option<u8>,
    to: Square,
    promotion: Option<Kind>,
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        let text = trim_marks(text.as_bytes());
        let text = text.strip_suffix(b"e.p.").map_or(text, trim_marks);
        let (&first, rest) = text.split_first()?;
        if matches!(first, b'O' | b'0' | b'o') {
            return match text {
                b"O-O" | b"0-0" | b"o-o" => Some(Pattern::Castling(CastlingSide::King)),
                b"O-O-O" | b"0-0-0" | b"o-o-o" => Some(Pattern::Castling(CastlingSide::Queen)),
                _ => None,
            };
        }
        let is_named = first.is_ascii_uppercase();
        let named = if is_named { Some(Kind::of_ascii(first)?) } else { None };
        let (text, promotion) = split_promotion(if is_named { rest } else { text });
        let (before, to) = text.split_last_chunk()?;
        let to = Square::of_ascii(*to)?;
        let before = match before {
            [before @ .., b'x' | b':' | b'-'] => before,
            _ => before,
        };
        let (file, rank) = match *before {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        let is_whole = file.is_some() && rank.is_some();
        let kind = named.or(if is_whole { None } else { Some(Kind::Pawn) });
        Some(Pattern::Step(Step { kind, file, rank, to, promotion }))
    }
}

#[inline]
fn trim_marks(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b'+' | b'#' | b'!' | b'?' | b' '] = text {
        text = rest;
    }
    text
}

#[inline]
fn split_promotion(text: &[u8]) -> (&[u8], Option<Kind>) {
    let inner = text.strip_suffix(b")").unwrap_or(text);
    let Some((&last, mut before)) = inner.split_last() else { return (text, None) };
    let Some(kind) = Kind::of_ascii(last) else { return (text, None) };
    while let [rest @ .., b'=' | b'/' | b'('] = before {
        before = rest;
    }
    (before, Some(kind))
}

fn letter(kind: Kind) -> u8 {
    (kind.letter() as u8).to_ascii_uppercase()
}
