//! Squares of the 0x88 board, and the differences between them.
//!
//! A square is `rank << 4 | file`, so a1 is 0x00, h1 is 0x07, a2 is 0x10 and
//! h8 is 0x77. Bit 3 lies between file and rank and is zero on every square of
//! the board: a step past the a- or h-file carries or borrows into it, a step
//! past the first or eighth rank sets bit 7. One test with [`OFF_BOARD`] catches
//! both. Idea: Bruce Moreland, rec.games.chess.computer and CCC, 1999.
//!
//! The difference of two squares is a [`Delta`]. On 128 indices, unlike on 64,
//! it says exactly how the two squares lie to each other; the tables of
//! [`difference`](super::difference) are indexed by it.
//!
//! The numbering 0..64 without the spare bit ([`Square::to_64`]) is for what has
//! one entry a square and no arithmetic: keys of files, inputs of the network, the
//! bytes of a vector register. Only this file converts to and from it.

use std::fmt;
use std::str::FromStr;

use super::color::Color;

/// The bits that are zero on every square of the board.
pub const OFF_BOARD: u8 = 0x88;

/// The difference of two squares, in wrapping arithmetic: `to - from`.
///
/// Real differences are -119..=119, so all of them are distinct as `u8` and
/// index a table of 256 entries without an offset.
pub type Delta = u8;

/// One rank up, seen from White.
pub const NORTH: Delta = 16;
/// One rank down, seen from White.
pub const SOUTH: Delta = 0u8.wrapping_sub(16);
/// One file towards the h-file.
pub const EAST: Delta = 1;
/// One file towards the a-file.
pub const WEST: Delta = 0u8.wrapping_sub(1);
/// Diagonal step towards h8.
pub const NORTH_EAST: Delta = 17;
/// Diagonal step towards a8.
pub const NORTH_WEST: Delta = 15;
/// Diagonal step towards h1.
pub const SOUTH_EAST: Delta = 0u8.wrapping_sub(15);
/// Diagonal step towards a1.
pub const SOUTH_WEST: Delta = 0u8.wrapping_sub(17);

/// The four steps of a rook.
pub const ORTHOGONALS: [Delta; 4] = [NORTH, EAST, SOUTH, WEST];
/// The four steps of a bishop.
pub const DIAGONALS: [Delta; 4] = [NORTH_EAST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST];
/// The eight steps of queen and king, those of a rook first. Index `i` of this
/// array is bit `i` of every mask over the king's ring.
pub const ALL_STEPS: [Delta; 8] = {
    let ([n, e, s, w], [ne, se, sw, nw]) = (ORTHOGONALS, DIAGONALS);
    [n, e, s, w, ne, se, sw, nw]
};
/// The eight jumps of a knight.
pub const KNIGHT_JUMPS: [Delta; 8] = [
    33,
    18,
    0u8.wrapping_sub(14),
    0u8.wrapping_sub(31),
    0u8.wrapping_sub(33),
    0u8.wrapping_sub(18),
    14,
    31,
];

impl Color {
    /// The step of this side's pawns.
    #[inline]
    #[must_use]
    pub const fn forward(self) -> Delta {
        match self {
            Color::White => NORTH,
            Color::Black => SOUTH,
        }
    }

    /// The two steps by which this side's pawns capture, west first.
    #[inline]
    #[must_use]
    pub const fn captures(self) -> [Delta; 2] {
        [self.forward().wrapping_add(WEST), self.forward().wrapping_add(EAST)]
    }
}

/// A square of the 0x88 board, or an index off it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Square(pub(crate) u8);

impl Square {
    /// Where captured pieces are parked in the piece lists, and what stands for
    /// "no square" in the position's state. It is off the board (bit 3 is set),
    /// and the board byte behind it always reads empty.
    pub const NONE: Square = Square(0x08);

    /// The square on `file` 0..8 (a..h) and `rank` 0..8.
    ///
    /// # Panics
    /// In debug builds, if either is above 7.
    #[inline]
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Square {
        debug_assert!(file < 8 && rank < 8);
        Square(rank << 4 | file)
    }

    /// The file, 0 for a to 7 for h.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank, 0 to 7, seen from White.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// The rank seen from `color`: 0 is that side's own back rank.
    #[inline]
    #[must_use]
    pub const fn rank_for(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// Whether this square is light, as h1 is.
    #[inline]
    #[must_use]
    pub const fn is_light(self) -> bool {
        (self.file() ^ self.rank()) & 1 != 0
    }

    /// How many steps a king takes from here to that square on an empty board.
    #[inline]
    #[must_use]
    pub const fn king_steps_to(self, to: Square) -> u8 {
        let files = self.file().abs_diff(to.file());
        let ranks = self.rank().abs_diff(to.rank());
        if files > ranks { files } else { ranks }
    }

    /// Whether this is one of the 64 squares: Moreland's test.
    #[inline]
    #[must_use]
    pub const fn is_on_board(self) -> bool {
        self.0 & OFF_BOARD == 0
    }

    /// The index one `step` away; may be off the board.
    #[inline]
    #[must_use]
    pub const fn step(self, step: Delta) -> Square {
        Square(self.0.wrapping_add(step))
    }

    /// The difference `to - self`, the index of the difference tables.
    #[inline]
    #[must_use]
    pub const fn delta_to(self, to: Square) -> Delta {
        to.0.wrapping_sub(self.0)
    }

    /// This square mirrored top to bottom, a1 <-> a8.
    #[inline]
    #[must_use]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 0x70)
    }

