//! PGN as tokens. Nothing here fails: what cannot be read is a token that says so.

/// What the text is made of. Numbers of moves, and blanks, are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A tag, `[Name "Value"]`, with its value as it is meant.
    Tag { name: &'a str, value: String },
    /// A move, or what stands in the place of one.
    Symbol(&'a str),
    /// A result, in the form of the standard.
    Result(&'static str),
    /// A numeric annotation glyph, also where it was written `!` or `+-`.
    Nag(u16),
    /// A comment in braces or behind a semicolon.
    Comment(&'a str),
    /// A line that begins with `%`.
    Escape(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// Something else; says what is wrong with it.
    Bad(String),
}

/// A token and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned<'a> {
    pub(super) token: Token<'a>,
    /// The bytes of the text that it takes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The line of the text that it begins on, from 1.
    pub(super) line: usize,
}

/// Glyphs that have a number, the longest first.
const GLYPHS: [(&str, u16); 20] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("!", 1),
    ("?", 2),
    ("=", 10),
    ("±", 16),
    ("∓", 17),
    ("⩲", 14),
    ("⩱", 15),
    ("∞", 13),
];

/// Written behind a capture en passant.
const EN_PASSANT: &str = "e.p.";

/// What is written for a result, and the standard's form of it.
const RESULTS: [(&str, &str); 7] = [
    ("1-0", "1-0"),
    ("0-1", "0-1"),
    ("1/2-1/2", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("½-½", "1/2-1/2"),
    ("½", "1/2-1/2"),
    ("*", "*"),
];

/// The standard's form of a result, however it is `written`.
pub(super) fn standard_result(written: &str) -> Option<&'static str> {
    RESULTS.iter().find(|(form, _)| *form == written).map(|&(_, standard)| standard)
}

/// The tokens of a text, one after the other.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn is_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    /// Takes the next `len` bytes.
    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.line += taken.matches('\n').count();
        self.at += len;
        taken
    }

    /// Takes up to the end of the line, which stays.
    fn take_line(&mut self) -> &'a str {
        self.take(self.rest().find('\n').unwrap_or(self.rest().len()))
    }

    /// Passes over what means nothing.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let number = move_number(&rest[blank..]);
            let en_passant = if rest.starts_with(EN_PASSANT) { EN_PASSANT.len() } else { 0 };
            if blank + number + en_passant == 0 {
                return;
            }
            self.take(en_passant.max(blank + number));
        }
    }

    /// A comment; the brace has been seen.
    fn comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        let close = rest.find('}');
        // A comment that nobody closed must not swallow the games that follow.
        let next_game = rest[..close.unwrap_or(rest.len())].find("\n[Event \"");
        match (close, next_game) {
            (Some(close), None) => Token::Comment(self.take(close + 1)[1..close].trim()),
            _ => {
                self.take(next_game.unwrap_or(rest.len()));
                Token::Bad("a comment is not closed".to_owned())
            }
        }
    }

    /// A tag; the bracket has been seen.
    fn tag(&mut self) -> Token<'a> {
        let is_line_start = self.rest_of_line_before().trim().is_empty();
        let line = &self.rest()[..self.rest().find('\n').unwrap_or(self.rest().len())];
        match read_tag(line) {
            Some((name, value, len)) => {
                self.take(len);
                Token::Tag { name, value }
            }
            None if is_line_start => Token::Bad(format!("not a tag: {}", self.take_line())),
            None => Token::Bad(format!("unexpected {:?}", self.take(1))),
        }
    }

    /// What stands to the left on this line.
    fn rest_of_line_before(&self) -> &'a str {
        let before = &self.text[..self.at];
        &before[before.rfind('\n').map_or(0, |newline| newline + 1)..]
    }

    /// A glyph, a result or a move.
    fn symbol(&mut self) -> Token<'a> {
        let rest = self.rest();
        let len = rest.find(|c: char| !is_symbol(c)).unwrap_or(rest.len());
        let mut word = &rest[..len];
        if let Some(result) = standard_result(word) {
            self.take(len);
            return Token::Result(result);
        }
        let glyph = GLYPHS.iter().find(|(glyph, _)| match glyph.chars().next() {
            Some('!' | '?') => rest.starts_with(glyph),
            _ => word == *glyph,
        });
        if let Some((glyph, nag)) = glyph {
            let marks = rest.len() - rest.trim_start_matches(['!', '?']).len();
            self.take(glyph.len().max(marks));
            return Token::Nag(*nag);
        }
        if word.is_empty() {
            let next = rest.chars().next().map_or(0, char::len_utf8);
            return Token::Bad(format!("unexpected {:?}", self.take(next)));
        }
        if rest.get(len - 1..).is_some_and(|rest| rest.starts_with(EN_PASSANT)) {
            word = &word[..len - 1];
        }
        self.take(word.len());
        Token::Symbol(word)
    }

    /// The token that begins here, with this character.
    fn token(&mut self, first: char) -> Token<'a> {
        match first {
            '%' if self.is_line_start() => Token::Escape(&self.take_line()[1..]),
            '[' => self.tag(),
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
            '$' => {
                let digits = self.rest()[1..].bytes().take_while(u8::is_ascii_digit).count();
                let taken = self.take(1 + digits);
                match taken[1..].parse() {
                    Ok(nag) => Token::Nag(nag),
                    Err(_) => Token::Bad(format!("not an annotation glyph: {taken}")),
                }
            }
            '*' => {
                self.take(1);
                Token::Result("*")
            }
            _ => self.symbol(),
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Spanned<'a>;

    fn next(&mut self) -> Option<Spanned<'a>> {
        self.skip();
        let (start, line) = (self.at, self.line);
        let token = self.token(self.rest().chars().next()?);
        Some(Spanned { token, start, end: self.at, line })
    }
}

