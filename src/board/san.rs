//! Moves in standard algebraic notation (SAN), as people write them: `Nf3`, `exd8=Q+`.
//!
//! The writer follows the PGN standard: the shortest disambiguation, `O-O` for castling (in
//! Chess960 too), and `+` or `#`.
//!
//! The reader accepts more. It never panics.
//!
//! * Castling: also `0-0` and `o-o`.
//! * Origin: also one longer than needed, up to `Ng1-f3` and `g1f3` (UCI's notation).
//! * Between origin and target: `x`, `:`, `-` or nothing.
//! * Promotion: `=Q`, `/Q`, `(Q)` or `Q`.
//! * At the end: any of the marks `+#!?`, and `e.p.`.

use std::ops::Range;

use super::{Board, CastlingMode, CastlingSide, Kind, Move, Square};

/// Why a text is not a legal move; each variant has the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not a move in this notation.
    #[error("{0:?} is not a move")]
    NoMove(String),
    /// No legal move fits.
    #[error("{0:?} is not legal")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("{0:?} may be more than one move")]
    Ambiguous(String),
}

impl Board {
    /// The move in SAN.
    ///
    /// ```
    /// use carrybit::Board;
    ///
    /// let board: Board = "3rk2r/4P3/8/8/8/8/8/R3K1N1 w - - 0 1".parse()?;
    /// assert_eq!(board.san(board.parse_uci("e7d8q")?), "exd8=Q+");
    /// assert_eq!(board.san(board.parse_uci("a1a8")?), "Ra8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the move is not legal.
    pub fn san(&self, mv: Move) -> String {
        assert!(self.is_legal(mv), "{mv} is not legal in {self}");
        let mut text = match self.byte_on(mv.from()).kind() {
            _ if mv.is_castling() => match CastlingSide::of(mv) {
                CastlingSide::King => "O-O".to_owned(),
                CastlingSide::Queen => "O-O-O".to_owned(),
            },
            Some(kind) if kind != Kind::Pawn => {
                let capture = if mv.is_capture() { "x" } else { "" };
                format!("{}{}{capture}{}", letter(kind), self.disambiguation(mv), mv.target())
            }
            _ if mv.is_capture() => format!("{}x{}", file_letter(mv.from()), mv.target()),
            _ => mv.target().to_string(),
        };
        if let Some(kind) = mv.promotion_kind() {
            text.extend(['=', letter(kind)]);
        }
        let after = self.make(mv);
        if after.in_check() {
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// The part of the origin that SAN needs: nothing, file, rank, or both.
    fn disambiguation(&self, mv: Move) -> String {
        let from = mv.from();
        let moves = self.legal_moves();
        let rivals = moves.iter().filter(|other| {
            other.from() != from
                && other.target() == mv.target()
                && self.byte_on(other.from()) == self.byte_on(from)
        });
        let origins: Vec<Square> = rivals.map(|rival| rival.from()).collect();
        if origins.is_empty() {
            String::new()
        } else if origins.iter().all(|origin| origin.file() != from.file()) {
            file_letter(from).to_string()
        } else if origins.iter().all(|origin| origin.rank() != from.rank()) {
            (from.rank() + 1).to_string()
        } else {
            from.to_string()
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

    /// Reads a legal move in UCI's long algebraic notation, in upper or lower case.
    /// Castling may be written as the king's step or as king takes own rook, in standard chess
    /// and in Chess960. If the king's step can also be a plain king move, only king takes rook is
    /// castling.
    ///
    /// # Errors
    /// If the text is not that of a legal move.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let moves = self.legal_moves();
        let is_text = |written: String| written.eq_ignore_ascii_case(text);
        let exact = moves.iter().find(|mv| is_text(mv.uci(CastlingMode::Chess960)));
        let is_step = |mv: &&Move| mv.is_castling() && is_text(format!("{}{}", mv.from(), mv.to()));
        let found = exact.or_else(|| moves.iter().find(is_step)).copied();
        let is_square = |at: Range<usize>| {
            text.get(at).is_some_and(|sq| sq.to_ascii_lowercase().parse::<Square>().is_ok())
        };
        let is_uci = is_square(0..2) && is_square(2..4);
        let error = if is_uci { MoveError::Illegal } else { MoveError::NoMove };
        found.ok_or_else(|| error(text.to_owned()))
    }

    /// Reads a legal move in SAN. It also accepts longer origins up to `Ng1-f3` and `g1f3`,
    /// castling with zeros, promotions without `=`, and marks such as `+`, `!?` and `e.p.` at the
    /// end.
    ///
    /// ```
    /// use carrybit::Board;
    ///
    /// let board = Board::default();
    /// assert_eq!(board.parse_san("Nf3")?, board.parse_san("g1f3")?);
    /// assert!(board.parse_san("Nd4").is_err());
    /// # Ok::<(), carrybit::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// If no legal move fits, or more than one.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let pattern = Pattern::parse(text).ok_or_else(|| MoveError::NoMove(text.to_owned()))?;
        let moves = self.legal_moves();
        let mut fitting = moves.iter().copied().filter(|&mv| pattern.fits(self, mv));
        let first = fitting.next();
        if fitting.next().is_some() {
            return Err(MoveError::Ambiguous(text.to_owned()));
        }
        // `e1g1` and `e1h1` also mean castling, unless another move has these squares.
        let castling = || moves.iter().copied().find(|&mv| pattern.is_castling_step(mv));
        first.or_else(castling).ok_or_else(|| MoveError::Illegal(text.to_owned()))
    }
}

/// A parsed move, before it is compared with the legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Castling(CastlingSide),
    Step {
        /// `None` if the text has only the two squares.
        kind: Option<Kind>,
        /// The file of the origin, if given.
        file: Option<u8>,
        /// The rank of the origin, if given.
        rank: Option<u8>,
        to: Square,
        promotion: Option<Kind>,
    },
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        const MARKS: [char; 5] = ['+', '#', '!', '?', ' '];
        let text = text.trim_end_matches(MARKS);
        let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end_matches(MARKS);
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Pattern::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Pattern::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let first = text.chars().next()?;
        let named = if first.is_ascii_uppercase() { Some(Kind::of_letter(first)?) } else { None };
        let (text, promotion) = split_promotion(text.get(usize::from(named.is_some())..)?);
        let to_at = text.len().checked_sub(2)?;
        let to = text.get(to_at..)?.parse().ok()?;
        let before = &text[..to_at];
        let (file, rank) = match *before.strip_suffix(['x', ':', '-']).unwrap_or(before).as_bytes()
        {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        let is_whole = file.is_some() && rank.is_some();
        let kind = named.or(if is_whole { None } else { Some(Kind::Pawn) });
        Some(Pattern::Step { kind, file, rank, to, promotion })
    }

    fn fits(self, board: &Board, mv: Move) -> bool {
        match self {
            Pattern::Castling(side) => mv.is_castling() && CastlingSide::of(mv) == side,
            Pattern::Step { kind, file, rank, to, promotion } => {
                !mv.is_castling()
                    && mv.target() == to
                    && mv.promotion_kind() == promotion
                    && kind.is_none_or(|kind| board.byte_on(mv.from()).is_kind(kind))
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
            }
        }
    }

    /// Whether the two squares are those of the castling move `mv`, written as the king's step
    /// or as king takes rook.
    fn is_castling_step(self, mv: Move) -> bool {
        let Pattern::Step { kind: None | Some(Kind::King), file, rank, to, promotion: None } = self
        else {
            return false;
        };
        mv.is_castling()
            && file == Some(mv.from().file())
            && rank == Some(mv.from().rank())
            && (to == mv.target() || to == mv.to())
    }
}

fn split_promotion(text: &str) -> (&str, Option<Kind>) {
    let inner = text.strip_suffix(')').unwrap_or(text);
    match inner.chars().next_back().and_then(Kind::of_letter) {
        Some(kind) => (inner[..inner.len() - 1].trim_end_matches(['=', '/', '(']), Some(kind)),
        None => (text, None),
    }
}

fn letter(kind: Kind) -> char {
    kind.letter().to_ascii_uppercase()
}

fn file_letter(sq: Square) -> char {
    char::from(b'a' + sq.file())
}
