//! Portable Game Notation (PGN): reads, plays, judges, annotates and writes games. The rules are
//! those of the crate `carrybit`.
//!
//! ```toml
//! [dependencies]
//! carrybit = { version = "1", default-features = false }
//! carrybit-pgn = "1"
//! ```
//!
//! ```
//! use carrybit_pgn::{Game, Remark};
//!
//! let text = "[White \"A\"]\n[Black \"B\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
//! let mut game: Game = text.parse()?;
//! let played = game.replay()?; // a game of the crate `carrybit`
//! assert_eq!(played.outcome().map(|outcome| outcome.to_string()), Some("0-1".to_owned()));
//! game.moves.moves[3].after.push(Remark::Comment("the shortest mate".to_owned()));
//! assert!(game.to_string().ends_with("2. g4 Qh4# { the shortest mate } 0-1\n"));
//! // A game of the library as PGN.
//! assert!(Game::from(&played).to_string().contains("1. f3 e5 2. g4 Qh4# 0-1"));
//! # Ok::<(), carrybit_pgn::PgnError>(())
//! ```
//!
//! `analyse` and the page of `web/page` use this crate.
//!
//! [`text`] decodes files. [`read`] and [`entries`] build games without checking the moves.
//! [`Game::replay`] plays the moves of a game; the module [`replay`](mod@replay) also plays its
//! variations and writes all moves in SAN. The text of a [`Game`] is PGN. Comments, glyphs (NAGs),
//! variations of any depth and escaped lines keep their order.
//!
//! For `analyse` and the page, which change with them, there are hidden modules: `batch` splits the
//! positions of a game for the engine; `findings` collects its evaluations, which `judgement`
//! judges; `earlier` removes an earlier analysis, `annotate` writes the new one, and `viewer` makes
//! the data for a page.

mod convert;
mod lexer;
#[cfg(test)]
mod linear;
mod numbers;
mod reader;
mod words;
mod writer;

#[doc(hidden)]
pub mod annotate;
#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod earlier;
#[doc(hidden)]
pub mod findings;
#[doc(hidden)]
pub mod judgement;
pub mod replay;
pub mod text;
#[doc(hidden)]
pub mod viewer;

pub use reader::{Entries, Entry, PgnError, entries, read};

/// A game: tags, moves and result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The moves.
    pub moves: Line,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, as written after the moves; `None` if it is missing.
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
    pub text: String,
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
    /// A comment, without its braces.
    Comment(String),
    /// A line that begins with `%`, without that sign. The standard says to ignore it.
    Escape(String),
    /// Alternative moves to the previous one.
    Variation(Line),
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
