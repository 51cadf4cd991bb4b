//! The squares that a side attacks, all at once.
//!
//! For a single square the difference table is cheaper
//! ([`Board::is_attacked`](super::Board::is_attacked)); a node that asks about all
//! its quiet moves takes this map once.

use super::square::Square;

/// The squares that one side attacks, a bit for each, by [`Square::to_64`]: the form in
/// which vector instructions answer a comparison of all squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats(pub(super) u64);

impl Threats {
    /// No square is attacked.
    pub const NONE: Threats = Threats(0);

    /// Whether `sq`, a square of the board, is attacked.
    #[inline]
    #[must_use]
    pub fn contains(&self, sq: Square) -> bool {
        self.0 >> (sq.to_64() % 64) & 1 != 0
    }

    /// Marks `sq`, which is on the board.
    #[inline]
    pub(super) fn add(&mut self, sq: Square) {
        self.0 |= 1 << (sq.to_64() % 64);
    }
}