/// What moves, and what stands for them, are written with.
fn is_symbol(c: char) -> bool {
    c.is_alphanumeric() || "_+#=:-/@½±∓⩲⩱∞".contains(c)
}

/// How many bytes the number of a move takes that the text begins with, dots included; 0
/// if it begins with something else.
fn move_number(text: &str) -> usize {
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_dots = after_digits.trim_start_matches(['.', '…']);
    let has_dots = after_dots.len() < after_digits.len();
    // Digits alone are a number if nothing is attached to them, as in `0-1` and `0000`.
    let is_lone = !text.starts_with('0') && !after_digits.starts_with(is_symbol);
    if has_dots || is_lone { text.len() - after_dots.len() } else { 0 }
}

/// Name and value of the tag that a line begins with, and how long it is. A quotation mark
/// within the value need not be escaped, as long as no bracket follows it.
fn read_tag(line: &str) -> Option<(&str, String, usize)> {
    let inner = line.strip_prefix('[')?.trim_start();
    let name_len = inner.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let (name, rest) = inner.split_at(name_len);
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    // Where the value ends if it ends with a backslash.
    let mut last_escape = None;
    while let Some((at, c)) = chars.next() {
        let closes = |at: usize| {
            let behind = quoted[at + 1..].trim_start();
            behind.starts_with(']').then(|| line.len() - behind.len() + 1)
        };
        match c {
            '"' => {
                if let Some(len) = closes(at) {
                    return (!name.is_empty()).then_some((name, value, len));
                }
                value.push('"');
            }
            '\\' => match quoted[at + 1..].chars().next() {
                Some(escaped @ ('"' | '\\')) => {
                    if escaped == '"'
                        && let Some(len) = closes(at + 1)
                    {
                        last_escape = Some((format!("{value}\\"), len));
                    }
                    value.push(escaped);
                    chars.next();
                }
                _ => value.push('\\'),
            },
            _ => value.push(c),
        }
    }
    last_escape.map(|(value, len)| (name, value, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        Lexer::new(text).map(|spanned| spanned.token).collect()
    }

    fn symbols(text: &str) -> String {
        let written = tokens(text).into_iter().map(|token| match token {
            Token::Symbol(text) => text.to_owned(),
            Token::Nag(nag) => format!("${nag}"),
            Token::Result(result) => format!("={result}"),
            other => format!("{other:?}"),
        });
        written.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_are_left_out_however_they_are_written() {
        for text in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3", "1.e4 1...e5 2 Nf3", "1 e4 … e5\n2.\nNf3"]
        {
            assert_eq!(symbols(text), "e4 e5 Nf3", "{text}");
        }
        assert_eq!(symbols("5.0-0 0-0-0 6.0000 -- Z0"), "0-0 0-0-0 0000 -- Z0");
    }

    #[test]
    fn results_are_told_from_moves() {
        assert_eq!(symbols("1-0 0-1 1/2-1/2 ½-½ * 1/2"), "=1-0 =0-1 =1/2-1/2 =1/2-1/2 =* =1/2-1/2");
        assert_eq!(symbols("10.Kf1 1-0"), "Kf1 =1-0");
    }

    #[test]
    fn glyphs_have_numbers() {
        assert_eq!(symbols("e4! e5?? Nf3!? $13 +- d6 =+ ?! Qh5+!!! ±"), {
            "e4 $1 e5 $4 Nf3 $5 $13 $18 d6 $15 $6 Qh5+ $3 $16"
        });
        assert_eq!(symbols("exd6e.p. exd6 e.p. e8=Q+"), "exd6 exd6 e8=Q+");
        assert!(matches!(tokens("$x")[0], Token::Bad(_)));
        assert!(matches!(tokens("$99999")[0], Token::Bad(_)));
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
        for text in ["[White A]", "[", "[White \"A]", "[\"A\"]", "e4 [e5]"] {
            assert!(tokens(text).iter().any(|token| matches!(token, Token::Bad(_))), "{text}");
        }
    }

    #[test]
    fn comments_end_where_they_are_closed() {
        assert_eq!(tokens("{ a { b }"), [Token::Comment("a { b")]);
        assert_eq!(tokens("; a } b\n{\n% c\n}"), [Token::Comment("a } b"), Token::Comment("% c")]);
        assert_eq!(tokens("% a\n{b}"), [Token::Escape(" a"), Token::Comment("b")]);
        let open = tokens("e4 { a\n\n[Event \"B\"]");
        assert!(matches!(&open[1], Token::Bad(_)));
        assert!(matches!(&open[2], Token::Tag { name: "Event", .. }));
    }

    #[test]
    fn every_token_knows_its_place() {
        let text = "[A \"1\"]\n\n1. e4 { a\nb } e5";
        let places: Vec<_> =
            Lexer::new(text).map(|token| (&text[token.start..token.end], token.line)).collect();
        assert_eq!(places, [("[A \"1\"]", 1), ("e4", 3), ("{ a\nb }", 3), ("e5", 4)]);
    }
}
