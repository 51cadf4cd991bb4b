//! Kinds and pieces, and how they move.
//!
//! On the board a piece is one byte ([`PieceByte`]): one bit for its kind, one for its colour, 0
//! for an empty square. An entry of the difference table is a set of kinds in the same bits, so
//! `entry & piece` tests in one operation whether a piece attacks along a difference.
//!
//! [`Kind::steps`], and for pawns [`Color::forward`] and [`Color::pawn_captures`], define how
//! pieces move; the difference table and all others are computed from them.

use core::fmt;
use core::str::FromStr;

use super::square::{ALL_STEPS, DIAGONALS, KNIGHT_JUMPS, ORTHOGONALS};
use super::{Color, Delta, ParseError};

/// The most pieces of a side, and the length of a piece list.
pub const MAX_PIECES: usize = 16;

impl Color {
    /// The bit of this colour in a [`PieceByte`].
    #[inline]
    pub const fn bit(self) -> u8 {
        PieceByte::WHITE << self as u8
    }
}

/// The kind of a piece, without its colour; in this order, pawns first.
///
/// ```
/// use carrybit_board::Kind;
///
/// assert_eq!("N".parse(), Ok(Kind::Knight));
/// assert!(Kind::Queen > Kind::Rook && Kind::Queen.letter() == 'q');
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A pawn.
    Pawn = 0,
    /// Knight, bit 1.
    Knight = 1,
    /// Bishop, bit 2.
    Bishop = 2,
    /// Rook, bit 3.
    Rook = 3,
    /// Queen, bit 4.
    Queen = 4,
    /// King, bit 5.
    King = 5,
}

impl Kind {
    /// All kinds, pawn to king.
    pub const ALL: [Kind; 6] =
        [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];

    /// The lower-case letter of FEN and UCI.
    pub const fn letter(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self as usize]
    }

    /// The kind of a letter, of either case.
    #[inline]
    pub(super) const fn of_ascii(letter: u8) -> Option<Kind> {
        Some(match letter.to_ascii_lowercase() {
            b'p' => Kind::Pawn,
            b'n' => Kind::Knight,
            b'b' => Kind::Bishop,
            b'r' => Kind::Rook,
            b'q' => Kind::Queen,
            b'k' => Kind::King,
            _ => return None,
        })
    }

    /// 0 for a pawn to 5 for a king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The bit of this kind in a [`PieceByte`] and in the difference table.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The steps of a slider or king, or the jumps of a knight. None for a pawn, whose
    /// steps depend on its colour.
    #[inline]
    pub const fn steps(self) -> &'static [Delta] {
        match self {
            Kind::Pawn => &[],
            Kind::Knight => &KNIGHT_JUMPS,
            Kind::Bishop => &DIAGONALS,
            Kind::Rook => &ORTHOGONALS,
            Kind::Queen | Kind::King => &ALL_STEPS,
        }
    }

    /// Whether a piece of this kind repeats its step until it is blocked.
    #[inline]
    pub const fn slides(self) -> bool {
        matches!(self, Kind::Bishop | Kind::Rook | Kind::Queen)
    }
}

/// The lower-case letter of FEN and UCI.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.letter().encode_utf8(&mut [0; 4]))
    }
}

impl FromStr for Kind {
    type Err = ParseError;

    /// Reads a letter of FEN or SAN, of either case.
    fn from_str(text: &str) -> Result<Kind, ParseError> {
        let kind = if let [letter] = *text.as_bytes() { Kind::of_ascii(letter) } else { None };
        kind.ok_or_else(|| ParseError::new("kind", text))
    }
}

/// A piece: a colour and a kind.
///
/// ```
/// use carrybit_board::{Color, Kind, Piece};
///
/// let knight = Piece { color: Color::White, kind: Kind::Knight };
/// assert_eq!((knight.to_string(), "N".parse()), ("N".to_owned(), Ok(knight)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// The side.
    pub color: Color,
    /// The kind.
    pub kind: Kind,
}

/// The letter of FEN: upper case for White.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(PieceByte::new(self.color, self.kind).letter().encode_utf8(&mut [0; 4]))
    }
}

