//! Several lines in positions that the tablebases know.

mod engine_support;
mod support;

use carrybit::board::Game;
use carrybit::engine::Engine;
use carrybit::score::is_win;
use carrybit::search::limits::{Limits, Outcome, Report};
use carrybit::tablebase::Wdl;
use engine_support::{engine_with, open, own_folder};
use support::{board, find_move};

/// The lines of the last iteration with `lines` lines, best first, and the outcome.
fn last_lines(engine: &mut Engine, fen: &str, lines: usize) -> (Vec<Report>, Outcome) {
    engine.set_game(Game::new(board(fen)));
    engine.settings_mut().multi_pv = lines;
    let (reports, outcome) = engine_support::search(engine, engine_support::depth(6));
    let first = reports.iter().rposition(|report| report.multi_pv == 1).expect("a first line");
    (reports[first..].to_vec(), outcome)
}

#[test]
fn lines_that_lose_the_result_are_shown_last_with_their_true_scores() {
    let tables = open(&own_folder());
    for (fen, has_draws) in [
        // Some moves stalemate or lose the queen.
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", true),
        ("8/8/8/8/8/1k6/8/K2R4 w - - 60 100", false),
        ("8/8/8/8/8/6k1/8/K6R w - - 120 100", true),
        // Some moves draw, the others lose.
        ("8/3k4/8/3PK3/8/8/8/8 b - - 0 1", true),
        // All moves lose.
        ("8/8/8/8/4k3/8/4K3/q7 w - - 0 1", false),
    ] {
        let position = board(fen);
        let legal = position.legal_moves().len();
        for count in [2, 4, 256] {
            let mut engine = engine_with(&own_folder());
            let (reports, outcome) = last_lines(&mut engine, fen, count);
            assert_eq!(reports.len(), count.min(legal), "{fen}");
            assert_eq!(outcome.best, reports[0].pv.first().copied());
            let outcomes: Vec<i32> = reports
                .iter()
                .map(|report| {
                    let child = position.make(report.pv[0]);
                    let outcome = -tables.probe_wdl(&child).expect("the table is there").sign();
                    assert_eq!(report.score.signum(), outcome, "{report:?} in {fen}");
                    assert!(outcome == 0 || is_win(report.score.abs()), "{report:?} in {fen}");
                    outcome
                })
                .collect();
            assert!(outcomes.is_sorted_by(|a, b| a >= b), "{outcomes:?} in {fen}");
            let best = tables.probe_wdl(&position).expect("the table is there");
            assert_eq!(outcomes[0], best.sign(), "{fen}");
            assert!(count < legal || outcomes.contains(&0) == has_draws, "{outcomes:?} in {fen}");
        }
    }
}

#[test]
fn one_line_is_searched_among_moves_that_keep_the_result() {
    let mut engine = engine_with(&own_folder());
    let (reports, _) = last_lines(&mut engine, "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1);
    assert_eq!(reports.len(), 1);
    // Search moves restrict the lines, and the best of them is as good as it is.
    engine.set_game(Game::new(board("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")));
    engine.settings_mut().multi_pv = 4;
    let moves = ["g1g6", "g1g2"].map(|text| find_move(engine.game().board(), text, false));
    let limits = Limits { search_moves: moves.to_vec(), ..engine_support::depth(4) };
    let (reports, outcome) = engine_support::search(&mut engine, limits);
    assert_eq!(outcome.best, Some(moves[1]));
    assert!(reports.iter().all(|report| report.multi_pv <= 2));
    assert_eq!(reports.last().map(|report| report.score), Some(0));
}

#[test]
fn limited_strength_keeps_the_result_with_any_number_of_lines() {
    let tables = open(&own_folder());
    let fen = "8/3k4/8/3PK3/8/8/8/8 b - - 0 1";
    for seed in 0..20 {
        for lines in [1, 256] {
            let mut engine = engine_with(&own_folder());
            engine.settings_mut().strength.skill_level = 0;
            engine.settings_mut().strength.seed = Some(seed);
            let (_, outcome) = last_lines(&mut engine, fen, lines);
            let child = board(fen).make(outcome.best.expect("a move"));
            assert_eq!(tables.probe_wdl(&child), Some(Wdl::Draw), "{seed} {lines}");
        }
    }
}
