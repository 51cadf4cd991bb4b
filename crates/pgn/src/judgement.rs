//! Winning chances, mistakes and accuracy from evaluations.
//!
//! The formulas and thresholds are those of Lichess (<https://lichess.org/page/accuracy> and its
//! source), so that figures are comparable:
//!
//! * Chances from -1 to 1: 2 / (1 + exp(-0.00368208 cp)) - 1, fitted to human games.
//! * A move is an inaccuracy, a mistake or a blunder if the mover's chances fall by 0.1, 0.2
//!   or 0.3.
//! * A move that allows a mate, or loses one, is a blunder; only a mistake if the mover was lost
//!   before, or is winning after it, by more than 700 centipawns, and an inaccuracy by more than
//!   999. A longer mate is no mistake. (`Advice.scala` of Lichess.)
//! * Accuracy of a move: 103.1668 exp(-0.04354 l) - 3.1669 + 1, where l is the fall of the
//!   mover's winning percentage. (The page omits the 1, which allows for imperfect analysis.)
//! * [Accuracy](accuracies) of a player: the average of two means over all moves, the harmonic
//!   mean and one weighted by how much the chances vary around each move.

use serde::{Deserialize, Serialize};

/// The value of a position, seen from White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// Centipawns. At +100 Carrybit wins half of its own games; [`Value::win_percent`] gives
    /// another figure, because it is fitted to human games.
    Cp(i32),
    /// Mate in this many moves, by White if positive and by Black if negative. Never 0.
    Mate(i32),
    /// Checkmate on the board.
    Won {
        /// Whether White has won.
        by_white: bool,
    },
}

/// Evaluations are clamped to this range, in centipawns, unless they are [judged](judge); mates
/// count as the bound.
const MAX_CP: i32 = 1000;

/// The value that Lichess gives to the start position, in centipawns.
pub const INITIAL_CP: i32 = 15;

impl Value {
    /// White's chances from -1 (lost) to 1 (won).
    pub fn chances(self) -> f64 {
        let cp = match self {
            Value::Cp(cp) => cp.clamp(-MAX_CP, MAX_CP),
            mate => MAX_CP * mate.mate(),
        };
        chances(cp)
    }

    /// 1 if White mates, -1 if Black does, and 0 if there is no mate.
    fn mate(self) -> i32 {
        match self {
            Value::Cp(_) => 0,
            Value::Mate(moves) => moves.signum(),
            Value::Won { by_white: true } => 1,
            Value::Won { by_white: false } => -1,
        }
    }

    /// White's chances as a winning percentage; 50 if they are even.
    pub fn win_percent(self) -> f64 {
        50.0 + 50.0 * self.chances()
    }
}

/// White's chances at a number of centipawns, which is not clamped.
fn chances(cp: i32) -> f64 {
    2.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()) - 1.0
}

/// The judgement on a bad move. The discriminants are indices for [`viewer`](crate::viewer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// The name, the number of the annotation glyph (NAG), and the minimum loss of the mover's
    /// chances on the scale from -1 to 1.
    const fn row(self) -> (&'static str, u16, f64) {
        match self {
            Judgement::Inaccuracy => ("Inaccuracy", 6, 0.1),
            Judgement::Mistake => ("Mistake", 2, 0.2),
            Judgement::Blunder => ("Blunder", 4, 0.3),
        }
    }

    /// The number of the annotation glyph (NAG).
    pub const fn nag(self) -> u16 {
        self.row().1
    }

    /// The name, as in comments.
    pub const fn name(self) -> &'static str {
        self.row().0
    }
}

/// The loss of the mover's chances; negative if they rise. `before` and `after` are White's.
fn loss([before, after]: [f64; 2], is_white: bool) -> f64 {
    if is_white { before - after } else { after - before }
}

/// The judgement on a move from a position of value `before` to one of value `after`; `None` if
/// the move was good enough.
pub fn judge(before: Value, after: Value, is_white: bool) -> Option<Judgement> {
    if let (Value::Cp(before), Value::Cp(after)) = (before, after) {
        // Lichess clamps centipawns only for the accuracy.
        let loss = loss([before, after].map(chances), is_white);
        return Judgement::ALL.into_iter().find(|judgement| loss >= judgement.row().2);
    }
    let sign = if is_white { 1 } else { -1 };
    let cp = |value| if let Value::Cp(cp) = value { sign * cp } else { 0 };
    // How much the mover was lost before allowing a mate, or still wins after losing one.
    let decided = match (sign * before.mate(), sign * after.mate()) {
        (0, -1) => -cp(before),
        (1, 0 | -1) => cp(after),
        _ => return None,
    };
    Some(match decided {
        1000.. => Judgement::Inaccuracy,
        701.. => Judgement::Mistake,
        _ => Judgement::Blunder,
    })
}

/// The accuracy of a move, from 0 to 100.
fn move_accuracy(before: Value, after: Value, is_white: bool) -> f64 {
    let lost_percent = (50.0 * loss([before, after].map(Value::chances), is_white)).max(0.0);
    (103.1668 * (-0.04354 * lost_percent).exp() - 3.1669 + 1.0).clamp(0.0, 100.0)
}

