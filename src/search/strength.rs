//! Play below full strength: `UCI_LimitStrength`, `UCI_Elo` and `Skill Level`.
//!
//! Three things weaken a search:
//!
//! * a node budget, which makes the strength independent of machine and clock;
//! * overlooked moves: the search does not see some moves of either side, by a chance that depends
//!   on what people overlook (see `weight`), so that it falls into what it has
//!   overlooked;
//! * noise: several lines get a random bonus each, in winning chances, and the highest sum is
//!   played (after Stockfish's `Skill Level`).
//!
//! A forced mate that the search sees is played. All other limits still hold. `go infinite` and `go
//! mate` are analysis and not limited. With a given seed a search is the same on every run.

use std::cmp::Ordering;

use crate::host;
use crate::score::{self, Score};
use carrybit_board::random::splitmix64;
use carrybit_board::{Board, Color, Kind, Move, Square};

use super::limits::Limits;

/// An Elo number, and the settings that produce it.
struct EloPoint {
    elo: i32,
    /// Nodes per move, 1 or more.
    nodes: u64,
    /// Lines to choose from, 1 or more.
    lines: usize,
    /// The largest random bonus of a line in an even position, in percent of winning chances.
    noise: f64,
    /// The chance that a move of weight 1 is overlooked, in percent; 100 and more is possible,
    /// because weights can be less than 1.
    overlooked: f64,
}

/// The meaning of `UCI_Elo`, the weakest first. Between two rows, everything is interpolated, of the
/// nodes the logarithm. A budget below some hundred nodes has no effect, because the first
/// iteration is always completed. `scripts/calibrate_elo.py` printed this table; the last row is a
/// setting that was played (docs/strength.md).
const ELO_POINTS: [EloPoint; 8] = [
    EloPoint { elo: 500, nodes: 120, lines: 25, noise: 121.0, overlooked: 97.5 },
    EloPoint { elo: 750, nodes: 150, lines: 24, noise: 80.4, overlooked: 61.9 },
    EloPoint { elo: 1000, nodes: 220, lines: 22, noise: 49.4, overlooked: 35.6 },
    EloPoint { elo: 1400, nodes: 880, lines: 14, noise: 27.7, overlooked: 16.1 },
    EloPoint { elo: 1800, nodes: 3_200, lines: 9, noise: 11.9, overlooked: 7.47 },
    EloPoint { elo: 2200, nodes: 7_100, lines: 7, noise: 6.32, overlooked: 4.47 },
    EloPoint { elo: 2600, nodes: 32_000, lines: 5, noise: 2.22, overlooked: 1.39 },
    EloPoint { elo: 3000, nodes: 160_000, lines: 3, noise: 0.2, overlooked: 0.11 },
];

/// The least `UCI_Elo`.
pub const MIN_ELO: i32 = ELO_POINTS[0].elo;

/// The greatest `UCI_Elo`, which is still below full strength.
pub const MAX_ELO: i32 = ELO_POINTS[ELO_POINTS.len() - 1].elo;

/// The pieces that mate a bare king, and the Elo from which on a player knows how. Then only the
/// nodes are limited, to [`BARE_KING_MIN_NODES`] or more.
const BARE_KING_ELO: [(Kind, i32); 4] =
    [(Kind::Queen, 900), (Kind::Pawn, 1100), (Kind::Rook, 1300), (Kind::Bishop, 1900)];
/// The least nodes per move of a player who mates a bare king.
const BARE_KING_MIN_NODES: u64 = 10_000;

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
    /// Determines the noise and the overlooked moves, together with the position. `None` takes one
    /// from the clock, so that games differ.
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
        let seed = self.seed.unwrap_or_else(host::seed) ^ splitmix64(board.key());
        let strength = LimitedStrength::new(elo, seed);
        let for_mate = LimitedStrength {
            nodes: strength.nodes.max(BARE_KING_MIN_NODES),
            lines: 1,
            noise: 0.0,
            overlooked: 0.0,
            ..strength
        };
        Some(if knows_the_mate(board, elo) { for_mate } else { strength })
    }
}

/// Whether the opponent has a bare king, and a player of this strength knows how to mate it.
fn knows_the_mate(board: &Board, elo: i32) -> bool {
    let side = board.side();
    let has = |wanted| board.pieces().any(|(_, piece)| piece.color == side && piece.kind == wanted);
    let known = BARE_KING_ELO.iter().find(|&&(kind, _)| has(kind)).map_or(MAX_ELO, |&(_, elo)| elo);
    board.has_bare_king(!side) && elo >= known
}

