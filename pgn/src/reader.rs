//! Tokens put together to games. Whatever the file, every game of it comes out: read, or
//! as text with the reason why it could not be read.

use super::lexer::{Lexer, Spanned, Token};
use super::{Game, Line, Ply, Remark};

/// The deepest nesting of variations. People do not write more than a few.
const MAX_DEPTH: usize = 64;

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct PgnError {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line of the file that it begins on, from 1.
    pub line: usize,
    /// Its text as it stands in the file, without blank lines around.
    pub text: String,
    /// What that says.
    pub game: Result<Game, PgnError>,
}

/// The games of a text. A game ends with its result, or where tags follow moves.
#[must_use]
pub fn read(text: &str) -> Vec<Entry> {
    entries(text).collect()
}

/// The games of a text one after the other, for texts that are long; see [`read`].
#[must_use]
pub fn entries(text: &str) -> Entries<'_> {
    Entries { text, lexer: Lexer::new(text), draft: None, end: 0 }
}

/// The games of a text, from [`entries`].
pub struct Entries<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The game being read.
    draft: Option<Draft>,
    /// Where the last token ends.
    end: usize,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        while let Some(spanned) = self.lexer.next() {
            let complete = self.take(spanned);
            if complete.is_some() {
                return complete;
            }
        }
        self.finish()
    }
}

impl Entries<'_> {
    /// Adds a token to the game being read, or begins one with it; then the one before is
    /// complete.
    fn take(&mut self, spanned: Spanned<'_>) -> Option<Entry> {
        let Spanned { token, start, end, line } = spanned;
        let begins_anew = self.draft.as_ref().is_some_and(|draft| match &token {
            Token::Tag { name, .. } => draft.is_before_tag(name),
            // Remarks on the result, on its line.
            Token::Comment(_) | Token::Nag(_) => {
                draft.is_ended && self.text[draft.end..start].contains('\n')
            }
            _ => draft.is_ended,
        });
        let complete = if begins_anew { self.finish() } else { None };
        // A number before the first move belongs to the game, too.
        let draft = self.draft.get_or_insert_with(|| Draft::new(self.end, line));
        draft.end = end;
        self.end = end;
        let is_line_end = self.text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        draft.take(token, line, is_line_end);
        complete
    }

    /// The game being read is complete.
    fn finish(&mut self) -> Option<Entry> {
        self.draft.take().map(|draft| draft.finish(self.text))
    }
}

/// A game of which the beginning has been read.
struct Draft {
    /// Its part of the text so far, in bytes.
    start: usize,
    end: usize,
    /// The line it begins on.
    line: usize,
    game: Game,
    /// The line of moves being read and those around it, the innermost last.
    lines: Vec<Line>,
    /// Whether something other than tags has been read.
    has_moves: bool,
    is_ended: bool,
    error: Option<PgnError>,
}

impl Draft {
    fn new(start: usize, line: usize) -> Draft {
        Draft {
            start,
            end: start,
            line,
            game: Game::default(),
            lines: vec![Line::default()],
            has_moves: false,
            is_ended: false,
            error: None,
        }
    }

    /// Whether a tag of this name belongs to the next game.
    fn is_before_tag(&self, name: &str) -> bool {
        let is_next_event = name == "Event" && self.game.tag(name).is_some();
        self.has_moves || self.is_ended || is_next_event
    }

    fn take(&mut self, token: Token<'_>, line: usize, is_line_end: bool) {
        let problem = match token {
            Token::Tag { name, value } => {
                self.game.tags.push((name.to_owned(), value));
                None
            }
            _ if self.error.is_some() => {
                // Nothing is certain any more but the end of a line.
                self.is_ended = matches!(token, Token::Result(_)) && is_line_end;
                self.has_moves = true;
                None
            }
            Token::Comment(text) => {
                self.remark(Remark::Comment(text.to_owned()));
                None
            }
            Token::Escape(text) => {
                self.remark(Remark::Escape(text.to_owned()));
                None
            }
            token => {
                // What cannot be read among the tags does not end them.
                self.has_moves |= !matches!(token, Token::Bad(_));
                self.take_move(token)
            }
        };
        if let Some(reason) = problem {
            self.error = Some(PgnError { line, reason });
        }
    }

