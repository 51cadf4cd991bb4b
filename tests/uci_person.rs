//! Conversations with a person who types, and what of that a GUI must not see.

mod uci_support;

use uci_support::{AT_ONCE, Conversation};

#[test]
fn moves_are_played_in_either_notation_and_numbered() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("e2e4"), ["1. e4"]);
    assert_eq!(conversation.ask("e5 Nf3"), ["1... e5", "2. Nf3"]);
    assert!(conversation.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/"));
    // Where a move cannot be played, nothing behind it is.
    let answer = conversation.ask("nc6 Bb6 a6");
    let why = "Bb6 is not legal here; moves lists what White can play";
    assert_eq!(answer, ["2... Nc6", why]);
    let moves = conversation.ask("moves");
    assert_eq!(moves[0], "White has 27 legal moves");
    assert!(moves.iter().any(|line| line.contains("Bb5 f1b5")), "{moves:#?}");
    conversation.end();
}

#[test]
fn the_end_of_a_game_is_announced() {
    let conversation = Conversation::of_person();
    let answer = conversation.ask("f3 e5 g4 Qh4");
    assert_eq!(answer[3..], ["2... Qh4#", "Checkmate: Black wins"]);
    assert_eq!(conversation.ask("a3"), ["a3 ignored: the game is over"]);
    assert_eq!(conversation.ask("play"), ["Checkmate: Black wins"]);
    conversation.end();
}

#[test]
fn moves_are_taken_back_colours_exchanged_and_games_begun() {
    let conversation = Conversation::of_person();
    let start = conversation.fen();
    conversation.ask("position startpos moves e2e4 e7e5");
    assert_eq!(conversation.ask("undo"), ["Black is to move"]);
    assert!(conversation.fen().contains("/4P3/8/PPPP1PPP/RNBQKBNR b "));
    conversation.ask("undo");
    assert_eq!(conversation.fen(), start);
    assert_eq!(conversation.ask("undo"), ["undo ignored: there is no move to take back"]);
    conversation.ask("e4");
    assert_eq!(conversation.ask("flip"), ["White is to move"]);
    assert_eq!(conversation.fen(), "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(conversation.ask("new"), ["White is to move"]);
    assert_eq!(conversation.fen(), start);
    conversation.end();
}

#[test]
fn after_undo_the_person_moves_though_the_engine_had_no_answer() {
    let conversation = Conversation::of_person();
    conversation.ask("position fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1");
    conversation.say(&["Kf7", "play depth 1"]);
    conversation.hear_until("1...");
    shown_board(&conversation);
    assert_eq!(conversation.ask("Rh1")[..2], ["2. Rh1#", "Checkmate: White wins"]);
    assert_eq!(conversation.ask("undo").last().map(String::as_str), Some("White is to move"));
    assert!(conversation.fen().starts_with("8/5K1k/8/8/8/8/8/6R1 w "));
    conversation.end();
}

/// The next nine lines, which must be the board of the position.
fn shown_board(conversation: &Conversation) {
    let lines: Vec<String> = (0..9).filter_map(|_| conversation.hear_within(AT_ONCE)).collect();
    let shown = conversation.ask("d");
    let is_edge = |line: &&String| line.starts_with(" +");
    let rows: Vec<String> = shown.iter().filter(|line| !is_edge(line)).take(9).cloned().collect();
    assert_eq!(lines, rows);
    assert!(lines[8].starts_with("   a   b "), "{lines:#?}");
}

/// The line in which the engine plays.
fn reply(conversation: &Conversation, number: &str) -> String {
    let line = conversation.hear_until(number).pop().expect("the last line");
    assert!(line.contains(" for ") && line.contains(", depth "), "{line}");
    line
}

#[test]
fn the_engine_replies_to_each_move_until_play_off() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("e4"), ["1. e4"]);
    conversation.say(&["play depth 3"]);
    reply(&conversation, "1...");
    conversation.ask("");
    conversation.say(&["d4"]);
    assert_eq!(conversation.hear_until("2."), ["2. d4"]);
    reply(&conversation, "2...");
    // Both moves are taken back, and the person moves again.
    conversation.ask("undo");
    conversation.say(&["Nf3"]);
    assert_eq!(conversation.hear_until("2."), ["2. Nf3"]);
    reply(&conversation, "2...");
    conversation.ask("play off");
    assert_eq!(conversation.ask("a3"), ["3. a3"]);
    conversation.end();
}

