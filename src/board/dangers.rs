//! Which pieces are in danger: hanging, or attacked by a lesser piece.
//!
//! The evaluation asks this about all pieces of a position at once. Whether a single square
//! is attacked, the difference table answers more cheaply
//! ([`Board::is_attacked`](super::Board::is_attacked)).

use super::piece::Kind;
use super::square::Square;

/// The dangers of all pieces on the board. Each is a set of squares with a bit for each, by
/// [`Square::to_64`]: the form in which vector instructions answer a comparison of all
/// squares.
///
/// A piece attacks and defends as it captures: pins, and whose turn it is, play no part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dangers {
    /// The pieces that the other side attacks and their own does not defend.
    pub hanging: u64,
    /// The pieces that a lesser piece of the other side attacks: a pawn attacks any officer,
    /// knight or bishop a rook or queen, a rook a queen. A king is never among them.
    pub outranked: u64,
}

impl Dangers {
    /// The mark of a hanging piece.
    pub const HANGING: u8 = 1;
    /// The mark of an outranked piece.
    pub const OUTRANKED: u8 = 2;

    /// The marks of the piece on `sq`, a square of the board.
    #[inline]
    #[must_use]
    pub fn marks(&self, sq: Square) -> u8 {
        let is_in = |set: u64| (set >> (sq.to_64() % 64) & 1) as u8;
        (Self::HANGING * is_in(self.hanging)) | (Self::OUTRANKED * is_in(self.outranked))
    }
}

/// The kinds of pieces by which one of `kind` is outranked, as bits of a
/// [`Piece`](super::Piece).
pub(super) const fn lesser_than(kind: Kind) -> u8 {
    const MINORS: u8 = Kind::Knight.bit() | Kind::Bishop.bit();
    match kind {
        Kind::Pawn | Kind::King => 0,
        Kind::Knight | Kind::Bishop => Kind::Pawn.bit(),
        Kind::Rook => Kind::Pawn.bit() | MINORS,
        Kind::Queen => Kind::Pawn.bit() | MINORS | Kind::Rook.bit(),
    }
}