    /// This square mirrored left to right, a1 <-> h1.
    #[inline]
    #[must_use]
    pub const fn flip_file(self) -> Square {
        Square(self.0 ^ 0x07)
    }

    /// Index into arrays of 128, valid for every square and for [`Square::NONE`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 0x7f) as usize
    }

    /// The number 0..64 of a square of the board: a1 = 0, b1 = 1, h8 = 63.
    #[inline]
    #[must_use]
    pub const fn to_64(self) -> usize {
        (self.rank() * 8 + self.file()) as usize
    }

    /// The square with the number `index` in 0..64: a1 = 0, b1 = 1, h8 = 63.
    ///
    /// # Panics
    /// In debug builds, if `index` is above 63.
    #[inline]
    #[must_use]
    pub const fn from_64(index: usize) -> Square {
        Square::new((index % 8) as u8, (index / 8) as u8)
    }

    /// All 64 squares from a1 to h8, rank by rank.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..64).map(Square::from_64)
    }
}

/// The text is not a square's name (`a1` to `h8`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a square: {0:?}")]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Square::new(file - b'a', rank - b'1')),
            _ => Err(ParseSquareError(text.to_owned())),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_on_board() {
            write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
        } else {
            write!(f, "-")
        }
    }
}

/// Shows the name and the index in hex, where a run off the board is plain to see.
impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}({:#04x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn squares_survive_their_name_and_their_number() {
        for (index, sq) in Square::all().enumerate() {
            assert_eq!(sq.to_string().parse(), Ok(sq));
            assert_eq!(sq.to_64(), index);
            assert_eq!(Square::from_64(index), sq);
            assert_eq!(Square::new(sq.file(), sq.rank()), sq);
        }
        assert_eq!(Square::all().count(), 64);
        assert_eq!(Square::NONE.to_string(), "-");
    }

    #[test]
    fn only_the_64_names_are_squares() {
        for text in ["", "e", "e44", "E4", "i1", "a0", "a9", "4e", " e4", "é"] {
            assert!(text.parse::<Square>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_board_is_where_bits_3_and_7_are_zero() {
        let on_board = (0..=u8::MAX).filter(|&index| Square(index).is_on_board());
        assert!(on_board.eq(Square::all().map(|sq| sq.0)));
        assert!(!Square::NONE.is_on_board());
    }

    #[test]
    fn steps_off_an_edge_leave_the_board() {
        for sq in Square::all() {
            assert_eq!(sq.step(EAST).is_on_board(), sq.file() < 7);
            assert_eq!(sq.step(WEST).is_on_board(), sq.file() > 0);
            assert_eq!(sq.step(NORTH).is_on_board(), sq.rank() < 7);
            assert_eq!(sq.step(SOUTH).is_on_board(), sq.rank() > 0);
            for jump in KNIGHT_JUMPS {
                let to = sq.step(jump);
                let files = sq.file().abs_diff(to.file());
                let ranks = sq.rank().abs_diff(to.rank());
                assert!(!to.is_on_board() || files * ranks == 2, "{sq} to {to}");
            }
        }
    }

    #[test]
    fn a_difference_says_how_two_squares_lie_to_each_other() {
        let mut seen = HashMap::new();
        for from in Square::all() {
            for to in Square::all() {
                let delta = from.delta_to(to);
                assert_eq!(from.step(delta), to);
                let way = (
                    i16::from(to.file()) - i16::from(from.file()),
                    i16::from(to.rank()) - i16::from(from.rank()),
                );
                assert_eq!(*seen.entry(delta).or_insert(way), way, "{from} to {to}");
            }
        }
        assert_eq!(seen.len(), 15 * 15);
    }

    #[test]
    fn mirrors_and_ranks_are_seen_from_each_side() {
        for sq in Square::all() {
            assert_eq!(sq.flip_rank(), Square::new(sq.file(), 7 - sq.rank()));
            assert_eq!(sq.flip_file(), Square::new(7 - sq.file(), sq.rank()));
            assert_eq!(sq.rank_for(Color::White), sq.rank());
            assert_eq!(sq.rank_for(Color::Black), sq.flip_rank().rank());
        }
    }
}
