//! The search keeps its promises: it finds mates, obeys every limit, answers
//! exactly once, and shows lines that can be played to their end.

mod engine_support;
mod support;

use std::time::{Duration, Instant};

use carrybit::board::draw::is_repetition;
use carrybit::board::{Board, Game, Move};
use carrybit::engine::Engine;
use carrybit::score::mate_in_moves;
use carrybit::search::limits::{Bound, Limits, Outcome, Report, SearchEvent};
use carrybit::search::transposition::{Entry, TranspositionTable};
use engine_support::{
    KIWIPETE, clock, depth, engine, game, infinite, move_time, nodes, search, start,
};
use support::{board, find_move};

/// The same with a new engine.
fn search_from(fen: &str, limits: Limits) -> (Vec<Report>, Outcome) {
    search(&mut engine(fen), limits)
}

/// Plays a line out and checks that every move is legal and that nothing comes
/// after the end of the game. Returns the last position.
fn play_line(game: &Game, pv: &[Move]) -> Board {
    let mut game = game.clone();
    for (i, &mv) in pv.iter().enumerate() {
        let before = game.board();
        assert!(before.is_legal(mv), "{mv} in {}", before.fen(true));
        let history = game.history();
        let is_over = before.is_fifty_move_draw()
            || before.is_insufficient_material()
            || is_repetition(history, before.key(), before.halfmove(), history.len());
        assert!(i == 0 || !is_over, "the line goes on after a draw: {}", before.fen(true));
        game.play(mv);
    }
    game.board().clone()
}

#[test]
fn mates_are_found_in_both_colours_with_their_line() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", 1),
        ("1r4k1/R4ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 1),
        ("3k3B/7p/p1Q1p3/2n5/6P1/K3b3/PP5q/R7 w - - 0 1", 1),
        ("8/8/8/8/8/1k6/2r5/K7 b - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        ("1r4k1/r7/8/8/8/8/8/7K b - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ];
    for (fen, moves) in mates {
        let (reports, outcome) = search_from(fen, depth(14));
        let last = reports.last().expect("there is a report");
        assert_eq!(mate_in_moves(last.score), Some(moves), "{fen}");
        assert_eq!(outcome.best, last.pv.first().copied());
        assert_eq!(last.pv.len() as i32, 2 * moves - 1, "{fen}");
        let end = play_line(&game(fen), &last.pv);
        assert!(end.in_check() && end.count_legal() == 0, "the line of {fen} ends in mate");
    }
}

#[test]
fn being_mated_is_seen_with_its_distance() {
    let (reports, _) = search_from("k7/8/1K6/8/8/8/8/7R b - - 0 1", depth(6));
    assert_eq!(mate_in_moves(reports.last().expect("a report").score), Some(-1));
}

#[test]
fn roots_without_a_move_are_answered_with_none() {
    for (fen, score) in
        [("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", -32_000), ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0)]
    {
        let (reports, outcome) = search_from(fen, depth(5));
        assert_eq!(outcome, Outcome { best: None, ponder: None });
        assert_eq!((reports[0].depth, reports[0].score), (0, score));
    }
}

#[test]
fn drawn_roots_still_get_a_move() {
    for fen in ["8/8/8/3k4/8/3K4/8/8 w - - 0 1", "4k3/8/8/3q4/8/8/3R4/3RK3 w - - 100 90"] {
        let (_, outcome) = search_from(fen, depth(4));
        assert!(outcome.best.is_some_and(|mv| board(fen).is_legal(mv)));
    }
    let mut game = Game::default();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(3) {
        game.play(find_move(game.board(), text, false));
    }
    let mut engine = Engine::new();
    engine.set_game(game.clone());
    let (_, outcome) = search(&mut engine, depth(4));
    assert!(outcome.best.is_some_and(|mv| game.board().is_legal(mv)));
}

/// Positions without tricks that one side wins or holds with a good move only.
const UNCLAIMED: [&str; 4] = [
    "5k2/1p2pp2/5q2/2Pr1PQp/7P/8/6P1/4R2K w - -",
    "8/8/8/3k4/8/8/8/K6R w - -",
    "8/5pk1/4p1p1/3rP2p/5P1P/1r4P1/4R1K1/4R3 w - -",
    "3q2k1/5pp1/7p/8/8/6P1/4QP1P/6K1 b - -",
];

#[test]
fn moves_stay_good_in_games_that_pass_fifty_moves_unclaimed() {
    for fen in UNCLAIMED {
        let score = |clock: u32, mv: Option<Move>| {
            let search_moves = mv.into_iter().collect();
            let limits = Limits { search_moves, ..nodes(20_000) };
            let (reports, outcome) = search_from(&format!("{fen} {clock} 90"), limits);
            (reports.last().expect("a report").score, outcome.best)
        };
        let (best_score, _) = score(0, None);
        for clock in [100, 101, 120, 149, 150, 400, 9999] {
            let (_, mv) = score(clock, None);
            let loss = best_score - score(0, mv).0;
            assert!(loss < 80, "{mv:?} loses {loss} cp in {fen} at {clock}");
        }
    }
}

