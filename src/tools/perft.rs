//! Counts the legal move sequences from a position: the test of a move generator, and a
//! measure of its speed. The last ply is counted and not played (`Board::count_replies`).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::{Board, CastlingMode};
use crate::host::{self, Instant};

use super::{ToolOutput, per_second};

/// Shallower subtrees ignore a stop: they take less than a millisecond.
const STOPPABLE_DEPTH: u32 = 3;

/// The number of sequences of `depth` legal moves from `board`; 1 for depth 0.
///
/// ```
/// use carrybit::{Board, perft};
///
/// assert_eq!(perft(&Board::default(), 3), 8902);
/// ```
pub fn count(board: &Board, depth: u32) -> u64 {
    let never = AtomicBool::new(false);
    count_until(board, depth, &never).expect("it is never stopped")
}

/// Like [`count`]; `None` if `stop` was set before the end.
fn count_until(board: &Board, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth >= STOPPABLE_DEPTH {
        host::yield_now();
    }
    match depth {
        0 => Some(1),
        1 => Some(board.count_legal()),
        2 => Some(board.count_replies()),
        _ if stop.load(Ordering::Relaxed) => None,
        _ => {
            let moves = board.legal_moves();
            moves.iter().map(|&mv| count_until(&board.make(mv), depth - 1, stop)).sum()
        }
    }
}

/// Writes the count after each legal move, the total, the time and the speed. Ends early,
/// without a total, when `stop` is set.
pub fn run(
    board: &Board,
    depth: u32,
    mode: CastlingMode,
    stop: &AtomicBool,
    out: &mut impl ToolOutput,
) {
    let start = Instant::now();
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        let moves = board.legal_moves();
        out.progress(0, moves.len() as u64);
        for (&mv, done) in moves.iter().zip(1..) {
            let Some(nodes) = count_until(&board.make(mv), depth - 1, stop) else { return };
            out.progress(done, moves.len() as u64);
            out.line(format!("{}: {nodes}", mv.uci(mode)));
            total += nodes;
        }
    }
    let time = start.elapsed();
    out.line(format!("Nodes searched: {total}"));
    let nps = per_second(total, time);
    out.line(format!("Time: {} ms, {nps} nps", time.as_millis()));
}
