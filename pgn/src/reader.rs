//! Builds games from tokens. A game that cannot be read is returned as text with an error.

use std::borrow::Cow;

use super::lexer::{Lexer, Spanned, Token};
use super::words::is_blank;
use super::{Game, Line, Place, Ply, Remark};

/// The maximum nesting of variations. Deeper variations are kept as text.
const MAX_DEPTH: usize = 64;

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
        Entries { text, lexer: Lexer::new(text, start, line), draft: None, end: start }
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
        draft.add(spanned);
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
}

impl OpenLine {
    /// The glyphs of the last move, or those before the first.
    fn nags(&mut self) -> &mut Vec<u16> {
        self.line.moves.last_mut().map_or(&mut self.nags, |ply| &mut ply.nags)
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
        let Spanned { token, start, end, line } = spanned;
        self.end = end;
        let place = Place { line, start: start - self.start, end: end - self.start };
        match token {
            Token::Tag { name, value } => {
                // Parentheses and marks in a text before the tags.
                self.lines.truncate(1);
                self.innermost().nags.clear();
                self.verbatim = None;
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
                self.add_move(token, place);
            }
        }
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

    fn add_move(&mut self, token: Token<'_>, place: Place) {
        match token {
            Token::Move(text) => {
                let innermost = self.innermost();
                let nags = std::mem::take(&mut innermost.nags);
                let line = place.line;
                innermost.line.moves.push(Ply { text, nags, after: Vec::new(), line });
            }
            Token::Nag(nag) => self.innermost().nags().push(nag),
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
            let line = Line { place, ..Line::default() };
            self.lines.push(OpenLine { line, nags: Vec::new() });
        }
    }

    fn close(&mut self, place: Place) {
        if self.lines.len() == 1 {
            self.warn(place.line, || "unexpected \")\"; ignored".to_owned());
            return;
        }
        let Some(OpenLine { mut line, nags }) = self.lines.pop() else { return };
        line.place.end = place.end;
        let outer = self.innermost();
        if line.moves.is_empty() {
            // Glyphs in parentheses, such as `(=)`.
            outer.nags().extend(nags);
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
mod tests {
    use std::ops::Add;

    use super::*;

    fn games(text: &str) -> Vec<Game> {
        read(text).into_iter().map(|entry| entry.game.expect("a game")).collect()
    }

    fn moves(line: &Line) -> String {
        line.moves.iter().map(|ply| ply.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn reason(text: &str) -> String {
        let entries = read(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!(entries[0].text, text.trim());
        entries[0].game.as_ref().expect_err("an error").to_string()
    }

    #[test]
    fn remarks_keep_their_places() {
        let text = "{before} 1. e4 {a} (1. d4 {b} d5 (1... Nf6 $14) 2. c4) {c} 1... e5! *";
        let [game] = &games(text)[..] else { panic!("one game") };
        assert_eq!(game.moves.before, [Remark::Comment("before".to_owned())]);
        assert_eq!(moves(&game.moves), "e4 e5");
        let [Remark::Comment(a), Remark::Variation(variation), Remark::Comment(c)] =
            &game.moves.moves[0].after[..]
        else {
            panic!("{game:?}")
        };
        assert_eq!((a.as_str(), c.as_str()), ("a", "c"));
        assert_eq!(moves(variation), "d4 d5 c4");
        let [Remark::Variation(inner)] = &variation.moves[1].after[..] else { panic!("{game:?}") };
        assert_eq!((moves(inner).as_str(), inner.moves[0].nags.as_slice()), ("Nf6", &[14][..]));
        assert_eq!(game.moves.moves[1].nags, [1]);
        assert_eq!(game.result.as_deref(), Some("*"));
    }

    #[test]
    fn redundant_words_belong_to_their_game() {
        let text = "1. f3 e5 2. g4 Qh4 mate\n\n[Event \"b\"]\n\n1. e4 *";
        let [first, second] = &read(text)[..] else { panic!("two games") };
        assert_eq!(first.text, "1. f3 e5 2. g4 Qh4 mate");
        assert_eq!((second.line, second.text.lines().next()), (3, Some("[Event \"b\"]")));
    }

    #[test]
    fn games_end_with_their_result_or_before_tags() {
        let text = "[Event \"1\"]\n\n[White \"W\"]\n\n1. e4 1-0 {late}\n{early} 1. d4 * 1. c4 *\n\
                    [Event \"4\"]\n\n1. f4\n\n[Event \"5\"]\n[Event \"6\"]\n\n*\n";
        let games = games(text);
        let first = |game: &Game| moves(&game.moves);
        assert_eq!(games.iter().map(first).collect::<Vec<_>>(), ["e4", "d4", "c4", "f4", "", ""]);
        assert_eq!(games[0].tag("White"), Some("W"));
        assert_eq!(games[0].moves.moves[0].after, [Remark::Comment("late".to_owned())]);
        assert_eq!(games[1].moves.before, [Remark::Comment("early".to_owned())]);
        assert_eq!(games[3].result, None);
        assert_eq!(games[4].tag("Event"), Some("5"));
        assert_eq!(read("").len() + read("\n \n").len(), 0);
    }

    #[test]
    fn errors_are_reported_and_do_not_affect_the_next_game() {
        let open = "a variation is not closed; add the missing )";
        assert_eq!(reason("1. e4\ne5 (1... c5\n *"), format!("line 2: {open}"));
        let deep = format!("1. e4 {} *", "(1. d4 ".repeat(100));
        assert_eq!(reason(&deep), format!("line 1: {open}"));
        assert_eq!(reason("1. e4\ne5 {a"), "line 2: a comment is not closed; add the missing }");
        assert_eq!(reason("hello\nworld"), "line 1: no game: there are neither tags nor moves");
        for bad in ["1. e4 { *", "1. e4 (1. d4", "{ open"] {
            let text = format!("[Event \"1\"]\n{bad}\n\n[Event \"2\"]\n\n1. d4 *");
            let entries = read(&text);
            assert_eq!(entries.len(), 2, "{text}");
            assert!(entries[0].game.is_err() && entries[1].game.is_ok(), "{text}");
            assert_eq!(entries[0].text, format!("[Event \"1\"]\n{bad}"));
        }
    }

    #[test]
    fn text_in_brackets_among_the_moves_begins_no_game() {
        let entries = read("1. e4 e5\n[Better was c5]\n2. Nf3 *\n\n[Event 2]\n\n1. d4 *");
        assert_eq!(entries.len(), 2, "{entries:?}");
        let first = entries[0].game.as_ref().expect("a game");
        assert_eq!(moves(&first.moves), "e4 e5 Nf3");
    }

    #[test]
    fn words_that_repeat_a_move_are_ignored_only_after_it() {
        let entries = read("1. e4 $1 check White gives check *");
        let [entry] = &entries[..] else { panic!("{entries:?}") };
        let warnings: Vec<_> = entry.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[2].contains("\"check\""), "{warnings:?}");
    }

    #[test]
    fn game_after_a_move_number_begins_on_its_line() {
        let entries = read("1. e4 *\n\n12.\n[Event \"a\"]\n\n1. d4 *");
        assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn words_between_games_and_after_results_are_no_games() {
        let text = "[Event \"1\"]\n\n1. e4 1-0 (time) White wins. 1-0\n\nRound two\n\n\
                    [Event \"2\"]\n\n1. d4 * (1. c4)\n1. f4 *";
        let games = games(text);
        let first = |game: &Game| moves(&game.moves);
        assert_eq!(games.iter().map(first).collect::<Vec<_>>(), ["e4", "d4", "f4"]);
        assert_eq!(games[1].tag("Event"), Some("2"));
    }

    #[test]
    fn remarks_and_marks_around_games_are_no_games() {
        let text = "; file of games\n[Event \"1\"]\n\n1. e4 * :)\n\nRound 2 (blitz)! = (\n\n\
                    [Event \"2\"]\n\n1. d4 *\n\n; end of file\n";
        for text in [text.to_owned(), format!("{}\n{text}", "(".repeat(100))] {
            let games = games(&text);
            let tags: Vec<_> = games.iter().map(|game| game.tag("Event")).collect();
            assert_eq!(tags, [Some("1"), Some("2")]);
            assert_eq!(games[1].moves.moves[0].nags, []);
        }
        assert_eq!(read("% x"), []);
        assert_eq!(read("; x"), []);
    }

    #[test]
    fn unknown_text_is_kept_as_a_comment_and_reported_with_its_line() {
        let text = "[Event A]\n[Round]\n\n1. e4\n) foo e5 }\n2. <x> Nf3 *\n\n1. d4 *";
        let entries = read(text);
        assert_eq!(entries.len(), 2, "{entries:?}");
        let game = entries[0].game.as_ref().expect("a game");
        assert_eq!((game.tag("Event"), moves(&game.moves)), (Some("A"), "e4 e5 Nf3".to_owned()));
        let warnings: Vec<_> = entries[0].warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings[0], "line 2: \"[Round]\" is not a move; kept as a comment");
        assert_eq!(warnings[1], "line 5: unexpected \")\"; ignored");
        assert_eq!(warnings[2], "line 5: \"foo\" is not a move; kept as a comment");
        assert_eq!(warnings[3], "line 5: \"}\" is not a move; kept as a comment");
        assert!(warnings[4].starts_with("line 6: \"<"), "{warnings:?}");
        assert_eq!(game.moves.moves[0].after, [Remark::Comment("foo".to_owned())]);
        assert_eq!(entries[1].warnings, []);
    }

    #[test]
    fn many_warnings_are_counted_and_short() {
        let text = format!("[A \"1\"]\n\n{} *", "strange".repeat(10).add(" ").repeat(50_000));
        let warnings = &read(&text)[0].warnings;
        assert_eq!(warnings.len(), MAX_WARNINGS + 1);
        assert!(warnings.iter().all(|warning| warning.reason.len() < 100), "{warnings:?}");
        let last = &warnings[MAX_WARNINGS].reason;
        assert_eq!(*last, format!("and {} more like this", 50_000 - MAX_WARNINGS));
    }

    #[test]
    fn variations_that_cannot_be_read_are_kept_as_text() {
        let deep = format!("{}1. d4{}", "(1. d4 ".repeat(100), ")".repeat(100));
        for (text, kept) in [
            (format!("1. e4 {deep} e5 *"), "(1. d4 (1. d4"),
            ("(1.  d4 {(a} (1. c4)) 1. e4 *".to_owned(), "(1.  d4 {(a} (1. c4))"),
        ] {
            let entries = read(&text);
            let game = entries[0].game.as_ref().expect("a game");
            assert_eq!(entries[0].warnings.len(), 1, "{entries:?}");
            let written = game.to_string();
            assert!(written.replace('\n', " ").contains(kept), "{written}");
            assert_eq!(read(&written)[0].game.as_ref(), Ok(game), "{written}");
        }
    }

    #[test]
    fn glyphs_in_parentheses_or_before_a_move_belong_to_it() {
        let game = &games("1. e4 (=) (N) e5 (!) ({a} D) ($142 1... c5 $1) *")[0];
        assert_eq!(game.moves.moves[0].nags, [10, 146]);
        assert_eq!(game.moves.moves[1].nags, [1, 220]);
        let [Remark::Comment(a), Remark::Variation(line)] = &game.moves.moves[1].after[..] else {
            panic!("{game:?}")
        };
        assert_eq!((a.as_str(), &line.moves[0].nags[..]), ("a", &[142, 1][..]));
    }

    #[test]
    fn game_can_be_read_from_its_start_and_in_slices() {
        let text = "[White A]\n\n1. e4 * [White B]\n2. e5 {a\nb} * 12. [Event \"C\"]\n\n1. d4 )\n\
                    [Event \"D\"]\n(";
        let entries = read(text);
        assert_eq!(entries.len(), 4, "{entries:?}");
        for entry in &entries {
            let again = Entries::new(text, entry.start, entry.line).next();
            assert_eq!(again.as_ref(), Some(entry));
        }
        let mut slices = super::entries(text);
        let in_slices = (1..=text.len() + 1)
            .flat_map(|end| std::iter::from_fn(|| slices.next_before(end)).collect::<Vec<_>>());
        assert_eq!(in_slices.collect::<Vec<_>>(), entries);
    }

    #[test]
    fn games_in_one_line_are_read_in_linear_time() {
        // In quadratic time each of these would take minutes.
        const COUNT: usize = 200_000;
        let begun = std::time::Instant::now();
        for part in ["{a} ", "$1 ", "(e4) ", "; a ", "1-0 ", "e4 ", "foo ", ") ", "[A \"a\"] "] {
            let text = format!("[Event \"a\"]\n\n1. e4 {} *\n", part.repeat(COUNT));
            assert!(entries(&text).count() <= COUNT + 2, "{part}");
            let text = format!("[Event \"a\"]\n{{\n{} *\n", part.repeat(COUNT));
            assert!(entries(&text).count() <= COUNT + 2, "{part}");
        }
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }
}
