//! Counts the legal move sequences from a position, move by move.

use std::sync::atomic::{AtomicBool, Ordering};

use carrybit_board::perft::perft_while;
use carrybit_board::{Board, CastlingMode};

use crate::host::{self, Instant};

use super::{ToolOutput, per_second};

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
    let mut goes_on = || {
        host::yield_now();
        !stop.load(Ordering::Relaxed)
    };
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        let moves = board.legal_moves();
        out.progress(0, moves.len() as u64);
        for (&mv, done) in moves.iter().zip(1..) {
            let after = board.make(mv);
            let Some(nodes) = perft_while(&after, depth - 1, &mut goes_on) else { return };
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
