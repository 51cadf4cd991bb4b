//! The last two plies of a perft.
use crate::board::hot::perft::Rarely;
use crate::board::moves::Move;
use crate::board::position::Board;

use super::{king, make, movegen};

/// The number of answers to all `moves`.
pub(in crate::board::hot) fn count_replies(board: &Board, moves: &[Move], rarely: Rarely) -> u64 {
    let count = |child: &Board| movegen::count_all(child, king::look(child));
    let mut replies = 0;
    for &mv in moves {
        replies += if rarely.makes(board, mv) {
            count(&(rarely.make)(board, mv))
        } else {
            count(&make::make::<false>(board, mv))
        };
    }
    replies
}
