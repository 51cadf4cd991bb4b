//! Reads tokens.

use super::*;

fn tokens(text: &str) -> Vec<Token<'_>> {
    Lexer::new(text, 0, 1).map(|spanned| spanned.token).collect()
}

fn symbols(text: &str) -> String {
    let tokens = tokens(text).into_iter().filter(|token| *token != Token::Redundant);
    let written = tokens.map(|token| match token {
        Token::Move(text) => text.to_string(),
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
