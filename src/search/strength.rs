//! Play below full strength: `UCI_LimitStrength`, `UCI_Elo` and `Skill Level`.
//!
//! Two things weaken a search: a node budget, which makes the strength independent of machine
//! and clock, and noise: several lines get a random bonus each, and the highest sum is played
//! (after Stockfish's `Skill Level`).
//!
//! * The move played is worse than the best one found by at most the noise.
//! * A forced mate that the search finds is played. It always finds a mate in one.
//! * All other limits still hold.
//! * `go infinite` and `go mate` are analysis and not limited.
//! * With a given seed a search is the same on every run.

use crate::host;
use crate::score::{self, Score};
use carrybit_board::Board;
use carrybit_board::random::splitmix64;

use super::limits::Limits;

/// An Elo number, and the settings that produce it.
struct EloPoint {
    elo: i32,
    /// Nodes per move, 1 or more.
    nodes: u64,
    /// Lines to choose from, 1 or more.
    lines: usize,
    /// The largest random bonus of a line, in centipawns.
    noise_cp: Score,
}

/// The meaning of `UCI_Elo`, the weakest first; lines, noise and the logarithm of the nodes are
/// interpolated. A budget below some hundred nodes has no effect, because the first iteration
/// is always completed. `scripts/calibrate_elo.py` printed this table from 940 games against
/// skill levels of Stockfish 15.1, 20 of them near the last row (docs/strength.md).
const ELO_POINTS: [EloPoint; 6] = [
    EloPoint { elo: 1000, nodes: 160, lines: 25, noise_cp: 700 },
    EloPoint { elo: 1400, nodes: 420, lines: 17, noise_cp: 320 },
    EloPoint { elo: 1800, nodes: 1_600, lines: 10, noise_cp: 120 },
    EloPoint { elo: 2200, nodes: 4_500, lines: 7, noise_cp: 60 },
    EloPoint { elo: 2600, nodes: 15_000, lines: 5, noise_cp: 31 },
    EloPoint { elo: 3000, nodes: 270_000, lines: 4, noise_cp: 5 },
];

/// The least `UCI_Elo`.
pub const MIN_ELO: i32 = ELO_POINTS[0].elo;

/// The greatest `UCI_Elo`, which is still below full strength.
pub const MAX_ELO: i32 = ELO_POINTS[ELO_POINTS.len() - 1].elo;

/// The least nodes per move against a bare king: enough to mate with a queen or a rook.
const BARE_KING_MIN_NODES: u64 = 2_000;

/// The default of `UCI_Elo`.
pub const DEFAULT_ELO: i32 = 2000;

/// The `Skill Level` that stands for full strength.
pub const MAX_SKILL: i32 = 20;

/// The user's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Whether `elo` counts; if so, `skill_level` does not.
    pub is_limited: bool,
    /// Clamped to [`MIN_ELO`] and [`MAX_ELO`].
    pub elo: i32,
    /// Level 0 plays like [`MIN_ELO`], and each level adds an equal step towards [`MAX_ELO`].
    /// [`MAX_SKILL`] itself is full strength.
    pub skill_level: i32,
    /// Determines the noise, together with the position. `None` takes one from the clock, so
    /// that games differ.
    pub seed: Option<u64>,
}

impl Default for Strength {
    /// Full strength.
    fn default() -> Strength {
        Strength { is_limited: false, elo: DEFAULT_ELO, skill_level: MAX_SKILL, seed: None }
    }
}

impl Strength {
    /// The limited strength of a search of `board` within `limits`; `None` at full strength.
    pub fn limited(&self, limits: &Limits, board: &Board) -> Option<LimitedStrength> {
        let is_analysis = limits.infinite || limits.mate.is_some();
        let level = self.skill_level.clamp(0, MAX_SKILL);
        let elo_of_skill = MIN_ELO + (MAX_ELO - MIN_ELO) * level / MAX_SKILL;
        let elo = if self.is_limited { self.elo } else { elo_of_skill };
        let is_full = !self.is_limited && level == MAX_SKILL;
        if is_full || is_analysis {
            return None;
        }
        let strength = LimitedStrength::new(elo, self.seed.unwrap_or_else(host::seed));
        // Against a bare king, most scores are high and near to each other, so noise would hide the
        // way to the mate.
        let for_mate = LimitedStrength {
            nodes: strength.nodes.max(BARE_KING_MIN_NODES),
            lines: 1,
            noise_cp: 0,
            ..strength
        };
        Some(if board.has_bare_king(!board.side()) { for_mate } else { strength })
    }
}

/// How one search is weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitedStrength {
    nodes: u64,
    pub(super) lines: usize,
    noise_cp: Score,
    seed: u64,
}

