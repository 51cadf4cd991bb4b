//! Evaluates the positions of a game.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use carrybit::board::{Color, Game};
use carrybit::engine::Engine;
use carrybit::eval::wdl;
use carrybit::score;
use carrybit::search::limits::{Bound, Limits, Report, SearchEvent};
use pgn::findings::{Evaluation, MAX_LINE};
use pgn::judgement::Value;

/// The settings of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The limits of each search.
    pub limits: Limits,
    /// The size of the transposition table, in megabytes.
    pub hash_mb: usize,
    /// The folders of the Syzygy tablebases; empty for none.
    pub syzygy: String,
}

/// An engine that evaluates positions.
pub struct Analyst {
    engine: Engine,
    limits: Limits,
}

impl Analyst {
    /// Starts an engine of `threads` threads. Also returns messages for the user about settings
    /// that failed.
    pub fn new(settings: &Settings, threads: usize) -> (Analyst, Vec<String>) {
        let mut engine = Engine::new();
        engine.set_threads(threads);
        let mut notes = Vec::new();
        if let Err(error) = engine.set_hash(settings.hash_mb) {
            notes.push(error.to_string());
        }
        notes.extend(engine.set_tablebases(&settings.syzygy));
        notes.extend(engine.prepare());
        (Analyst { engine, limits: settings.limits.clone() }, notes)
    }

    /// Evaluates a batch of positions, from the last to the first. Calls `tick` after each.
    pub fn evaluate(&mut self, positions: &[Game], mut tick: impl FnMut()) -> Vec<Evaluation> {
        self.engine.clear();
        let backwards = positions.iter().rev().map(|position| {
            let ended = Evaluation::of_end(position.board());
            let evaluation = ended.unwrap_or_else(|| self.search(position));
            tick();
            evaluation
        });
        let mut evaluations: Vec<Evaluation> = backwards.collect();
        evaluations.reverse();
        evaluations
    }

    fn search(&mut self, position: &Game) -> Evaluation {
        self.engine.set_game(position.clone());
        let last = Arc::new(Mutex::new(None));
        let latest = Arc::clone(&last);
        self.engine.go(self.limits.clone(), Instant::now(), move |event| {
            if let SearchEvent::Report(report) = event {
                keep(&mut latest.lock().unwrap_or_else(PoisonError::into_inner), report);
            }
        });
        self.engine.wait();
        let report = last.lock().unwrap_or_else(PoisonError::into_inner).take();
        let board = position.board();
        let (score, depth, pv) = match report {
            Some(report) => (report.score, report.depth, report.pv),
            None => (score::DRAW, 0, Vec::new()),
        };
        let material = wdl::material(board);
        let is_white = board.side() == Color::White;
        let seen_from_white = |number: i32| if is_white { number } else { -number };
        let value = match score::mate_in_moves(score) {
            Some(moves) => Value::Mate(seen_from_white(moves)),
            None => Value::Cp(seen_from_white(wdl::shown_cp(score, material))),
        };
        let [win, draw, loss] = wdl::wdl(score, material);
        let wdl = if is_white { [win, draw, loss] } else { [loss, draw, win] };
        // `uci` needs no position: the notation depends on the move only.
        let line = pv.iter().take(MAX_LINE).map(|&mv| board.uci(mv, true)).collect();
        Evaluation { value, wdl, depth, line }
    }
}

/// Stores the last report with an exact score; until there is one, the first report. A stopped
/// search may end with a bound, which must not replace an exact score.
fn keep(last: &mut Option<Report>, report: Report) {
    if last.is_none() || report.bound == Bound::Exact {
        *last = Some(report);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carrybit::board::Board;

    use super::*;

    fn evaluate(fen: &str) -> Evaluation {
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let (mut analyst, notes) =
            Analyst::new(&Settings { limits, hash_mb: 1, syzygy: String::new() }, 1);
        assert_eq!(notes, Vec::<String>::new());
        let board: Board = fen.parse().expect("a valid FEN");
        analyst.evaluate(&[Game::new(board)], || {}).remove(0)
    }

    #[test]
    fn bound_does_not_replace_an_exact_score() {
        let report = |depth, bound| Report {
            depth,
            seldepth: 1,
            multi_pv: 1,
            score: 0,
            bound,
            nodes: 1,
            hashfull: 0,
            tb_hits: 0,
            time: Duration::ZERO,
            pv: Vec::new(),
        };
        let mut last = None;
        let depths =
            [(1, Bound::Lower), (2, Bound::Exact), (3, Bound::Upper)].map(|(depth, bound)| {
                keep(&mut last, report(depth, bound));
                last.as_ref().map(|report| report.depth)
            });
        assert_eq!(depths, [Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn values_are_seen_from_white() {
        let queen_up = evaluate("4k3/8/8/8/8/8/PPPP4/3QK3 b - - 0 1");
        assert!(matches!(queen_up.value, Value::Cp(500..) | Value::Mate(1..)), "{queen_up:?}");
        assert!(queen_up.wdl[0] > 900, "{queen_up:?}");
        let mate = evaluate("6k1/5ppp/8/8/8/8/r7/1r5K w - - 0 1");
        assert_eq!(mate.value, Value::Won { by_white: false });
        let mate = evaluate("7k/8/8/8/8/r7/1r6/6K1 b - - 0 1");
        assert_eq!((mate.value, mate.line[0].as_str()), (Value::Mate(-1), "a3a1"));
        assert_eq!(mate.wdl, [0, 0, 1000]);
    }
}