/// How one search is weakened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedStrength {
    nodes: u64,
    pub(super) lines: usize,
    noise: f64,
    overlooked: f64,
    /// Differs from position to position.
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
        let between = |low: f64, high: f64| low * (1.0 - part) + high * part;
        LimitedStrength {
            nodes: (low.nodes as f64 * growth.powf(part)).round() as u64,
            lines: between(low.lines as f64, high.lines as f64).round() as usize,
            noise: between(low.noise, high.noise),
            overlooked: between(low.overlooked, high.overlooked),
            seed,
        }
    }

    /// The limits with the node budget added.
    pub fn limits(&self, limits: Limits) -> Limits {
        let nodes = limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes));
        Limits { nodes: Some(nodes), ..limits }
    }

    /// Changes the table keys of the search (by xor): an entry of another search would show what
    /// this one overlooks.
    pub(super) fn salt(&self) -> u64 {
        splitmix64(self.seed)
    }

    /// Whether the search does not see the legal move `mv`, `ply` plies from the root, after the
    /// move `last`, or none. A move overlooked near the root is overlooked in the whole search.
    /// In check, nothing is overlooked.
    pub(super) fn overlooks(&self, board: &Board, mv: Move, ply: usize, last: Move) -> bool {
        let squares =
            u64::from(mv.to_bits() & 0xfff) << 1 | u64::from(board.side() == Color::Black);
        self.overlooked > 0.0
            && !board.in_check()
            && 100.0 * uniform(self.seed ^ squares) < self.overlooked * weight(board, mv, ply, last)
    }

    /// The index of the line to play. `scores` has one score for each line, at least one, and
    /// `-INFINITE` for an unknown one.
    pub(super) fn choose(&self, scores: &[Score]) -> usize {
        let best = scores.iter().copied().max().unwrap_or(score::DRAW);
        let chances = win_percent(best);
        // 1 in an even position. Its square, because noise that grew with it alone would be constant
        // in centipawns, and hide the way in a won ending.
        let stake = chances * (100.0 - chances) / 2500.0;
        let noise = if score::is_decisive(best) { 0.0 } else { self.noise * stake * stake };
        let value = |line: usize| {
            // An unknown line is played only without any other.
            let noise = if scores[line] == -score::INFINITE { 0.0 } else { noise };
            win_percent(scores[line]) + noise * uniform(!self.seed.wrapping_add(line as u64))
        };
        // `max_by` returns the last of equals: in this order the first line.
        let lines = (0..scores.len()).rev();
        lines
            .max_by(|&a, &b| value(a).total_cmp(&value(b)).then(scores[a].cmp(&scores[b])))
            .unwrap_or(0)
    }
}

/// A random number from 0 to 1, determined by `seed`.
fn uniform(seed: u64) -> f64 {
    splitmix64(seed) as f64 / u64::MAX as f64
}

/// The winning chances of people with this evaluation, in percent
/// ([Lichess](https://lichess.org/page/accuracy)).
fn win_percent(score: Score) -> f64 {
    100.0 / (1.0 + (-0.003_682_08 * f64::from(score)).exp())
}

