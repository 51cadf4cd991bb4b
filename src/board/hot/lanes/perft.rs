//! The last two plies of a perft, compiled as a whole: what is set up once serves all
//! moves.
use crate::board::hot::perft::Rarely;
use crate::board::moves::Move;
use crate::board::position::Board;

use super::unit::Unit;
use super::{make, movegen};

/// The number of answers to all `moves`.
#[inline(always)]
pub(super) fn count_replies<U: Unit>(
    unit: U,
    board: &Board,
    moves: &[Move],
    rarely: Rarely,
) -> u64 {
    let mut replies = 0;
    for &mv in moves {
        let child = if rarely.makes(board, mv) {
            (rarely.make)(board, mv)
        } else {
            make::make::<false, U>(unit, board, mv)
        };
        replies += match movegen::count(unit, &child) {
            Ok(count) => count,
            Err(rest) => (rarely.count_rest)(&child, rest),
        };
    }
    replies
}
