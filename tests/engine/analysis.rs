//! MultiPV lines are distinct, ordered and no worse than a single line; `go mate` ends at a mate.

use std::collections::HashSet;
use std::time::Duration;

use carrybit::Game;
use carrybit::internals::score::{Score, mate_in_moves};
use carrybit::internals::search::limits::Limits;
use carrybit::internals::search::report::{Bound, Report, SearchEvent};
use carrybit::internals::tools::bench::POSITIONS;

use crate::engine_support::{depth, engine, nodes, result, search, start};

const MATE_IN_TWO: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
const MATED_IN_ONE: &str = "k7/8/1K6/8/8/8/8/7R b - - 0 1";

/// Scores beyond this count as equal.
const DECIDED_CP: Score = 1000;

/// The first of several lines may score this much less than a single line, in the median.
const TOLERANCE_CP: Score = 20;

fn mate(moves: i32) -> Limits {
    Limits { mate: Some(moves), ..Limits::default() }
}

/// Checks and returns the reports of one depth with four lines, or one for each move if there
/// are fewer.
fn four_lines(fen: &str, plies: i32) -> Vec<Report> {
    let mut engine = engine(fen);
    engine.settings_mut().multi_pv = 4;
    let moves = engine.game().board().count_legal().min(4) as usize;
    let (mut reports, _) = search(&mut engine, depth(plies));
    reports.retain(|report| report.depth == plies && report.bound == Bound::Exact);
    reports.drain(..reports.len() - moves);
    let ranks: Vec<usize> = reports.iter().map(|report| report.multi_pv).collect();
    assert_eq!(ranks, (1..=moves).collect::<Vec<_>>(), "{fen}");
    assert!(reports.windows(2).all(|pair| pair[0].score >= pair[1].score), "{fen}");
    let first_moves: HashSet<_> = reports.iter().map(|report| report.pv[0]).collect();
    assert_eq!(first_moves.len(), moves, "{fen}");
    reports
}

#[test]
fn lines_are_distinct_ordered_and_no_worse_than_one() {
    let lead = |fen: &&str| {
        let several = four_lines(fen, 9)[0].score;
        let (reports, _) = search(&mut engine(fen), depth(9));
        let alone = reports.last().expect("a report").score;
        several.clamp(-DECIDED_CP, DECIDED_CP) - alone.clamp(-DECIDED_CP, DECIDED_CP)
    };
    let mut leads: Vec<Score> = POSITIONS.iter().skip(1).step_by(2).map(lead).collect();
    leads.sort_unstable();
    // The median, because one of the two searches may find a mate that the other misses.
    assert!(leads[leads.len() / 2] >= -TOLERANCE_CP, "{leads:?}");
}

#[test]
fn go_mate_ends_with_a_mate_of_either_side() {
    for (fen, wanted, found) in
        [(MATE_IN_TWO, 2, 2), (MATE_IN_TWO, 5, 2), (MATED_IN_ONE, 1, -1_i32)]
    {
        for (lines, threads) in [(1, 1), (3, 1), (1, 3)] {
            let mut engine = engine(fen);
            engine.set_threads(threads);
            engine.settings_mut().multi_pv = lines;
            let (reports, _) = search(&mut engine, mate(wanted));
            let first = reports.iter().rfind(|report| report.multi_pv == 1).expect("a report");
            let moves = mate_in_moves(first.score).expect("a mate is shown");
            assert!(moves.signum() == found.signum() && moves.abs() <= wanted, "{fen}: {moves}");
        }
    }
}

#[test]
fn go_mate_without_a_mate_ends_by_another_limit() {
    let mut engine = engine(MATE_IN_TWO);
    let limits = Limits { mate: Some(1), ..nodes(20_000) };
    let (reports, _) = search(&mut engine, limits);
    assert!(reports.iter().all(|report| mate_in_moves(report.score) != Some(1)));
    let (reports, _) = search(&mut engine, Limits { depth: Some(5), ..mate(1) });
    assert_eq!(reports.last().map(|report| report.depth), Some(5));
    engine.set_game(Game::default());
    let events = start(&mut engine, mate(1));
    std::thread::sleep(Duration::from_millis(60));
    let has_ended = |event| matches!(event, SearchEvent::Finished(_));
    assert!(!events.try_iter().any(has_ended), "there is no mate to end it");
    engine.stop();
    result(&mut engine, &events);
}
