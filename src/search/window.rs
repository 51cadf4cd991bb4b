//! The window of an alpha-beta search.

use crate::score::{INFINITE, Score};

/// The scores that a search has to tell apart: inside the window its result is
/// exact, outside it is only a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the side to move already has elsewhere; a score no better fails low.
    pub alpha: Score,
    /// What the opponent can already hold it to; a score of this or more fails high.
    pub beta: Score,
}

impl Window {
    /// Open to every score.
    pub const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The window from `alpha` to `beta`.
    #[inline]
    #[must_use]
    pub const fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The null window that asks whether the score is above `alpha`.
    #[inline]
    #[must_use]
    pub const fn above(alpha: Score) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// The null window that asks whether the score reaches `beta`.
    #[inline]
    #[must_use]
    pub const fn below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// The same window as the opponent sees it.
    #[inline]
    #[must_use]
    pub const fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether no score lies above alpha and up to beta: there is nothing to search.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    /// Whether there is no room for an exact score.
    #[inline]
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.alpha + 1 == self.beta
    }
}
