//! Win, draw and loss expected from a score, for the option `UCI_ShowWDL`.
//!
//! **Provisional.** The curve is a plain logistic one with two rounded
//! constants of a plausible size. It is to be fitted on Carrybit's own games as
//! soon as there are enough of them; until then the numbers are for show only.
//! Nothing in the search or the clock reads them.

use crate::score::{self, Score};

/// The score at which half of the games are expected to be won, in centipawns.
const EVEN_CHANCE_CP: f64 = 150.0;

/// How slowly the chance rises around it: from 27 % to 73 % over twice this many
/// centipawns.
const SPREAD_CP: f64 = 70.0;

/// Games out of a thousand that are won, drawn and lost from a position with
/// this score, seen by the same side. The three sum to 1000.
#[must_use]
pub fn wdl(score: Score) -> [u32; 3] {
    let win = wins(score);
    let loss = wins(-score);
    [win, 1000 - win - loss, loss]
}

/// Games out of a thousand won with that score, rounded down. The curve lies to
/// the right of zero, so `wins(s)` and `wins(-s)` never sum to more than 1000.
fn wins(score: Score) -> u32 {
    if score::is_win(score) {
        return 1000;
    }
    if score::is_loss(score) {
        return 0;
    }
    let exponent = (EVEN_CHANCE_CP - f64::from(score)) / SPREAD_CP;
    (1000.0 / (1.0 + exponent.exp())) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chances_sum_to_a_thousand_and_mirror() {
        for score in -score::MATE..=score::MATE {
            let [win, draw, loss] = wdl(score);
            assert_eq!(win + draw + loss, 1000, "at {score}");
            assert_eq!(wdl(-score), [loss, draw, win]);
        }
    }

    #[test]
    fn more_is_better() {
        for score in -score::MATE..score::MATE {
            assert!(wdl(score)[0] <= wdl(score + 1)[0]);
        }
        assert_eq!(wdl(score::mate_at(3)), [1000, 0, 0]);
        assert_eq!(wdl(score::mated_at(0)), [0, 0, 1000]);
        assert_eq!(wdl(150)[0], 500);
    }
}
