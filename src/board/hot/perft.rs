//! What perft alone needs of the hot path: its last two plies in one function.

use crate::board::moves::Move;
use crate::board::position::Board;

use super::rest::Rest;

/// The door's answers to what is rare, for the rooms behind it.
#[derive(Clone, Copy)]
pub(super) struct Rarely {
    /// Makes a move that is [rare](Board::is_rare).
    pub(super) make: fn(&Board, Move) -> Board,
    /// Counts what the lanes leave.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for lanes"))]
    pub(super) count_rest: fn(&Board, Rest) -> u64,
}

impl Rarely {
    /// Whether `mv` is to be made by the door. In debug builds all moves are, since it
    /// checks the positions that it makes.
    #[inline(always)]
    pub(super) fn makes(self, board: &Board, mv: Move) -> bool {
        cfg!(debug_assertions) || board.is_rare(mv)
    }
}
