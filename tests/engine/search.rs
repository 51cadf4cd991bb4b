//! The search finds mates, obeys each limit, answers exactly once, and prints playable lines.

use std::thread::sleep;
use std::time::Duration;

use carrybit::Engine;
use carrybit::internals::score::{mate_at, mate_in_moves};
use carrybit::internals::search::limits::Limits;
use carrybit::internals::search::report::{BestMove, Report, SearchEvent};
use carrybit::{Board, Game, Move};
use carrybit_board::draw::{FiftyMoveRule, is_repetition};

use crate::engine_support::{
    KIWIPETE, clock, depth, engine, game, infinite, move_time, nodes, search, start,
};
use crate::support::{CROWDED, play};

/// A search with a new engine.
fn search_from(fen: &str, limits: Limits) -> (Vec<Report>, BestMove) {
    search(&mut engine(fen), limits)
}

/// Plays a line: every move must be legal, and none may follow the end of the game. Returns the
/// last position.
fn play_line(game: &Game, pv: &[Move]) -> Board {
    let mut game = game.clone();
    for (i, &mv) in pv.iter().enumerate() {
        let before = game.board();
        assert!(before.is_legal(mv), "{mv} in {}", before.shredder_fen());
        let history = game.history();
        let is_over = FiftyMoveRule::of(&Board::default()).is_draw(before)
            || before.is_insufficient_material()
            || is_repetition(history, before.key(), before.halfmove(), history.len());
        assert!(i == 0 || !is_over, "the line continues after a draw: {}", before.shredder_fen());
        game.play(mv);
    }
    game.board().clone()
}

#[test]
fn mates_of_both_colours_are_found_with_their_line() {
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", 1),
        ("1r4k1/R4ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 1),
        ("3k3B/7p/p1Q1p3/2n5/6P1/K3b3/PP5q/R7 w - - 0 1", 1),
        ("8/8/8/8/8/1k6/2r5/K7 b - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        ("1r4k1/r7/8/8/8/8/8/7K b - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        // A mate on the hundredth ply wins.
        ("7k/R7/6K1/8/8/8/8/8 w - - 99 80", 1),
    ] {
        let (reports, _) = search_from(fen, depth(14));
        let last = reports.last().expect("there is a report");
        assert_eq!(mate_in_moves(last.score), Some(moves), "{fen}");
        assert_eq!(last.pv.len() as i32, 2 * moves - 1, "{fen}");
        let end = play_line(&game(fen), &last.pv);
        assert!(end.in_check() && end.count_legal() == 0, "the line of {fen} ends in mate");
    }
    for (fen, moves) in [
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -1),
        // The clock is past a hundred plies: no player has claimed the draw.
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 100 90", 2),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 150 90", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 120 90", 3),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 300 90", 3),
    ] {
        let (reports, _) = search_from(fen, depth(14));
        assert_eq!(mate_in_moves(reports.last().expect("a report").score), Some(moves), "{fen}");
    }
}

#[test]
fn moves_stay_good_after_fifty_moves_without_a_claim() {
    // Quiet positions in which only a good move wins or holds.
    for fen in [
        "5k2/1p2pp2/5q2/2Pr1PQp/7P/8/6P1/4R2K w - -",
        "8/8/8/3k4/8/8/8/K6R w - -",
        "8/5pk1/4p1p1/3rP2p/5P1P/1r4P1/4R1K1/4R3 w - -",
        "3q2k1/5pp1/7p/8/8/6P1/4QP1P/6K1 b - -",
    ] {
        let score = |clock: u32, mv: Option<Move>| {
            let search_moves = mv.into_iter().collect();
            let limits = Limits { search_moves, ..nodes(20_000) };
            let (reports, answer) = search_from(&format!("{fen} {clock} 90"), limits);
            let last = reports.last().expect("a report");
            assert!(clock != 99 || last.pv.len() == 1, "{fen}: {:?}", last.pv);
            (last.score, answer.best)
        };
        let (best_score, _) = score(0, None);
        for clock in [99, 100, 120, 149, 150, 9999] {
            let (_, mv) = score(clock, None);
            let loss = best_score - score(0, mv).0;
            // At 99 the engine sees the draw, but its move must not be a random one.
            let most = if clock == 99 { 250 } else { 80 };
            assert!(loss < most, "{mv:?} loses {loss} cp in {fen} at {clock}");
        }
    }
}

#[test]
fn win_on_the_last_move_before_the_fiftieth_is_found() {
    for (fen, mv, least) in [
        ("6k1/5ppp/8/8/8/8/q6P/R5K1 w - - 99 90", "a1a2", 300),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 90", "a1a8", mate_at(1)),
    ] {
        for limits in [nodes(4_000), Limits::depth(6)] {
            let (reports, answer) = search_from(fen, limits);
            assert_eq!(answer.best.map(|mv| mv.to_string()).as_deref(), Some(mv));
            assert!(reports.last().expect("a report").score >= least);
        }
    }
}

