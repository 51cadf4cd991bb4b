//! Smooths scores along a game.
//!
//! The error of a shallow search is larger than the difference between positions a few plies
//! apart, and searches favour the side to move. A mean over some plies before and after removes
//! half of the error (figures in `src/eval/nnue/HISTORY.md`). The idea comes from temporal
//! differences: R. Sutton, *Learning to Predict by the Methods of Temporal Differences*, 1988.

use carrybit::internals::score::{EVAL_LIMIT, Score};

/// The parameters of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// Plies before and after a position in the mean of its score; 0 keeps scores unchanged.
    pub plies: usize,
    /// Means are taken of expected points. This number of centipawns corresponds to
    /// `sigmoid(1)`.
    pub scale: f64,
}

impl Smoothing {
    /// Smooths the scores of a game, in centipawns from one side's view.
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

/// The weight of a score at this distance: halved every two plies, so that two
/// neighbours, one of each side, weigh the same.
fn weight(plies: usize) -> f64 {
    0.5f64.powi(plies.div_ceil(2) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTHING: Smoothing = Smoothing { plies: 4, scale: 400.0 };

    #[test]
    fn outlier_is_spread_over_its_neighbours() {
        let mut scores = [0; 11];
        scores[5] = 400;
        let smooth = SMOOTHING.smooth(&scores);
        let points: Vec<f64> = smooth.iter().map(|&score| SMOOTHING.points(score) - 0.5).collect();
        let outlier = SMOOTHING.points(400) - 0.5;
        for (at, share) in [(0, 0.0), (1, 1.0), (2, 1.0), (3, 2.0), (4, 2.0), (5, 4.0)] {
            // Neighbours are missing near both ends of the game.
            let weights = [10.0, 12.0, 14.0, 15.0, 16.0, 16.0][at];
            assert!((points[at] - outlier * share / weights).abs() < 0.002, "{at}: {points:?}");
            assert_eq!(smooth[at], smooth[10 - at]);
        }
    }

    #[test]
    fn equal_scores_are_unchanged_and_mates_are_clamped() {
        assert_eq!(SMOOTHING.smooth(&[-137; 9]), [-137; 9]);
        assert_eq!(SMOOTHING.smooth(&[31_950; 9]), [EVAL_LIMIT; 9]);
        assert_eq!(SMOOTHING.smooth(&[-31_950; 9]), [-EVAL_LIMIT; 9]);
        assert_eq!(SMOOTHING.smooth(&[]), []);
        let rough = [300, -200, 31_950];
        assert_eq!(Smoothing { plies: 0, ..SMOOTHING }.smooth(&rough), rough);
    }
}
