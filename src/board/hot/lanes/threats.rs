//! Threats on whole ranks: one side of what [`dangers`](super::dangers) finds.

use crate::board::color::Color;
use crate::board::threats::Threats;

use super::dangers::{GREAT, MINOR, PAWN, ROOK, TO_BLACK, attackers};
use super::ranks::Ranks;

/// The classes of pieces, each with those below it.
const UP_TO: [u8; 4] = [PAWN, PAWN | MINOR, PAWN | MINOR | ROOK, PAWN | MINOR | ROOK | GREAT];

/// The squares that `by` attacks, by the [`Piece`](crate::board::piece::Piece) bytes of
/// all squares.
#[inline(always)]
pub(super) fn threats<R: Ranks>(pieces: R, by: Color) -> Threats {
    let attackers = attackers(pieces);
    let shift = if by == Color::White { 0 } else { TO_BLACK };
    Threats { up_to: UP_TO.map(|classes| attackers.having(classes << shift).top_bits()) }
}
