//! Reads tokens, and compares the plain code with the general code.

use super::*;
use crate::linear::assert_linear;

fn tokens(text: &str) -> Vec<Token<'_>> {
    Lexer::new(text, 0, 1).map(|spanned| spanned.token).collect()
}

fn symbols(text: &str) -> String {
    let tokens = tokens(text).into_iter().filter(|token| *token != Token::Redundant);
    let written = tokens.map(|token| match token {
        Token::Move(text) => text.into(),
        Token::Nag(nag) => format!("${nag}"),
        Token::Result(result) => format!("={result}"),
        Token::Unknown(text) => format!("?{text}"),
        other => format!("{other:?}"),
    });
    written.collect::<Vec<_>>().join(" ")
}

#[test]
fn move_numbers_are_skipped() {
    for text in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3", "1.e4 1...e5 2 Nf3", "1 e4 … e5\n2.\nNf3"] {
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
    let places: Vec<_> =
        Lexer::new(text, 0, 1).map(|token| (&text[token.start..token.end], token.line)).collect();
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

/// Compares all tokens with those of the general code.
fn compare(text: &str) {
    let mut plain = Lexer::new(text, 0, 1);
    let mut general = Lexer::new(text, 0, 1);
    loop {
        let token = plain.step(true);
        assert_eq!(token, general.step(false), "{text:?}");
        assert_eq!(plain.cursor, general.cursor, "{text:?}");
        if token.is_none() {
            return;
        }
    }
}

/// Numbers that look random, always the same.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

#[test]
fn plain_code_reads_all_short_words_as_the_general_code() {
    const LETTERS: &[u8] = b"aeh18xKNO-=+.";
    let mut words = vec![String::new()];
    for _ in 0..5 {
        let longer = words.iter().flat_map(|word| {
            LETTERS.iter().map(move |&letter| format!("{word}{}", char::from(letter)))
        });
        words = longer.collect();
        // Many words as one text, with what may follow a word between them.
        for (part, end) in
            words.chunks(1000).zip([" ", "\n", ")", "!", "…", "×", "(Q) ", "$1 "].iter().cycle())
        {
            compare(&part.join(end));
        }
    }
}

#[test]
fn plain_code_reads_random_text_as_the_general_code() {
    const PARTS: [&str; 58] = [
        " ",
        "\n",
        "\r\n",
        "\t",
        ",",
        "1",
        "2",
        "12.",
        "3...",
        "0",
        ".",
        "…",
        "．",
        "１",
        "e4",
        "e8",
        "=Q",
        "=N",
        "Nf3",
        "N",
        "exd5",
        "R1xa3",
        "Qh4e1",
        "O-O",
        "-O",
        "0-0",
        "+",
        "#",
        "!",
        "?!",
        "$3",
        "=",
        "-",
        "+-",
        ":",
        "x",
        "[Event \"a\"]",
        "[A \"\\\"\"]",
        "[A",
        " \"",
        "\"]",
        "[%clk 1]",
        "[",
        "]",
        "{",
        "}",
        "{ a }",
        "(",
        ")",
        ";",
        "\n%",
        "*",
        "1-0",
        "1/2",
        "é",
        "♘",
        "e.p.",
        "mate",
    ];
    let mut random = random();
    for _ in 0..30_000 {
        let len = 1 + random(12);
        compare(&(0..len).map(|_| PARTS[random(PARTS.len())]).collect::<String>());
    }
}

#[cfg(feature = "gzip")]
#[test]
fn plain_code_reads_real_games_as_the_general_code() {
    let mut random = random();
    for text in crate::shared::texts() {
        compare(&text);
        // Games with a changed character.
        let games: Vec<_> = crate::entries(&text).map(|entry| entry.text).collect();
        for game in games.iter().step_by(7) {
            let mut chars: Vec<char> = game.chars().take(2000).collect();
            for _ in 0..1 + random(4) {
                let at = random(chars.len());
                match random(3) {
                    0 => drop(chars.remove(at)),
                    1 => chars.insert(at, chars[random(chars.len())]),
                    _ => {
                        chars[at] = [' ', '.', '"', '\\', '…', '×', '1', 'e', ')', '-'][random(10)];
                    }
                }
            }
            compare(&chars.into_iter().collect::<String>());
        }
    }
}
