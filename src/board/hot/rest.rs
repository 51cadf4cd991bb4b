//! What the lanes leave to the difference table.

use crate::board::king_pass::KingPass;
use crate::board::piece::MAX_PIECES;
use crate::board::position::KING_SLOT;

/// A part of the moves of a position that is rare, and that the table generates as
/// well: the answers to a check, or the last pieces of the list if promotions or
/// promoted officers are among them. (Moves come in the same order on all levels.)
#[derive(Clone, Copy)]
pub(super) struct Rest {
    /// The king pass of the position.
    pub(super) pass: KingPass,
    /// The first slot whose moves have not been generated yet; [`KING_SLOT`] if none
    /// have.
    /// Castling and en passant come after them.
    pub(super) first: usize,
}

impl Rest {
    /// All moves of the position.
    #[inline(always)]
    pub(super) fn all(pass: KingPass) -> Rest {
        Rest { pass, first: KING_SLOT }
    }

    /// The moves of the pieces from this slot on.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for lanes"))]
    #[inline(always)]
    pub(super) fn from_slot(first: usize, pass: KingPass) -> Rest {
        debug_assert!((KING_SLOT + 1..=MAX_PIECES).contains(&first) && pass.checkers == 0);
        Rest { pass, first }
    }
}
