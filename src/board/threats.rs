//! The squares that a side attacks, and the threatened pieces of both sides.
//!
//! A set of squares is a `u64` with a bit for each [`Square::to_64`], as a vector comparison
//! returns it. For one square, [`Board::is_attacked`](super::Board::is_attacked) is cheaper.

use super::{Kind, Square};

/// The squares that one side attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats(pub(super) u64);

impl Threats {
    /// Whether `sq`, a square of the board, is attacked.
    #[inline]
    pub fn contains(&self, sq: Square) -> bool {
        self.0 >> (sq.to_64() % 64) & 1 != 0
    }
}

/// The pieces that hang or that a lesser piece attacks: the network's threat inputs. Pins and
/// the side to move have no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreatFeatures {
    /// The pieces that the other side attacks and their own side does not defend.
    pub hanging: u64,
    /// The pieces that a lesser piece of the other side attacks. A pawn is lesser than all
    /// pieces, a knight or bishop than a rook, a rook than a queen. No kings are in this set.
    pub attacked_by_lesser: u64,
}

impl ThreatFeatures {
    /// The plane of hanging pieces, as a bit.
    pub const HANGING: u8 = 1;
    /// The plane of pieces that a lesser piece attacks, as a bit.
    pub const ATTACKED_BY_LESSER: u8 = 2;

    /// The planes of the piece on `sq`, a square of the board.
    #[inline]
    pub fn planes(&self, sq: Square) -> u8 {
        let is_in = |set: u64| (set >> (sq.to_64() % 64) & 1) as u8;
        (Self::HANGING * is_in(self.hanging))
            | (Self::ATTACKED_BY_LESSER * is_in(self.attacked_by_lesser))
    }
}

/// The kinds that are lesser than `kind`, as bits of a [`PieceByte`](super::PieceByte).
pub(super) const fn lesser_than(kind: Kind) -> u8 {
    const MINORS: u8 = Kind::Knight.bit() | Kind::Bishop.bit();
    match kind {
        Kind::Pawn | Kind::King => 0,
        Kind::Knight | Kind::Bishop => Kind::Pawn.bit(),
        Kind::Rook => Kind::Pawn.bit() | MINORS,
        Kind::Queen => Kind::Pawn.bit() | MINORS | Kind::Rook.bit(),
    }
}
