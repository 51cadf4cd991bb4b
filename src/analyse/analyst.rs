//! Evaluates the positions of a game.

use carrybit_board::{CastlingMode, Color, Game};
use carrybit_pgn::findings::{Evaluation, MAX_LINE};
use carrybit_pgn::judgement::Value;

use crate::engine::{Engine, SearchResult};
use crate::search::limits::Limits;
use crate::sys::encoding::folders;

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
        let (sender, problems) = std::sync::mpsc::channel();
        let mut engine = Engine::with_reporter(move |problem| {
            // Ignore the error: later problems are logged where they occur.
            let _ = sender.send(problem);
        });
        engine.set_threads(threads);
        let mut notes = Vec::new();
        if let Err(error) = engine.set_hash(settings.hash_mb) {
            notes.push(error.to_string());
        }
        notes.extend(engine.set_tablebases(&folders(&settings.syzygy)));
        engine.wait_until_ready();
        notes.extend(problems.try_iter());
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
        let SearchResult { score, depth, pv, .. } = self.engine.search(self.limits.clone());
        let is_white = position.board().side() == Color::White;
        let score = if is_white { score } else { -score };
        let value =
            score.mate().map(Value::Mate).unwrap_or_else(|| Value::Cp(score.cp().unwrap_or(0)));
        let line = pv.iter().take(MAX_LINE).map(|mv| mv.uci(CastlingMode::Chess960)).collect();
        Evaluation { value, wdl: score.wdl(), depth, line }
    }
}

#[cfg(test)]
mod tests {
    use carrybit_board::Board;

    use super::*;

    fn evaluate(fen: &str) -> Evaluation {
        let limits = Limits::depth(6);
        let (mut analyst, notes) =
            Analyst::new(&Settings { limits, hash_mb: 1, syzygy: String::new() }, 1);
        assert_eq!(notes, Vec::<String>::new());
        let board: Board = fen.parse().expect("a valid FEN");
        analyst.evaluate(&[Game::new(board)], || {}).remove(0)
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
