//! The two sides.

use core::fmt;
use core::ops::Not;
use core::str::FromStr;

use super::ParseError;

/// One of the two sides.
///
/// ```
/// use carrybit_board::Color;
///
/// assert_eq!((!Color::White, Color::Black.to_string()), (Color::Black, "b".to_owned()));
/// assert_eq!("w".parse(), Ok(Color::White));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    White = 0,
    /// The other side.
    Black = 1,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// `w` or `b`, as in FEN.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["w", "b"][self.index()])
    }
}

impl FromStr for Color {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Color, ParseError> {
        let is_named = |color: &Color| text == ["w", "b"][color.index()];
        Color::ALL.into_iter().find(is_named).ok_or_else(|| ParseError::new("colour", text))
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}
