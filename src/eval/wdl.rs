//! The WDL model (chances of winning, drawing and losing), and the scores that users see.
//!
//! The chances that belong to a score depend on the material and on the network. They are
//! fitted to Carrybit's own games, as a function of material. Shown scores are normalised: at
//! +100, half of the games are won. The search and the clock use none of this.
//!
//! With material m, the chance of a win is 1 / (1 + exp((a(m) - score) / b(m))); the chance of
//! a loss is that of a win with the opposite score. a and b are cubic in m, and linear below
//! `MATERIAL_MIN`. The form is Stockfish's, except for the linear part. A known draw is a draw
//! with certainty.
//!
//! Tablebase wins are not normalised. They are shown as `TABLEBASE_CP` minus the plies to the
//! tablebase position, as Stockfish does.

use crate::eval::endings;
use crate::score::{self, DRAW, EVAL_LIMIT, MAX_PLY, Score};
use carrybit_board::Board;

/// The score at which half of the games are won, in centipawns: the coefficients of a cubic in
/// the material, the highest power first. Output of `scripts/wdl.py` for 600 games of n23a against
/// 1.0.0 (31,212 scores of n23a) at 4+0.04 from UHO_4060_v4. Fit it again when the evaluation
/// changes.
const A: [f64; 4] = [-42.82, 120.84, -203.57, 259.34];

/// The spread of the chances around that score, in centipawns, from the same fit as [`A`]: from
/// one spread below to one above, the chance rises from 27 % to 73 %.
const B: [f64; 4] = [-114.63, 298.42, -233.48, 109.19];

/// Added to `A` and to `B` for each unit of material below `MATERIAL_MIN`. Output of
/// `scripts/wdl.py --below` for 8,295 games of self-play at 1,000 nodes per move (275,115
/// scores with a material of at most 20).
const BELOW: [f64; 2] = [8.1, -1.1];

/// The material value of each kind, pawn to king.
const VALUES: [u8; 6] = [1, 3, 3, 5, 9, 0];

/// The range of material that the cubics are fitted to.
const MATERIAL_MIN: u32 = 17;
const MATERIAL_MAX: u32 = 78;
/// The cubics take the material divided by this.
const MATERIAL_UNIT: f64 = 58.0;

/// The [`material`] of a known draw.
const NOTHING: u32 = 0;

/// The score shown if half of the games are won, in centipawns.
const EVEN_CHANCE_CP: f64 = 100.0;

/// The score shown for a tablebase win at the root, in centipawns.
const TABLEBASE_CP: i32 = 20_000;

/// The largest evaluation shown, in centipawns: less than any tablebase win.
const MOST_CP: i32 = TABLEBASE_CP - 2 * MAX_PLY as i32 - 1;

/// The material of both sides together: 1 for a pawn, 3 for a knight or a bishop,
/// 5 for a rook, 9 for a queen; 0 for a [known](endings::score) draw.
pub fn material(board: &Board) -> u32 {
    if endings::score(board) == Some(DRAW) {
        return NOTHING;
    }
    board.pieces().map(|(_, piece)| u32::from(VALUES[piece.kind.index()])).sum()
}

/// The expected wins, draws and losses in 1000 games from a position with this score of the
/// search and this [`material`]. The three sum to 1000.
pub fn wdl(score: Score, material: u32) -> [u32; 3] {
    let win = wins(score, material);
    let loss = wins(-score, material);
    [win, 1000 - win - loss, loss]
}

/// A score of the search as users see it, in centipawns: +100 if half of the games from a
/// position with this [`material`] are won, and 20,000 minus the plies for a tablebase win.
/// Not for mates, which are shown in moves.
pub fn shown_cp(score: Score, material: u32) -> i32 {
    if score::is_decisive(score) {
        return score.signum() * (TABLEBASE_CP + score.abs() - score::TABLEBASE_WIN);
    }
    let shown = f64::from(score) * EVEN_CHANCE_CP / even_chance(material);
    (shown.round() as i32).clamp(-MOST_CP, MOST_CP)
}

/// The evaluation that is [shown](shown_cp) as `cp`.
pub fn internal_cp(cp: i32, material: u32) -> Score {
    let internal = f64::from(cp) * even_chance(material) / EVEN_CHANCE_CP;
    (internal.round() as Score).clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

/// The wins in 1000 games, rounded down. Half of the games are won only at a score above zero,
/// so `wins(s, m)` and `wins(-s, m)` sum to at most 1000.
fn wins(score: Score, material: u32) -> u32 {
    if score::is_win(score) {
        return 1000;
    }
    if score::is_loss(score) || material == NOTHING {
        return 0;
    }
    let exponent = (even_chance(material) - f64::from(score)) / curve(&B, BELOW[1], material);
    (1000.0 / (1.0 + exponent.exp())) as u32
}

fn even_chance(material: u32) -> f64 {
    curve(&A, BELOW[0], material)
}

/// The value of a cubic, and `below` for each unit of material below `MATERIAL_MIN`.
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
    fn chances_sum_to_a_thousand_mirror_and_rise_with_the_score() {
        for material in MATERIALS {
            assert!(even_chance(material) >= 20.0, "at material {material}");
            assert!(curve(&B, BELOW[1], material) >= 20.0, "at material {material}");
            assert_eq!(shown_cp(0, material), 0);
            for score in (-score::MATE..score::MATE).step_by(7) {
                let [win, draw, loss] = wdl(score, material);
                assert_eq!(win + draw + loss, 1000, "at {score}, {material}");
                assert_eq!(wdl(-score, material), [loss, draw, win]);
                assert!(win <= wins(score + 1, material));
                let shown = shown_cp(score, material);
                assert!(shown <= shown_cp(score + 1, material));
                assert_eq!(shown, -shown_cp(-score, material));
            }
            assert_eq!(wdl(score::mate_at(3), material), [1000, 0, 0]);
            assert_eq!(wdl(score::mated_at(0), material), [0, 0, 1000]);
        }
    }

    #[test]
    fn half_of_the_games_are_won_at_100_cp() {
        for material in MATERIALS.skip(1) {
            for score in (0..600).filter(|&score| shown_cp(score, material) == 100) {
                let [win, ..] = wdl(score, material);
                // Shown scores are rounded.
                assert!((485..=515).contains(&win), "{win} at {score}, {material}");
            }
            let even = even_chance(material).round() as Score;
            assert!((99..=101).contains(&shown_cp(even, material)));
        }
    }

    #[test]
    fn tablebase_wins_are_shown_as_20000_minus_the_plies() {
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
    fn material_of_both_sides_counts_except_in_known_draws() {
        let material_of = |fen: &str| material(&fen.parse().expect("a sound FEN"));
        assert_eq!(material(&Board::default()), 78);
        assert_eq!(material_of("4k3/8/8/8/8/8/4P3/R3K2N w - - 0 1"), 9);
        let drawn = material_of("8/8/4k3/8/8/3KNN2/8/8 b - - 0 1");
        for score in [-500, -1, 0, 1, 500] {
            assert_eq!(wdl(score, drawn), [0, 1000, 0], "{score}");
        }
        assert_eq!(wdl(score::mate_at(1), drawn), [1000, 0, 0]);
    }
}