/// How often people overlook a move, in relation to a short quiet move forward near the last move,
/// one ply from the root. The kinds of moves are those that are hard to see according to Neiman and
/// Afek, *Invisible Chess Moves* (2011); the numbers are ours (docs/strength.md).
fn weight(board: &Board, mv: Move, ply: usize, last: Move) -> f64 {
    let (from, to, side) = (mv.from(), mv.to(), board.side());
    let is_diagonal = from.file().abs_diff(to.file()) == from.rank().abs_diff(to.rank());
    let is_far = |a: Square, b: Square| a.distance_to(b) > 3;
    let direction = match to.relative_rank(side).cmp(&from.relative_rank(side)) {
        Ordering::Less => 1.5,
        Ordering::Equal => 1.25,
        Ordering::Greater => 1.0,
    };
    let length = match (is_far(from, to), is_diagonal) {
        (true, true) => 2.0,
        (true, false) => 1.3,
        _ => 1.0,
    };
    let place = match last.target() {
        _ if last.is_null() => 1.0,
        // The piece that has just moved is taken.
        target if target == to => 0.15,
        target if is_far(target, from) => 1.5,
        _ => 1.0,
    };
    let depth = (0.5 + 0.5 * ply as f64).min(3.0);
    let capture = if mv.is_capture() { 0.6 } else { 1.0 };
    let check = if board.gives_check(mv) { 0.5 } else { 1.0 };
    direction * length * place * depth * capture * check
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{INFINITE, mate_at, mated_at};

    #[test]
    fn more_elo_is_more_nodes_less_noise_and_less_overlooked() {
        for elo in MIN_ELO..MAX_ELO {
            let (low, high) = (LimitedStrength::new(elo, 0), LimitedStrength::new(elo + 1, 0));
            assert!(low.nodes <= high.nodes && low.noise > high.noise, "at {elo}");
            assert!(low.lines >= high.lines && low.overlooked > high.overlooked, "at {elo}");
            assert!(high.lines > 1 && high.noise > 0.0 && high.overlooked > 0.0, "at {elo}");
        }
        for EloPoint { elo, nodes, lines, noise, overlooked } in ELO_POINTS {
            assert_eq!(
                LimitedStrength::new(elo, 7),
                LimitedStrength { nodes, lines, noise, overlooked, seed: 7 }
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
            (false, 4, Some(1000)),
            (false, 19, Some(2875)),
            (false, 20, None),
            (true, 3, Some(1500)),
            (true, 20, Some(1500)),
        ] {
            let strength = Strength { is_limited, elo: 1500, skill_level, seed: Some(1) };
            let seed = 1 ^ splitmix64(board.key());
            let expected = elo.map(|elo| LimitedStrength::new(elo, seed));
            assert_eq!(strength.limited(&Limits::default(), &board), expected);
            assert_eq!(strength.limited(&mate, &board), None, "analysis is not limited");
        }
    }

    #[test]
    fn bare_king_is_mated_at_full_attention_from_the_elo_of_the_ending_on() {
        for (fen, known) in [
            ("8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1", 900),
            ("8/8/4k3/8/8/4K3/PP6/8 w - - 0 1", 1100),
            ("8/8/8/4k3/8/8/8/R3K3 w - - 0 1", 1300),
            ("8/8/8/4k3/8/8/8/2B1KN2 w - - 0 1", 1900),
            ("8/8/8/4k2p/8/8/8/1Q2K3 w - - 0 1", i32::MAX),
            ("8/8/8/4k3/8/8/8/1q2K3 w - - 0 1", i32::MAX),
        ] {
            let board: Board = fen.parse().expect("a FEN");
            for elo in (MIN_ELO..=MAX_ELO).step_by(100) {
                let strength = Strength { is_limited: true, elo, ..Strength::default() };
                let limited = strength.limited(&Limits::default(), &board).expect("limited");
                assert_eq!(limited.lines == 1, elo >= known, "{fen} at {elo}");
                assert_eq!(limited.overlooked == 0.0, elo >= known, "{fen} at {elo}");
            }
        }
    }

    #[test]
    fn better_moves_are_chosen_more_often_and_less_noise_counts_in_a_won_position() {
        let choices = |elo: i32, scores: [Score; 4]| {
            let mut counts = [0; 4];
            for seed in 0..1000 {
                counts[LimitedStrength::new(elo, seed).choose(&scores)] += 1;
            }
            counts
        };
        assert_eq!(choices(MIN_ELO, [0, -20, 10, -INFINITE])[3], 0);
        let counts = choices(1400, [50, 0, -500, -INFINITE]);
        assert!(counts[0] > 2 * counts[1] && counts[1] > 20, "{counts:?}");
        assert_eq!(counts[2..], [0, 0]);
        let won = choices(1400, [950, 900, 400, 0]);
        assert_eq!(won[2..], [0, 0]);
        let lost = mated_at(4);
        for scores in [[mate_at(1), mate_at(3), 900, 0], [lost, lost, lost, mated_at(2)]] {
            assert_eq!(choices(MIN_ELO, scores), [1000, 0, 0, 0]);
        }
    }

    #[test]
    fn weaker_players_overlook_more_and_hard_moves_more_often_than_easy_ones() {
        let board: Board =
            "r3k2r/ppp2ppp/2n2n2/3q4/3P4/2N2N2/PPB2PPP/R2QK2R w KQkq - 0 1".parse().expect("a FEN");
        let last = Move::quiet(Square::new(3, 6), Square::new(3, 4));
        let overlooked = |elo: i32, mv: &str, ply| {
            let mv: Move = board.parse_uci(mv).expect("a legal move");
            let search = |seed| LimitedStrength::new(elo, splitmix64(seed));
            (0..1000).filter(|&seed| search(seed).overlooks(&board, mv, ply, last)).count()
        };
        for (easy, hard) in [("c3d5", "c2h7"), ("c2d3", "c2h7"), ("b2b3", "c3b1"), ("a2a3", "a1c1")]
        {
            assert!(overlooked(1400, easy, 1) < overlooked(1400, hard, 1), "{easy}, {hard}");
        }
        assert!(overlooked(1000, "c2h7", 1) > overlooked(1400, "c2h7", 1));
        assert!(overlooked(1400, "c2h7", 3) > overlooked(1400, "c2h7", 1));
        assert!(overlooked(1400, "c2h7", 1) > overlooked(1400, "c2h7", 0));
    }
}
