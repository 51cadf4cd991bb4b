//! Splits PGN into tokens. Lexing never fails: meaningless text becomes [`Token::Unknown`].
//!
//! It takes linear time, even if the text is a single line: the lookahead beyond a token is
//! bounded, or its result is kept for the next tokens.

use super::MoveText;
use super::numbers::MoveNumber;
use super::plain::{plain_move, plain_number};
use super::words::{
    Word, glyph_at, iccf_move, is_blank, is_symbol, move_number, narrow, result_at,
    standard_result, word_at,
};

/// A token of PGN. Move numbers and blanks are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A tag, `[Name "Value"]`, with its value unescaped.
    Tag { name: &'a str, value: String },
    /// A move, legal or not.
    Move(MoveText),
    /// A result in the standard's form.
    Result(&'static str),
    /// A numeric annotation glyph, even if written as `!` or `+-`.
    Nag(u16),
    /// A word behind a move that adds nothing (`mate`, `e.p.`).
    Redundant,
    /// A comment in braces or after a semicolon.
    Comment(&'a str),
    /// A line that begins with `%`.
    Escape(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// Text without meaning in PGN.
    Unknown(&'a str),
    /// A comment without its closing brace.
    OpenComment,
}

/// A token, its range of bytes and its line (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned<'a> {
    pub(super) token: Token<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: usize,
    /// The move number before the token.
    pub(super) number: Option<MoveNumber>,
}

/// The lookahead for the closing bracket of a command outside of comments, in characters.
const MAX_COMMAND: usize = 200;

/// The size of the parts, in bytes, in which the end of a comment is searched for.
const PART: usize = 1 << 10;

/// The quotation marks around tag values, as found in files.
const QUOTES: [char; 8] = ['"', '\'', '“', '”', '„', '‟', '«', '»'];

/// Iterates over the tokens of a text, from the cursor on.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) cursor: Cursor,
}

/// The state of a lexer between two tokens, so that another one can continue when the text has
/// become longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The next byte.
    pub(super) at: usize,
    pub(super) line: usize,
    /// Whether only blanks precede on this line.
    is_first: bool,
    /// An earlier lookahead found that no quoted tag value ends before this byte.
    pub(super) unclosed_until: usize,
    /// Whether a move followed the last tag or result.
    has_move: bool,
    /// Whether the last token was a move, or belonged to one.
    is_behind_move: bool,
    /// Whether a word without meaning precedes, without a number between.
    is_behind_unknown: bool,
    /// The move number that was skipped last, before the next token.
    pub(super) number: Option<MoveNumber>,
}

impl Cursor {
    /// Skips plain blanks and move numbers. Returns true if a token follows for certain.
    #[inline]
    fn skip_plain(&mut self, bytes: &[u8]) -> bool {
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.is_first = true;
                }
                b'1'..=b'9' => {
                    let Some((len, number)) = plain_number(&bytes[self.at..]) else {
                        return false;
                    };
                    self.number = Some(number);
                    self.at += len;
                    self.is_first = false;
                    self.is_behind_unknown = false;
                }
                // Blanks, and what may begin a number.
                b',' | b'.' | b'0' => return false,
                b'!'..=b'~' => return true,
                _ => return false,
            }
        }
        false
    }
}

impl<'a> Lexer<'a> {
    /// `at` is the byte where the text or a game begins, and `line` its line.
    pub(super) fn new(text: &'a str, at: usize, line: usize) -> Lexer<'a> {
        let left = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let cursor = Cursor {
            at,
            line,
            is_first: text[left..at].chars().all(is_blank),
            unclosed_until: 0,
            has_move: false,
            is_behind_move: false,
            is_behind_unknown: false,
            number: None,
        };
        Lexer { text, cursor }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.cursor.at..]
    }

    fn is_line_start(&self) -> bool {
        self.cursor.at == 0 || self.text.as_bytes()[self.cursor.at - 1] == b'\n'
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.cursor.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.cursor.at += len;
        taken
    }