    /// Takes what stands among the moves; says what is wrong.
    fn take_move(&mut self, token: Token<'_>) -> Option<String> {
        match token {
            Token::Symbol(text) => {
                self.innermost().moves.push(Ply { text: text.to_owned(), ..Ply::default() });
            }
            // Before the first move there is nothing to be marked.
            Token::Nag(nag) => {
                if let Some(ply) = self.innermost().moves.last_mut() {
                    ply.nags.push(nag);
                }
            }
            Token::Open if self.innermost().moves.is_empty() => {
                return Some("a variation of no move".to_owned());
            }
            Token::Open if self.lines.len() > MAX_DEPTH => {
                return Some(format!("variations are nested more than {MAX_DEPTH} deep"));
            }
            Token::Open => self.lines.push(Line::default()),
            Token::Close => match self.lines.pop() {
                Some(variation) if !self.lines.is_empty() => {
                    self.remark(Remark::Variation(variation));
                }
                _ => return Some("unexpected \")\"".to_owned()),
            },
            // The result of a variation is a remark on it.
            Token::Result(result) if self.lines.len() > 1 => {
                self.remark(Remark::Comment(result.to_owned()));
            }
            Token::Result(result) => {
                self.game.result = Some(result.to_owned());
                self.is_ended = true;
            }
            Token::Bad(reason) => return Some(reason),
            Token::Tag { .. } | Token::Comment(_) | Token::Escape(_) => {}
        }
        None
    }

    fn innermost(&mut self) -> &mut Line {
        if self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn remark(&mut self, remark: Remark) {
        let line = self.innermost();
        let remarks = line.moves.last_mut().map_or(&mut line.before, |ply| &mut ply.after);
        remarks.push(remark);
    }

    fn finish(mut self, text: &str) -> Entry {
        let text = text[self.start..self.end].trim();
        let last_line = self.line + text.matches('\n').count();
        if self.error.is_none() && self.lines.len() > 1 {
            let reason = "a variation is not closed".to_owned();
            self.error = Some(PgnError { line: last_line, reason });
        }
        let game = match self.error {
            Some(error) => Err(error),
            None => {
                self.game.moves = self.lines.pop().unwrap_or_default();
                Ok(self.game)
            }
        };
        Entry { line: self.line, text: text.to_owned(), game }
    }
}

#[cfg(test)]
mod tests {
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
        entries[0].game.as_ref().expect_err("it is wrong").to_string()
    }

    #[test]
    fn remarks_stand_where_they_stood() {
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
    fn what_is_wrong_is_told_and_does_not_reach_the_next_game() {
        assert_eq!(reason("1. e4\ne5 ) *"), "line 2: unexpected \")\"");
        assert_eq!(reason("1. e4 (1. d4 *"), "line 1: a variation is not closed");
        assert_eq!(reason("(1. d4) *"), "line 1: a variation of no move");
        assert_eq!(reason("1. e4 <x> *"), "line 1: unexpected \"<\"");
        assert_eq!(reason("[Event A]\n1. e4 *"), "line 1: not a tag: [Event A]");
        assert!(reason(&format!("1. e4 {} *", "(1. d4 ".repeat(100))).contains("nested"));
        for bad in [
            "1. e4 { *",
            "1. e4 (1. d4",
            "1. e4 } 1-0",
            "1. e4 <\n\n*",
            "[X]\n[A \"1\"]\n[B \"2\"]",
        ] {
            let text = format!("[Event \"1\"]\n{bad}\n\n[Event \"2\"]\n\n1. d4 *");
            let entries = read(&text);
            assert_eq!(entries.len(), 2, "{text}");
            assert!(entries[0].game.is_err() && entries[1].game.is_ok(), "{text}");
            assert_eq!(entries[0].text, format!("[Event \"1\"]\n{bad}"));
        }
        let entries = read("1. e4 ) 1-0\n1. d4 *");
        assert!(entries[0].game.is_err() && entries[1].game.is_ok(), "{entries:?}");
    }
}
