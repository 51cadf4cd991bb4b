//! Chances of winning, drawing and losing, and the scores that users see.
//!
//! A hundred centipawns of the evaluation mean little by themselves: they win more often
//! in a full middlegame than in an endgame, and each new network changes what they are
//! worth. So the chances are fitted to Carrybit's own games, as a function of material,
//! and scores are converted so that +100 stands for a position from which half of the
//! games are won. Neither the search nor the clock uses any of this.
//!
//! With the material m, a win has the chance 1 / (1 + exp((a(m) - score) / b(m))), and a
//! loss the chance of a win with the opposite score; a and b are cubic in m, and below
//! `MATERIAL_MIN` straight. The form is Stockfish's, apart from the straight part. What
//! is known to be drawn has no chances but a draw.
//!
//! Wins known from tablebases are not converted: they are shown as `TABLEBASE_CP` less
//! the plies to the position that the tablebases know, which is Stockfish's custom.

use crate::board::Board;
use crate::eval::endings;
use crate::score::{self, DRAW, MAX_PLY, Score};

/// The score at which half of the games are won, in centipawns: cubic in the material,
/// the highest power first. Output of `scripts/wdl.py` for 450 games of self-play (44,777
/// scores) at 12,000 nodes per move from UHO_4060_v4; to be fitted again when the
/// evaluation changes.
const A: [f64; 4] = [68.34, -102.67, -94.91, 235.15];

/// How slowly the chance rises around that score, in centipawns: over twice this value it
/// goes from 27 % to 73 %. In the same form and from the same fit.
const B: [f64; 4] = [-36.59, 51.96, 47.29, 36.95];

/// By how much each unit of material below `MATERIAL_MIN` raises `A`, and `B`. Output of
/// `scripts/wdl.py --below` for 15,000 games of self-play at 500 nodes per move (290,911
/// scores with a material of at most 20).
const BELOW: [f64; 2] = [12.3, -0.8];

/// The material value of each kind, pawn to king.
const VALUES: [u8; 6] = [1, 3, 3, 5, 9, 0];

/// The least material that the cubics are fitted to.
const MATERIAL_MIN: u32 = 17;
/// More material counts as this.
const MATERIAL_MAX: u32 = 78;
/// The material that is 1 to the polynomials.
const MATERIAL_UNIT: f64 = 58.0;

/// The material of a known draw, whatever is on the board.
const NOTHING: u32 = 0;

/// The score shown, in centipawns, for positions from which half of the games are won.
const EVEN_CHANCE_CP: f64 = 100.0;

/// The score shown, in centipawns, for a win that the tablebases know at the root.
const TABLEBASE_CP: i32 = 20_000;

/// No evaluation is shown as more than this, in centipawns: less than any win that is known
/// from tablebases.
const MOST_CP: i32 = TABLEBASE_CP - 2 * MAX_PLY as i32 - 1;

/// The material of both sides together: 1 for a pawn, 3 for a knight or a bishop,
/// 5 for a rook, 9 for a queen. 0 if the pieces left are known to draw.
pub fn material(board: &Board) -> u32 {
    if endings::known(board) == Some(DRAW) {
        return NOTHING;
    }
    board.weigh(VALUES)
}

/// How many games out of a thousand are won, drawn and lost from a position with this
/// score of the search and this [`material`]. The three sum to 1000.
pub fn wdl(score: Score, material: u32) -> [u32; 3] {
    let win = wins(score, material);
    let loss = wins(-score, material);
    [win, 1000 - win - loss, loss]
}

/// A score of the search as users see it, in centipawns: +100 if half of the games from a
/// position with this [`material`] are won, and near `TABLEBASE_CP` for wins known from
/// tablebases. Not for mates, which are shown in moves.
pub fn shown_cp(score: Score, material: u32) -> i32 {
    if score::is_decisive(score) {
        return score.signum() * (TABLEBASE_CP + score.abs() - score::TABLEBASE_WIN);
    }
    let shown = f64::from(score) * EVEN_CHANCE_CP / even_chance(material);
    (shown.round() as i32).clamp(-MOST_CP, MOST_CP)
}

/// How many games out of a thousand are won with this score, rounded down. As the middle
/// of the curve lies right of zero, `wins(s, m)` and `wins(-s, m)` never sum to more than
/// 1000.
fn wins(score: Score, material: u32) -> u32 {
    if score::is_win(score) {
        return 1000;
    }
    if score::is_loss(score) || material == NOTHING {
        return 0;
    }
    let exponent = (even_chance(material) - f64::from(score)) / spread(material);
    (1000.0 / (1.0 + exponent.exp())) as u32
}

