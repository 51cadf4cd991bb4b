//! Judges play by evaluations: chances, mistakes and accuracy.
//!
//! All formulas and thresholds are here, and they are those that Lichess has published
//! (<https://lichess.org/page/accuracy>, and its open source), so that figures can be
//! compared with what people know:
//!
//! * Chances from -1 to 1: 2 / (1 + exp(-0.00368208 cp)) - 1, a fit to people's games.
//! * A move is an inaccuracy, a mistake or a blunder if the mover's chances fall by
//!   0.1, 0.2 or 0.3. Mates count as 1000 centipawns here, while
//!   Lichess has further rules for mates that are missed or allowed.
//! * Accuracy of a move: 103.1668 exp(-0.04354 l) - 3.1669 + 1, where l is the loss of
//!   chances in percent of winning. (The 1 is only in the source: no analysis is certain.)
//! * [Accuracy](accuracies) of a player: the average of two means over the moves, the
//!   harmonic one and one that gives weight to moves in unsteady parts of the game.

use serde::{Deserialize, Serialize};

/// The value of a position, seen from White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// Centipawns, on the scale on which +100 is an even chance to win.
    Cp(i32),
    /// Mate in this many moves, by White if positive and by Black if negative. Never 0.
    Mate(i32),
    /// The game is over: White has won, or Black has.
    Won {
        /// Whether it is White who has won.
        by_white: bool,
    },
}

/// How steeply chances rise with centipawns.
const CHANCES_PER_CP: f64 = 0.003_682_08;

/// More centipawns than this, and mates, count as this: what is won is won.
const MAX_CP: i32 = 1000;

/// The value of the position in which games usually begin, in centipawns.
pub const INITIAL_CP: i32 = 15;

/// The accuracy of a move that loses nothing and one that loses all: scale, rate of decay
/// by percent of winning lost, and offset.
const ACCURACY: [f64; 3] = [103.1668, 0.04354, -3.1669];

/// Added to the accuracy of a move, because no analysis is certain.
const ACCURACY_BONUS: f64 = 1.0;

/// The part of the game by which its unsteadiness is measured: a tenth of it, within
/// these bounds, in plies.
const WINDOW_PLIES: [usize; 2] = [2, 8];

/// The least and the greatest weight that unsteadiness gives to a move, in percent of
/// winning.
const WEIGHTS: [f64; 2] = [0.5, 12.0];

impl Value {
    /// The chances of White from -1 (lost) to 1 (won).
    pub fn chances(self) -> f64 {
        let cp = match self {
            Value::Cp(cp) => cp.clamp(-MAX_CP, MAX_CP),
            Value::Mate(moves) => MAX_CP * moves.signum(),
            Value::Won { by_white: true } => MAX_CP,
            Value::Won { by_white: false } => -MAX_CP,
        };
        2.0 / (1.0 + (-CHANCES_PER_CP * f64::from(cp)).exp()) - 1.0
    }

    /// White's chances as a percentage of winning, 50 if they are even.
    pub fn win_percent(self) -> f64 {
        50.0 + 50.0 * self.chances()
    }
}

/// The judgement on a move that was not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Judgement {
    /// All of them, the worst first.
    pub const ALL: [Judgement; 3] = [Judgement::Blunder, Judgement::Mistake, Judgement::Inaccuracy];

    /// The least fall of the mover's chances, on the scale from -1 to 1, that is called
    /// so.
    const fn threshold(self) -> f64 {
        match self {
            Judgement::Inaccuracy => 0.1,
            Judgement::Mistake => 0.2,
            Judgement::Blunder => 0.3,
        }
    }

    /// Its number among PGN's annotation glyphs.
    pub const fn nag(self) -> u16 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        }
    }
}

/// How much the mover's chances fall by a move, on the scale from -1 to 1; negative if
/// they rise.
fn loss(before: Value, after: Value, is_white: bool) -> f64 {
    let fall = before.chances() - after.chances();
    if is_white { fall } else { -fall }
}

/// The judgement on a move that led from `before` to `after`; `None` if it was good enough.
pub fn judge(before: Value, after: Value, is_white: bool) -> Option<Judgement> {
    let loss = loss(before, after, is_white);
    Judgement::ALL.into_iter().find(|judgement| loss >= judgement.threshold())
}

/// The accuracy of a move, from 0 to 100.
fn move_accuracy(before: Value, after: Value, is_white: bool) -> f64 {
    let [scale, decay, offset] = ACCURACY;
    let lost_percent = (50.0 * loss(before, after, is_white)).max(0.0);
    (scale * (-decay * lost_percent).exp() + offset + ACCURACY_BONUS).clamp(0.0, 100.0)
}

/// The accuracies of White and Black, from 0 to 100, in a game whose positions have these
/// `values`, the first one and the last one included; `None` for a side that has not moved.
pub fn accuracies(values: &[Value], white_begins: bool) -> [Option<f64>; 2] {
    // No player is responsible for the value of the first position.
    let first = values.first().map(|_| Value::Cp(INITIAL_CP));
    let percents: Vec<f64> =
        first.iter().chain(values.iter().skip(1)).map(|value| value.win_percent()).collect();
    let mut moves = [Vec::new(), Vec::new()];
    for (at, pair) in values.windows(2).enumerate() {
        let is_white = (at % 2 == 0) == white_begins;
        let accuracy = move_accuracy(pair[0], pair[1], is_white);
        moves[usize::from(!is_white)].push((accuracy, weight(&percents, at)));
    }
    moves.map(|moves| {
        (!moves.is_empty()).then(|| (weighted_mean(&moves) + harmonic_mean(&moves)) / 2.0)
    })
}

