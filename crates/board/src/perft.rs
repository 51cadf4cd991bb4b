//! Counts the legal move sequences from a position: the test of a move generator, and a
//! measure of its speed. The last ply is counted and not played ([`Board::count_replies`]).

use crate::Board;

/// Shallower subtrees are not interrupted: they take less than a millisecond.
const INTERRUPTIBLE_DEPTH: u32 = 3;

/// The number of sequences of `depth` legal moves from `board`; 1 for depth 0.
///
/// ```
/// use carrybit_board::{Board, perft};
///
/// assert_eq!(perft(&Board::default(), 3), 8902);
/// ```
pub fn perft(board: &Board, depth: u32) -> u64 {
    perft_while(board, depth, &mut || true).expect("it is never stopped")
}

/// Like [`perft`]. It asks about once in a millisecond whether it goes on; if it does not, the
/// result is `None`.
pub fn perft_while(board: &Board, depth: u32, goes_on: &mut impl FnMut() -> bool) -> Option<u64> {
    match depth {
        0 => Some(1),
        1 => Some(board.count_legal()),
        2 => Some(board.count_replies()),
        INTERRUPTIBLE_DEPTH.. if !goes_on() => None,
        _ => {
            let moves = board.legal_moves();
            moves.iter().map(|&mv| perft_while(&board.make(mv), depth - 1, goes_on)).sum()
        }
    }
}