/// The score at which half of the games with this material are won.
fn even_chance(material: u32) -> f64 {
    curve(&A, BELOW[0], material)
}

/// How slowly the chance rises around that score.
fn spread(material: u32) -> f64 {
    curve(&B, BELOW[1], material)
}

/// The value at `material` of a polynomial, the highest power first; for each unit of
/// material below the range of the polynomial, `below` is added.
fn curve(coefficients: &[f64; 4], below: f64, material: u32) -> f64 {
    let within = material.clamp(MATERIAL_MIN, MATERIAL_MAX);
    let m = f64::from(within) / MATERIAL_UNIT;
    let cubic = coefficients.iter().fold(0.0, |sum, coefficient| sum * m + coefficient);
    cubic + below * f64::from(within.saturating_sub(material))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Material within the range of the fit and outside.
    const MATERIALS: std::ops::RangeInclusive<u32> = 0..=100;

    #[test]
    fn the_fit_is_usable_for_all_material() {
        for material in MATERIALS {
            assert!(even_chance(material) >= 20.0, "at material {material}");
            assert!(spread(material) >= 20.0, "at material {material}");
        }
    }

    #[test]
    fn the_chances_sum_to_a_thousand_and_mirror() {
        for material in MATERIALS {
            for score in (-score::MATE..=score::MATE).step_by(7) {
                let [win, draw, loss] = wdl(score, material);
                assert_eq!(win + draw + loss, 1000, "at {score}, {material}");
                assert_eq!(wdl(-score, material), [loss, draw, win]);
            }
        }
    }

    #[test]
    fn more_is_better() {
        for material in MATERIALS.step_by(5) {
            for score in -score::MATE..score::MATE {
                assert!(wins(score, material) <= wins(score + 1, material));
                assert!(shown_cp(score, material) <= shown_cp(score + 1, material));
            }
            assert_eq!(wdl(score::mate_at(3), material), [1000, 0, 0]);
            assert_eq!(wdl(score::mated_at(0), material), [0, 0, 1000]);
        }
    }

    #[test]
    fn shown_scores_mirror_and_zero_stays() {
        for material in MATERIALS {
            assert_eq!(shown_cp(0, material), 0);
            for score in 0..=score::EVAL_LIMIT {
                assert_eq!(shown_cp(-score, material), -shown_cp(score, material));
            }
        }
    }

    #[test]
    fn a_hundred_shown_means_that_half_of_the_games_are_won() {
        for material in MATERIALS.skip(1) {
            for score in (0..600).filter(|&score| shown_cp(score, material) == 100) {
                let [win, ..] = wdl(score, material);
                // Shown scores are whole.
                assert!((485..=515).contains(&win), "{win} at {score}, {material}");
            }
            let even = even_chance(material).round() as Score;
            assert!((99..=101).contains(&shown_cp(even, material)));
        }
    }

    #[test]
    fn wins_from_tablebases_are_shown_as_20000_less_the_plies() {
        for material in MATERIALS {
            for plies in 0..=MAX_PLY {
                let score = score::tablebase_win_at(plies);
                assert_eq!(shown_cp(score, material), 20_000 - plies as i32);
                assert_eq!(shown_cp(-score, material), plies as i32 - 20_000);
            }
            assert!(shown_cp(score::EVAL_LIMIT, material) < 20_000 - 2 * MAX_PLY as i32);
        }
    }

    #[test]
    fn the_material_of_both_sides_counts() {
        let material_of = |fen: &str| material(&fen.parse().expect("a sound FEN"));
        assert_eq!(material(&Board::default()), 78);
        assert_eq!(material_of("4k3/8/8/8/8/8/4P3/R3K2N w - - 0 1"), 9);
    }

    #[test]
    fn known_draw_has_no_chances_unless_a_mate_is_seen() {
        for fen in [
            "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
            "8/8/4k3/8/8/3KB3/8/8 w - - 0 1",
            "8/8/4k3/8/8/3KNN2/8/8 b - - 0 1",
        ] {
            let material = material(&fen.parse().expect("a sound FEN"));
            for score in [-500, -1, 0, 1, 500] {
                assert_eq!(wdl(score, material), [0, 1000, 0], "{score} in {fen}");
            }
            assert_eq!(wdl(score::mate_at(1), material), [1000, 0, 0]);
        }
    }

    #[test]
    fn level_endings_are_nearly_always_drawn() {
        for material in 1..=10 {
            let [win, draw, loss] = wdl(0, material);
            assert!(win <= 10 && draw >= 980 && loss <= 10, "{win} {draw} {loss} {material}");
        }
    }
}
