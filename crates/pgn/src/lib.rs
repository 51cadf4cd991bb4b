//! Portable Game Notation (PGN): reads, plays and writes chess games. The rules are those of the
//! crate [`carrybit_board`].
//!
//! ```
//! use carrybit_pgn::{Game, Reader, Remark};
//!
//! let file = "[White \"A\"]\n[Black \"B\"]\n\n1. f3 { [%clk 0:01:00] } e5 2. g4 Qh4# 0-1\n";
//! // Any `BufRead`; `Reader::open(path)` opens a file.
//! for entry in Reader::new(file.as_bytes()) {
//!     let mut game: Game = entry?.game?;
//!     assert_eq!(game.tag("White"), Some("A"));
//!     assert_eq!(game.moves.moves[0].clock(), Some(std::time::Duration::from_secs(60)));
//!     // The moves on a board.
//!     let played: carrybit_board::Game = game.replay()?;
//!     assert_eq!(played.outcome().map(|outcome| outcome.to_string()), Some("0-1".to_owned()));
//!     // The game as PGN again, with another remark.
//!     game.moves.moves[3].after.push(Remark::Comment("the shortest mate".to_owned()));
//!     assert!(game.to_string().ends_with("2. g4 Qh4# { the shortest mate } 0-1\n"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two types are named `Game`: [`carrybit_pgn::Game`](Game) is a game as a file has it, with tags,
//! remarks and variations, and its moves are text. [`carrybit_board::Game`] is a game on a board: its
//! moves are legal, and it knows the position and the outcome. [`Game::replay`] turns the first into
//! the second, and `Game::from(&played)` the second into the first.
//!
//! * [`Reader`] reads games from a stream in the memory that one game takes. [`read`] and
//!   [`entries`] read them from a text, and [`text`] decodes files. None of them checks the moves.
//!   They read nearly all that programs and people have written as PGN: moves in many notations,
//!   missing results, typographic signs, text in windows-1252.
//! * [`Game::replay`] plays the moves, and [`Game::replay_until_error`] also returns those before an
//!   illegal one. [`Game::walk`] iterates over the moves of a game and of its variations with their
//!   boards. The module [`replay`](mod@replay) also rewrites all moves in SAN.
//! * [`commands`] reads and writes clocks, evaluations, coloured squares and arrows in comments.
//! * The text of a [`Game`] is PGN. Comments, glyphs (NAGs), variations of any depth and escaped
//!   lines keep their order.
//!
//! # Features
//!
//! * `gzip` (default): files may be compressed with gzip.
//! * `analysis`: what `carrybit analyse` and the page do with games. The module `batch` splits the
//!   positions of a game for an engine; `findings` collects its evaluations, which `judgement`
//!   judges; `earlier` removes an earlier analysis, `annotate` writes the new one, and `viewer`
//!   makes the data for a page. These modules need `serde`, and may change in any version.

mod convert;
mod gzip;
mod lexer;
mod move_text;
mod numbers;
mod plain;
mod reader;
mod stream;
#[cfg(test)]
mod tests;
mod walk;
mod words;
mod writer;

#[cfg(feature = "analysis")]
pub mod annotate;
#[cfg(feature = "analysis")]
pub mod batch;
pub mod commands;
#[cfg(feature = "analysis")]
pub mod earlier;
#[cfg(feature = "analysis")]
pub mod findings;
#[cfg(feature = "analysis")]
pub mod judgement;
pub mod replay;
pub mod text;
#[cfg(feature = "analysis")]
pub mod viewer;

pub use move_text::MoveText;
pub use reader::{Entries, Entry, PgnError, entries, read};
pub use stream::Reader;
pub use walk::{Step, Walk};

/// Tests the examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A game as a file has it: tags, moves as text, and result. Not to be confused with
/// [`carrybit_board::Game`], a game on a board, which [`Game::replay`] returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The moves.
    pub moves: Line,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, as written after the moves; `None` if it is missing. The tag
    /// `Result` is separate: set both.
    pub result: Option<String>,
}

/// The moves of a game or of a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The remarks before the first move.
    pub before: Vec<Remark>,
    /// The moves.
    pub moves: Vec<Ply>,
    /// The text of a variation that cannot be read or played, including its parentheses. It is
    /// written unchanged.
    pub verbatim: Option<String>,
    /// The place of a variation in the text.
    pub place: Place,
}

/// A move and the remarks on it. Comparison ignores the line of the file.
#[derive(Clone, Debug, Default, Eq)]
pub struct Ply {
    /// The move as written.
    pub text: MoveText,
    /// Numeric annotation glyphs: 1 for `!`, 2 for `?` and so on.
    pub nags: Vec<u16>,
    /// The remarks after the move.
    pub after: Vec<Remark>,
    /// The line of the file, from 1; 0 if the move was not read from a file.
    pub line: usize,
}

impl PartialEq for Ply {
    fn eq(&self, other: &Ply) -> bool {
        (&self.text, &self.nags, &self.after) == (&other.text, &other.nags, &other.after)
    }
}

/// The place of a variation in the text; all zeros if it was not read from a text. All places
/// compare as equal, so that comparing games ignores them.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Place {
    /// The line of the file, from 1.
    pub line: usize,
    /// The first byte within the text of the game.
    pub start: usize,
    /// The end, exclusive.
    pub end: usize,
}

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

/// A remark between two moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A comment, without its braces. One that contains `}` is written as lines that begin with `;`.
    Comment(String),
    /// A line that begins with `%`, without that sign. The standard says to ignore it.
    Escape(String),
    /// Moves instead of the previous one: `Line { moves: vec![Ply { text: "Nc6".into(),
    /// ..Ply::default() }], ..Line::default() }` in [`Ply::after`] of that move. Writing does not test
    /// whether they are legal.
    Variation(Line),
}

impl Remark {
    /// The text of a comment.
    pub(crate) fn comment(&self) -> Option<&str> {
        if let Remark::Comment(text) = self { Some(text) } else { None }
    }

    /// The text of a comment, to be changed.
    pub(crate) fn comment_mut(&mut self) -> Option<&mut String> {
        if let Remark::Comment(text) = self { Some(text) } else { None }
    }
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        tag(&self.tags, name)
    }
}

/// The value of the tag with this name.
pub fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}
