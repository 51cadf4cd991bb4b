//! The squares that a side attacks, and the threatened pieces of both sides.
//!
//! A set of squares is a `u64` with a bit for each [`Square::to_64`], as a vector comparison
//! returns it. For one square, [`Board::is_attacked`](super::Board::is_attacked) is cheaper.

use super::{Board, Kind, Square};

impl Board {
    /// The squares that the piece on `sq` attacks, pins aside, also where pieces of its own side
    /// stand. None if the square is empty. They come in the order of [`Square::ALL`];
    /// [`Board::threats`] has those of a whole side.
    ///
    /// ```
    /// use carrybit_board::{Board, Square};
    ///
    /// let board = Board::default();
    /// let knight: Vec<_> = board.attacks_from(Square::G1).map(|sq| sq.to_string()).collect();
    /// assert_eq!(knight, ["e2", "f3", "h3"]);
    /// ```
    pub fn attacks_from(&self, sq: Square) -> impl Iterator<Item = Square> + '_ {
        Square::all().filter(move |&to| self.attacks(sq, to))
    }
}

/// The squares that one side attacks: [`Board::threats`].
///
/// ```
/// use carrybit_board::{Board, Color, Square};
///
/// let attacked = Board::default().threats(Color::White);
/// assert!(attacked.contains(Square::F3) && !attacked.contains(Square::A1));
/// // The second rank, and the first but for its corners: defended by their own side.
/// assert_eq!((attacked.len(), attacked.iter().next()), (22, Some(Square::B1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats(pub(super) u64);

impl Threats {
    /// Whether `sq`, a square of the board, is attacked.
    #[inline]
    pub fn contains(&self, sq: Square) -> bool {
        self.0 >> (sq.to_64() % 64) & 1 != 0
    }

    /// The number of squares.
    pub fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no square is attacked. Every king attacks some.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// The squares, a1 first.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        Square::all().filter(move |&sq| self.contains(sq))
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
