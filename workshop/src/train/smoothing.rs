//! Scores smoothed along a game.
//!
//! A shallow search errs by more than positions a few plies apart differ, and the side to
//! move sees itself better off after its own search. A mean over some plies before and
//! after takes half of the error away (HISTORY.md of the networks has the figures). The
//! idea is that of temporal differences, see R. Sutton, *Learning to Predict by the
//! Methods of Temporal Differences*, 1988.

use carrybit::score::{EVAL_LIMIT, Score};

/// How scores are smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// How many plies before and after a position have a say in its score; 0 leaves scores
    /// alone.
    pub plies: usize,
    /// The mean is that of the points that scores promise: this many centipawns promise
    /// `sigmoid(1)`.
    pub scale: f64,
}

impl Smoothing {
    /// The scores of a game's positions, in centipawns from one side's view, smoothed.
    pub fn smooth(self, scores: &[Score]) -> Vec<Score> {
        if self.plies == 0 {
            return scores.to_vec();
        }
        let points: Vec<f64> = scores.iter().map(|&score| self.points(score)).collect();
        (0..points.len())
            .map(|at| {
                let first = at.saturating_sub(self.plies);
                let last = (at + self.plies).min(points.len() - 1);
                let (sum, weights) = (first..=last).fold((0.0, 0.0), |(sum, weights), other| {
                    let weight = weight(at.abs_diff(other));
                    (sum + weight * points[other], weights + weight)
                });
                self.score(sum / weights)
            })
            .collect()
    }

    fn points(self, score: Score) -> f64 {
        1.0 / (1.0 + (-f64::from(score) / self.scale).exp())
    }

    fn score(self, points: f64) -> Score {
        let score = -self.scale * (1.0 / points - 1.0).ln();
        let limit = f64::from(EVAL_LIMIT);
        score.clamp(-limit, limit).round() as Score
    }
}

/// The weight of a score `plies` plies away: half as much every two plies, so that both
/// sides count alike.
fn weight(plies: usize) -> f64 {
    0.5f64.powi(plies.div_ceil(2) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTHING: Smoothing = Smoothing { plies: 4, scale: 400.0 };

    #[test]
    fn one_outlier_is_spread_over_its_neighbours() {
        let mut scores = [0; 11];
        scores[5] = 400;
        let smooth = SMOOTHING.smooth(&scores);
        let points: Vec<f64> = smooth.iter().map(|&score| SMOOTHING.points(score) - 0.5).collect();
        let outlier = SMOOTHING.points(400) - 0.5;
        for (at, share) in [(0, 0.0), (1, 1.0), (2, 1.0), (3, 2.0), (4, 2.0), (5, 4.0)] {
            // At the margins of the game, neighbours are missing.
            let weights = [10.0, 12.0, 14.0, 15.0, 16.0, 16.0][at];
            assert!((points[at] - outlier * share / weights).abs() < 0.002, "{at}: {points:?}");
            assert_eq!(smooth[at], smooth[10 - at]);
        }
    }

    #[test]
    fn equal_scores_stay_and_mates_stay_in_range() {
        assert_eq!(SMOOTHING.smooth(&[-137; 9]), [-137; 9]);
        assert_eq!(SMOOTHING.smooth(&[31_950; 9]), [EVAL_LIMIT; 9]);
        assert_eq!(SMOOTHING.smooth(&[-31_950; 9]), [-EVAL_LIMIT; 9]);
        assert_eq!(SMOOTHING.smooth(&[]), []);
        let rough = [300, -200, 31_950];
        assert_eq!(Smoothing { plies: 0, ..SMOOTHING }.smooth(&rough), rough);
    }
}