/// The weight of the move after `at` plies: how much the chances vary around it.
fn weight(percents: &[f64], at: usize) -> f64 {
    let [shortest, longest] = WINDOW_PLIES;
    let len = ((percents.len() - 1) / 10).clamp(shortest, longest).min(percents.len());
    // The window ends with the position after the move, as far as there are as many before.
    let end = (at + 2).max(len).min(percents.len());
    let window = &percents[end - len..end];
    let [least, greatest] = WEIGHTS;
    standard_deviation(window).clamp(least, greatest)
}

fn standard_deviation(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The mean of numbers with weights. There must be one.
fn weighted_mean(numbers: &[(f64, f64)]) -> f64 {
    let weights: f64 = numbers.iter().map(|(_, weight)| weight).sum();
    numbers.iter().map(|(number, weight)| number * weight).sum::<f64>() / weights
}

/// The harmonic mean of numbers. Those near 0, which would be all that counts, are raised.
fn harmonic_mean(numbers: &[(f64, f64)]) -> f64 {
    const LEAST: f64 = 1.0;
    let inverses: f64 = numbers.iter().map(|(number, _)| 1.0 / number.max(LEAST)).sum();
    numbers.len() as f64 / inverses
}

#[cfg(test)]
mod tests {
    use super::*;

    const WON: Value = Value::Won { by_white: true };
    const LOST: Value = Value::Won { by_white: false };

    #[test]
    fn chances_follow_the_published_formula() {
        let percent = |value: Value| (value.win_percent() * 10.0).round() / 10.0;
        // Values read off Lichess's own explanation of its accuracy.
        assert_eq!([0, 100, 300, -300].map(|cp| percent(Value::Cp(cp))), [50.0, 59.1, 75.1, 24.9]);
        assert_eq!(percent(Value::Mate(3)), percent(Value::Cp(1000)));
        assert_eq!(percent(Value::Mate(-1)), percent(Value::Cp(-5000)));
        assert!(WON.chances() > 0.95 && LOST.chances() < -0.95);
    }

    #[test]
    fn a_move_is_judged_by_what_the_mover_loses() {
        use Judgement::{Blunder, Inaccuracy, Mistake};
        for (before, after, expected) in [
            (0, -54, None),
            (0, -55, Some(Inaccuracy)),
            (0, -110, Some(Inaccuracy)),
            (0, -111, Some(Mistake)),
            (0, -168, Some(Mistake)),
            (0, -169, Some(Blunder)),
            (0, 300, None),
            (900, 700, None),
        ] {
            let [before, after] = [before, after].map(Value::Cp);
            assert_eq!(judge(before, after, true), expected, "{before:?} to {after:?}");
            let mirrored = |value| match value {
                Value::Cp(cp) => Value::Cp(-cp),
                other => other,
            };
            assert_eq!(judge(mirrored(before), mirrored(after), false), expected);
        }
        assert_eq!(judge(Value::Mate(2), Value::Cp(0), true), Some(Blunder));
        assert_eq!(judge(Value::Mate(2), Value::Mate(5), true), None);
        assert_eq!(judge(Value::Cp(0), Value::Mate(-1), true), Some(Blunder));
        assert_eq!(judge(Value::Mate(1), WON, true), None);
        assert_eq!(judge(Value::Cp(0), LOST, false), None);
    }

    #[test]
    fn accuracy_is_full_without_loss_and_falls_with_it() {
        assert!(move_accuracy(Value::Cp(0), Value::Cp(50), true) > 99.9);
        assert!(move_accuracy(Value::Cp(0), Value::Cp(-50), false) > 99.9);
        let accuracy = |cp| move_accuracy(Value::Cp(0), Value::Cp(cp), true);
        assert!(accuracy(-50) > accuracy(-100) && accuracy(-100) > accuracy(-500));
        assert!(move_accuracy(WON, LOST, true) < 1.0);
        let expected = 103.1668 * (-0.04354_f64 * 9.0).exp() - 3.1669 + 1.0;
        let lost_9 = (Value::Cp(0), Value::Cp(-98));
        assert!((move_accuracy(lost_9.0, lost_9.1, true) - expected).abs() < 0.5);
    }

    #[test]
    fn each_side_has_its_own_accuracy() {
        let values = [15, 20, 10, -300, -290, -310, -300].map(Value::Cp);
        let [white, black] = accuracies(&values, true).map(|accuracy| accuracy.expect("it moved"));
        assert!(white < 75.0 && black > 95.0, "{white} {black}");
        let mirrored = values.map(|value| match value {
            Value::Cp(cp) => Value::Cp(30 - cp),
            other => other,
        });
        let [white, black] =
            accuracies(&mirrored, false).map(|accuracy| accuracy.expect("it moved"));
        assert!(black < 75.0 && white > 95.0, "{white} {black}");
        assert_eq!(accuracies(&[], true), [None, None]);
        assert_eq!(accuracies(&values[..1], true), [None, None]);
        let [one, none] = accuracies(&values[..2], true);
        assert!(one.is_some_and(|accuracy| accuracy > 95.0) && none.is_none());
    }
}
