//! Whole dialogues: the content of the lines that a GUI reads, and the effect of options and
//! positions. `hammer.rs` checks the order and the time of the answers.

use std::time::{Duration, Instant};

use crate::uci_support::{A_WHILE, Conversation, best_move, field};
use carrybit::Board;

#[test]
fn search_reports_each_depth_and_ends_with_its_best_move() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["position startpos", "go depth 5"]);
    let mut last_move = "";
    // From three seconds on, a search prints other lines, too.
    for line in lines.iter().filter(|line| field(line, "score").is_some()) {
        assert!(line.starts_with("info depth "), "{line}");
        for key in ["seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
            assert!(
                field(line, key).is_some_and(|word| word.parse::<u64>().is_ok()),
                "{key} in {line}"
            );
        }
        last_move = field(line, "pv").expect("a line has its moves");
    }
    for depth in 1..=5 {
        let start = format!("info depth {depth} ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{lines:#?}");
    }
    let best = best_move(&lines)[1];
    assert_eq!(last_move, best);
    assert!(Board::default().parse_uci(best).is_ok());
    conversation.end();
}

#[test]
fn move_time_starts_at_ponderhit_and_at_the_end_of_a_wait_or_tool() {
    let conversation = Conversation::start();
    conversation.send(&["position startpos", "go ponder movetime 300"]);
    let end = Instant::now() + A_WHILE;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        let line = conversation.line_within(left);
        assert!(line.is_none_or(|line| line.starts_with("info ")), "a move before the ponderhit");
    }
    let hit = Instant::now();
    best_move(&conversation.search(&["ponderhit"]));
    assert!(hit.elapsed() >= Duration::from_millis(240), "{:?}", hit.elapsed());
    let started = Instant::now();
    let go = "go movetime 300";
    conversation.send(&[go, "wait", go, "wait", go]);
    for number in 1..=3 {
        best_move(&conversation.lines_until("bestmove"));
        // A search may end a little early.
        let least = Duration::from_millis(240 * number);
        assert!(started.elapsed() > least, "{number}: {:?}", started.elapsed());
    }
    // The tool takes a second. A search that has no time left looks at one node.
    conversation.send(&["speedtest 1 16 1", "go movetime 900"]);
    let lines = conversation.lines_until("bestmove");
    assert!(!lines[lines.len() - 2].contains(" nodes 1 "), "{lines:#?}");
    conversation.end();
}

#[test]
fn mates_are_counted_in_moves_and_a_root_without_moves_is_answered_with_none() {
    let conversation = Conversation::start();
    for go in ["go depth 3", "go mate 1"] {
        let lines = conversation.search(&["position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", go]);
        assert_eq!(best_move(&lines), ["bestmove", "a1a8"]);
        assert!(lines[lines.len() - 2].contains(" score mate 1 "), "{lines:#?}");
    }
    for go in ["go depth 5", "go wtime 600000 btime 600000", "go nodes 100"] {
        let mated = conversation.search(&["position fen 7k/8/8/8/8/8/5PPP/r5K1 w - - 0 1", go]);
        assert_eq!(mated, ["info depth 0 score mate 0", "bestmove (none)"]);
        let stalemated = conversation.search(&["position fen 7k/8/8/8/8/1q6/8/K7 w - - 0 1", go]);
        assert_eq!(stalemated, ["info depth 0 score cp 0", "bestmove (none)"]);
    }
    conversation.end();
}

#[test]
fn line_that_returns_to_the_root_may_use_the_moves_of_other_lines() {
    let conversation = Conversation::start();
    conversation.send(&[
        "setoption name MultiPV value 2",
        "position fen 6k1/1q4p1/8/5p1Q/8/7p/r6P/3R2K1 w - - 0 1",
    ]);
    let lines = conversation.search(&["go depth 12"]);
    let second = lines.iter().rev().find(|line| line.contains(" multipv 2 "));
    assert!(second.is_some_and(|line| line.contains(" score mate 3 ")), "{lines:#?}");
    conversation.end();
}

#[test]
fn options_set_during_a_search_apply_after_it_with_their_last_valid_values() {
    let conversation = Conversation::start();
    conversation.send(&["go infinite"]);
    for (option, problems) in [
        ("MultiPV value 5", 0),
        ("MultiPV value 2", 0),
        ("multipv value many", 1),
        ("NoSuch value 1", 1),
    ] {
        let answer = conversation.ask(&format!("setoption name {option}"));
        let found = answer.iter().filter(|line| line.starts_with("info string ")).count();
        assert_eq!(found, problems, "{option}: {answer:?}");
    }
    let during = conversation.ask("setoption name Threads value 0");
    assert!(during.iter().all(|line| !line.contains("Threads")), "{during:#?}");
    conversation.send(&["setoption name Hash value 1", "setoption name Clear Hash"]);
    best_move(&conversation.search(&["stop"]));
    let after = conversation.ask("");
    assert_eq!(after.len(), 1, "{after:#?}");
    assert!(after[0].contains("Threads"), "{after:#?}");
    let lines = conversation.search(&["go depth 2"]);
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:?}");
    conversation.end();
}

