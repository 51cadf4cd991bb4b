//! Counts the legal move sequences from a position: the test of a move generator, and a
//! measure of its speed. The last ply is counted and not played (`Board::count_replies`).

use std::io;
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
///
/// # Errors
/// `out` cannot be written.
pub fn run(
    board: &Board,
    depth: u32,
    mode: CastlingMode,
    stop: &AtomicBool,
    out: &mut impl ToolOutput,
) -> io::Result<()> {
    let start = Instant::now();
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        let (mut done, parts) = (0, board.count_replies());
        for &mv in &board.legal_moves() {
            let after = board.make(mv);
            let mut nodes = 0;
            if depth <= STOPPABLE_DEPTH {
                nodes = count(&after, depth - 1);
            } else {
                for &reply in &after.legal_moves() {
                    let child = after.make(reply);
                    let Some(more) = count_until(&child, depth - 2, stop) else {
                        return Ok(());
                    };
                    nodes += more;
                    done += 1;
                    out.progress(done, parts);
                }
            }
            writeln!(out, "{}: {nodes}", mv.uci(mode))?;
            total += nodes;
        }
    }
    let time = start.elapsed();
    writeln!(out, "Nodes searched: {total}")?;
    let nps = per_second(total, time);
    writeln!(out, "Time: {} ms, {nps} nps", time.as_millis())
}
