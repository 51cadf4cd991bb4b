//! Whole conversations, held in memory: what the protocol demands of an engine beyond the
//! meaning of single lines.

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

#[test]
fn nothing_is_said_before_it_is_asked() {
    let conversation = Conversation::start();
    assert_eq!(conversation.hear_within(A_WHILE), None);
    assert_eq!(conversation.end(), Vec::<String>::new());
}

#[test]
fn a_search_reports_and_ends_with_its_best_move() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["position startpos", "go depth 4"]);
    let board = Board::default();
    let mut last_pv = "";
    for line in &lines[..lines.len() - 1] {
        assert!(line.starts_with("info depth "), "{line}");
        for key in ["seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
            let value = field(line, key).and_then(|rest| rest.split(' ').next());
            assert!(value.is_some_and(|value| value.parse::<u64>().is_ok()), "{key} in {line}");
        }
        assert!(field(line, "score").is_some(), "{line}");
        last_pv = field(line, "pv").expect("a line has its moves");
    }
    let best = best_move(&lines)[1];
    assert_eq!(last_pv.split(' ').next(), Some(best));
    assert!(find_move(&board, best).is_some());
    conversation.end();
}

#[test]
fn each_depth_is_reported_up_to_the_last() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["go depth 5"]);
    for depth in 1..=5 {
        let start = format!("info depth {depth} ");
        let is_exact = |line: &&String| line.starts_with(&start) && !line.contains("bound");
        assert!(lines.iter().any(|line| is_exact(&line)), "{lines:#?}");
    }
    conversation.end();
}

#[test]
fn tiny_limits_still_give_a_move_and_a_score() {
    let conversation = Conversation::start();
    for go in [
        "go movetime 1",
        "go movetime 0",
        "go nodes 1",
        "go depth 0",
        "go wtime 1 btime 1",
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
fn an_infinite_search_waits_for_stop_whatever_it_finds() {
    let conversation = Conversation::start();
    for position in ["position startpos", MATE_IN_ONE, MATED, STALEMATED] {
        for go in ["go", "go infinite", "go infinite depth 1", "go infinite movetime 1"] {
            conversation.say(&[position, go]);
            assert_no_best_move(&conversation);
            let stopped = Instant::now();
            best_move(&conversation.search(&["stop"]));
            assert!(stopped.elapsed() < AT_ONCE, "{position} {go}");
        }
    }
    conversation.end();
}

#[test]
fn a_ponder_search_waits_for_ponderhit_or_stop() {
    let conversation = Conversation::start();
    for position in ["position startpos moves e2e4", MATE_IN_ONE, MATED] {
        for end in ["ponderhit", "stop"] {
            for go in [
                "go ponder wtime 50 btime 50",
                "go ponder movetime 1",
                "go ponder depth 1",
                "go ponder wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
            ] {
                conversation.say(&[position, go]);
                assert_no_best_move(&conversation);
                best_move(&conversation.search(&[end]));
            }
        }
    }
    conversation.end();
}

#[test]
fn the_time_for_a_move_counts_from_ponderhit() {
    let conversation = Conversation::start();
    conversation.say(&["position startpos", "go ponder movetime 300"]);
    assert_no_best_move(&conversation);
    let hit = Instant::now();
    best_move(&conversation.search(&["ponderhit"]));
    let time = hit.elapsed();
    assert!(time >= Duration::from_millis(100), "only {time:?}");
    assert!(time < Duration::from_millis(300) + AT_ONCE, "{time:?}");
    conversation.end();
}

#[test]
fn stop_and_ponderhit_without_a_search_do_nothing() {
    let conversation = Conversation::start();
    assert!(conversation.ask("stop").is_empty());
    assert!(conversation.ask("ponderhit").is_empty());
    conversation.search(&["go depth 1"]);
    assert!(conversation.ask("stop").is_empty());
    assert!(conversation.ask("ponderhit").is_empty());
    best_move(&conversation.search(&["go depth 1"]));
    assert!(conversation.end().is_empty());
}

#[test]
fn a_stop_right_behind_the_go_is_not_lost() {
    let conversation = Conversation::start();
    for _ in 0..50 {
        best_move(&conversation.search(&["go infinite", "stop"]));
        best_move(&conversation.search(&["go ponder wtime 100 btime 100", "ponderhit", "stop"]));
    }
    conversation.end();
}

#[test]
fn a_late_stop_does_not_touch_the_next_search() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["go depth 1", "stop", "stop"]);
    best_move(&lines);
    conversation.say(&["stop", "go infinite"]);
    assert_no_best_move(&conversation);
    best_move(&conversation.search(&["stop"]));
    conversation.end();
}

