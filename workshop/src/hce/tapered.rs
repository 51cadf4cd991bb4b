//! A pair of values, one for the middle game and one for the endgame, that adds
//! in a single instruction.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use carrybit::board::Color;

/// How many bits below the endgame value lies the middle game's.
const SHIFT: u32 = 16;

/// Centipawns in the middle game and in the endgame, packed into one word: the
/// endgame value in the high half, the middle game value added to it. Each must
/// stay within `-32_000..=32_000`, sums included.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Tapered(i32);

impl Tapered {
    /// Nothing in either.
    pub const ZERO: Tapered = Tapered(0);

    /// `mg` centipawns in the middle game, `eg` in the endgame.
    #[inline]
    #[must_use]
    pub const fn new(mg: i32, eg: i32) -> Tapered {
        Tapered((eg << SHIFT).wrapping_add(mg))
    }

    /// The middle game value in centipawns.
    #[inline]
    #[must_use]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value in centipawns. A negative middle game value has
    /// borrowed one from it; adding half a unit before the shift pays it back.
    #[inline]
    #[must_use]
    pub const fn eg(self) -> i32 {
        self.0.wrapping_add(1 << (SHIFT - 1)) >> SHIFT
    }

    /// The sum, usable in constants.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Tapered) -> Tapered {
        Tapered(self.0.wrapping_add(other.0))
    }

    /// The value with its sign turned, usable in constants.
    #[inline]
    #[must_use]
    pub const fn negated(self) -> Tapered {
        Tapered(self.0.wrapping_neg())
    }

    /// A value of `side`, from White's view.
    #[inline]
    #[must_use]
    pub const fn from_white(self, side: Color) -> Tapered {
        match side {
            Color::White => self,
            Color::Black => self.negated(),
        }
    }
}

impl Add for Tapered {
    type Output = Tapered;

    #[inline]
    fn add(self, other: Tapered) -> Tapered {
        self.plus(other)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        *self = self.plus(other);
    }
}

impl Sub for Tapered {
    type Output = Tapered;

    #[inline]
    fn sub(self, other: Tapered) -> Tapered {
        self.plus(other.negated())
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Tapered) {
        *self = self.plus(other.negated());
    }
}

impl Neg for Tapered {
    type Output = Tapered;

    #[inline]
    fn neg(self) -> Tapered {
        self.negated()
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;

    #[inline]
    fn mul(self, count: i32) -> Tapered {
        Tapered(self.0.wrapping_mul(count))
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::Tapered;

    #[test]
    fn both_halves_survive_arithmetic() {
        for (mg, eg) in [(0, 0), (-1, 0), (1, -1), (-300, 500), (12_000, -12_000), (-9, -9)] {
            let value = Tapered::new(mg, eg);
            assert_eq!((value.mg(), value.eg()), (mg, eg));
            assert_eq!(((-value).mg(), (-value).eg()), (-mg, -eg));
            assert_eq!(((value * 2).mg(), (value * -2).eg()), (2 * mg, -2 * eg));
            let sum = value + Tapered::new(-7, 5);
            assert_eq!((sum.mg(), sum.eg()), (mg - 7, eg + 5));
            assert_eq!(sum - value, Tapered::new(-7, 5));
        }
    }
}
