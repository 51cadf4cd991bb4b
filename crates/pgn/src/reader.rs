//! Builds games from tokens. A game that cannot be read is returned as text with an error.

use std::borrow::Cow;
use std::error::Error;
use std::{fmt, mem};

use super::lexer::{Cursor, Lexer, Spanned, Token};
use super::numbers::{MoveNumber, Numbering};
use super::words::is_blank;
use super::{Game, Line, MoveText, Place, Ply, Remark};

/// The maximum nesting of variations. Deeper variations are kept as text.
const MAX_DEPTH: usize = 64;

/// The maximum size of a game's text, in bytes. A game takes up to 100 times the memory of its text;
/// annotated games of masters have up to 0.1 MB.
const MAX_GAME: usize = 4 << 20;

/// Memory for this number of moves is allocated at once.
const USUAL_MOVES: usize = 128;

/// The maximum number of warnings about a game. Further warnings are only counted.
const MAX_WARNINGS: usize = 8;

/// The maximum length of a quotation in a message, in characters.
const MAX_SHOWN: usize = 40;

/// An error in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// The line of the file, from 1; 0 for a move that was not read from a file.
    pub line: usize,
    /// The message.
    pub reason: String,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl Error for PgnError {}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The first byte in the decoded text: that of the file, if it is UTF-8 without a byte order mark
    /// and with newlines only.
    pub start: usize,
    /// The first line in the file, from 1.
    pub line: usize,
    /// The text of the game, without blank lines around it.
    pub text: String,
    /// The game, or why it cannot be read.
    pub game: Result<Game, PgnError>,
    /// The tags of a game that cannot be read.
    pub tags: Vec<(String, String)>,
    /// Errors that do not prevent reading the game.
    pub warnings: Vec<PgnError>,
}

/// Reads all games of a text. A game ends with its result, or where tags follow moves.
pub fn read(text: &str) -> Vec<Entry> {
    entries(text).collect()
}

/// Like [`read`], one game at a time.
pub fn entries(text: &str) -> Entries<'_> {
    Entries::new(text, 0, 1)
}

/// Iterates over the games of a text.
pub struct Entries<'a> {
    text: &'a str,
    parser: Parser,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.next_before(usize::MAX)
    }
}

impl<'a> Entries<'a> {
    /// Starts with the game that begins at the byte `start`, on this line.
    ///
    /// # Panics
    /// If no character begins there.
    pub fn new(text: &'a str, start: usize, line: usize) -> Entries<'a> {
        Entries { text, parser: Parser::new(text, start, line) }
    }

    /// The number of bytes read.
    pub fn at(&self) -> usize {
        self.parser.at()
    }

    /// The next game; `None` if it is not complete at the byte `end` of the text, or if there is
    /// none. Another call continues, so that a long game can be read with pauses.
    pub fn next_before(&mut self, end: usize) -> Option<Entry> {
        self.parser.next(self.text, end, true, true)
    }
}

/// Builds games from the tokens of a text. Each call passes the text: a stream appends to it, and
/// removes what is no longer needed.
#[derive(Debug)]
pub(super) struct Parser {
    cursor: Cursor,
    /// The game being read.
    draft: Option<Draft>,
    /// The end of the last token.
    end: usize,
    /// The maximum size of a game's text.
    max_game: usize,
}

impl Parser {
    /// Starts with the game that begins at the byte `start`, on this line.
    pub(super) fn new(text: &str, start: usize, line: usize) -> Parser {
        let cursor = Lexer::new(text, start, line).cursor;
        Parser { cursor, draft: None, end: start, max_game: MAX_GAME }
    }

    /// The number of bytes read.
    pub(super) fn at(&self) -> usize {
        self.cursor.at
    }