    /// Takes the rest of the line, without the newline.
    fn take_line(&mut self) -> &'a str {
        self.take(self.rest().find('\n').unwrap_or(self.rest().len()))
    }

    /// Skips blanks and move numbers.
    fn skip(&mut self, is_plain_allowed: bool) {
        loop {
            if is_plain_allowed && self.cursor.skip_plain(self.text.as_bytes()) {
                return;
            }
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            self.cursor.is_first |= self.take(blanks).contains('\n');
            let rest = self.rest();
            let number = if result_at(rest).is_some() { None } else { move_number(rest) };
            let Some((len, number)) = number else { return };
            match &mut self.cursor.number {
                // `1. ...` is a single number, of Black.
                Some(last) if number.value == 0 => last.dots += number.dots,
                _ if number.value == 0 => {}
                last => *last = Some(number),
            }
            self.take(len);
            self.cursor.is_first = false;
            self.cursor.is_behind_unknown = false;
        }
    }

    /// Takes a plain move, as [`next`](Iterator::next) does, but with less to copy: its end, line and
    /// number are in the cursor. Takes nothing if it does not follow.
    #[inline]
    pub(super) fn plain_move(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let mut cursor = self.cursor;
        cursor.number = None;
        if !cursor.skip_plain(bytes) {
            return None;
        }
        let start = cursor.at;
        let len = plain_move(&bytes[start..])?;
        cursor.at += len;
        cursor.is_first = false;
        cursor.is_behind_move = true;
        cursor.is_behind_unknown = false;
        cursor.has_move = true;
        self.cursor = cursor;
        Some(&self.text[start..cursor.at])
    }

    /// Takes a comment in braces.
    fn comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        // An unclosed comment must not swallow the next game.
        let begins_game =
            |at: &usize| rest.as_bytes()[at - 1] == b'\n' && rest[*at..].starts_with("[Event \"");
        let mut from = 1;
        while from < rest.len() {
            let end = rest.floor_char_boundary(from + PART);
            let close = rest[from..end].find('}').map(|close| from + close);
            let mut brackets = rest[from..close.unwrap_or(end)].match_indices('[');
            if let Some(at) = brackets.find_map(|(at, _)| Some(from + at).filter(begins_game)) {
                self.take(at);
                return Token::OpenComment;
            }
            if let Some(close) = close {
                return Token::Comment(self.take(close + 1)[1..close].trim());
            }
            from = end;
        }
        self.take(rest.len());
        Token::OpenComment
    }

    /// Takes text that begins with a bracket.
    fn bracket(&mut self) -> Token<'a> {
        let rest = self.rest();
        if let Some((name, value, len)) = self.quoted_tag().or_else(|| self.unquoted_tag()) {
            self.take(len);
            return Token::Tag { name, value };
        }
        let mut chars = rest.char_indices().take(MAX_COMMAND);
        let len = match chars.find(|(_, c)| matches!(c, ']' | '\n')) {
            Some((close, ']')) => close + 1,
            _ => 1,
        };
        let taken = self.take(len);
        if taken.starts_with("[%") { Token::Comment(taken) } else { Token::Unknown(taken) }
    }

    /// The name, value and length of the tag that begins here. A quotation mark in the value need
    /// not be escaped unless a bracket follows.
    fn quoted_tag(&mut self) -> Option<(&'a str, String, usize)> {
        let text = self.rest();
        let (name, rest) = tag_name(text)?;
        let quoted = rest.trim_start_matches([' ', '\t']).strip_prefix('"')?;
        if self.cursor.at < self.cursor.unclosed_until {
            return None;
        }
        let closes = |at: usize| {
            let behind = quoted[at..].trim_start_matches([' ', '\t']);
            behind.starts_with(']').then(|| text.len() - behind.len() + 1)
        };
        let mut value = String::new();
        // The end of the value and of the tag, if the value ends with a backslash.
        let mut last_escape = None;
        let is_special = |byte| matches!(byte, b'"' | b'\\' | b'\n');
        let mut at = 0;
        loop {
            let rest = &quoted[at..];
            let plain = &rest[..rest.bytes().position(is_special).unwrap_or(rest.len())];
            value.push_str(plain);
            at += plain.len();
            match &quoted.as_bytes()[at..] {
                [b'"', ..] => {
                    if let Some(len) = closes(at + 1) {
                        return Some((name, value, len));
                    }
                    value.push('"');
                    at += 1;
                }
                [b'\\', escaped @ (b'"' | b'\\'), ..] => {
                    if *escaped == b'"'
                        && let Some(len) = closes(at + 2)
                    {
                        last_escape = Some((value.len(), len));
                    }
                    value.push(char::from(*escaped));
                    at += 2;
                }
                [b'\\', ..] => {
                    value.push('\\');
                    at += 1;
                }
                _ => break,
            }
        }
        if last_escape.is_none() {
            self.cursor.unclosed_until = self.cursor.at + text.len() - quoted.len() + at;
        }
        last_escape.map(|(value_len, len)| (name, value[..value_len].to_owned() + "\\", len))
    }

    /// The name, value and length of a malformed tag on a line of its own: quotation marks or the
    /// closing bracket are missing, or the marks are typographic.
    fn unquoted_tag(&self) -> Option<(&'a str, String, usize)> {
        if !self.cursor.is_first {
            return None;
        }
        let line = self.rest().lines().next()?.trim_end();
        let (name, rest) = tag_name(line)?;
        let without_bracket = rest.strip_suffix(']');
        let value = without_bracket.unwrap_or(rest);
        let inner = value.trim();
        let is_quoted = inner.starts_with(QUOTES);
        let is_tag = name.starts_with(|c: char| c.is_ascii_uppercase())
            && !inner.is_empty()
            && (is_quoted
                || !self.cursor.has_move
                    && without_bracket.is_some()
                    && value.starts_with([' ', '\t']));
        is_tag.then(|| (name, inner.trim_matches(QUOTES).to_owned(), line.len()))
    }

    /// Takes a glyph, a move or a word.
    fn word(&mut self) -> Token<'a> {
        let rest = self.rest();
        if let Some((len, nag)) = glyph_at(rest) {
            self.take(len);
            return Token::Nag(nag);
        }
        if rest.starts_with(is_symbol) {
            let (len, word) = word_at(rest);
            let taken = self.take(len);
            return match word {
                // `de` and `fe` are words of several languages.
                Word::Move(text)
                    if self.cursor.is_behind_unknown
                        && text.len() == 2
                        && text.bytes().all(|letter| letter.is_ascii_lowercase()) =>
                {
                    Token::Unknown(taken)
                }
                // A year, or a number between games.
                Word::Move(text)
                    if iccf_move(&text).is_some()
                        && (self.cursor.is_behind_unknown
                            || !self.cursor.has_move && self.cursor.number.is_none()) =>
                {
                    Token::Unknown(taken)
                }
                Word::Move(text) => {
                    // A number that is attached without a dot.
                    let letters = taken.trim_start_matches(|c: char| c.is_ascii_digit());
                    let digits = &taken[..taken.len() - letters.len()];
                    if let Ok(value) = digits.parse()
                        && !text.starts_with(digits)
                    {
                        self.cursor.number = Some(MoveNumber { value, dots: 0 });
                    }
                    Token::Move(text.into())
                }
                Word::Nag(nag) => Token::Nag(nag),
                Word::Redundant if self.cursor.is_behind_move => Token::Redundant,
                Word::Redundant | Word::Unknown => {
                    let narrow: String = taken.chars().map(narrow).collect();
                    standard_result(&narrow).map_or(Token::Unknown(taken), Token::Result)
                }
            };
        }
        let is_strange = |c: char| !(is_blank(c) || is_symbol(c) || "()[]{};$*!?.".contains(c));
        let mut strange = rest.char_indices().skip(1);
        let end = |(_, c): &(usize, char)| {
            !is_strange(*c) || glyph_at(c.encode_utf8(&mut [0; 4])).is_some()
        };
        let len = strange.find(end).map_or(rest.len(), |(at, _)| at);
        Token::Unknown(self.take(len))
    }

    /// Takes the token that begins with the character `first`.
    fn token(&mut self, first: char) -> Token<'a> {
        match first {
            '%' if self.is_line_start() => Token::Escape(&self.take_line()[1..]),
            '[' => self.bracket(),
            '{' => self.comment(),
            ';' => Token::Comment(self.take_line()[1..].trim()),
            '(' => {
                self.take(1);
                Token::Open
            }
            ')' => {
                self.take(1);
                Token::Close
            }
            '}' | ']' => Token::Unknown(self.take(1)),
            '$' => {
                let digits = self.rest()[1..].bytes().take_while(u8::is_ascii_digit).count();
                let taken = self.take(1 + digits);
                taken[1..].parse().map_or(Token::Unknown(taken), Token::Nag)
            }
            _ => match result_at(self.rest()) {
                Some((len, result)) => {
                    self.take(len);
                    Token::Result(result)
                }
                None => self.word(),
            },
        }
    }
}

