//! Splits PGN into tokens. Lexing never fails: meaningless text becomes [`Token::Unknown`].
//!
//! It takes linear time, even if the text is a single line: the lookahead beyond a token is
//! bounded, or its result is kept for the next tokens.

use super::numbers::MoveNumber;
use super::words::{
    Word, glyph_at, is_blank, is_iccf, is_symbol, move_number, narrow, result_at, standard_result,
    word_at,
};

/// A token of PGN. Move numbers and blanks are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A tag, `[Name "Value"]`, with its value unescaped.
    Tag { name: &'a str, value: String },
    /// A move, legal or not.
    Move(String),
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

/// The quotation marks around tag values, as found in files.
const QUOTES: [char; 8] = ['"', '\'', '“', '”', '„', '‟', '«', '»'];

/// Iterates over the tokens of a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    pub(super) at: usize,
    line: usize,
    /// Whether only blanks precede on this line.
    is_first: bool,
    /// An earlier lookahead found that no quoted tag value ends before this byte.
    unclosed_until: usize,
    /// Whether a move followed the last tag or result.
    has_move: bool,
    /// Whether the last token was a move, or belonged to one.
    is_behind_move: bool,
    /// Whether a word without meaning precedes, without a number between.
    is_behind_unknown: bool,
    /// The move number that was skipped last, before the next token.
    number: Option<MoveNumber>,
}

impl<'a> Lexer<'a> {
    /// `at` is the byte where the text or a game begins, and `line` its line.
    pub(super) fn new(text: &'a str, at: usize, line: usize) -> Lexer<'a> {
        let left = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        Lexer {
            text,
            at,
            line,
            is_first: text[left..at].chars().all(is_blank),
            unclosed_until: 0,
            has_move: false,
            is_behind_move: false,
            is_behind_unknown: false,
            number: None,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn is_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.line += taken.matches('\n').count();
        self.at += len;
        taken
    }

    /// Takes the rest of the line, without the newline.
    fn take_line(&mut self) -> &'a str {
        self.take(self.rest().find('\n').unwrap_or(self.rest().len()))
    }

    /// Skips blanks and move numbers.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            self.is_first |= self.take(blanks).contains('\n');
            let rest = self.rest();
            let number = if result_at(rest).is_some() { None } else { move_number(rest) };
            let Some((len, number)) = number else { return };
            match &mut self.number {
                // `1. ...` is a single number, of Black.
                Some(last) if number.value == 0 => last.dots += number.dots,
                _ if number.value == 0 => {}
                last => *last = Some(number),
            }
            self.take(len);
            self.is_first = false;
            self.is_behind_unknown = false;
        }
    }

    /// Takes a comment in braces.
    fn comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        // An unclosed comment must not swallow the next game.
        let ends = |&(at, _): &(usize, &str)| {
            let before = rest.as_bytes()[..at].last();
            !rest[at..].starts_with('[')
                || before == Some(&b'\n') && rest[at..].starts_with("[Event \"")
        };
        match rest.match_indices(['}', '[']).find(ends) {
            Some((close, "}")) => Token::Comment(self.take(close + 1)[1..close].trim()),
            end => {
                self.take(end.map_or(rest.len(), |(at, _)| at));
                Token::OpenComment
            }
        }
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
        if self.at < self.unclosed_until {
            return None;
        }
        let closes = |at: usize| {
            let behind = quoted[at..].trim_start_matches([' ', '\t']);
            behind.starts_with(']').then(|| text.len() - behind.len() + 1)
        };
        let mut value = String::new();
        // The end of the value and of the tag, if the value ends with a backslash.
        let mut last_escape = None;
        let mut chars = quoted.char_indices();
        let mut end = quoted.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => {
                    end = at;
                    break;
                }
                '"' => {
                    if let Some(len) = closes(at + 1) {
                        return Some((name, value, len));
                    }
                    value.push('"');
                }
                '\\' => match quoted[at + 1..].chars().next() {
                    Some(escaped @ ('"' | '\\')) => {
                        if escaped == '"'
                            && let Some(len) = closes(at + 2)
                        {
                            last_escape = Some((value.len(), len));
                        }
                        value.push(escaped);
                        chars.next();
                    }
                    _ => value.push('\\'),
                },
                _ => value.push(c),
            }
        }
        if last_escape.is_none() {
            self.unclosed_until = self.at + text.len() - quoted.len() + end;
        }
        last_escape.map(|(value_len, len)| (name, value[..value_len].to_owned() + "\\", len))
    }

    /// The name, value and length of a malformed tag on a line of its own: quotation marks or the
    /// closing bracket are missing, or the marks are typographic.
    fn unquoted_tag(&self) -> Option<(&'a str, String, usize)> {
        if !self.is_first {
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
                || !self.has_move && without_bracket.is_some() && value.starts_with([' ', '\t']));
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
                    if self.is_behind_unknown
                        && text.len() == 2
                        && text.bytes().all(|letter| letter.is_ascii_lowercase()) =>
                {
                    Token::Unknown(taken)
                }
                // A year, or a number between games.
                Word::Move(text)
                    if is_iccf(&text)
                        && (self.is_behind_unknown || !self.has_move && self.number.is_none()) =>
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
                        self.number = Some(MoveNumber { value, dots: 0 });
                    }
                    Token::Move(text)
                }
                Word::Nag(nag) => Token::Nag(nag),
                Word::Redundant if self.is_behind_move => Token::Redundant,
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
        if let Some((len, result)) = result_at(self.rest()) {
            self.take(len);
            return Token::Result(result);
        }
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
            _ => self.word(),
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Spanned<'a>;

    fn next(&mut self) -> Option<Spanned<'a>> {
        self.number = None;
        self.skip();
        let (start, line) = (self.at, self.line);
        let token = self.token(self.rest().chars().next()?);
        self.is_first = self.is_line_start();
        self.is_behind_move = match token {
            Token::Move(_) => true,
            Token::Nag(_) | Token::Redundant => self.is_behind_move,
            _ => false,
        };
        self.is_behind_unknown = matches!(token, Token::Unknown(_));
        match token {
            Token::Move(_) => self.has_move = true,
            Token::Tag { .. } | Token::Result(_) => self.has_move = false,
            _ => {}
        }
        Some(Spanned { token, start, end: self.at, line, number: self.number })
    }
}

