//! Portable Game Notation (PGN): games read from files, played by the rules, judged by their
//! evaluations, annotated, and written. `analyse` and the page of `web/page` both use this.
//!
//! [`text`] decodes files, `lexer.rs` cuts the text into tokens with the words of `words.rs`,
//! [`read`] and [`entries`] build games from them without testing the moves, [`replay`] plays
//! these by the rules, and [`Game::write`] makes text of a game again.
//! Comments, marks (NAGs), variations at any depth, and escaped lines are kept, in their
//! order. (There are packages that read PGN; those whose licences fit ours leave comments or
//! variations out.)
//!
//! An engine gets the positions of a game from [`batch`]; [`findings`] has its evaluations and
//! the judgements that follow from them by [`judgement`]; [`mod@annotate`] writes these into the
//! game, after [`earlier`] has removed an earlier analysis, and [`viewer`] has the data of a page.

mod lexer;
mod reader;
mod words;
mod writer;

pub mod annotate;
pub mod batch;
pub mod earlier;
pub mod findings;
pub mod judgement;
pub mod replay;
pub mod text;
pub mod viewer;

pub use reader::{Entries, Entry, PgnError, entries, read};
pub use writer::Numbering;

/// A game: its tags, its moves and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The moves.
    pub moves: Line,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, as it stands behind the moves; `None` if nothing
    /// does.
    pub result: Option<String>,
}

/// Moves one after the other: those of the game, or those of a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The remarks before the first move.
    pub before: Vec<Remark>,
    /// The moves.
    pub moves: Vec<Ply>,
    /// The text of a variation that cannot be read or played, with its parentheses; it is
    /// written as it stands.
    pub verbatim: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// A move, and the remarks on it. Two are equal if they say the same, wherever they stand.
#[derive(Clone, Debug, Default, Eq)]
pub struct Ply {
    /// The move as it is written.
    pub text: String,
    /// Numeric annotation glyphs: 1 for `!`, 2 for `?` and so on.
    pub nags: Vec<u16>,
    /// The remarks behind the move.
    pub after: Vec<Remark>,
    /// The line of the file that it stands on, from 1; 0 if it was not read from a file.
    pub line: usize,
}

impl PartialEq for Ply {
    fn eq(&self, other: &Ply) -> bool {
        (&self.text, &self.nags, &self.after) == (&other.text, &other.nags, &other.after)
    }
}

/// Where a variation stands; all zeros if it was not read from a text. Places compare as
/// equal, so that games that say the same are equal.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Place {
    /// The line of the file, from 1.
    pub line: usize,
    /// The first byte within the text of the game.
    pub start: usize,
    /// The byte behind the last one.
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
    /// A line that begins with `%`, without that sign. It is meant for no reader.
    Escape(String),
    /// Moves instead of the one before.
    Variation(Line),
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        tag(&self.tags, name)
    }
}

/// The value of a tag among others.
pub fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}
