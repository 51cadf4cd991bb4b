//! The squares that a side attacks, all at once.
//!
//! For a single square the difference table is cheaper
//! ([`Board::is_attacked`](super::Board::is_attacked)); a node that asks about all
//! its quiet moves takes this map once.

use super::piece::Kind;
use super::square::Square;

/// How many classes of pieces there are, by their worth.
const CLASSES: usize = 4;

/// The squares that one side attacks, and those that its lesser pieces attack. Each is a set
/// of squares with a bit for each, by [`Square::to_64`]: the form in which vector instructions
/// answer a comparison of all squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats {
    /// By [`class`]: the squares attacked by pieces of this class and those below.
    pub(super) up_to: [u64; CLASSES],
}

impl Threats {
    /// No square is attacked.
    pub const NONE: Threats = Threats { up_to: [0; CLASSES] };

    /// Whether `sq`, a square of the board, is attacked.
    #[inline]
    #[must_use]
    pub fn contains(&self, sq: Square) -> bool {
        is_in(self.up_to[CLASSES - 1], sq)
    }

    /// Whether a piece of this kind would be outranked on `sq`, a square of the board: a pawn
    /// outranks any officer, knight or bishop a rook or queen, a rook a queen. Nobody outranks
    /// a king.
    #[inline]
    #[must_use]
    pub fn outrank(&self, kind: Kind, sq: Square) -> bool {
        let class = class(kind);
        class > 0 && kind != Kind::King && is_in(self.up_to[class - 1], sq)
    }

    /// Marks `sq`, which is on the board, as attacked by a piece of this kind.
    #[inline]
    pub(super) fn add(&mut self, sq: Square, attacker: Kind) {
        for set in &mut self.up_to[class(attacker)..] {
            *set |= 1 << (sq.to_64() % 64);
        }
    }
}

/// Pawns; knights and bishops; rooks; queens and kings, who are lesser to nobody.
#[inline]
const fn class(kind: Kind) -> usize {
    match kind {
        Kind::Pawn => 0,
        Kind::Knight | Kind::Bishop => 1,
        Kind::Rook => 2,
        Kind::Queen | Kind::King => 3,
    }
}

#[inline]
fn is_in(set: u64, sq: Square) -> bool {
    set >> (sq.to_64() % 64) & 1 != 0
}