#[test]
fn play_shows_the_board_after_each_move() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("e4"), ["1. e4"]);
    conversation.say(&["play depth 2"]);
    reply(&conversation, "1...");
    shown_board(&conversation);
    conversation.ask("play off");
    conversation.say(&["play infinite", "stop"]);
    reply(&conversation, "2.");
    shown_board(&conversation);
    // The answer to this move takes long, so that its board comes first.
    conversation.say(&["a6"]);
    assert_eq!(conversation.hear_until("2..."), ["2... a6"]);
    shown_board(&conversation);
    conversation.say(&["stop"]);
    reply(&conversation, "3.");
    shown_board(&conversation);
    conversation.ask("play off");
    assert_eq!(conversation.ask("Nh6").len(), 1);
    conversation.end();
}

#[test]
fn a_move_typed_while_the_engine_thinks_comes_after_its_own() {
    let conversation = Conversation::of_person();
    conversation.say(&["e4", "play infinite", "undo", "wait", "play off"]);
    assert_eq!(conversation.hear_until("1."), ["1. e4"]);
    reply(&conversation, "1...");
    assert!(conversation.fen().ends_with("/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    conversation.say(&["play infinite", "isready", "stop"]);
    assert_eq!(conversation.hear_until("readyok"), ["readyok"]);
    reply(&conversation, "1.");
    conversation.say(&["play off", "quit"]);
    conversation.end();
}

#[test]
fn what_is_not_understood_is_explained_and_changes_nothing() {
    let conversation = Conversation::of_person();
    for (line, said) in [
        ("hlep", "unknown command hlep: did you mean help?"),
        ("xyzzy", "unknown command xyzzy: help lists the commands"),
        ("e4 foo", "foo is not a move"),
        ("debug", "debug ignored: write debug on or debug off"),
        ("e2e5", "e2e5 is not legal: the pawn on e2 can go to e3, e4"),
        ("setoption Hash 64", "setoption ignored: write setoption name Hash value 64"),
        ("go dept 5", "not understood in go: dept (did you mean depth?), 5"),
        ("play dept 5", "play ignored: not understood in go: dept (did you mean depth?), 5"),
        ("position e4", "position ignored: it needs startpos or fen"),
        ("setoption name Hash value many", "Hash expects a number, got \"many\"; unchanged"),
    ] {
        let answer = conversation.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:#?}");
        if !line.starts_with("setoption name") {
            assert_eq!(answer, [said], "{line}");
        }
        assert!(!answer[0].contains("info string"), "{line}: {answer:#?}");
    }
    conversation.end();
}

#[test]
fn exit_ends_the_program_for_a_person_only() {
    for line in ["exit", "EXIT"] {
        let conversation = Conversation::of_person();
        conversation.say(&[line, "isready"]);
        assert!(conversation.end().is_empty());
    }
    let conversation = Conversation::start();
    assert!(conversation.ask("exit").is_empty());
    conversation.end();
}

#[test]
fn a_gui_sees_none_of_this() {
    let conversation = Conversation::start();
    let start = conversation.fen();
    for line in ["hlep", "e2e4", "Nf3", "setoption Hash 64", "xyzzy"] {
        assert!(conversation.ask(line).is_empty(), "{line}");
    }
    assert_eq!(conversation.fen(), start);
    conversation.end();
}

#[test]
fn tables_tell_the_result_of_the_position_shown() {
    let conversation = Conversation::start();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    conversation.ask(&format!("setoption name SyzygyPath value {folder}"));
    for (fen, result) in [
        ("8/8/8/8/8/3k4/8/K1Q5 w - - 0 1", "White wins"),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "White wins"),
        ("8/8/4k3/4P3/4K3/8/8/8 w - - 0 1", "drawn"),
    ] {
        let shown = conversation.ask(&format!("position fen {fen}"));
        assert!(shown.is_empty(), "{shown:#?}");
        let shown = conversation.ask("d");
        let told = shown.iter().find_map(|line| line.strip_prefix("Tablebases: "));
        assert!(told.is_some_and(|told| told.starts_with(result)), "{fen}: {shown:#?}");
    }
    conversation.say(&["position startpos"]);
    let shown = conversation.ask("d");
    assert!(!shown.iter().any(|line| line.starts_with("Tablebases:")), "{shown:#?}");
    conversation.end();
}