/// The accuracy of White and of Black, from 0 to 100. `values` are those of all positions of the
/// game; Lichess sets the first to [`INITIAL_CP`]. `None` for a side that has not moved.
pub fn accuracies(values: &[Value], white_begins: bool) -> [Option<f64>; 2] {
    let percents: Vec<f64> = values.iter().map(|value| value.win_percent()).collect();
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

/// The weight of the move after `at` plies: the standard deviation of the winning percentages
/// around it, from 0.5 to 12. The window is a tenth of the game, from 2 to 8 positions.
fn weight(percents: &[f64], at: usize) -> f64 {
    let len = ((percents.len() - 1) / 10).clamp(2, 8).min(percents.len());
    // The window ends with the position after the move, except at the beginning of the game.
    let end = (at + 2).max(len).min(percents.len());
    let window = &percents[end - len..end];
    let mean = window.iter().sum::<f64>() / len as f64;
    let variance = window.iter().map(|percent| (percent - mean).powi(2)).sum::<f64>() / len as f64;
    variance.sqrt().clamp(0.5, 12.0)
}

/// The mean of numbers with weights. `numbers` must not be empty.
fn weighted_mean(numbers: &[(f64, f64)]) -> f64 {
    let weights: f64 = numbers.iter().map(|(_, weight)| weight).sum();
    numbers.iter().map(|(number, weight)| number * weight).sum::<f64>() / weights
}

/// The harmonic mean. Numbers below 1 count as 1: numbers near 0 would dominate.
fn harmonic_mean(numbers: &[(f64, f64)]) -> f64 {
    let inverses: f64 = numbers.iter().map(|(number, _)| 1.0 / number.max(1.0)).sum();
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
        // From Lichess's explanation of its accuracy.
        assert_eq!([0, 100, 300, -300].map(|cp| percent(Value::Cp(cp))), [50.0, 59.1, 75.1, 24.9]);
        assert_eq!(percent(Value::Mate(3)), percent(Value::Cp(1000)));
        assert_eq!(percent(Value::Mate(-1)), percent(Value::Cp(-5000)));
        assert!(WON.chances() > 0.95 && LOST.chances() < -0.95);
    }

    #[test]
    fn move_is_judged_by_the_loss_of_the_mover_s_chances() {
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
            (1200, 700, Some(Inaccuracy)),
        ] {
            let values = |sign: i32| [before, after].map(|cp: i32| Value::Cp(sign * cp));
            for (sign, is_white) in [(1, true), (-1, false)] {
                let [before, after] = values(sign);
                assert_eq!(judge(before, after, is_white), expected, "{before:?} to {after:?}");
            }
        }
    }

    #[test]
    fn mate_that_is_allowed_or_lost_is_judged_by_the_score_without_it() {
        use Judgement::{Blunder, Inaccuracy, Mistake};
        let negated = |value| match value {
            Value::Cp(cp) => Value::Cp(-cp),
            Value::Mate(moves) => Value::Mate(-moves),
            Value::Won { by_white } => Value::Won { by_white: !by_white },
        };
        for (before, after, expected) in [
            (Value::Cp(0), Value::Mate(-1), Some(Blunder)),
            (Value::Cp(-650), Value::Mate(-5), Some(Blunder)),
            (Value::Cp(-700), Value::Mate(-5), Some(Blunder)),
            (Value::Cp(-701), Value::Mate(-5), Some(Mistake)),
            (Value::Cp(-999), Value::Mate(-5), Some(Mistake)),
            (Value::Cp(-1000), Value::Mate(-5), Some(Inaccuracy)),
            (Value::Mate(-2), Value::Mate(-1), None),
            (Value::Mate(-2), Value::Cp(-300), None),
            (Value::Mate(2), Value::Cp(0), Some(Blunder)),
            (Value::Mate(2), Value::Cp(700), Some(Blunder)),
            (Value::Mate(2), Value::Cp(701), Some(Mistake)),
            (Value::Mate(2), Value::Cp(1000), Some(Inaccuracy)),
            (Value::Mate(2), Value::Mate(-3), Some(Blunder)),
            (Value::Mate(2), Value::Mate(5), None),
            (Value::Cp(0), Value::Mate(5), None),
            (Value::Mate(1), WON, None),
            (Value::Cp(0), WON, None),
        ] {
            assert_eq!(judge(before, after, true), expected, "{before:?} to {after:?}");
            assert_eq!(judge(negated(before), negated(after), false), expected, "{before:?}");
        }
    }

    #[test]
    fn accuracy_falls_with_the_loss_of_the_mover() {
        for (before, after, is_white, expected) in [
            (Value::Cp(0), Value::Cp(50), true, 100.0),
            (Value::Cp(0), Value::Cp(-50), false, 100.0),
            (Value::Cp(5000), Value::Cp(1000), true, 100.0),
            // A loss of 9 % by the published formula.
            (Value::Cp(0), Value::Cp(-98), true, 67.6),
            (WON, LOST, true, 0.0),
        ] {
            let accuracy = move_accuracy(before, after, is_white);
            assert!((accuracy - expected).abs() < 0.5, "{before:?} to {after:?}: {accuracy}");
        }
    }

    #[test]
    fn each_side_has_its_own_accuracy() {
        let values = [15, 20, 10, -300, -290, -310, -300].map(Value::Cp);
        let mirrored = [15, 10, 20, 330, 320, 340, 330].map(Value::Cp);
        let [white, black] = accuracies(&values, true).map(|accuracy| accuracy.expect("moves"));
        assert!(white < 75.0 && black > 95.0, "{white} {black}");
        let [white, black] = accuracies(&mirrored, false).map(|accuracy| accuracy.expect("moves"));
        assert!(black < 75.0 && white > 95.0, "{white} {black}");
        assert_eq!(accuracies(&[], true), [None, None]);
        assert_eq!(accuracies(&values[..1], true), [None, None]);
        let [one, none] = accuracies(&values[..2], true);
        assert!(one.is_some_and(|accuracy| accuracy > 95.0) && none.is_none());
    }
}