impl FromStr for Piece {
    type Err = ParseError;

    /// Reads a letter of FEN: upper case for White.
    fn from_str(text: &str) -> Result<Piece, ParseError> {
        let byte = match *text.as_bytes() {
            [letter] => PieceByte::from_letter(char::from(letter)),
            _ => None,
        };
        byte.and_then(PieceByte::piece).ok_or_else(|| ParseError::new("piece", text))
    }
}

/// A piece as it stands on the board, or the empty square: one bit for the kind
/// ([`Kind::bit`]) and one for the colour ([`Color::bit`]), 0 if empty. For code in which each
/// operation counts; [`Piece`] is easier to match on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct PieceByte(pub u8);

impl PieceByte {
    /// The empty square.
    pub const EMPTY: PieceByte = PieceByte(0);
    /// The colour bit of White.
    pub const WHITE: u8 = 0x40;
    /// The colour bit of Black.
    pub const BLACK: u8 = 0x80;
    /// The bits of all kinds.
    pub const KINDS: u8 = 0x3f;
    /// The bits of the kinds that slide: bishop, rook and queen.
    pub const SLIDERS: u8 = Kind::Bishop.bit() | Kind::Rook.bit() | Kind::Queen.bit();

    /// The piece of that colour and kind.
    #[inline]
    pub const fn new(color: Color, kind: Kind) -> PieceByte {
        PieceByte(color.bit() | kind.bit())
    }

    /// Whether no piece stands here.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is a piece of `color`; false for the empty square.
    #[inline]
    pub const fn is_color(self, color: Color) -> bool {
        self.0 & color.bit() != 0
    }

    /// Whether this is a piece of `kind`, of either colour; false for the empty square.
    #[inline]
    pub const fn is_kind(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Whether this piece slides along rays.
    #[inline]
    pub const fn is_slider(self) -> bool {
        self.0 & Self::SLIDERS != 0
    }

    /// The kind's index, 0..=5; 6 for the empty square. It is below 8, so that tables with
    /// eight rows need no bounds check.
    #[inline]
    pub const fn kind_index(self) -> usize {
        (self.0 | 0x40).trailing_zeros() as usize & 7
    }

    /// 0..=5 for White's pawn to king, 8..=13 for Black's.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 >> 4 & 8) as usize | self.kind_index()
    }

    /// The kind, or `None` for the empty square.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        let index = self.kind_index();
        if index < Kind::ALL.len() { Some(Kind::ALL[index]) } else { None }
    }

    /// The colour, or `None` for the empty square.
    #[inline]
    pub const fn color(self) -> Option<Color> {
        match self.0 & (Self::WHITE | Self::BLACK) {
            Self::WHITE => Some(Color::White),
            Self::BLACK => Some(Color::Black),
            _ => None,
        }
    }

    /// The piece, or `None` for the empty square.
    #[inline]
    pub fn piece(self) -> Option<Piece> {
        Some(Piece { color: self.color()?, kind: self.kind()? })
    }

    /// The piece a FEN letter stands for: upper case is White.
    pub fn from_letter(letter: char) -> Option<PieceByte> {
        let byte = PieceByte::of_ascii(u8::try_from(letter).ok()?);
        (!byte.is_empty()).then_some(byte)
    }

    /// The piece of a FEN letter; empty if it is none.
    #[inline]
    pub(super) fn of_ascii(letter: u8) -> PieceByte {
        static PIECES: [PieceByte; 256] = const_array!(256, |letter| {
            let color =
                if (letter as u8).is_ascii_uppercase() { Color::White } else { Color::Black };
            match Kind::of_ascii(letter as u8) {
                Some(kind) => PieceByte::new(color, kind),
                None => PieceByte::EMPTY,
            }
        });
        PIECES[letter as usize]
    }

    /// The FEN letter; `.` for the empty square.
    pub fn letter(self) -> char {
        char::from(self.ascii_letter())
    }

    /// [`PieceByte::letter`] as a byte.
    #[inline]
    pub(super) const fn ascii_letter(self) -> u8 {
        b"PNBRQK..pnbrqk.."[self.index()]
    }
}

impl fmt::Debug for PieceByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}
