//! Makes labels from the scores of a game.
//!
//! The error of a shallow search is larger than the difference between positions a few plies
//! apart, and searches favour the side to move. A mean over some plies before and after, in which
//! scores far from the others count less, removes half of the error. A good network's evaluations
//! of the positions that follow in the game remove a tenth of the rest (figures in
//! `docs/HISTORY.md`). Both ideas come from temporal differences: R. Sutton, *Learning to
//! Predict by the Methods of Temporal Differences*, 1988.

use carrybit::internals::score::{EVAL_LIMIT, Score};

/// The score, in centipawns, with expected points of `sigmoid(1)` = 0.73. Results of games at 1,000
/// nodes fit 150, and networks have less error with 200 than with 400 (`docs/HISTORY.md`).
pub const SCALE: f64 = 200.0;

/// The factor of weights per two plies, so that two neighbours, one of each side, weigh the same.
const SCORE_DECAY: f64 = 0.5;
const EVAL_DECAY: f64 = 0.75;

/// A score further than this from the mean, in points, counts as if it were this far (P. Huber,
/// *Robust Estimation of a Location Parameter*, 1964): shallow searches miss tactics. Figures are in
/// `docs/HISTORY.md`, "Bias of labels".
const MAX_DISTANCE: f64 = 0.15;

/// The most iterations of that mean.
const MEAN_STEPS: usize = 20;

/// The plies over which evaluations are averaged.
const EVAL_PLIES: usize = 16;

/// The parameters of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// Plies before and after a position in the mean of its score; 0 keeps scores unchanged.
    pub plies: usize,
    /// The share of later evaluations in a label, 0 to 1.
    pub eval_share: f64,
    /// The share of the game's result in the label of its first ply, 0 to 1; it falls evenly to 0
    /// after the last one.
    pub early_wdl: f64,
}

impl Smoothing {
    /// Smooths the scores of a game, in centipawns from one side's view, by means of their expected
    /// points.
    pub fn smooth(self, scores: &[Score]) -> Vec<Score> {
        if self.plies == 0 {
            return scores.to_vec();
        }
        let all: Vec<f64> = scores.iter().map(|&score| points(score.into())).collect();
        (0..all.len())
            .map(|at| {
                let first = at.saturating_sub(self.plies);
                let last = (at + self.plies).min(all.len() - 1);
                let mean_within = |low: f64, high: f64| {
                    let weighted = (first..=last)
                        .map(|i| (weight(SCORE_DECAY, at.abs_diff(i)), all[i].clamp(low, high)));
                    mean(weighted).expect("the score itself")
                };
                let mut center = mean_within(0.0, 1.0);
                for _ in 0..MEAN_STEPS {
                    let next = mean_within(center - MAX_DISTANCE, center + MAX_DISTANCE);
                    if next == center {
                        break;
                    }
                    center = next;
                }
                score(center)
            })
            .collect()
    }

    /// Mixes each label of a game with a mean of the evaluations of its position and the next
    /// `EVAL_PLIES`, in centipawns from the same side's view. An evaluation may be missing.
    pub fn mix(self, labels: &mut [Score], evals: &[Option<Score>]) {
        for (at, label) in labels.iter_mut().enumerate() {
            let following = evals[at..].iter().take(EVAL_PLIES + 1).enumerate();
            let weighted = following.filter_map(|(plies, eval)| {
                Some((weight(EVAL_DECAY, plies), points((*eval)?.into())))
            });
            if let Some(mean) = mean(weighted) {
                *label = mixed(*label, mean, self.eval_share);
            }
        }
    }

    /// Mixes the result of a game, 0 to 1, into its labels, both from the same side's view. Without
    /// it, evaluations of early positions are too small beside those of late ones; figures are in
    /// `docs/HISTORY.md`, "A calibrated error".
    pub fn mix_result(self, labels: &mut [Score], result: f64) {
        if self.early_wdl == 0.0 {
            return;
        }
        let count = labels.len() as f64;
        for (at, label) in labels.iter_mut().enumerate() {
            *label = mixed(*label, result, self.early_wdl * (1.0 - at as f64 / count));
        }
    }
}

