//! Builds games from tokens. A game that cannot be read is returned as text with an error.

use std::borrow::Cow;

use super::lexer::{Lexer, Spanned, Token};
use super::numbers::{MoveNumber, Numbering};
use super::words::is_blank;
use super::{Game, Line, Place, Ply, Remark};

/// The maximum nesting of variations. Deeper variations are kept as text.
const MAX_DEPTH: usize = 64;

/// The maximum size of a game's text, in bytes. A game takes up to 100 times the memory of its text;
/// annotated games of masters have up to 0.1 MB.
const MAX_GAME: usize = 4 << 20;

/// The maximum number of warnings about a game. Further warnings are only counted.
const MAX_WARNINGS: usize = 8;

/// The maximum length of a quotation in a message, in characters.
const MAX_SHOWN: usize = 40;

/// An error in a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct PgnError {
    /// The line of the file, from 1.
    pub line: usize,
    /// The message.
    pub reason: String,
}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The first byte in the file.
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
    lexer: Lexer<'a>,
    /// The game being read.
    draft: Option<Draft<'a>>,
    /// The end of the last token.
    end: usize,
    /// The maximum size of a game's text.
    max_game: usize,
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
        let lexer = Lexer::new(text, start, line);
        Entries { text, lexer, draft: None, end: start, max_game: MAX_GAME }
    }

    /// The number of bytes read.
    pub fn at(&self) -> usize {
        self.lexer.at
    }

    /// The next game; `None` if it is not complete at the byte `end` of the text, or if there is
    /// none. Another call continues, so that a long game can be read with pauses.
    pub fn next_before(&mut self, end: usize) -> Option<Entry> {
        while self.at() < end {
            let Some(spanned) = self.lexer.next() else { return self.finish() };
            let complete = self.add(spanned);
            if complete.is_some() {
                return complete;
            }
        }
        None
    }

    /// Adds a token to the game being read. If the token begins another game, returns the
    /// previous one.
    fn add(&mut self, spanned: Spanned<'a>) -> Option<Entry> {
        let begins_anew = self.draft.as_ref().is_some_and(|draft| {
            let on_new_line = || self.text[draft.end..spanned.start].contains('\n');
            match &spanned.token {
                Token::Tag { name, .. } => draft.is_before_tag(name),
                // On the line of the result, remarks and a repeated result belong to the game.
                Token::Comment(_)
                | Token::Nag(_)
                | Token::Unknown(_)
                | Token::Open
                | Token::Close => draft.is_over() && on_new_line(),
                Token::Result(result) if draft.game.result.as_deref() == Some(result) => {
                    draft.is_over() && on_new_line()
                }
                _ => draft.is_over(),
            }
        });
        let complete = if begins_anew { self.finish() } else { None };
        let draft = self.draft.get_or_insert_with(|| {
            // A number before the first move belongs to the game.
            let number = self.text[self.end..spanned.start].trim_start_matches(is_blank);
            let line = spanned.line - number.matches('\n').count();
            Draft::new(self.text, spanned.start - number.len(), line)
        });
        self.end = spanned.end;
        if spanned.end - draft.start > self.max_game {
            draft.skip(&spanned);
        } else {
            draft.add(spanned);
        }
        complete
    }

    fn finish(&mut self) -> Option<Entry> {
        self.draft.take().filter(|draft| !draft.is_remark()).map(Draft::finish)
    }
}

/// A line of moves being read.
#[derive(Default)]
struct OpenLine {
    line: Line,
    /// Glyphs before the first move.
    nags: Vec<u16>,
    numbering: Numbering,
}

impl OpenLine {
    /// The glyphs of the last move, or those before the first.
    fn nags(&mut self) -> &mut Vec<u16> {
        self.line.moves.last_mut().map_or(&mut self.nags, |ply| &mut ply.nags)
    }

    /// Adds a glyph, unless the move has it: some programs write `?!` and `$6`.
    fn add_nag(&mut self, nag: u16) {
        let nags = self.nags();
        if !nags.contains(&nag) {
            nags.push(nag);
        }
    }
}

/// A game being read.
#[derive(Default)]
struct Draft<'a> {
    /// The text of the file, and the bytes of the game.
    text: &'a str,
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

impl<'a> Draft<'a> {
    fn new(text: &'a str, start: usize, line: usize) -> Draft<'a> {
        let lines = vec![OpenLine::default()];
        Draft { text, start, end: start, line, lines, ..Draft::default() }
    }

    /// Whether the next move belongs to the next game.
    fn is_over(&self) -> bool {
        self.game.result.is_some() && self.lines.len() == 1 && self.verbatim.is_none()
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

    fn add(&mut self, spanned: Spanned<'_>) {
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
            _ if self.verbatim.is_some() => self.add_verbatim(&token, end),
            Token::Comment(text) => self.remark(Remark::Comment(text.to_owned())),
            Token::Escape(text) => self.remark(Remark::Escape(text.to_owned())),
            // Unknown text among the tags does not end them.
            Token::Unknown(text) => {
                let reason = || format!("{:?} is not a move; kept as a comment", shortened(text));
                self.warn(line, reason);
                self.remark(Remark::Comment(text.to_owned()));
            }
            token => {
                self.has_moves |= matches!(token, Token::Move(_) | Token::Result(_));
                self.add_move(token, place, number);
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
        self.has_moves |= matches!(spanned.token, Token::Move(_) | Token::Result(_));
        match spanned.token {
            Token::Result(result) if open == 0 => self.game.result = Some(result.to_owned()),
            Token::Open => open += 1,
            Token::Close => open = open.saturating_sub(1),
            _ => {}
        }
        self.verbatim = (open > 0).then_some((Place::default(), open));
    }

    fn add_verbatim(&mut self, token: &Token<'_>, end: usize) {
        let Some((place, open)) = &mut self.verbatim else { return };
        match token {
            Token::Open => *open += 1,
            Token::Close => *open -= 1,
            _ => {}
        }
        if *open == 0 {
            place.end = end - self.start;
            let text = self.text[self.start + place.start..end].to_owned();
            let line = Line { verbatim: Some(text), place: *place, ..Line::default() };
            self.verbatim = None;
            self.remark(Remark::Variation(line));
        }
    }

    fn add_move(&mut self, token: Token<'_>, place: Place, number: Option<MoveNumber>) {
        match token {
            Token::Move(text) => {
                let innermost = self.innermost();
                let nags = std::mem::take(&mut innermost.nags);
                let line = place.line;
                let at = innermost.line.moves.len();
                let gap = number.and_then(|number| innermost.numbering.check(at, number));
                innermost.line.moves.push(Ply { text, nags, after: Vec::new(), line });
                if let Some(reason) = gap {
                    self.warn(line, || reason);
                }
            }
            Token::Nag(nag) => self.innermost().add_nag(nag),
            Token::Open => self.open(place),
            Token::Close => self.close(place),
            // The result of a variation is a remark on it.
            Token::Result(result) if self.lines.len() > 1 => {
                self.remark(Remark::Comment(result.to_owned()));
            }
            Token::Result(result) => self.game.result = Some(result.to_owned()),
            // `add` handles the other tokens.
            _ => {}
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

    fn close(&mut self, place: Place) {
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
            line.verbatim = Some(self.text[self.start + start..self.start + end].to_owned());
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

    fn finish(mut self) -> Entry {
        let text = self.text[self.start..self.end].trim_end().to_owned();
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