    /// The next game; `None` if it is not complete at the byte `until`, or at the end of the text.
    /// If the text is not `is_whole`, it must end with a newline, and more may follow in the next
    /// call: then a token is left for that call if more text may change it, and the last game, too.
    /// Without `is_plain_allowed` only the general code reads, for tests.
    #[inline]
    pub(super) fn next(
        &mut self,
        text: &str,
        until: usize,
        is_whole: bool,
        is_plain_allowed: bool,
    ) -> Option<Entry> {
        let mut lexer = Lexer { text, cursor: self.cursor };
        while lexer.cursor.at < until {
            let draft = self.draft.as_mut().filter(|draft| is_plain_allowed && draft.takes_moves());
            let before = lexer.cursor;
            if let Some(draft) = draft
                && let Some(mv) = lexer.plain_move()
            {
                let Cursor { at, line, number, .. } = lexer.cursor;
                if at - draft.start > self.max_game {
                    lexer.cursor = before;
                } else {
                    (self.end, draft.end) = (at, at);
                    draft.add_text(mv, line, number);
                    continue;
                }
            }
            let spanned = match lexer.step(is_plain_allowed) {
                // Of all tokens, only a comment extends beyond its line.
                Some(Spanned { token: Token::OpenComment, end, .. })
                    if !is_whole && end == text.len() =>
                {
                    self.cursor = before;
                    return None;
                }
                Some(spanned) => spanned,
                // A number may have been skipped.
                None if !is_whole => {
                    self.cursor = before;
                    return None;
                }
                None => {
                    self.cursor = lexer.cursor;
                    return self.finish(text);
                }
            };
            if let Some(complete) = self.add(text, spanned) {
                self.cursor = lexer.cursor;
                return Some(complete);
            }
        }
        self.cursor = lexer.cursor;
        None
    }

    /// The first byte of the text that is still needed.
    pub(super) fn needed_from(&self) -> usize {
        self.draft.as_ref().map_or(self.end, |draft| draft.start)
    }

    /// Adapts to a text without its first `len` bytes. The byte before
    /// [`needed_from`](Parser::needed_from) must remain: it decides whether a line begins there.
    pub(super) fn remove_front(&mut self, len: usize) {
        self.end -= len;
        self.cursor.at -= len;
        self.cursor.unclosed_until = self.cursor.unclosed_until.saturating_sub(len);
        if let Some(draft) = &mut self.draft {
            draft.start -= len;
            draft.end -= len;
        }
    }

    /// Adds a token to the game being read. If the token begins another game, returns the
    /// previous one.
    #[inline]
    fn add(&mut self, text: &str, spanned: Spanned<'_>) -> Option<Entry> {
        let begins_anew = self.draft.as_ref().is_some_and(|draft| {
            let on_new_line = || text[draft.end..spanned.start].contains('\n');
            // A game without tags may be followed by another one without.
            let is_between = || draft.is_over() && draft.game.tags.is_empty() && on_new_line();
            match &spanned.token {
                Token::Tag { name, .. } => draft.is_before_tag(name),
                // On the line of the result, remarks and a repeated result belong to the game.
                Token::Comment(_) => is_between(),
                Token::Result(result) if draft.game.result.as_deref() == Some(result) => {
                    is_between()
                }
                Token::Nag(_) | Token::Unknown(_) | Token::Open | Token::Close => {
                    draft.is_over() && on_new_line()
                }
                _ => draft.is_over(),
            }
        });
        let complete = if begins_anew { self.finish(text) } else { None };
        let draft = self.draft.get_or_insert_with(|| {
            // A number before the first move belongs to the game.
            let number = text[self.end..spanned.start].trim_start_matches(is_blank);
            let line = spanned.line - number.matches('\n').count();
            Draft::new(spanned.start - number.len(), line)
        });
        self.end = spanned.end;
        if spanned.end - draft.start > self.max_game {
            draft.skip(&spanned);
        } else {
            draft.add(text, spanned);
        }
        complete
    }

    fn finish(&mut self, text: &str) -> Option<Entry> {
        let draft = self.draft.take().filter(|draft| !draft.is_remark())?;
        Some(draft.finish(text))
    }
}

/// A line of moves being read.
#[derive(Debug, Default)]
struct OpenLine {
    line: Line,
    /// Glyphs before the first move.
    nags: Vec<u16>,
    numbering: Numbering,
}

impl OpenLine {
    /// Adds a glyph to the last move, or to those before the first, unless it is there: some programs
    /// write `?!` and `$6`.
    fn add_nag(&mut self, nag: u16) {
        let nags = self.line.moves.last_mut().map_or(&mut self.nags, |ply| &mut ply.nags);
        if !nags.contains(&nag) {
            nags.push(nag);
        }
    }
}

/// A game being read.
#[derive(Debug, Default)]
struct Draft {
    /// The bytes of the game in the text of the file.
    start: usize,
    end: usize,
    line: usize,
    game: Game,
    /// The line of moves being read and those around it, the innermost last. Never empty.
    lines: Vec<OpenLine>,
    /// The variation that is kept as text, and the number of its open parentheses.
    verbatim: Option<(Place, usize)>,
    /// Whether a move or a result was read, or a comment is not closed.
    has_moves: bool,
    is_too_long: bool,
    error: Option<PgnError>,
    warnings: Vec<PgnError>,
    /// The number of warnings beyond [`MAX_WARNINGS`].
    further_warnings: usize,
}

impl Draft {
    fn new(start: usize, line: usize) -> Draft {
        let mut lines = vec![OpenLine::default()];
        lines[0].line.moves.reserve_exact(USUAL_MOVES);
        Draft { start, end: start, line, lines, ..Draft::default() }
    }

