//! Whole conversations: what a GUI reads, and options and positions in between. The order
//! and the time of answers are checked by `hammer.rs`.

mod uci_support;

use std::time::{Duration, Instant};

use carrybit::board::Board;
use carrybit::uci::position::find_move;
use uci_support::{A_WHILE, AT_ONCE, Conversation, assert_no_best_move, best_move};

/// Mate in one: the rook goes to the eighth rank.
const MATE_IN_ONE: &str = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

/// White is checkmated.
const MATED: &str = "position fen 7k/8/8/8/8/8/5PPP/r5K1 w - - 0 1";

/// White to move is stalemated.
const STALEMATED: &str = "position fen 7k/8/8/8/8/1q6/8/K7 w - - 0 1";

/// The words after `key` in an `info` line.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {key} "))?;
    Some(rest)
}

/// The number after `key` in an `info` line.
fn number(line: &str, key: &str) -> Option<u64> {
    field(line, key)?.split(' ').next()?.parse().ok()
}

#[test]
fn nothing_is_printed_before_a_command() {
    let conversation = Conversation::start();
    assert_eq!(conversation.hear_within(A_WHILE), None);
    assert_eq!(conversation.end(), Vec::<String>::new());
}

#[test]
fn a_search_reports_each_depth_and_ends_with_its_best_move() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["position startpos", "go depth 5"]);
    let mut last_pv = "";
    for line in &lines[..lines.len() - 1] {
        assert!(line.starts_with("info depth ") && field(line, "score").is_some(), "{line}");
        for key in ["seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
            assert!(number(line, key).is_some(), "{key} in {line}");
        }
        last_pv = field(line, "pv").expect("a line has its moves");
    }
    for depth in 1..=5 {
        let start = format!("info depth {depth} ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{lines:#?}");
    }
    let best = best_move(&lines)[1];
    assert_eq!(last_pv.split(' ').next(), Some(best));
    assert!(find_move(&Board::default(), best).is_some());
    conversation.end();
}

#[test]
fn tiny_limits_still_give_a_move_and_a_score() {
    let conversation = Conversation::start();
    for go in [
        "go movetime 0",
        "go nodes 1",
        "go depth 0",
        "go wtime 0 btime 0",
        "go wtime -50 btime -50",
        "go wtime 1 btime 1 winc 1000 binc 1000",
        "go wtime 1 movestogo 1",
    ] {
        let lines = conversation.search(&["position startpos", go]);
        assert!(lines.iter().any(|line| line.contains(" score ")), "{go}: {lines:#?}");
        assert!(find_move(&Board::default(), best_move(&lines)[1]).is_some(), "{go}");
    }
    conversation.end();
}

#[test]
fn the_time_for_a_move_counts_from_ponderhit_and_from_the_end_of_a_wait() {
    let conversation = Conversation::start();
    conversation.say(&["position startpos", "go ponder movetime 300"]);
    assert_no_best_move(&conversation);
    let hit = Instant::now();
    best_move(&conversation.search(&["ponderhit"]));
    assert!(hit.elapsed() >= Duration::from_millis(100), "{:?}", hit.elapsed());
    let started = Instant::now();
    let go = "go movetime 300";
    conversation.say(&[go, "wait", go, "wait", go]);
    for number in 1..=3 {
        best_move(&conversation.hear_until("bestmove"));
        // They may come a little early, so as not to be late.
        let least = Duration::from_millis(240 * number);
        assert!(started.elapsed() > least, "{number}: {:?}", started.elapsed());
    }
    conversation.end();
}

#[test]
fn a_root_without_legal_moves_is_answered_at_once_with_none() {
    let conversation = Conversation::start();
    for go in ["go depth 5", "go wtime 600000 btime 600000", "go nodes 100"] {
        let mated = conversation.search(&[MATED, go]);
        assert_eq!(mated, ["info depth 0 score mate 0", "bestmove (none)"]);
        let stalemated = conversation.search(&[STALEMATED, go]);
        assert_eq!(stalemated, ["info depth 0 score cp 0", "bestmove (none)"]);
    }
    let ended = Instant::now();
    conversation.end();
    assert!(ended.elapsed() < AT_ONCE, "{:?}", ended.elapsed());
}

