//! Threats on whole ranks: one side of what [`dangers`](super::dangers) finds.

use crate::board::color::Color;
use crate::board::threats::Threats;

use super::dangers::{BLACK, WHITE, attackers};
use super::ranks::Ranks;

/// The squares that `by` attacks, by the [`Piece`](crate::board::piece::Piece) bytes of
/// all squares.
#[inline(always)]
pub(super) fn threats<R: Ranks>(pieces: R, by: Color) -> Threats {
    let classes = if by == Color::White { WHITE } else { BLACK };
    Threats(attackers(pieces).having(classes).top_bits())
}
