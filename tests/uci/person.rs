//! Dialogues with a person at a terminal. A GUI gets none of these answers but those to `d`.

use std::fs;

use crate::folder_support::Folder;
use crate::uci_support::{Conversation, best_move};

#[test]
fn moves_are_accepted_in_both_notations() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("e2e4"), ["1. e4"]);
    assert_eq!(conversation.ask("e5 Nf3"), ["1... e5", "2. Nf3"]);
    assert!(conversation.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/"));
    // With an illegal move none is played.
    let answer = conversation.ask("nc6 Bb6 a6");
    assert_eq!(answer, ["Bb6 is not legal here; moves lists what White can play"]);
    assert_eq!(conversation.ask("nc6"), ["2... Nc6"]);
    let moves = conversation.ask("moves");
    assert_eq!(moves[0], "White has 27 legal moves");
    assert!(moves.iter().any(|line| line.contains("Bb5 f1b5")), "{moves:#?}");
    conversation.end();
}

#[test]
fn end_of_game_is_announced() {
    let conversation = Conversation::of_person();
    let answer = conversation.ask("f3 e5 g4 Qh4");
    assert_eq!(answer[3..], ["2... Qh4#", "Black wins: checkmate"]);
    assert_eq!(conversation.ask("a3"), ["a3 ignored: the game is over"]);
    assert_eq!(conversation.ask("play"), ["Black wins: checkmate"]);
    conversation.ask("new");
    let answer = conversation.ask("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    assert_eq!(answer.last().map(String::as_str), Some("Drawn: threefold repetition"));
    conversation.end();
}

#[test]
fn undo_mirror_and_new_change_the_game() {
    let conversation = Conversation::of_person();
    let start = conversation.fen();
    conversation.ask("position startpos moves e2e4 e7e5");
    assert_eq!(conversation.ask("undo")[9], "Black is to move");
    assert!(conversation.fen().contains("/4P3/8/PPPP1PPP/RNBQKBNR b "));
    conversation.ask("undo");
    assert_eq!(conversation.fen(), start);
    assert_eq!(conversation.ask("undo"), ["undo ignored: there is no move to take back"]);
    conversation.ask("e4");
    assert_eq!(conversation.ask("mirror")[9], "White is to move");
    assert_eq!(conversation.fen(), "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(conversation.ask("new")[9], "White is to move");
    assert_eq!(conversation.fen(), start);
    conversation.end();
}

#[test]
fn flip_turns_the_board_of_a_person_and_mirrors_the_position_of_a_script() {
    let (person, script) = (Conversation::of_person(), Conversation::start());
    person.ask("1. e4");
    let turned = person.ask("flip");
    assert_eq!(turned[0], " | R | N | B | K | Q | B | N | R | 1");
    assert_eq!(turned[8], "   h   g   f   e   d   c   b   a");
    assert_eq!(person.ask("d")[1], turned[0]);
    assert_eq!(person.ask("undo")[9], "White is to move");
    person.end();
    script.ask("position startpos moves e2e4");
    assert!(script.ask("flip").is_empty());
    assert_eq!(script.fen(), "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    script.end();
}

#[test]
fn game_at_a_level_is_resigned_and_saved() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("1. e4 e5 2.Nf3"), ["1. e4", "1... e5", "2. Nf3"]);
    assert_eq!(conversation.ask("level"), ["The engine plays at full strength"]);
    assert_eq!(conversation.ask("level 5"), ["The engine plays at Skill Level 5 of 20"]);
    assert_eq!(conversation.ask("elo 1400"), ["The engine plays at UCI_Elo 1400"]);
    conversation.send(&["play"]);
    reply(&conversation, "2...");
    conversation.ask("flip");
    conversation.send(&["hint"]);
    let hint = conversation.lines_until("Hint:").pop().expect("a line");
    assert!(hint.starts_with("Hint: 3. ") && hint.contains(" for White, depth "), "{hint}");
    assert_eq!(conversation.ask("resign"), ["Black wins: White resigns"]);
    let lines = conversation.ask("pgn");
    assert!(lines.iter().any(|line| line.starts_with("[Black \"Carrybit ")), "{lines:#?}");
    assert!(lines.iter().any(|line| line == "[Result \"0-1\"]"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("1. e4 e5 2. Nf3 ")), "{lines:#?}");
    let folder = Folder::new("person-pgn");
    let path = folder.path("my  games.pgn");
    // Its last line has no end.
    fs::write(&path, "1. e4 * ; end").expect("a file can be written");
    for line in ["pgn", "save"] {
        let answer = conversation.ask(&format!("{line} {path}"));
        assert_eq!(answer, [format!("The game is in {path}")]);
    }
    let saved = fs::read_to_string(&path).expect("a file");
    assert_eq!(carrybit_pgn::read(&saved).len(), 3, "{saved}");
    assert_eq!(saved.matches("\n\n[Event ").count(), 2, "{saved}");
    let answer = conversation.ask(&format!("pgn {}", folder.path("none/games.pgn")));
    assert!(answer[0].starts_with("cannot save the game in "), "{answer:?}");
    conversation.end();
}

#[test]
fn undo_of_a_mating_move_gives_the_person_the_move() {
    let conversation = Conversation::of_person();
    conversation.ask("position fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1");
    conversation.send(&["Kf7", "play depth 1"]);
    conversation.lines_until("1...");
    assert_board_printed(&conversation, "   a   b ");
    assert_eq!(conversation.ask("Rh1")[..2], ["2. Rh1#", "White wins: checkmate"]);
    assert_eq!(conversation.ask("undo").last().map(String::as_str), Some("White is to move"));
    assert!(conversation.fen().starts_with("8/5K1k/8/8/8/8/8/6R1 w "));
    conversation.end();
}

/// Reads nine lines, which must be the board that `d` shows, with these names of files.
fn assert_board_printed(conversation: &Conversation, files: &str) {
    let lines: Vec<String> = (0..9).map(|_| conversation.line()).collect();
    let shown = conversation.ask("d");
    let is_edge = |line: &&String| line.starts_with(" +");
    let rows: Vec<String> = shown.iter().filter(|line| !is_edge(line)).take(9).cloned().collect();
    assert_eq!(lines, rows);
    assert!(lines[8].starts_with(files), "{lines:#?}");
}

/// Waits for the line with the engine's move.
fn reply(conversation: &Conversation, number: &str) -> String {
    let line = conversation.lines_until(number).pop().expect("the last line");
    assert!(line.contains(" for ") && line.contains(", depth "), "{line}");
    line
}

#[test]
fn engine_replies_to_each_move_until_play_off() {
    let conversation = Conversation::of_person();
    assert_eq!(conversation.ask("e4"), ["1. e4"]);
    conversation.send(&["play depth 3"]);
    reply(&conversation, "1...");
    conversation.ask("");
    conversation.send(&["d4"]);
    assert_eq!(conversation.lines_until("2."), ["2. d4"]);
    reply(&conversation, "2...");
    // Undo takes back both moves, and the person moves again.
    conversation.ask("undo");
    conversation.send(&["Nf3"]);
    assert_eq!(conversation.lines_until("2."), ["2. Nf3"]);
    reply(&conversation, "2...");
    conversation.ask("play off");
    assert_eq!(conversation.ask("a3"), ["3. a3"]);
    conversation.end();
}

#[test]
fn play_prints_the_board_from_the_side_of_the_person() {
    let conversation = Conversation::of_person();
    conversation.send(&["play infinite", "stop"]);
    reply(&conversation, "1.");
    assert_board_printed(&conversation, "   h   g ");
    // The reply to this move needs a stop, so the board comes first.
    conversation.send(&["a6"]);
    assert_eq!(conversation.lines_until("1..."), ["1... a6"]);
    assert_board_printed(&conversation, "   h   g ");
    conversation.send(&["stop"]);
    reply(&conversation, "2.");
    assert_board_printed(&conversation, "   h   g ");
    conversation.end();
}

#[test]
fn move_during_a_search_stops_it_and_is_answered() {
    let conversation = Conversation::of_person();
    conversation.send(&["play depth 1"]);
    reply(&conversation, "1.");
    conversation.send(&["go infinite", "a6"]);
    best_move(&conversation.lines_until("bestmove"));
    assert_eq!(conversation.lines_until("1..."), ["1... a6"]);
    reply(&conversation, "2.");
    conversation.end();
}

#[test]
fn commands_during_the_engines_move_run_after_it() {
    let conversation = Conversation::of_person();
    conversation.send(&["e4", "play infinite", "undo", "wait", "play off"]);
    assert_eq!(conversation.lines_until("1."), ["1. e4"]);
    reply(&conversation, "1...");
    assert!(conversation.fen().ends_with("/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    conversation.send(&["play infinite", "isready", "stop"]);
    assert_eq!(conversation.lines_until("readyok"), ["readyok"]);
    reply(&conversation, "1.");
    conversation.send(&["play off", "quit"]);
    conversation.end();
}

#[test]
fn errors_are_explained_to_a_person_and_not_to_a_gui() {
    let (person, gui) = (Conversation::of_person(), Conversation::start());
    let start = gui.fen();
    for (line, explanation) in [
        ("hlep", "unknown command hlep: did you mean help?"),
        ("e4 foo", "foo is not a move"),
        ("save", "save needs a file, as in save games.pgn"),
        ("level high", "level ignored: it takes a number, or off"),
        ("debug", "debug ignored: write debug on or debug off"),
        ("e2e5", "e2e5 is not legal: the pawn on e2 can go to e3, e4"),
        ("setoption Hash 64", "setoption ignored: write setoption name Hash value 64"),
        ("play dept 5", "play ignored: not understood in go: dept (did you mean depth?), 5"),
    ] {
        assert_eq!(person.ask(line), [explanation], "{line}");
        assert!(line.starts_with("play") || gui.ask(line).is_empty(), "{line}");
    }
    for (line, explanation) in [
        ("go dept 5", "not understood in go: dept (did you mean depth?), 5"),
        ("position e4", "position ignored: it needs startpos or fen; go needs another position"),
        ("setoption name Hash value many", "Hash expects a number, got \"many\"; unchanged"),
    ] {
        assert_eq!(person.ask(line), [explanation], "{line}");
    }
    for word in ["analyse", "analyze"] {
        let answer = person.ask(word).join(" ");
        assert!(answer.contains("go analyses") && answer.ends_with("GAMES.pgn"), "{answer}");
        assert!(gui.ask(word).is_empty(), "{word}");
    }
    assert_eq!(person.ask("?"), person.ask("help"));
    for line in ["e2e4", "Nf3", "exit"] {
        assert!(gui.ask(line).is_empty(), "{line}");
    }
    assert_eq!(gui.fen(), start);
    person.send(&["EXIT", "isready"]);
    assert!(person.end().is_empty());
    gui.end();
}

#[test]
fn pasted_fen_and_game_are_taken_and_a_resigned_game_is_over() {
    let person = Conversation::of_person();
    let fen = "8/8/8/8/8/3k4/8/K1Q5 b - - 0 1";
    for line in [fen.to_owned(), format!("new {fen}")] {
        assert_eq!(person.ask(&line).last().map(String::as_str), Some("Black is to move"));
        assert_eq!(person.fen(), fen);
        person.ask("new");
    }
    for line in [
        "e4",
        "[Event \"a\"]",
        "[Site \"b\"]",
        "1. e4 $1 {as (nearly) all} e5 (1... c5 2. c3)",
        "2. Nf3",
        "{the end}",
        "*",
    ] {
        let expected = if line.starts_with(['{', '*']) { 0 } else { usize::MAX };
        assert!(person.ask(line).len() <= expected, "{line}");
    }
    assert!(person.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"));
    for line in ["[Event \"a\"]", "[FEN \"8/8/8/8/8/3k4/8/K1Q5 w - - 0 1\"]", "1. Qc8 *"] {
        person.ask(line);
    }
    assert_eq!(person.fen(), "2Q5/8/8/8/8/3k4/8/K7 b - - 1 1");
    person.ask("resign");
    assert_eq!(person.ask("Ke2"), ["the game is over: Black has resigned"]);
    assert_eq!(person.ask("play"), ["the game is over: Black has resigned"]);
    person.ask("takeback");
    assert_eq!(person.ask("Qc7"), ["1. Qc7"]);
    person.end();
}

#[test]
fn display_includes_the_tablebase_result() {
    let conversation = Conversation::start();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    conversation.ask(&format!("setoption name SyzygyPath value {folder}"));
    for (fen, result) in [
        ("8/8/8/8/8/3k4/8/K1Q5 w - - 0 1", "White wins"),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "White wins"),
        ("8/8/4k3/4P3/4K3/8/8/8 w - - 0 1", "drawn"),
        (
            "8/7K/8/1Q6/8/5k2/8/8 w - - 90 100",
            "drawn, the fifty-move rule prevents the win of White; 13 plies",
        ),
    ] {
        let shown = conversation.ask(&format!("position fen {fen}"));
        assert!(shown.is_empty(), "{shown:#?}");
        let shown = conversation.ask("d");
        let line = shown.iter().find_map(|line| line.strip_prefix("Tablebases: "));
        assert!(line.is_some_and(|line| line.starts_with(result)), "{fen}: {shown:#?}");
    }
    conversation.end();
}

#[test]
fn moves_need_another_position_after_a_refused_one() {
    let conversation = Conversation::of_person();
    let refused = conversation.ask("8/8/8/8/8/8/8/8 w - - 0 1").join(" ");
    assert!(refused.contains("position ignored"), "{refused}");
    for (line, name) in [("e4", "moves"), ("play", "play"), ("hint", "hint")] {
        let answer = conversation.ask(line).join(" ");
        assert!(answer.contains(&format!("no {name} without a position")), "{line}: {answer}");
    }
    conversation.ask("new");
    assert_eq!(conversation.ask("e4"), ["1. e4"]);
    conversation.end();
}