#[test]
fn a_drawn_root_with_legal_moves_is_played_on() {
    let conversation = Conversation::start();
    for position in [
        "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
        "position fen 7k/8/8/8/8/8/8/K6R w - - 100 90",
        "position fen 7k/8/8/8/8/8/8/K6R w - - 1000 900",
        "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1",
    ] {
        let lines = conversation.search(&[position, "go depth 3"]);
        assert_eq!(best_move(&lines)[1].len(), 4, "{position}: {lines:#?}");
        assert!(lines.iter().any(|line| line.contains(" score ")), "{lines:#?}");
    }
    conversation.end();
}

#[test]
fn options_set_during_a_search_are_applied_when_it_has_ended() {
    let conversation = Conversation::start();
    conversation.say(&["go infinite"]);
    let during = conversation.ask("setoption name Threads value 0");
    assert!(during.iter().all(|line| !line.contains("Threads")), "{during:#?}");
    conversation.say(&["setoption name Hash value 1", "setoption name Clear Hash"]);
    best_move(&conversation.search(&["stop"]));
    let after = conversation.ask("");
    assert_eq!(after.len(), 1, "{after:#?}");
    assert!(after[0].contains("Threads"), "{after:#?}");
    best_move(&conversation.search(&["go depth 2"]));
    conversation.end();
}

#[test]
fn a_new_game_keeps_the_position_and_the_options() {
    let conversation = Conversation::start();
    let without = conversation.search(&["go depth 3"]);
    assert!(without.iter().all(|line| !line.contains("wdl")));
    conversation.say(&["setoption name UCI_ShowWDL value true", "position startpos moves e2e4"]);
    let before = conversation.fen();
    conversation.say(&["ucinewgame"]);
    assert_eq!(conversation.fen(), before);
    let lines = conversation.search(&["go depth 2"]);
    for line in &lines[..lines.len() - 1] {
        let wdl = field(line, "wdl").expect("chances with each score").split(' ').take(3);
        let chances = wdl.map(|word| word.parse::<u32>().expect("a number"));
        assert_eq!(chances.sum::<u32>(), 1000, "{line}");
    }
    conversation.end();
}

#[test]
fn castling_is_written_as_the_mode_demands() {
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let conversation = Conversation::start();
    for (mode, text) in [("false", "e1g1"), ("true", "e1h1")] {
        conversation.say(&[&format!("setoption name UCI_Chess960 value {mode}"), castle]);
        for searched in ["e1g1", "e1h1"] {
            let lines = conversation.search(&[&format!("go depth 2 searchmoves {searched}")]);
            assert_eq!(best_move(&lines)[1], text, "{lines:#?}");
            conversation.say(&["perft 1"]);
            let split = conversation.hear_until("Time:");
            assert!(split.contains(&format!("{text}: 1")), "{split:#?}");
        }
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
            conversation.say(&[&format!("setoption name UCI_Chess960 value {mode}")]);
            conversation.say(&[&format!("position fen {placed} w {rights} - 0 1")]);
            assert_eq!(conversation.fen(), format!("{placed} w {expected} - 0 1"), "{rights}");
        }
    }
    let castles = "position fen 4k3/8/8/8/8/8/8/R5K1 w Q - 0 1 moves g1a1";
    conversation.say(&[castles]);
    assert_eq!(conversation.fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    let answer = conversation.ask("setoption name UCI_Chess960 value false");
    assert!(answer.is_empty(), "{answer:?}");
    let [refusal] = &conversation.ask(castles)[..] else { panic!("one line") };
    assert!(refusal.starts_with("info string illegal move g1a1: "), "{refusal}");
    conversation.end();
}

#[test]
fn multi_pv_shows_as_many_lines_as_there_are_moves() {
    let conversation = Conversation::start();
    conversation.say(&["setoption name MultiPV value 256"]);
    let lines = conversation.search(&["position startpos", "go depth 2"]);
    for depth in 1..=2 {
        let start = format!("info depth {depth} ");
        let of_depth = lines.iter().filter(|line| line.starts_with(&start));
        let ranks: Vec<u64> = of_depth.filter_map(|line| number(line, "multipv")).collect();
        assert_eq!(ranks, (1..=20).collect::<Vec<_>>(), "{lines:#?}");
    }
    conversation.end();
}