impl<'a> Lexer<'a> {
    /// The next token. Without `is_plain_allowed` only the general code reads it.
    #[inline]
    pub(super) fn step(&mut self, is_plain_allowed: bool) -> Option<Spanned<'a>> {
        self.cursor.number = None;
        self.skip(is_plain_allowed);
        let (start, line) = (self.cursor.at, self.cursor.line);
        let token = self.token(self.rest().chars().next()?);
        let cursor = &mut self.cursor;
        cursor.is_first = cursor.at > 0 && self.text.as_bytes()[cursor.at - 1] == b'\n';
        cursor.is_behind_move = match token {
            Token::Move(_) => true,
            Token::Nag(_) | Token::Redundant => cursor.is_behind_move,
            _ => false,
        };
        cursor.is_behind_unknown = matches!(token, Token::Unknown(_));
        match token {
            Token::Move(_) => cursor.has_move = true,
            Token::Tag { .. } | Token::Result(_) => cursor.has_move = false,
            _ => {}
        }
        Some(Spanned { token, start, end: cursor.at, line, number: cursor.number })
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Spanned<'a>;

    #[inline]
    fn next(&mut self) -> Option<Spanned<'a>> {
        self.step(true)
    }
}

/// The name of the tag at the beginning of a text, and the rest.
fn tag_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?.trim_start_matches([' ', '\t']);
    let len = inner.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    (len > 0).then(|| inner.split_at(len))
}

#[cfg(test)]
mod tests;
