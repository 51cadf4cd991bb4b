//! Squares of the 0x88 board, and the differences between them.
//!
//! A square is `rank << 4 | file`, so a1 is 0x00, h1 is 0x07, a2 is 0x10 and
//! h8 is 0x77. Bit 3 lies between file and rank and is zero on every square of
//! the board: a step past the a- or h-file carries or borrows into it, a step
//! past the first or eighth rank sets bit 7. One test with [`OFF_BOARD`] catches
//! both. Idea: Bruce Moreland, rec.games.chess.computer and CCC, 1999.
//!
//! The difference of two squares is a [`Delta`]. On 128 indices, unlike on 64, it has one
//! meaning in files and ranks, so it can index the tables of
//! [`difference`](super::difference).
//!
//! Never use the numbers 0..64 ([`Square::to_64`]) for steps, only as indices: of history
//! tables, network inputs, tablebases and sets of squares.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

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
pub const SOUTH: Delta = NORTH.wrapping_neg();
/// One file towards the h-file.
pub const EAST: Delta = 1;
/// One file towards the a-file.
pub const WEST: Delta = EAST.wrapping_neg();
/// Diagonal step towards h8.
pub const NORTH_EAST: Delta = 17;
/// Diagonal step towards a8.
pub const NORTH_WEST: Delta = 15;
/// Diagonal step towards h1.
pub const SOUTH_EAST: Delta = NORTH_WEST.wrapping_neg();
/// Diagonal step towards a1.
pub const SOUTH_WEST: Delta = NORTH_EAST.wrapping_neg();

/// The four steps of a rook.
pub const ORTHOGONALS: [Delta; 4] = [NORTH, EAST, SOUTH, WEST];
/// The four steps of a bishop.
pub const DIAGONALS: [Delta; 4] = [NORTH_EAST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST];
/// The eight steps of queen and king, a rook's first. `ALL_STEPS[i ^ 2]` is the opposite of
/// `ALL_STEPS[i]`. Masks over a king's steps have bit `i` for step `i`.
pub const ALL_STEPS: [Delta; 8] = {
    let ([n, e, s, w], [ne, se, sw, nw]) = (ORTHOGONALS, DIAGONALS);
    [n, e, s, w, ne, se, sw, nw]
};
/// The eight jumps of a knight: 33, 18, -14, -31, -33, -18, 14 and 31.
pub const KNIGHT_JUMPS: [Delta; 8] = [33, 18, 242, 225, 223, 238, 14, 31];

impl Color {
    /// The step of this side's pawns.
    #[inline]
    pub const fn forward(self) -> Delta {
        match self {
            Color::White => NORTH,
            Color::Black => SOUTH,
        }
    }

    /// The two steps by which this side's pawns capture, west first.
    #[inline]
    pub const fn pawn_captures(self) -> [Delta; 2] {
        [self.forward().wrapping_add(WEST), self.forward().wrapping_add(EAST)]
    }
}

/// A square. Squares are ordered from a1, b1 to h8.
///
/// ```
/// use carrybit_board::Square;
///
/// let e4: Square = "e4".parse()?;
/// assert_eq!(e4, Square::E4);
/// assert_eq!((e4.file(), e4.rank(), e4.to_64()), (4, 3, 28));
/// assert_eq!(Square::all().filter(|sq| sq.is_light()).count(), 32);
/// # Ok::<(), carrybit_board::ParseError>(())
/// ```
// Internally also an index off the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(crate) u8);