impl LimitedStrength {
    /// For play of this strength, clamped to [`MIN_ELO`] and [`MAX_ELO`].
    fn new(elo: i32, seed: u64) -> LimitedStrength {
        let elo = elo.clamp(MIN_ELO, MAX_ELO);
        let above = ELO_POINTS.partition_point(|point| point.elo < elo).max(1);
        let (low, high) = (&ELO_POINTS[above - 1], &ELO_POINTS[above]);
        let part = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        let growth = high.nodes as f64 / low.nodes as f64;
        let between = |low: f64, high: f64| (low + (high - low) * part).round();
        LimitedStrength {
            nodes: (low.nodes as f64 * growth.powf(part)).round() as u64,
            lines: between(low.lines as f64, high.lines as f64) as usize,
            noise_cp: between(low.noise_cp.into(), high.noise_cp.into()) as Score,
            seed,
        }
    }

    /// The limits with the node budget added.
    pub fn limits(&self, limits: Limits) -> Limits {
        let nodes = limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes));
        Limits { nodes: Some(nodes), ..limits }
    }

    /// The index of the line to play. `scores` has one score for each line, at least one, and
    /// `-INFINITE` for an unknown one; `key` is the position's.
    pub(super) fn choose(&self, scores: &[Score], key: u64) -> usize {
        let best = scores.iter().copied().max().unwrap_or(score::DRAW);
        let noise_cp = if score::is_decisive(best) { 0 } else { self.noise_cp };
        let numbers = splitmix64(self.seed ^ key);
        let bonus = |line: usize| {
            let number = splitmix64(numbers.wrapping_add(line as u64));
            (number % (noise_cp as u64 + 1)) as Score
        };
        // `max_by_key` returns the last of equals: in this order the first line.
        (0..scores.len()).rev().max_by_key(|&line| scores[line] + bonus(line)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{INFINITE, mate_at, mated_at};

    #[test]
    fn more_elo_is_more_nodes_and_less_noise() {
        for elo in MIN_ELO..MAX_ELO {
            let (low, high) = (LimitedStrength::new(elo, 0), LimitedStrength::new(elo + 1, 0));
            assert!(low.nodes <= high.nodes && low.noise_cp >= high.noise_cp, "at {elo}");
            assert!(low.lines >= high.lines && high.lines > 1 && high.noise_cp > 0, "at {elo}");
        }
        for EloPoint { elo, nodes, lines, noise_cp } in ELO_POINTS {
            assert_eq!(
                LimitedStrength::new(elo, 7),
                LimitedStrength { nodes, lines, noise_cp, seed: 7 }
            );
        }
        assert_eq!(LimitedStrength::new(i32::MIN, 0), LimitedStrength::new(MIN_ELO, 0));
        assert_eq!(LimitedStrength::new(i32::MAX, 0), LimitedStrength::new(MAX_ELO, 0));
    }

    #[test]
    fn skill_levels_share_the_elo_scale() {
        let (mate, board) = (Limits { mate: Some(3), ..Limits::default() }, Board::default());
        for (is_limited, skill_level, elo) in [
            (false, 0, Some(MIN_ELO)),
            (false, 3, Some(1300)),
            (false, 19, Some(2900)),
            (false, 20, None),
            (true, 3, Some(1500)),
            (true, 20, Some(1500)),
        ] {
            let strength = Strength { is_limited, elo: 1500, skill_level, seed: Some(1) };
            let expected = elo.map(|elo| LimitedStrength::new(elo, 1));
            assert_eq!(strength.limited(&Limits::default(), &board), expected);
            assert_eq!(strength.limited(&mate, &board), None, "analysis is not limited");
        }
    }

    #[test]
    fn better_moves_are_chosen_more_often_and_blunders_never() {
        let choices = |elo: i32, scores: [Score; 4]| {
            let mut counts = [0; 4];
            for seed in 0..1000 {
                counts[LimitedStrength::new(elo, seed).choose(&scores, 42)] += 1;
            }
            counts
        };
        let noise = LimitedStrength::new(1400, 0).noise_cp;
        let counts = choices(1400, [50, 50 - noise / 2, 50 - noise - 1, -INFINITE]);
        assert!(counts[0] > 2 * counts[1] && counts[1] > 20, "{counts:?}");
        assert_eq!(counts[2..], [0, 0]);
        let lost = mated_at(4);
        for scores in [[mate_at(1), mate_at(3), 900, 0], [lost, lost, lost, mated_at(2)]] {
            assert_eq!(choices(MIN_ELO, scores), [1000, 0, 0, 0]);
        }
    }
}