#[test]
fn isready_is_answered_during_a_search() {
    let conversation = Conversation::start();
    conversation.say(&["go infinite"]);
    for _ in 0..20 {
        let asked = Instant::now();
        let heard = conversation.ask("");
        assert!(asked.elapsed() < AT_ONCE);
        assert!(heard.iter().all(|line| line.starts_with("info ")), "{heard:#?}");
    }
    best_move(&conversation.search(&["stop"]));
    conversation.end();
}

#[test]
fn a_second_go_stops_the_first_and_is_then_searched() {
    let conversation = Conversation::start();
    conversation.say(&["position startpos", "go infinite", "position startpos moves e2e4"]);
    conversation.say(&["go depth 1", "isready"]);
    let first = conversation.hear_until("bestmove");
    assert!(find_move(&Board::default(), best_move(&first)[1]).is_some());
    let mut rest = conversation.hear_until("bestmove");
    if !rest.iter().any(|line| line == "readyok") {
        rest.extend(conversation.hear_until("readyok"));
    }
    let second = rest.iter().find(|line| line.starts_with("bestmove "));
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let after: Board = after.parse().expect("a valid FEN");
    let mv = second.and_then(|line| line.split(' ').nth(1)).expect("a move");
    assert!(find_move(&after, mv).is_some(), "{rest:#?}");
    conversation.end();
}

#[test]
fn what_follows_a_second_go_is_meant_for_it() {
    let conversation = Conversation::start();
    for _ in 0..20 {
        conversation.say(&["position startpos", "go infinite", "go infinite", "stop"]);
        best_move(&conversation.hear_until("bestmove"));
        best_move(&conversation.hear_until("bestmove"));
        // The second go does not search the position that was set after it.
        conversation.say(&["go infinite", "go infinite", STALEMATED, "stop"]);
        assert_ne!(best_move(&conversation.hear_until("bestmove"))[1], "(none)");
        assert_ne!(best_move(&conversation.hear_until("bestmove"))[1], "(none)");
    }
    assert!(conversation.ask("").is_empty());
    conversation.end();
}

#[test]
fn a_position_during_a_search_is_for_the_next_go() {
    let conversation = Conversation::start();
    conversation.say(&["position startpos", "go infinite", MATED]);
    assert_no_best_move(&conversation);
    let lines = conversation.search(&["stop"]);
    assert!(find_move(&Board::default(), best_move(&lines)[1]).is_some());
    let lines = conversation.search(&["go depth 3"]);
    assert_eq!(lines, ["info depth 0 score mate 0", "bestmove (none)"]);
    conversation.end();
}

#[test]
fn a_root_without_legal_moves_is_answered_with_none() {
    let conversation = Conversation::start();
    for go in ["go depth 5", "go movetime 10", "go wtime 100 btime 100", "go nodes 100"] {
        let mated = conversation.search(&[MATED, go]);
        assert_eq!(mated, ["info depth 0 score mate 0", "bestmove (none)"]);
        let stalemated = conversation.search(&[STALEMATED, go]);
        assert_eq!(stalemated, ["info depth 0 score cp 0", "bestmove (none)"]);
    }
    conversation.end();
}