    /// Whether the next move belongs to the next game.
    fn is_over(&self) -> bool {
        self.game.result.is_some() && self.lines.len() == 1 && self.verbatim.is_none()
    }

    /// Whether the next move belongs to the game, and not to a variation that is kept as text.
    #[inline]
    fn takes_moves(&self) -> bool {
        self.verbatim.is_none() && !self.is_over()
    }

    /// Whether a tag of this name belongs to the next game.
    fn is_before_tag(&self, name: &str) -> bool {
        let is_next_event = name == "Event" && self.game.tag(name).is_some();
        self.has_moves || is_next_event
    }

    /// Whether only comments were read, as behind the last game of a file.
    fn is_remark(&self) -> bool {
        !self.has_moves && self.game.tags.is_empty() && self.warnings.is_empty()
    }

    fn add(&mut self, text: &str, spanned: Spanned<'_>) {
        let Spanned { token, start, end, line, number } = spanned;
        self.end = end;
        let place = Place { line, start: start - self.start, end: end - self.start };
        match token {
            Token::Tag { name, value } => {
                // Parentheses and marks in a text before the tags.
                self.lines.truncate(1);
                self.innermost().nags.clear();
                self.verbatim = None;
                if name == "FEN" {
                    self.innermost().numbering = Numbering::of_fen(&value);
                }
                self.game.tags.push((name.to_owned(), value));
            }
            Token::OpenComment => {
                // So that the next tag begins another game.
                self.has_moves = true;
                let reason = "a comment is not closed; add the missing }".to_owned();
                self.error = Some(PgnError { line, reason });
            }
            _ if self.verbatim.is_some() => self.add_verbatim(text, &token, end),
            Token::Comment(text) => self.remark(Remark::Comment(text.to_owned())),
            Token::Escape(text) => self.remark(Remark::Escape(text.to_owned())),
            // Unknown text among the tags does not end them.
            Token::Unknown(text) => {
                let reason = || format!("{:?} is not a move; kept as a comment", shortened(text));
                self.warn(line, reason);
                self.remark(Remark::Comment(text.to_owned()));
            }
            Token::Move(text) => self.add_text(&text, line, number),
            Token::Nag(nag) => self.innermost().add_nag(nag),
            Token::Redundant => {}
            Token::Open => self.open(place),
            Token::Close => self.close(text, place),
            Token::Result(result) => {
                self.has_moves = true;
                // The result of a variation is a remark on it.
                if self.lines.len() > 1 {
                    self.remark(Remark::Comment(result.to_owned()));
                } else {
                    self.game.result = Some(result.to_owned());
                }
            }
        }
    }

    /// Finds the end of a game that is too long, and keeps none of its moves.
    fn skip(&mut self, spanned: &Spanned<'_>) {
        self.end = spanned.end;
        let mut open = self.lines.len() - 1 + self.verbatim.map_or(0, |(_, open)| open);
        if !self.is_too_long {
            self.is_too_long = true;
            self.lines = vec![OpenLine::default()];
            let reason =
                format!("the game has more than {} MB of text; shorten it", MAX_GAME >> 20);
            self.error.get_or_insert(PgnError { line: self.line, reason });
        }
        self.has_moves |=
            matches!(spanned.token, Token::Move(_) | Token::Result(_) | Token::OpenComment);
        match spanned.token {
            Token::Result(result) if open == 0 => self.game.result = Some(result.to_owned()),
            Token::Open => open += 1,
            Token::Close => open = open.saturating_sub(1),
            _ => {}
        }
        self.verbatim = (open > 0).then_some((Place::default(), open));
    }

    fn add_verbatim(&mut self, text: &str, token: &Token<'_>, end: usize) {
        let Some((place, open)) = &mut self.verbatim else { return };
        match token {
            Token::Open => *open += 1,
            Token::Close => *open -= 1,
            _ => {}
        }
        if *open == 0 {
            place.end = end - self.start;
            let text = text[self.start + place.start..end].to_owned();
            let line = Line { verbatim: Some(text), place: *place, ..Line::default() };
            self.verbatim = None;
            self.remark(Remark::Variation(line));
        }
    }

