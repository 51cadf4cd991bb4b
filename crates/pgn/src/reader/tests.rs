//! Reads games and files with errors.

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
    let text = "[Event \"1\"]\n\n[White \"W\"]\n\n1. e4 1-0 {late}\n1-0\n{later}\n1. d4 *\n\
                {early} 1. c4 *\n\
                [Event \"4\"]\n\n1. f4\n\n[Event \"5\"]\n[Event \"6\"]\n\n*\n";
    let games = games(text);
    let first = |game: &Game| moves(&game.moves);
    assert_eq!(games.iter().map(first).collect::<Vec<_>>(), ["e4", "d4", "c4", "f4", "", ""]);
    assert_eq!(games[0].tag("White"), Some("W"));
    let comment = |text: &str| Remark::Comment(text.to_owned());
    assert_eq!(games[0].moves.moves[0].after, [comment("late"), comment("later")]);
    assert_eq!(games[2].moves.before, [comment("early")]);
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
    let text = format!("[A \"1\"]\n\n{} *", ("strange".repeat(10) + " ").repeat(50_000));
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
fn glyph_that_is_written_twice_counts_once() {
    for text in ["1. e4?! $6 *", "1. e4 $6 ?! *", "1. e4 ?! ?! (?!) *", "1. $6 e4?! *"] {
        assert_eq!(games(text)[0].moves.moves[0].nags, [6], "{text}");
    }
    assert_eq!(games("1. e4? $2 $1 $16 ± *")[0].moves.moves[0].nags, [2, 1, 16]);
}

#[test]
fn game_with_too_much_text_is_refused_and_the_next_one_is_read() {
    for part in ["Nf3 Nf6 Ng1 Ng8 ", "{} ", "(e4 ", "(e4 1-0) ", "{ a comment }", "foo ", "$1 "] {
        const LIMIT: usize = 1 << 12;
        let count = LIMIT / part.len();
        let long = part.repeat(count);
        let closed = if part == "(e4 " { ")".repeat(count) } else { String::new() };
        let text = format!("[Event \"1\"]\n\n1. e4 {long} {closed} 1-0\n1. d4 *");
        let mut limited = super::entries(&text);
        limited.parser.max_game = LIMIT;
        let entries: Vec<Entry> = limited.collect();
        assert_eq!(entries.len(), 2, "{part}");
        let error = entries[0].game.as_ref().expect_err("too much text");
        assert!(error.reason.contains("4 MB"), "{error}");
        assert_eq!(entries[0].tags, [("Event".to_owned(), "1".to_owned())]);
        assert!(entries[0].text.ends_with("1-0"), "{part}");
        assert_eq!(moves(&entries[1].game.as_ref().expect("a game").moves), "d4");
    }
}

#[test]
fn comment_with_too_much_text_and_without_end_leaves_the_next_game() {
    const LIMIT: usize = 1 << 12;
    let long = "word ".repeat(LIMIT);
    let text = format!("[White \"x\"]\n\n{{{long}\n[Event \"2\"]\n[White \"y\"]\n\n1. e4 *\n");
    let mut limited = super::entries(&text);
    limited.parser.max_game = LIMIT;
    let entries: Vec<Entry> = limited.collect();
    assert_eq!(entries.len(), 2);
    assert!(entries[0].game.is_err());
    assert_eq!(entries[1].game.as_ref().expect("a game").tag("White"), Some("y"));
}