#[test]
fn nobody_waits_for_the_clock_of_a_root_without_legal_moves() {
    let conversation = Conversation::start();
    conversation.search(&[MATED, "go wtime 600000 btime 600000"]);
    let ended = Instant::now();
    conversation.end();
    assert!(ended.elapsed() < 4 * AT_ONCE, "{:?}", ended.elapsed());
}

#[test]
fn a_drawn_root_with_legal_moves_is_played_on() {
    let conversation = Conversation::start();
    let shuffled = "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    for position in [
        shuffled,
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
fn a_new_game_during_a_search_stops_it_first() {
    let conversation = Conversation::start();
    conversation.say(&["go infinite", "ucinewgame", "isready"]);
    let lines = conversation.hear_until("readyok");
    let bests = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(bests, 1, "readyok comes after the search has ended: {lines:#?}");
    best_move(&conversation.search(&["go depth 2"]));
    conversation.end();
}

#[test]
fn a_new_game_keeps_the_position_and_the_options() {
    let conversation = Conversation::start();
    conversation.say(&["setoption name UCI_ShowWDL value true", "position startpos moves e2e4"]);
    let before = conversation.fen();
    conversation.say(&["ucinewgame"]);
    assert_eq!(conversation.fen(), before);
    let lines = conversation.search(&["go depth 2"]);
    assert!(lines.iter().any(|line| line.contains(" wdl ")), "{lines:#?}");
    conversation.end();
}

#[test]
fn wdl_is_shown_on_request_and_sums_to_a_thousand() {
    let conversation = Conversation::start();
    let without = conversation.search(&["go depth 3"]);
    assert!(without.iter().all(|line| !line.contains("wdl")));
    conversation.say(&["setoption name UCI_ShowWDL value true"]);
    for line in conversation.search(&["go depth 3"]) {
        let Some(rest) = field(&line, "wdl") else { continue };
        let chances = rest.split(' ').take(3).map(|word| word.parse::<u32>().expect("a number"));
        assert_eq!(chances.sum::<u32>(), 1000, "{line}");
        assert!(field(&line, "score").is_some_and(|score| score.contains(" wdl ")), "{line}");
    }
    conversation.end();
}

#[test]
fn castling_is_written_as_the_mode_asks() {
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let conversation = Conversation::start();
    for (mode, text) in [("false", "e1g1"), ("true", "e1h1")] {
        conversation.say(&[&format!("setoption name UCI_Chess960 value {mode}"), castle]);
        for searched in ["e1g1", "e1h1"] {
            let go = format!("go depth 2 searchmoves {searched}");
            let lines = conversation.search(&[&go]);
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
    conversation.end();
}

#[test]
fn phantom_castling_is_no_move_of_standard_chess() {
    let conversation = Conversation::start();
    let answer = conversation.ask("position fen 4k3/8/8/8/8/8/8/R5K1 w Q - 0 1 moves g1a1");
    let [refusal] = &answer[..] else { panic!("{answer:?}") };
    assert!(refusal.starts_with("info string illegal move g1a1: "), "{refusal}");
    conversation.say(&["setoption name UCI_Chess960 value true"]);
    conversation.say(&["position fen 4k3/8/8/8/8/8/8/R5K1 w Q - 0 1 moves g1a1"]);
    assert_eq!(conversation.fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    conversation.end();
}

#[test]
fn search_moves_restrict_the_choice() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["go depth 3 searchmoves a2a3 h2h3"]);
    assert!(["a2a3", "h2h3"].contains(&best_move(&lines)[1]), "{lines:#?}");
    let lines = conversation.search(&["go depth 2 searchmoves 0000"]);
    assert!(find_move(&Board::default(), best_move(&lines)[1]).is_some());
    conversation.end();
}

#[test]
fn multi_pv_shows_as_many_lines_as_there_are_moves() {
    let conversation = Conversation::start();
    conversation.say(&["setoption name MultiPV value 256"]);
    let lines = conversation.search(&["position startpos", "go depth 2"]);
    for depth in 1..=2 {
        let ranks: Vec<u32> = lines
            .iter()
            .filter(|line| line.starts_with(&format!("info depth {depth} ")))
            .filter(|line| !line.contains("bound"))
            .filter_map(|line| field(line, "multipv")?.split(' ').next()?.parse().ok())
            .collect();
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
        let rank = |line: &String| field(line, "multipv")?.split(' ').next()?.parse().ok();
        let ranks: Vec<usize> = lines.iter().filter_map(rank).collect();
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
fn unknown_input_is_remarked_upon_only_in_debug_mode() {
    let conversation = Conversation::start();
    assert!(conversation.ask("xboard").is_empty());
    conversation.say(&["debug on"]);
    assert_eq!(conversation.ask("xboard\u{7}"), ["info string unknown command: xboard "]);
    assert_eq!(conversation.ask(&"x".repeat(100_000)).len(), 1);
    conversation.say(&["debug off"]);
    assert!(conversation.ask("xboard").is_empty());
    conversation.end();
}

#[test]
fn a_finite_search_is_finished_after_the_end_of_input() {
    for go in ["go depth 4", "go movetime 50", "go nodes 2000", "go wtime 1000 btime 1000"] {
        let conversation = Conversation::start();
        conversation.say(&[go]);
        best_move(&conversation.end());
    }
}

#[test]
fn an_endless_search_does_not_outlive_the_input() {
    for go in ["go infinite", "go ponder wtime 99999 btime 99999", "go mate 9", "go"] {
        let conversation = Conversation::start();
        conversation.say(&[go]);
        let ended = Instant::now();
        conversation.end();
        assert!(ended.elapsed() < AT_ONCE, "{go}");
    }
}

#[test]
fn a_table_larger_than_any_memory_is_replaced_by_what_can_be_had() {
    let conversation = Conversation::start();
    let asked = Instant::now();
    // Its memory is not taken before the engine is to be ready.
    conversation.say(&["setoption name Hash value 33554432"]);
    let answer = conversation.ask("setoption name Hash value 1");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
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
        // The deepest lines come without being asked for, when there is time.
        let rank = format!("{lines_wanted} ");
        let is_last = |line: &String| {
            line.starts_with("info depth 240 ")
                && field(line, "multipv").is_some_and(|rest| rest.starts_with(&rank))
        };
        let mut heard = Vec::new();
        while !heard.last().is_some_and(is_last) {
            heard.push(
                conversation.hear_within(Duration::from_secs(30)).expect("the deepest lines"),
            );
        }
        let most = 25 + started.elapsed().as_millis() as usize / 30;
        assert!(heard.len() <= most, "{} lines in {:?}", heard.len(), started.elapsed());
        assert!(heard[0].starts_with("info depth 1 "), "{heard:#?}");
        heard.extend(conversation.search(&["stop"]));
        let best = best_move(&heard)[1];
        let mut first_lines = heard.iter().filter(|line| field(line, "multipv 1").is_some());
        let last_pv = first_lines.next_back().and_then(|line| field(line, "pv")).expect("moves");
        assert_eq!(last_pv.split(' ').next(), Some(best));
    }
    conversation.end();
}

#[test]
fn quit_ends_a_search_at_once_and_for_a_person_a_tool_too() {
    for (conversation, running) in [
        (Conversation::start(), "go infinite"),
        (Conversation::start(), "go movetime 60000"),
        (Conversation::start(), ""),
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

#[test]
fn each_go_is_answered_once_in_a_burst() {
    let conversation = Conversation::start();
    let mut said = 0;
    for round in 0..30 {
        conversation.say(&["position startpos moves e2e4", "go ponder wtime 100 btime 100"]);
        conversation.say(&["isready", "setoption name Hash value 1"]);
        said += 1;
        if round % 3 == 0 {
            conversation.say(&["ponderhit"]);
        } else {
            conversation.say(&["stop", "isready", "position startpos", "go depth 1"]);
            said += 1;
        }
    }
    conversation.say(&["go depth 1"]);
    let lines = conversation.end();
    let bests = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(bests, said + 1);
}