#[test]
fn several_lines_come_together_and_the_first_is_played_wherever_the_search_stops() {
    let conversation = Conversation::start();
    let position = "position fen nrq4r/2k1p3/1p1pPnp1/pRpP1p2/P1P2P2/2P1BB2/1R2Q1P1/6K1 w - - 0 1";
    conversation.say(&["setoption name MultiPV value 4", position]);
    for nodes in [500, 2_000, 7_000, 20_000, 30_000] {
        conversation.say(&["ucinewgame"]);
        let lines = conversation.search(&[&format!("go nodes {nodes}")]);
        let ranks: Vec<u64> = lines.iter().filter_map(|line| number(line, "multipv")).collect();
        for (i, &rank) in ranks.iter().enumerate() {
            assert!(rank == 1 || rank == ranks[i - 1] + 1, "{nodes} nodes: {ranks:?}");
        }
        let first = lines.iter().rfind(|line| line.contains(" multipv 1 ")).expect("a first line");
        let played = field(first, "pv").and_then(|pv| pv.split(' ').next());
        assert_eq!(played, Some(best_move(&lines)[1]), "{nodes} nodes: {lines:#?}");
    }
    conversation.end();
}

#[test]
fn a_mate_is_counted_in_moves() {
    let conversation = Conversation::start();
    let lines = conversation.search(&[MATE_IN_ONE, "go depth 3"]);
    assert_eq!(best_move(&lines), ["bestmove", "a1a8"]);
    assert!(lines[lines.len() - 2].contains(" score mate 1 "), "{lines:#?}");
    let lines = conversation.search(&[MATE_IN_ONE, "go mate 1"]);
    assert_eq!(best_move(&lines)[1], "a1a8");
    conversation.end();
}

#[test]
fn unknown_input_is_reported_only_in_debug_mode() {
    let conversation = Conversation::start();
    assert!(conversation.ask("xboard").is_empty());
    conversation.say(&["debug on"]);
    assert_eq!(conversation.ask("xboard\u{7}x"), ["info string unknown command: xboard x"]);
    assert_eq!(conversation.ask(&"x".repeat(100_000)).len(), 1);
    conversation.say(&["debug off"]);
    assert!(conversation.ask("xboard").is_empty());
    conversation.end();
}

#[test]
fn a_table_larger_than_any_memory_is_replaced_by_what_can_be_had() {
    let conversation = Conversation::start();
    let asked = Instant::now();
    // Its memory is not taken before the engine is to be ready.
    conversation.say(&["setoption name Hash value 33554432"]);
    let answer = conversation.ask("setoption name Hash value 1");
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
    assert_eq!(answer.len(), 1, "{answer:#?}");
    assert!(answer[0].starts_with("info string "), "{answer:#?}");
    assert!(answer[0].contains("33554432 MB"), "{answer:#?}");
    best_move(&conversation.search(&["go depth 1"]));
    conversation.end();
}

#[test]
fn a_trivial_position_does_not_flood_the_gui() {
    let conversation = Conversation::start();
    for lines_wanted in [1, 3] {
        let set = format!("setoption name MultiPV value {lines_wanted}");
        conversation.say(&[&set, "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1", "go infinite"]);
        let started = Instant::now();
        // The deepest lines come without a stop, when there is room.
        let is_last = |line: &String| {
            line.starts_with("info depth 240 ") && number(line, "multipv") == Some(lines_wanted)
        };
        let mut heard = Vec::new();
        while !heard.last().is_some_and(is_last) {
            let line = conversation.hear_within(Duration::from_secs(30));
            heard.push(line.expect("the deepest lines"));
        }
        let most = 30 * (1 + started.elapsed().as_secs() as usize);
        assert!(heard.len() <= most, "{} lines in {:?}", heard.len(), started.elapsed());
        assert!(heard[0].starts_with("info depth 1 "), "{heard:#?}");
        heard.extend(conversation.search(&["stop"]));
        let first = heard.iter().rfind(|line| line.contains(" multipv 1 ")).expect("a first line");
        let played = field(first, "pv").and_then(|pv| pv.split(' ').next());
        assert_eq!(played, Some(best_move(&heard)[1]));
    }
    conversation.end();
}

#[test]
fn quit_ends_a_search_at_once_and_for_a_person_a_tool_too() {
    for (conversation, running) in [
        (Conversation::start(), "go infinite"),
        (Conversation::start(), "go movetime 60000"),
        (Conversation::of_person(), "go infinite"),
        (Conversation::of_person(), "go perft 40"),
        (Conversation::of_person(), "bench"),
    ] {
        conversation.say(&[running, "quit", "isready"]);
        let asked = Instant::now();
        let lines = conversation.end();
        assert!(asked.elapsed() < AT_ONCE, "{running}");
        assert!(!lines.iter().any(|line| line == "readyok"), "{running}: {lines:#?}");
    }
}
