//! Positions that no game leads to, with up to sixteen pieces of any kind on each side,
//! are evaluated and searched like any other.

mod engine_support;
mod support;

use carrybit::board::Color;
use carrybit::engine::Engine;
use carrybit::eval::Nnue;
use carrybit::eval::nnue::Network;
use carrybit::score::clamp_eval;
use carrybit::search::limits::Limits;
use engine_support::{engine, search};
use support::{Rng, board, random_game};

/// Many pieces of one kind or all of one side, and many moves.
const CROWDED: [&str; 10] = [
    "2QQ1Q2/Q6Q/2Q3Q1/K3Q3/1Q5Q/7Q/k7/2QQ1QQ1 w - - 0 1",
    "2qq1qq1/K7/7q/1q5q/k3q3/2q3q1/q6q/2qq1q2 b - - 0 1",
    "4k3/8/8/8/8/8/RRRR1RRR/RRRR1RRK w - - 0 1",
    "4k3/8/8/8/8/8/BBBBBBBB/BBBBBBBK w - - 0 1",
    "nnnnnnnk/nnnnnnnn/8/8/8/8/8/4K3 b - - 0 1",
    "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK w - - 0 1",
    "rrrrrrrk/rrrrrrrr/8/8/8/8/BBBBBBBB/BBBBBBBK b - - 0 1",
    "nnnnnnnk/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNNNNK w - - 0 1",
    "bbbbbbbk/bbbbbbbb/8/8/8/8/RRRRRRRR/RRRRRRRK w - - 0 1",
    "4k3/pppppppp/qqqqqqq1/8/8/QQQQQQQ1/PPPPPPPP/4K3 w - - 0 1",
];

/// A search of this many nodes takes only a moment, even where captures have no end.
fn few_nodes() -> Limits {
    Limits { depth: Some(5), nodes: Some(20_000), ..Limits::default() }
}

#[test]
fn crowded_positions_are_searched() {
    for fen in CROWDED {
        let mut engine: Engine = engine(fen);
        // The answer is checked here; a debug build checks each position made.
        let (reports, _) = search(&mut engine, few_nodes());
        assert!(!reports.is_empty(), "{fen}");
    }
}

#[test]
fn crowded_positions_are_evaluated_without_overflow() {
    let mut evaluator = Nnue::new(Network::embedded());
    let mut rng = Rng(15);
    for fen in CROWDED {
        random_game(&mut rng, &board(fen), 30, |board, _| {
            if board.in_check() {
                return;
            }
            evaluator.reset(board);
            let value = evaluator.evaluate(board);
            assert_eq!(value, clamp_eval(value), "{board:?}");
            let count = |color: Color| board.pieces(color).count();
            let (ours, theirs) = (count(board.side()), count(!board.side()));
            // Seven extra pieces are a win.
            if ours == 1 && theirs > 7 || theirs == 1 && ours > 7 {
                assert_eq!(value > 500, ours > theirs, "{value} for {board:?}");
                assert_eq!(value < -500, ours < theirs, "{value} for {board:?}");
            }
        });
    }
}

#[test]
fn more_moves_than_any_game_offers_are_all_found_and_made() {
    for fen in CROWDED {
        let board = board(fen);
        let moves = board.legal_moves();
        assert_eq!(moves.len() as u64, board.count_legal(), "{fen}");
        for (i, &mv) in moves.iter().enumerate() {
            assert!(board.is_legal(mv) && !moves[..i].contains(&mv), "{mv} in {fen}");
            assert_eq!(board.make(mv).check_invariants(), Ok(()));
        }
    }
}
