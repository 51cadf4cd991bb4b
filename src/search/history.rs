//! What earlier cut-offs taught: quiet moves that refuted something before are
//! tried earlier, those that failed later.

use crate::board::{Color, Move};

use super::params::{
    HISTORY_BONUS_MAX, HISTORY_BONUS_OFFSET, HISTORY_BONUS_PER_DEPTH, HISTORY_MAX,
};

/// Scores of quiet moves by side, from- and to-square, each within
/// `-HISTORY_MAX..=HISTORY_MAX`. Kept from search to search.
pub struct History {
    butterfly: Box<[[i16; 64 * 64]; 2]>,
}

impl History {
    /// A history without experience.
    #[must_use]
    pub fn new() -> History {
        History { butterfly: Box::new([[0; 64 * 64]; 2]) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for side in self.butterfly.iter_mut() {
            side.fill(0);
        }
    }

    /// What is known of the quiet move `mv` of `side`.
    #[inline]
    #[must_use]
    pub fn quiet(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.butterfly[side.index()][butterfly_index(mv)])
    }

    /// Learns from a cut-off at `depth`: `best` was good, the quiet moves tried
    /// before it were not.
    pub fn update_quiets(&mut self, side: Color, best: Move, failed: &[Move], depth: i32) {
        let bonus = bonus(depth);
        let table = &mut self.butterfly[side.index()];
        add(&mut table[butterfly_index(best)], bonus);
        for &mv in failed {
            add(&mut table[butterfly_index(mv)], -bonus);
        }
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// `mv`'s cell of the 64 x 64 table.
#[inline]
fn butterfly_index(mv: Move) -> usize {
    mv.from().to_64() << 6 | mv.to().to_64()
}

/// What a cut-off at `depth` is worth.
#[inline]
fn bonus(depth: i32) -> i32 {
    (HISTORY_BONUS_PER_DEPTH * depth - HISTORY_BONUS_OFFSET).min(HISTORY_BONUS_MAX)
}

/// Adds `bonus` with gravity: the nearer a score is to its limit, the less of a
/// bonus in that direction is left. Never leaves `-HISTORY_MAX..=HISTORY_MAX`
/// for a bonus within the same range.
#[inline]
fn add(score: &mut i16, bonus: i32) {
    let old = i32::from(*score);
    *score = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}
