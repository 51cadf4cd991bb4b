//! The engine at work on the positions of a game.
//!
//! A game is taken in stretches of [`STRETCH`] positions, each by an engine that has
//! forgotten everything else. So all cores have work, even with a single game; little is
//! lost by an interruption; and with limits other than time the result does not depend
//! on how many cores there are. A stretch is taken from its end to its beginning: then
//! what is found about a position helps with those before it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use carrybit::board::{Board, Color, Game};
use carrybit::engine::Engine;
use carrybit::score;
use carrybit::search::limits::{Bound, Limits, Report, SearchEvent};
use carrybit::uci::wdl;
use serde::{Deserialize, Serialize};

use crate::judgement::Value;

/// How many positions of a game are studied one after the other by the same engine.
pub const STRETCH: usize = 8;

/// The longest line that is kept, in plies.
const MAX_LINE: usize = 12;

/// What the engine thinks of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What it is worth.
    pub value: Value,
    /// How many of a thousand games White wins, draws and loses.
    pub wdl: [u32; 3],
    /// How deep it was searched, in plies.
    pub depth: i32,
    /// The best moves for both sides, in UCI's notation, with castling as king takes rook.
    pub line: Vec<String>,
}

/// How positions are to be studied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// When a search ends.
    pub limits: Limits,
    /// The size of the engine's transposition table, in megabytes.
    pub hash_mb: usize,
    /// Where the tablebases are; empty if there are none.
    pub syzygy: String,
}

/// An engine that studies positions.
pub struct Analyst {
    engine: Engine,
    limits: Limits,
}

impl Analyst {
    /// An analyst with an engine of so many threads. Returns also what the user should
    /// know: what was asked for and could not be had.
    #[must_use]
    pub fn new(study: &Study, threads: usize) -> (Analyst, Vec<String>) {
        let mut engine = Engine::new();
        engine.set_threads(threads);
        let mut notes = Vec::new();
        if let Err(error) = engine.set_hash(study.hash_mb) {
            notes.push(error.to_string());
        }
        notes.extend(engine.set_tablebases(&study.syzygy));
        notes.extend(engine.prepare());
        (Analyst { engine, limits: study.limits.clone() }, notes)
    }

    /// Studies positions that follow each other in a game. `tick` is called after each.
    pub fn study(&mut self, positions: &[Game], mut tick: impl FnMut()) -> Vec<Evaluation> {
        self.engine.clear();
        let backwards = positions.iter().rev().map(|position| {
            let evaluation = verdict(position.board()).unwrap_or_else(|| self.think(position));
            tick();
            evaluation
        });
        let mut evaluations: Vec<Evaluation> = backwards.collect();
        evaluations.reverse();
        evaluations
    }

    fn think(&mut self, position: &Game) -> Evaluation {
        self.engine.set_game(position.clone());
        let last = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&last);
        self.engine.go(self.limits.clone(), Instant::now(), move |event| {
            if let SearchEvent::Report(report) = event {
                hear(&mut heard.lock().unwrap_or_else(PoisonError::into_inner), report);
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
        // How a move is written depends on the move only.
        let line = pv.iter().take(MAX_LINE).map(|&mv| board.uci(mv, true)).collect();
        Evaluation { value, wdl, depth, line }
    }
}

/// Notes a report. A search that is stopped may end with a bound of the score, which is
/// of use only if there was nothing better before.
fn hear(last: &mut Option<Report>, report: Report) {
    if last.is_none() || report.bound == Bound::Exact {
        *last = Some(report);
    }
}

/// What there is to say about a position in which the rules have spoken: mate, stalemate,
/// and too little material to mate with.
fn verdict(board: &Board) -> Option<Evaluation> {
    let (value, wdl) = if board.has_legal_move() {
        if !board.is_insufficient_material() {
            return None;
        }
        (Value::Cp(0), [0, 1000, 0])
    } else if !board.in_check() {
        (Value::Cp(0), [0, 1000, 0])
    } else if board.side() == Color::Black {
        (Value::Won { by_white: true }, [1000, 0, 0])
    } else {
        (Value::Won { by_white: false }, [0, 0, 1000])
    };
    Some(Evaluation { value, wdl, depth: 0, line: Vec::new() })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn study(fen: &str) -> Evaluation {
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let (mut analyst, notes) =
            Analyst::new(&Study { limits, hash_mb: 1, syzygy: String::new() }, 1);
        assert_eq!(notes, Vec::<String>::new());
        let board: Board = fen.parse().expect("a valid FEN");
        analyst.study(&[Game::new(board)], || {}).remove(0)
    }

    #[test]
    fn a_bound_takes_no_exact_score_s_place() {
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
                hear(&mut last, report(depth, bound));
                last.as_ref().map(|report| report.depth)
            });
        assert_eq!(depths, [Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn values_are_seen_from_white() {
        let queen_up = study("4k3/8/8/8/8/8/PPPP4/3QK3 b - - 0 1");
        assert!(matches!(queen_up.value, Value::Cp(500..) | Value::Mate(1..)), "{queen_up:?}");
        assert!(queen_up.wdl[0] > 900, "{queen_up:?}");
        let mate = study("6k1/5ppp/8/8/8/8/r7/1r5K w - - 0 1");
        assert_eq!(mate.value, Value::Won { by_white: false });
        let mate = study("7k/8/8/8/8/r7/1r6/6K1 b - - 0 1");
        assert_eq!((mate.value, mate.line[0].as_str()), (Value::Mate(-1), "a3a1"));
        assert_eq!(mate.wdl, [0, 0, 1000]);
    }

    #[test]
    fn the_rules_are_not_asked_of_the_engine() {
        let mated = study("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1");
        assert_eq!((mated.value, mated.wdl), (Value::Won { by_white: true }, [1000, 0, 0]));
        for drawn in ["7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "7k/8/8/8/8/8/8/KB6 w - - 0 1"] {
            let drawn = study(drawn);
            assert_eq!((drawn.value, drawn.wdl), (Value::Cp(0), [0, 1000, 0]));
            assert!(drawn.line.is_empty());
        }
    }
}