    /// Adds a move.
    #[inline]
    fn add_text(&mut self, text: &str, line: usize, number: Option<MoveNumber>) {
        self.has_moves = true;
        let innermost = self.innermost();
        const EMPTY: Ply =
            Ply { text: MoveText::EMPTY, nags: Vec::new(), after: Vec::new(), line: 0 };
        let at = innermost.line.moves.len();
        let gap = number.and_then(|number| innermost.numbering.check(at, number));
        // A move that is built elsewhere and copied takes longer: the processor waits for its parts.
        innermost.line.moves.push(EMPTY);
        if let Some(ply) = innermost.line.moves.last_mut() {
            ply.text.set(text);
            ply.line = line;
            if !innermost.nags.is_empty() {
                ply.nags = mem::take(&mut innermost.nags);
            }
        }
        if let Some(reason) = gap {
            self.warn(line, || reason);
        }
    }

    fn open(&mut self, place: Place) {
        if self.lines.len() > MAX_DEPTH {
            let reason =
                || format!("variations are nested more than {MAX_DEPTH} deep; kept as text");
            self.warn(place.line, reason);
            self.verbatim = Some((place, 1));
        } else {
            let outer = self.innermost();
            let numbering = outer.numbering.of_variation(outer.line.moves.len());
            let line = Line { place, ..Line::default() };
            self.lines.push(OpenLine { line, nags: Vec::new(), numbering });
        }
    }

    fn close(&mut self, text: &str, place: Place) {
        if self.lines.len() == 1 {
            self.warn(place.line, || "unexpected \")\"; ignored".to_owned());
            return;
        }
        let Some(OpenLine { mut line, nags, .. }) = self.lines.pop() else { return };
        line.place.end = place.end;
        // Most variations and most moves have little, and there may be many.
        line.moves.shrink_to_fit();
        let outer = self.innermost();
        if line.moves.is_empty() {
            // Glyphs in parentheses, such as `(=)`.
            nags.into_iter().for_each(|nag| outer.add_nag(nag));
            let has_moves = !outer.line.moves.is_empty();
            for mut remark in line.before {
                // In double parentheses: the outer ones vanish, so a move precedes it after all.
                if let Remark::Variation(inner) = &mut remark
                    && has_moves
                    && !inner.moves.is_empty()
                {
                    inner.verbatim = None;
                }
                self.remark(remark);
            }
            return;
        }
        if outer.line.moves.is_empty() {
            let Place { line: number, start, end } = line.place;
            line.verbatim = Some(text[self.start + start..self.start + end].to_owned());
            self.warn(number, || "a variation before the first move; kept as text".to_owned());
        }
        self.remark(Remark::Variation(line));
    }

    fn innermost(&mut self) -> &mut OpenLine {
        self.lines.last_mut().expect("never empty")
    }

    fn remark(&mut self, remark: Remark) {
        let line = &mut self.innermost().line;
        let remarks = line.moves.last_mut().map_or(&mut line.before, |ply| &mut ply.after);
        remarks.reserve_exact(usize::from(remarks.is_empty()));
        remarks.push(remark);
    }

    fn warn(&mut self, line: usize, reason: impl FnOnce() -> String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(PgnError { line, reason: reason() });
        } else {
            self.further_warnings += 1;
        }
    }

    fn finish(mut self, text: &str) -> Entry {
        let text = text[self.start..self.end].trim_end().to_owned();
        let last_line = self.lines.last().and_then(|open| (self.lines.len() > 1).then_some(open));
        let unclosed =
            last_line.map(|open| open.line.place).or(self.verbatim.map(|(place, _)| place));
        if self.error.is_none() {
            let fail = |line, reason: &str| Some(PgnError { line, reason: reason.to_owned() });
            self.error = if let Some(place) = unclosed {
                fail(place.line, "a variation is not closed; add the missing )")
            } else if self.game.tags.is_empty() && !self.has_moves {
                fail(self.line, "no game: there are neither tags nor moves")
            } else {
                None
            };
        }
        if self.further_warnings > 0 {
            let line = self.warnings.last().map_or(self.line, |warning| warning.line);
            let reason = format!("and {} more like this", self.further_warnings);
            self.warnings.push(PgnError { line, reason });
        }
        let (game, tags) = match self.error {
            Some(error) => (Err(error), self.game.tags),
            None => {
                self.game.moves = self.lines.pop().unwrap_or_default().line;
                self.game.moves.moves.shrink_to_fit();
                (Ok(self.game), Vec::new())
            }
        };
        let (start, line) = (self.start, self.line);
        Entry { start, line, text, game, tags, warnings: self.warnings }
    }
}

/// Truncates a text for a message.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests;