#[test]
fn chess960_applies_at_once_to_the_next_position() {
    let conversation = Conversation::start();
    let position = "position fen 4k3/8/8/8/8/8/8/R5K1 w Q - 0 1";
    conversation.send(&["go infinite", "setoption name UCI_Chess960 value true", position, "stop"]);
    best_move(&conversation.lines_until("bestmove"));
    assert_eq!(conversation.fen(), "4k3/8/8/8/8/8/8/R5K1 w Q - 0 1");
    conversation.end();
}

#[test]
fn new_game_keeps_position_and_options() {
    let conversation = Conversation::start();
    let without = conversation.search(&["go depth 3"]);
    assert!(without.iter().all(|line| !line.contains("wdl")));
    conversation.send(&["setoption name UCI_ShowWDL value true", "position startpos moves e2e4"]);
    let before = conversation.fen();
    conversation.send(&["ucinewgame"]);
    assert_eq!(conversation.fen(), before);
    let lines = conversation.search(&["go depth 2"]);
    for line in &lines[..lines.len() - 1] {
        let (_, wdl) = line.split_once(" wdl ").expect("chances with each score");
        let chances = wdl.split(' ').take(3).map(|word| word.parse::<u32>().expect("a number"));
        assert_eq!(chances.sum::<u32>(), 1000, "{line}");
    }
    conversation.end();
}

#[test]
fn standard_castling_rights_need_king_and_rook_on_their_squares() {
    let conversation = Conversation::start();
    for (placed, rights, standard, chess960) in [
        ("4k3/8/8/8/8/8/8/R5K1", "Q", "-", "Q"),
        ("r1k4r/8/8/8/8/8/8/R3K2R", "KQkq", "KQ", "KQkq"),
        ("4k3/8/8/8/8/8/8/1R2K1R1", "KQ", "-", "KQ"),
        ("4k3/8/8/8/8/8/8/R3K1RR", "KQ", "KQ", "KQ"),
        ("4k3/8/8/8/8/8/8/R5K1", "A", "Q", "Q"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "HAha", "KQkq", "KQkq"),
    ] {
        for (mode, expected) in [("false", standard), ("true", chess960)] {
            conversation.send(&[&format!("setoption name UCI_Chess960 value {mode}")]);
            conversation.send(&[&format!("position fen {placed} w {rights} - 0 1")]);
            assert_eq!(conversation.fen(), format!("{placed} w {expected} - 0 1"), "{rights}");
        }
    }
    let castles = "position fen 4k3/8/8/8/8/8/8/R5K1 w Q - 0 1 moves g1a1";
    conversation.send(&[castles]);
    assert_eq!(conversation.fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    let answer = conversation.ask("setoption name UCI_Chess960 value false");
    assert!(answer.is_empty(), "{answer:?}");
    let [refusal] = &conversation.ask(castles)[..] else { panic!("one line") };
    assert!(refusal.starts_with("info string illegal move g1a1: "), "{refusal}");
    conversation.end();
}

#[test]
fn unknown_input_is_reported_in_debug_mode_only() {
    let conversation = Conversation::start();
    assert_eq!(conversation.line_within(A_WHILE), None, "nothing before a command");
    assert!(conversation.ask("xboard").is_empty());
    conversation.send(&["debug on"]);
    assert_eq!(conversation.ask("xboard\u{7}x"), ["info string unknown command: xboard x"]);
    assert_eq!(conversation.ask(&"x".repeat(100_000)).len(), 1);
    conversation.send(&["debug off"]);
    assert!(conversation.ask("xboard").is_empty());
    assert_eq!(conversation.end(), Vec::<String>::new());
}

#[test]
fn quit_ends_a_search_and_a_tool_of_a_person() {
    for (conversation, running) in [
        (Conversation::start(), "go movetime 3600000"),
        (Conversation::of_person(), "go infinite"),
        (Conversation::of_person(), "go perft 40"),
    ] {
        conversation.send(&[running, "quit", "isready"]);
        // Anything else would take an hour at least.
        let lines = conversation.end();
        assert!(!lines.iter().any(|line| line == "readyok"), "{running}: {lines:#?}");
    }
}
