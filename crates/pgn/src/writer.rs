//! Writes games as PGN with lines of up to 80 characters. Comments are not broken, so that lines
//! with comments may be longer.

use std::fmt::{self, Write};

use super::replay::start;
use super::words::standard_result;
use super::{Game, Line, Remark};

const MAX_COLUMN: usize = 80;

/// The game in export format, with a final newline.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (name, value) in &self.tags {
            let value = value.replace(char::is_control, " ");
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            // Writing into a string cannot fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        }
        if !self.tags.is_empty() {
            text.push('\n');
        }
        let mut writer = Writer { text, column: 0 };
        writer.line(&self.moves, start(self).unwrap_or_default().ply());
        writer.word(self.outcome());
        writer.text.push('\n');
        f.write_str(&writer.text)
    }
}

impl Game {
    /// The result after the moves, or else that of the `Result` tag.
    fn outcome(&self) -> &str {
        let by_tag = || self.tag("Result").and_then(standard_result);
        self.result.as_deref().or_else(by_tag).unwrap_or("*")
    }
}

struct Writer {
    text: String,
    /// The length of the last line, in characters.
    column: usize,
}

impl Writer {
    fn word(&mut self, word: &str) {
        let len = word.chars().count();
        let is_after_open = self.text.ends_with('(');
        if self.column > 0 && self.column + 1 + len > MAX_COLUMN && !is_after_open {
            self.newline();
        } else if self.column > 0 && !is_after_open && word != ")" {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += len;
    }

    /// Writes a text without breaking it. It may contain newlines.
    fn lines(&mut self, text: &str) {
        self.word(text);
        if let Some(newline) = text.rfind('\n') {
            self.column = text[newline + 1..].chars().count();
        }
    }

    fn newline(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    /// Writes a line of its own that begins with `mark`.
    fn whole_line(&mut self, mark: char, text: &str) {
        if self.column > 0 {
            self.newline();
        }
        self.text.push(mark);
        self.text.push_str(text);
        self.newline();
    }

    /// Writes moves that begin after `plies` plies, counted from move 1 of White.
    fn line(&mut self, line: &Line, plies: usize) {
        for remark in &line.before {
            self.remark(remark, plies);
        }
        let mut needs_number = true;
        for (at, ply) in line.moves.iter().enumerate() {
            let (number, is_black) = ((plies + at) / 2 + 1, (plies + at) % 2 == 1);
            match (is_black, needs_number) {
                (false, _) => self.word(&format!("{number}.")),
                (true, true) => self.word(&format!("{number}...")),
                (true, false) => {}
            }
            self.word(&ply.text);
            for nag in &ply.nags {
                self.word(&format!("${nag}"));
            }
            for remark in &ply.after {
                self.remark(remark, plies + at);
            }
            needs_number = !ply.after.is_empty();
        }
    }

    /// Writes a remark on the move after `plies` plies.
    fn remark(&mut self, remark: &Remark, plies: usize) {
        match remark {
            // A comment in braces cannot contain a closing brace, and ends before another game.
            Remark::Comment(text) if text.contains('}') || text.contains("\n[Event \"") => {
                text.lines().for_each(|line| self.whole_line(';', &format!(" {line}")));
            }
            Remark::Comment(text) if text.is_empty() => self.word("{}"),
            Remark::Comment(text) => self.lines(&format!("{{ {text} }}")),
            Remark::Escape(text) => self.whole_line('%', text),
            Remark::Variation(Line { verbatim: Some(text), .. }) => self.lines(text),
            Remark::Variation(line) => {
                self.word("(");
                self.line(line, plies);
                self.word(")");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn game(text: &str) -> Game {
        read(text).remove(0).game.expect("a game")
    }

    #[test]
    fn game_is_written_in_the_usual_form() {
        let text = r#"[White "A \"B\" \\"]

1. e4 $1 { good } (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 2. Nf3 Nc6 *
"#;
        assert_eq!(game(text).to_string(), text);
        let tag = "[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 40\"]\n\n";
        let text = game(&format!("{tag}e5 Nf3 (Nc3) Nc6")).to_string();
        assert_eq!(text, format!("{tag}40... e5 41. Nf3 (41. Nc3) 41... Nc6 *\n"));
    }

    #[test]
    fn result_of_the_tags_is_written_if_the_moves_have_none() {
        for (result, written) in [("1-0", "1-0"), ("1/2", "1/2-1/2"), ("?", "*")] {
            let tags = format!("[Result \"{result}\"]\n");
            let text = game(&format!("{tags}\n1. e4")).to_string();
            assert_eq!(text, format!("{tags}\n1. e4 {written}\n"));
        }
        let text = game("[Result \"1-0\"]\n\n1. e4 *").to_string();
        assert_eq!(text.lines().last(), Some("1. e4 *"));
    }

    #[test]
    fn written_game_is_read_as_the_same_game() {
        for text in [
            "{ a } 1. e4 {b\n\nc} e5 ; d } e\n2. Nf3 (2. Nc3 {f} Nf6 $5 (2... Nc6!) 3. f4) {g} 1-0",
            "1. e4 e5\n% escaped }\n2. Nf3 {} 1/2-1/2",
            "[A \"1\"]\n[B \"\\\"\"]\n\n; only } this\n*",
            "{ } *",
            "1. e4 ((1. d4)) e5 *",
        ] {
            let game = game(text);
            let written = game.to_string();
            let read = read(&written);
            assert_eq!(read.len(), 1, "{written}");
            assert_eq!(read[0].game.as_ref(), Ok(&game), "{written}");
        }
    }

    #[test]
    fn values_of_any_text_are_written_as_one_game() {
        let mut game = game("1. e4 *");
        game.set_tag("White", "x\n[Result 1-0");
        game.moves.before.push(Remark::Comment("a\n[Event \"b\"]".to_owned()));
        let written = game.to_string();
        let read = read(&written);
        assert_eq!(read.len(), 1, "{written}");
        let read = read[0].game.as_ref().expect("a game");
        assert_eq!(read.tags, [("White".to_owned(), "x [Result 1-0".to_owned())]);
        assert_eq!(read.moves.moves, game.moves.moves);
    }

    #[test]
    fn lines_are_broken_at_80_characters() {
        let many = "1. Nf3 Nf6 2. Ng1 Ng8 {a comment} ".repeat(40);
        let text = game(&format!("{many} (Nf6) {{{}}}", "long ".repeat(50))).to_string();
        for line in text.lines() {
            assert!(line.chars().count() <= MAX_COLUMN || line.starts_with("{ long"), "{line}");
        }
        assert!(text.lines().count() > 20);
    }
}