impl Square {
    /// The square on `file` 0..8 (a..h) and `rank` 0..8.
    ///
    /// # Panics
    /// If either is above 7.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < 8 && rank < 8);
        Square(rank << 4 | file)
    }

    /// The file, 0 for a to 7 for h.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank, 0 to 7, seen from White.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// Whether this square is light, as h1 is.
    #[inline]
    pub const fn is_light(self) -> bool {
        (self.file() ^ self.rank()) & 1 != 0
    }

    /// The number of the square, 0 to 63: a1 is 0, b1 is 1, h8 is 63. An index off the board, such
    /// as [`Square::NONE`], has no number: the result is then meaningless, and may be above 63.
    #[inline]
    pub const fn to_64(self) -> usize {
        (self.rank() * 8 + self.file()) as usize
    }

    /// The square with a number from 0 to 63: a1 is 0, b1 is 1, h8 is 63. For numbers from outside,
    /// `Square::ALL.get(index)` does not panic.
    ///
    /// # Panics
    /// If `index` is above 63.
    #[inline]
    pub const fn from_64(index: usize) -> Square {
        assert!(index < 64);
        Square::new((index % 8) as u8, (index / 8) as u8)
    }

    /// All 64 squares from a1 to h8, rank by rank.
    pub const ALL: [Square; 64] = const_array!(64, |index| Square::from_64(index));

    /// Iterates over [`Square::ALL`].
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        Square::ALL.into_iter()
    }

    /// No square: a free slot of a piece list, a lost castling right, or no en passant square.
    /// It is off the board (bit 3 is set), and the board's byte at this index is always empty.
    pub const NONE: Square = Square(0x08);

    /// The rank seen from `color`: 0 is that side's own back rank.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// The number of king steps from here to `to` on an empty board.
    #[inline]
    pub const fn distance_to(self, to: Square) -> u8 {
        let files = self.file().abs_diff(to.file());
        let ranks = self.rank().abs_diff(to.rank());
        if files > ranks { files } else { ranks }
    }

    /// Whether this is one of the 64 squares (the 0x88 test).
    #[inline]
    pub const fn is_on_board(self) -> bool {
        self.0 & OFF_BOARD == 0
    }

    /// The index one `step` away. It may be off the board: test it with [`Square::is_on_board`]
    /// before other use. Several steps past the edge can come back onto the board.
    #[inline]
    pub const fn step(self, step: Delta) -> Square {
        Square(self.0.wrapping_add(step))
    }

    /// The difference `to - self`, the index of the difference tables.
    #[inline]
    pub const fn delta_to(self, to: Square) -> Delta {
        to.0.wrapping_sub(self.0)
    }

    /// This square mirrored top to bottom, a1 <-> a8.
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 0x70)
    }

    /// This square mirrored left to right, a1 <-> h1.
    #[inline]
    pub const fn flip_file(self) -> Square {
        Square(self.0 ^ 0x07)
    }

    /// Index into arrays of 128, valid for every square and for [`Square::NONE`].
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 0x7f) as usize
    }
}

macro_rules! name_squares {
    ($($name:ident)*) => {
        enum Index { $($name),* }

        impl Square {
            $(
                #[doc = concat!("The square ", stringify!($name), ".")]
                pub const $name: Square = Square::from_64(Index::$name as usize);
            )*
        }
    };
}

name_squares! {
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

/// A text that is not the name of a square, a colour, a kind or a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    expected: &'static str,
    text: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a {}: {:?}", self.expected, self.text)
    }
}

impl core::error::Error for ParseError {}

impl ParseError {
    pub(super) fn new(expected: &'static str, text: &str) -> ParseError {
        ParseError { expected, text: text.to_owned() }
    }
}

impl Square {
    /// The square with a name from `a1` to `h8`.
    #[inline]
    pub(super) const fn of_ascii(name: [u8; 2]) -> Option<Square> {
        match name {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Square::new(file - b'a', rank - b'1')),
            _ => None,
        }
    }
}

impl FromStr for Square {
    type Err = ParseError;

    /// Reads a name from `a1` to `h8`.
    fn from_str(text: &str) -> Result<Square, ParseError> {
        let square = text.as_bytes().try_into().ok().and_then(Square::of_ascii);
        square.ok_or_else(|| ParseError::new("square", text))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.file(), b'1' + self.rank()];
        f.pad(if self.is_on_board() { str::from_utf8(&name).expect("ASCII") } else { "-" })
    }
}

/// The name, and the index in hex, which shows steps off the board.
impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}({:#04x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_mirrors_of_squares_are_consistent() {
        for (index, sq) in Square::all().enumerate() {
            assert_eq!(sq.to_string().parse(), Ok(sq));
            assert_eq!((sq.to_64(), Square::from_64(index)), (index, sq));
            assert_eq!(Square::new(sq.file(), sq.rank()), sq);
            assert_eq!(sq.flip_rank(), Square::new(sq.file(), 7 - sq.rank()));
            assert_eq!(sq.flip_file(), Square::new(7 - sq.file(), sq.rank()));
            assert_eq!(sq.relative_rank(Color::White), sq.rank());
            assert_eq!(sq.relative_rank(Color::Black), sq.flip_rank().rank());
        }
        assert_eq!(Square::all().count(), 64);
        assert_eq!(Square::NONE.to_string(), "-");
        for text in ["", "e", "e44", "E4", "i1", "a0", "a9", "4e", " e4", "é"] {
            assert!(text.parse::<Square>().is_err(), "{text:?}");
        }
    }
}
