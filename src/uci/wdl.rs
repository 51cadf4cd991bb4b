//! Chances of winning, drawing and losing, and the scores that users see.
//!
//! A hundred centipawns of the evaluation mean little by themselves: they win more often
//! in a full middlegame than in an endgame, and each new network changes what they are
//! worth. So the chances are fitted to Carrybit's own games, as a function of material,
//! and scores are converted so that +100 stands for a position from which half of the
//! games are won. Neither the search nor the clock uses any of this.
//!
//! With the material m, a win has the chance 1 / (1 + exp((a(m) - score) / b(m))), and a
//! loss the chance of a win with the opposite score; a and b are cubic in m. The form is
//! Stockfish's.

use crate::board::{Board, Color, Kind};
use crate::score::{self, Score};

/// The score at which half of the games are won, in centipawns: cubic in the material,
/// the highest power first. Output of `scripts/wdl.py` for 900 games of self-play (90,076
/// scores) at 12,000 nodes per move from UHO_4060_v4; to be fitted again when the
/// evaluation changes.
const A: [f64; 4] = [146.90, -176.64, -223.99, 336.58];

/// How slowly the chance rises around that score, in centipawns: over twice this value it
/// goes from 27 % to 73 %. In the same form and from the same fit.
const B: [f64; 4] = [-69.11, 103.23, -2.41, 86.69];

/// What each kind counts as material, pawn to king.
const VALUES: [u32; 6] = [1, 3, 3, 5, 9, 0];

/// Less material counts as this: there are too few games below to fit anything to.
const MATERIAL_MIN: u32 = 17;
/// More material counts as this.
const MATERIAL_MAX: u32 = 78;
/// The material that is 1 to the polynomials.
const MATERIAL_UNIT: f64 = 58.0;

/// The score shown, in centipawns, for positions from which half of the games are won.
const EVEN_CHANCE_CP: f64 = 100.0;

/// The material of both sides together: 1 for a pawn, 3 for a knight or a bishop,
/// 5 for a rook, 9 for a queen.
#[must_use]
pub fn material(board: &Board) -> u32 {
    let kinds = Color::ALL
        .into_iter()
        .flat_map(|color| board.pieces(color))
        .filter_map(|(_, piece)| piece.kind());
    kinds.map(|kind: Kind| VALUES[kind.index()]).sum()
}

/// How many games out of a thousand are won, drawn and lost from a position with this
/// score of the search and this [`material`]. The three sum to 1000.
#[must_use]
pub fn wdl(score: Score, material: u32) -> [u32; 3] {
    let win = wins(score, material);
    let loss = wins(-score, material);
    [win, 1000 - win - loss, loss]
}

/// A score of the search as users see it, in centipawns: +100 if half of the games from a
/// position with this [`material`] are won. Not for mates, which are not converted.
#[must_use]
pub fn shown_cp(score: Score, material: u32) -> i32 {
    (f64::from(score) * EVEN_CHANCE_CP / cubic(&A, material)).round() as i32
}

/// How many games out of a thousand are won with this score, rounded down. As the middle
/// of the curve lies right of zero, `wins(s, m)` and `wins(-s, m)` never sum to more than
/// 1000.
fn wins(score: Score, material: u32) -> u32 {
    if score::is_win(score) {
        return 1000;
    }
    if score::is_loss(score) {
        return 0;
    }
    let exponent = (cubic(&A, material) - f64::from(score)) / cubic(&B, material);
    (1000.0 / (1.0 + exponent.exp())) as u32
}

/// The value at `material` of a polynomial, the highest power first.
fn cubic(coefficients: &[f64; 4], material: u32) -> f64 {
    let m = f64::from(material.clamp(MATERIAL_MIN, MATERIAL_MAX)) / MATERIAL_UNIT;
    coefficients.iter().fold(0.0, |sum, coefficient| sum * m + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Material within the range of the fit and outside.
    const MATERIALS: std::ops::RangeInclusive<u32> = 0..=100;

    #[test]
    fn the_fit_is_usable_for_all_material() {
        for material in MATERIALS {
            assert!(cubic(&A, material) >= 20.0, "at material {material}");
            assert!(cubic(&B, material) >= 20.0, "at material {material}");
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
        for material in MATERIALS {
            for score in (0..500).filter(|&score| shown_cp(score, material) == 100) {
                let [win, ..] = wdl(score, material);
                assert!((490..=510).contains(&win), "{win} at {score}, {material}");
            }
            let even = cubic(&A, material).round() as Score;
            assert!((99..=101).contains(&shown_cp(even, material)));
        }
    }

    #[test]
    fn the_material_of_both_sides_counts() {
        assert_eq!(material(&Board::default()), 78);
        let board: Board = "4k3/8/8/8/8/8/4P3/R3K2N w - - 0 1".parse().expect("valid");
        assert_eq!(material(&board), 9);
    }
}