#[test]
fn draws_stored_before_the_fiftieth_move_are_not_used_after_it() {
    let mut engine = engine("8/8/8/3k4/8/8/8/K6R w - - 96 90");
    for text in ["h1h2", "d5d4", "h2h1", "d4d5", "h1h3", "d5d4"] {
        let (reports, _) = search(&mut engine, nodes(20_000));
        let score = reports.last().expect("a report").score;
        let mut game = engine.game().clone();
        // On the last move before that draw, the quiet moves are searched as after it.
        let is_past = game.board().halfmove() >= 99;
        assert!(is_past == (score.abs() > 400), "{score} in {}", game.board().fen());
        play(&mut game, text);
        engine.set_game(game);
    }
}

#[test]
fn forced_repetition_is_a_draw_at_the_third_and_fifth_occurrence_only() {
    for times in 1..=6 {
        let mut game = game("1r2k3/8/8/7p/7P/8/8/K7 w - - 0 1");
        play(&mut game, &"a1a2 e8d8 a2a1 d8e8 ".repeat(times));
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
fn lines_are_legal_and_end_with_the_game() {
    for fen in [
        KIWIPETE,
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 11",
        "8/8/8/3k4/8/2R5/3K4/8 w - - 88 90",
        "4k3/8/8/3q4/8/8/3R4/3RK3 w - - 90 80",
        "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1",
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
        // Fewer moves than lines.
        "7k/8/8/8/8/8/r7/K7 w - - 0 1",
    ] {
        let mut engine = engine(fen);
        let game = engine.game().clone();
        engine.settings_mut().multi_pv = 3;
        let (reports, answer) = search(&mut engine, depth(11));
        for report in &reports {
            let _ = play_line(&game, &report.pv);
            assert!(report.multi_pv as u64 <= game.board().count_legal(), "{fen}");
        }
        let first = reports.iter().rfind(|report| report.multi_pv == 1).expect("a first line");
        assert_eq!(answer.ponder, first.pv.get(1).copied());
    }
}

#[test]
fn crowded_positions_are_searched() {
    for fen in CROWDED {
        // A debug build checks each position. The node limit is for the many captures.
        let limits = Limits { depth: Some(5), ..nodes(20_000) };
        assert!(!search_from(fen, limits).0.is_empty(), "{fen}");
    }
}

#[test]
fn node_limits_hold_and_one_node_gives_a_move() {
    for limit in [1, 100, 10_000] {
        let (reports, _) = search_from(KIWIPETE, nodes(limit));
        let last = reports.last().expect("a report");
        assert!(last.nodes <= limit.max(1000), "{} nodes instead of {limit}", last.nodes);
    }
}

#[test]
fn time_limits_hold() {
    // No processor searches this number of nodes in 100 ms.
    const TOO_MANY: u64 = 1_000_000;
    for limits in [move_time(100), move_time(1), clock(0, 0), clock(100, 0)] {
        let (reports, answer) = search_from(KIWIPETE, limits.clone());
        let spent = reports.last().expect("a report").nodes;
        assert!(answer.best.is_some() && spent < TOO_MANY, "{spent} nodes for {limits:?}");
    }
}

#[test]
fn snapshot_shows_progress_while_the_search_runs() {
    let mut engine = engine(KIWIPETE);
    engine.set_threads(2);
    assert_eq!(engine.snapshot(), None);
    let _events = start(&mut engine, infinite());
    let progress_after = |nodes: u64| {
        loop {
            let progress = engine.snapshot().expect("the search is running");
            // The nodes are those of both threads, the move is that of the main thread.
            if progress.nodes > nodes && progress.current_move.is_some_and(|mv| mv.depth > 1) {
                break progress;
            }
            sleep(Duration::from_millis(1));
        }
    };
    let first = progress_after(10_000);
    let second = progress_after(first.nodes);
    assert!(second.time > first.time);
    let current = second.current_move.expect("a move is being searched");
    assert!(engine.game().board().is_legal(current.mv));
    assert!((1..=48).contains(&current.number), "the position has 48 moves");
    engine.stop();
    assert_eq!(engine.snapshot(), None);
    let events = start(&mut engine, Limits { infinite: true, ..depth(1) });
    while engine.snapshot().is_some() {
        sleep(Duration::from_millis(1));
    }
    assert!(!events.try_iter().any(|event| matches!(event, SearchEvent::Finished(_))));
}