/// The name of the tag at the beginning of a text, and the rest.
fn tag_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?.trim_start_matches([' ', '\t']);
    let len = inner.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    (len > 0).then(|| inner.split_at(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        Lexer::new(text, 0, 1).map(|spanned| spanned.token).collect()
    }

    fn symbols(text: &str) -> String {
        let tokens = tokens(text).into_iter().filter(|token| *token != Token::Redundant);
        let written = tokens.map(|token| match token {
            Token::Move(text) => text,
            Token::Nag(nag) => format!("${nag}"),
            Token::Result(result) => format!("={result}"),
            Token::Unknown(text) => format!("?{text}"),
            other => format!("{other:?}"),
        });
        written.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn move_numbers_are_skipped() {
        for text in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3", "1.e4 1...e5 2 Nf3", "1 e4 … e5\n2.\nNf3"]
        {
            assert_eq!(symbols(text), "e4 e5 Nf3", "{text}");
        }
        assert_eq!(symbols("5.0-0 0-0-0 6.0000 -- Z0"), "0-0 0-0-0 0000 -- Z0");
        assert_eq!(symbols("１．ｅ４！　ｅ５ ２． Ｎｆ３？！ １－０"), "e4 $1 e5 Nf3 $6 =1-0");
    }

    #[test]
    fn results_are_distinguished_from_moves() {
        assert_eq!(symbols("1-0 0-1 1/2-1/2 ½-½ * 1/2"), "=1-0 =0-1 =1/2-1/2 =1/2-1/2 =* =1/2-1/2");
        assert_eq!(symbols("10.Kf1 1-0"), "Kf1 =1-0");
    }

    #[test]
    fn numbers_of_four_digits_are_moves_of_iccf_only_where_moves_are() {
        assert_eq!(symbols("1. 5254 5755 2 7163 28-36 (2836)"), {
            "5254 5755 7163 28-36 Open 2836 Close"
        });
        assert_eq!(
            symbols("1854 e4 Paris 1834 2024 1-0 1854"),
            "?1854 e4 ?Paris ?1834 ?2024 =1-0 ?1854"
        );
        assert_eq!(symbols("1234. e4 1. 5252 5952"), "e4 ?5252 ?5952");
    }

    #[test]
    fn glyphs_have_numbers() {
        assert_eq!(symbols("e4! e5?? Nf3!? $13 +- d6 =+ ?! Qh5+!!! ±"), {
            "e4 $1 e5 $4 Nf3 $5 $13 $18 d6 $15 $6 Qh5+ $3 $16"
        });
        assert_eq!(symbols("exd6e.p. exd6 e.p. e8=Q+"), "exd6 exd6 e8=Q+");
        assert_eq!(symbols("e4 d5 gambito de rey 2. ed ed"), "e4 d5 ?gambito ?de ?rey ed ed");
        assert_eq!(symbols("$x $99999"), "?$ ?x ?$99999");
        assert_eq!(
            symbols("Nf3N TN D (+=) Qh4+- e4∞ ∆ Nf3□"),
            "Nf3 $146 $146 $220 Open $14 Close Qh4 $18 e4 $13 $140 Nf3 $7"
        );
    }

    #[test]
    fn tags_keep_their_values() {
        for (text, value) in [
            (r#"[White "A \"B\" \\ C"]"#, r#"A "B" \ C"#),
            (r#"[White "A "B" C"]"#, r#"A "B" C"#),
            (r#"[ White  "A" ]"#, "A"),
            (r#"[White "C:\"]"#, r"C:\"),
            (r#"[White "C:\D"]"#, r"C:\D"),
            (r#"[White "[A]"]"#, "[A]"),
            (r#"[White ""]"#, ""),
        ] {
            let tag = Token::Tag { name: "White", value: value.to_owned() };
            assert_eq!(tokens(text), [tag], "{text}");
        }
        assert_eq!(tokens(r#"[A "1"][B "2"] [C "3"]"#).len(), 3);
        for value in ["A]", "\"A]", "A\"]", "“A”]", "\"A\"", "'A' ]"] {
            let tag = Token::Tag { name: "White", value: "A".to_owned() };
            assert_eq!(tokens(&format!("[White {value}\n"))[..1], [tag], "{value}");
        }
        for text in ["[", "[]", "[Event]", "[\"A\"]", "[e5]", "[Event \u{3a9}"] {
            assert!(matches!(tokens(text)[0], Token::Unknown(_)), "{text}");
        }
        assert_eq!(tokens("e4 [%eval 0.1]")[1], Token::Comment("[%eval 0.1]"));
    }

    #[test]
    fn comments_end_at_their_closing_brace() {
        assert_eq!(tokens("{ a { b }"), [Token::Comment("a { b")]);
        assert_eq!(tokens("; a } b\n{\n% c\n}"), [Token::Comment("a } b"), Token::Comment("% c")]);
        assert_eq!(tokens("% a\n{b}"), [Token::Escape(" a"), Token::Comment("b")]);
        let open = tokens("e4 { a\n\n[Event \"B\"]");
        assert_eq!(open[1], Token::OpenComment);
        assert!(matches!(&open[2], Token::Tag { name: "Event", .. }));
    }

    #[test]
    fn tokens_have_their_bytes_and_lines() {
        let text = "[A \"1\"]\n\n1. e4 { a\nb } e5";
        let places: Vec<_> = Lexer::new(text, 0, 1)
            .map(|token| (&text[token.start..token.end], token.line))
            .collect();
        assert_eq!(places, [("[A \"1\"]", 1), ("e4", 3), ("{ a\nb }", 3), ("e5", 4)]);
    }

    #[test]
    fn byte_order_marks_and_invisible_characters_are_blanks() {
        assert_eq!(symbols("\u{feff}1.\u{200b}e4\u{a0}e5 *\u{feff}1. d4"), "e4 e5 =* d4");
        assert_eq!(symbols("1. e4 *\r\n\u{1a}"), "e4 =*");
    }

    #[test]
    fn text_in_one_line_is_read_in_linear_time() {
        const COUNT: usize = 2_000;
        for part in [
            "[a \"",
            "[A \\\"] ",
            "[[",
            "[A x",
            "{a} ",
            "$1 ",
            "\" ",
            "1 ",
            "1-",
            "1",
            "5254 ",
            "( ",
            "e4 ",
        ] {
            assert_linear(part, COUNT, |count| {
                Lexer::new(&part.repeat(count), 0, 1).for_each(drop);
            });
        }
        assert_linear("open comments", COUNT, |count| {
            let open = "[Event \"a\"]\n{\n".repeat(count);
            assert_eq!(Lexer::new(&open, 0, 1).count(), 2 * count);
        });
        assert_linear("quotes", COUNT, |count| {
            let quotes = format!("[Event \"{}\"]", "\\\"]".repeat(count));
            assert_eq!(Lexer::new(&quotes, 0, 1).count(), 1);
        });
    }
}