#[test]
fn mates_are_found_after_fifty_moves_unclaimed() {
    for (fen, moves) in
        [("7k/8/8/8/8/8/R7/1R4K1 w - -", 2), ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - -", 3)]
    {
        for clock in [100, 120, 150, 300] {
            let (reports, _) = search_from(&format!("{fen} {clock} 90"), depth(14));
            let score = reports.last().expect("a report").score;
            assert_eq!(mate_in_moves(score), Some(moves), "{fen} at {clock}");
        }
    }
}

#[test]
fn draws_stored_before_the_fiftieth_move_do_not_count_after_it() {
    let mut engine = engine("8/8/8/3k4/8/8/8/K6R w - - 96 90");
    for text in ["h1h2", "d5d4", "h2h1", "d4d5", "h1h3", "d5d4"] {
        let (reports, _) = search(&mut engine, nodes(20_000));
        let score = reports.last().expect("a report").score;
        let mut game = engine.game().clone();
        let is_past = game.board().halfmove() >= 100;
        assert!(is_past == (score.abs() > 400), "{score} in {}", game.board().fen(false));
        game.play(find_move(game.board(), text, false));
        engine.set_game(game);
    }
}

#[test]
fn forced_repetition_is_a_draw_only_at_the_third_and_the_fifth_occurrence() {
    for times in 1..=6 {
        let mut game = game("1r2k3/8/8/7p/7P/8/8/K7 w - - 0 1");
        for text in ["a1a2", "e8d8", "a2a1", "d8e8"].repeat(times) {
            game.play(find_move(game.board(), text, false));
        }
        let mut engine = Engine::new();
        engine.set_game(game);
        let (reports, _) = search(&mut engine, nodes(20_000));
        let score = reports.last().expect("a report").score;
        match times {
            2 | 4 => assert_eq!(score, 0, "after {times}"),
            _ => assert!(score < -300, "{score} after {times}"),
        }
    }
}

#[test]
fn mate_on_the_hundredth_ply_wins() {
    let (reports, _) = search_from("7k/R7/6K1/8/8/8/8/8 w - - 99 80", depth(4));
    assert_eq!(mate_in_moves(reports.last().expect("a report").score), Some(1));
}

#[test]
fn lines_are_legal_and_end_with_the_game() {
    let fens = [
        KIWIPETE,
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 11",
        "8/8/8/3k4/8/2R5/3K4/8 w - - 88 90",
        "4k3/8/8/3q4/8/8/3R4/3RK3 w - - 90 80",
        "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1",
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
    ];
    for fen in fens {
        let mut engine = engine(fen);
        let game = engine.game().clone();
        engine.settings_mut().multi_pv = 3;
        let (reports, outcome) = search(&mut engine, depth(11));
        for report in &reports {
            play_line(&game, &report.pv);
        }
        let first = reports.iter().rfind(|report| report.multi_pv == 1).expect("a first line");
        assert_eq!(outcome.best, first.pv.first().copied());
        assert_eq!(outcome.ponder, first.pv.get(1).copied());
    }
}

#[test]
fn more_lines_than_moves_are_cut_to_the_moves() {
    let fen = "7k/8/8/8/8/8/r7/K7 w - - 0 1";
    let mut engine = engine(fen);
    engine.settings_mut().multi_pv = 256;
    let (reports, _) = search(&mut engine, depth(3));
    assert!(reports.iter().all(|report| report.multi_pv as u64 <= board(fen).count_legal()));
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let wanted: Vec<Move> = board(KIWIPETE)
        .legal_moves()
        .iter()
        .copied()
        .filter(|mv| ["a2a3", "g2h3"].contains(&mv.to_string().as_str()))
        .collect();
    let limits = Limits { search_moves: wanted.clone(), ..depth(6) };
    let (reports, outcome) = search_from(KIWIPETE, limits);
    assert!(reports.iter().all(|report| wanted.contains(&report.pv[0])));
    assert!(wanted.contains(&outcome.best.expect("a move")));
}

#[test]
fn node_limits_hold_and_the_smallest_still_gives_a_move() {
    for limit in [1, 100, 10_000] {
        let (reports, outcome) = search_from(KIWIPETE, nodes(limit));
        let last = reports.last().expect("a report even then");
        assert!(last.nodes <= limit.max(1000), "{} nodes instead of {limit}", last.nodes);
        assert_eq!(outcome.best, last.pv.first().copied());
    }
}

#[test]
fn the_same_search_twice_takes_the_same_nodes() {
    let nodes = || search_from(KIWIPETE, depth(9)).0.last().map(|report| report.nodes);
    assert_eq!(nodes(), nodes());
}

#[test]
fn time_limits_hold() {
    let cases = [move_time(100), move_time(1), clock(0, 0), clock(-50, 0), clock(100, 0)];
    for limits in cases {
        let begun = Instant::now();
        let (reports, outcome) = search_from(KIWIPETE, limits.clone());
        assert!(outcome.best.is_some() && !reports.is_empty());
        assert!(begun.elapsed() < Duration::from_millis(400), "{limits:?}");
    }
}

#[test]
fn the_only_legal_move_is_played_at_once_if_there_is_a_clock() {
    let forced = "k7/8/8/8/8/8/6q1/7K w - - 0 1";
    let begun = Instant::now();
    let (reports, outcome) = search_from(forced, clock(3_600_000, 0));
    assert!(begun.elapsed() < Duration::from_millis(400));
    assert_eq!(outcome.best.map(|mv| mv.to_string()).as_deref(), Some("h1g2"));
    assert!(!reports.is_empty());
}

#[test]
fn infinite_and_ponder_wait_for_their_release() {
    let mate = "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1";
    for fen in [KIWIPETE, mate] {
        for (limits, release) in [
            (Limits { infinite: true, ..depth(1) }, Engine::stop as fn(&Engine)),
            (Limits { ponder: true, ..depth(1) }, Engine::ponderhit),
            (Limits { ponder: true, ..depth(1) }, Engine::stop),
        ] {
            let mut engine = engine(fen);
            let events = start(&mut engine, limits);
            std::thread::sleep(Duration::from_millis(60));
            let early = events.try_iter().any(|event| matches!(event, SearchEvent::Finished(_)));
            assert!(!early, "no answer before it is due");
            release(&engine);
            engine.wait();
            assert!(matches!(events.iter().last(), Some(SearchEvent::Finished(_))));
        }
    }
}

#[test]
fn a_search_says_how_far_it_has_come_until_it_has_only_its_answer_left() {
    let mut engine = engine(KIWIPETE);
    engine.set_threads(2);
    assert_eq!(engine.snapshot(), None);
    let _events = start(&mut engine, infinite());
    let progress_after = |nodes: u64| {
        loop {
            let progress = engine.snapshot().expect("nobody has stopped it");
            if progress.nodes > nodes {
                break progress;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let first = progress_after(10_000);
    let second = progress_after(first.nodes);
    assert!(second.time > first.time);
    let current = second.current_move.expect("it is at a move");
    assert!(engine.game().board().is_legal(current.mv) && current.depth > 1);
    assert!((1..=48).contains(&current.number), "the position has 48 moves");
    engine.stop();
    assert_eq!(engine.snapshot(), None);
    let events = start(&mut engine, Limits { infinite: true, ..depth(1) });
    while engine.snapshot().is_some() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!events.try_iter().any(|event| matches!(event, SearchEvent::Finished(_))));
}

#[test]
fn a_late_stop_does_not_touch_the_next_search() {
    let mut engine = Engine::new();
    let (first, _) = search(&mut engine, depth(6));
    engine.stop();
    engine.ponderhit();
    engine.clear();
    let (second, _) = search(&mut engine, depth(6));
    let nodes = |reports: &[Report]| reports.last().map(|report| report.nodes);
    assert_eq!(nodes(&first), nodes(&second));
}

#[test]
fn stop_is_answered_at_once() {
    let mut engine = engine(KIWIPETE);
    let _events = start(&mut engine, infinite());
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    engine.stop();
    engine.wait();
    assert!(begun.elapsed() < Duration::from_millis(100));
}

#[test]
fn the_table_gives_back_what_it_was_given() {
    let (table, result) = TranspositionTable::new(1);
    assert_eq!(result, Ok(()));
    let mv = board(KIWIPETE).legal_moves()[3];
    let entry =
        Entry { mv, score: -123, eval: 77, depth: 200, bound: Some(Bound::Lower), pv: true };
    let key = 0x1234_5678_9abc_def0;
    assert_eq!(table.probe(key, 0, 0), None);
    table.store(key, 7, entry);
    assert_eq!(table.probe(key, 7, 0), Some(entry));
    // Mates are kept as distances from the node.
    let mate = Entry { score: 31_990, depth: 220, ..entry };
    table.store(key, 4, mate);
    assert_eq!(table.probe(key, 6, 0).map(|entry| entry.score), Some(31_988));
    // A mate that the fifty-move rule would forestall is no mate.
    assert!(table.probe(key, 6, 99).is_some_and(|entry| entry.bound.is_none()));
    // The move survives a store without one.
    table.store(key, 4, Entry { mv: Move::NONE, depth: 230, ..entry });
    assert_eq!(table.probe(key, 4, 0).map(|entry| entry.mv), Some(mv));
}

#[test]
fn a_table_takes_no_more_memory_than_is_available() {
    let (table, result) = TranspositionTable::new(TranspositionTable::MAX_MB);
    if let Err(error) = result {
        assert_eq!(error.wanted_mb, TranspositionTable::MAX_MB);
        assert_eq!(error.used_mb, table.megabytes());
        assert!(error.used_mb >= 1 && error.used_mb < error.wanted_mb);
        #[cfg(target_os = "linux")]
        {
            let available = engine_support::told_mb("/proc/meminfo", "MemAvailable:");
            assert!(error.used_mb < available, "{error}");
        }
    }
}