/// A label with a share of other points in it.
fn mixed(label: Score, other: f64, share: f64) -> Score {
    let before = points(label.into());
    score(before + share * (other - before))
}

/// The expected points of a score in centipawns, 0 to 1.
pub fn points(score: f64) -> f64 {
    1.0 / (1.0 + (-score / SCALE).exp())
}

fn score(points: f64) -> Score {
    let limit = f64::from(EVAL_LIMIT);
    (-SCALE * (1.0 / points - 1.0).ln()).clamp(-limit, limit).round() as Score
}

/// The weight of a number at this distance.
fn weight(decay: f64, plies: usize) -> f64 {
    decay.powi(plies.div_ceil(2) as i32)
}

/// The mean of numbers, each after its weight; `None` if there are none.
fn mean(weighted: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, weights) = weighted.fold((0.0, 0.0), |(sum, weights), (weight, number)| {
        (sum + weight * number, weights + weight)
    });
    (weights > 0.0).then(|| sum / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTHING: Smoothing = Smoothing { plies: 4, eval_share: 0.6, early_wdl: 0.4 };

    #[test]
    fn outlier_is_spread_over_its_neighbours() {
        for (outlier, excess) in [(100, points(100.0) - 0.5), (4000, MAX_DISTANCE)] {
            let mut scores = [0; 11];
            scores[5] = outlier;
            let smooth = SMOOTHING.smooth(&scores);
            for (at, share) in [(0, 0.0), (1, 1.0), (2, 1.0), (3, 2.0), (4, 2.0), (5, 4.0)] {
                // Neighbours are missing near both ends of the game.
                let weights = [10.0, 12.0, 14.0, 15.0, 16.0, 16.0][at];
                let found = points(smooth[at].into()) - 0.5;
                // An outlier has the weight `share` at `MAX_DISTANCE` from the mean.
                let others = if outlier == 100 { weights } else { weights - share };
                assert!((found - excess * share / others).abs() < 0.002, "{at}: {found}");
                assert_eq!(smooth[at], smooth[10 - at]);
            }
        }
    }

    #[test]
    fn later_evaluations_change_a_label() {
        let mut evals = [None; 40];
        evals[30] = Some(800);
        let mut labels = [0; 40];
        SMOOTHING.mix(&mut labels, &evals);
        let share = SMOOTHING.eval_share;
        let whole = score(0.5 + share * (points(800.0) - 0.5));
        let is_near = |at: usize| (30 - EVAL_PLIES..=30).contains(&at);
        for (at, label) in labels.into_iter().enumerate() {
            assert_eq!(label, if is_near(at) { whole } else { 0 }, "{at}");
        }
        evals[29] = Some(0);
        let mut labels = [0; 40];
        SMOOTHING.mix(&mut labels, &evals);
        let half = 0.5 + share * EVAL_DECAY / (1.0 + EVAL_DECAY) * (points(800.0) - 0.5);
        assert_eq!(labels[29..32], [score(half), whole, 0]);
    }

    #[test]
    fn share_of_the_result_falls_to_nothing() {
        let mut labels = [0; 4];
        SMOOTHING.mix_result(&mut labels, 1.0);
        assert_eq!(labels, [0.4, 0.3, 0.2, 0.1].map(|share| score(0.5 + 0.5 * share)));
        let mut labels = [-300, 250];
        Smoothing { early_wdl: 0.0, ..SMOOTHING }.mix_result(&mut labels, 0.0);
        assert_eq!(labels, [-300, 250]);
    }

    #[test]
    fn equal_scores_are_unchanged_and_mates_are_clamped() {
        assert_eq!(SMOOTHING.smooth(&[-137; 9]), [-137; 9]);
        assert_eq!(SMOOTHING.smooth(&[31_950; 9]), [EVAL_LIMIT; 9]);
        assert_eq!(SMOOTHING.smooth(&[-31_950; 9]), [-EVAL_LIMIT; 9]);
        assert!(SMOOTHING.smooth(&[]).is_empty());
        let rough = [300, -200, 31_950];
        assert_eq!(Smoothing { plies: 0, ..SMOOTHING }.smooth(&rough), rough);
    }
}
