//! Time management: from limits to deadlines.
//!
//! The *soft* deadline is checked between iterations and scaled by the stability of the
//! search; the *hard* one is never exceeded. Sources: Weiss for `movestogo`, Reckless for sudden
//! death and the factors, Obsidian for the fall of the score since the last move.
//!
//! A clock may count nodes instead of time ([`TimeUnit`]), a fixed number per millisecond. Then
//! a timed game with one thread is the same on every run, and [`NodesTime`] keeps the nodes
//! left between moves.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::score::{self, Score};
use carrybit_board::{Board, Color};

use super::limits::{ClockState, Limits};

/// The number of moves to plan for without `movestogo`, and the most with it.
const HORIZON_MOVES: i64 = 50;
/// Share of the time left for a late move without `movestogo`.
const LATE_SHARE_PERMILLE: f64 = 49.0;
/// Subtracted from [`LATE_SHARE_PERMILLE`] at the start of a game.
const EARLY_SHARE_PERMILLE: f64 = 40.0;
/// The number of moves in which [`EARLY_SHARE_PERMILLE`] decays to 1/e.
const EARLY_MOVES: f64 = 26.0;
/// Share of the increment, less the overhead, for the move. Below 1000, so that a low clock
/// recovers.
const INCREMENT_SHARE_PERMILLE: i64 = 800;
/// With `movestogo`: share of the time left for all moves up to the next time control.
const MOVESTOGO_SHARE_PERMILLE: i64 = 750;
/// Safety reserve without `movestogo`, in multiples of the move overhead.
const RESERVE_OVERHEADS: i64 = 8;
/// Minimum share of the clock that is usable, at any overhead.
const USABLE_MIN_PERMILLE: i64 = 90;
/// Minimum share of the usable clock to plan with, at any overhead. (Stockfish plans fewer moves
/// on a low clock instead.) It is constant up to move [`LONG_GAME_MOVES`] / 2, then it falls.
const PLANNED_MIN_PERMILLE: i64 = 500;
/// [`PLANNED_MIN_PERMILLE`] has fallen to zero at this move, so that a long game is not lost on
/// time.
const LONG_GAME_MOVES: i64 = 120;
/// Maximum soft deadline, as a share of the usable clock.
const SOFT_MAX_PERMILLE: i64 = 200;
/// Hard deadline, as a share of the usable clock.
const HARD_PERMILLE: i64 = 500;
/// Safety reserve with `movestogo`, in multiples of the move overhead, besides one for each move
/// (Stockfish).
const MOVESTOGO_RESERVE_OVERHEADS: i64 = 2;
/// Maximum soft and hard deadline with `movestogo`, as shares of the usable clock.
const MOVESTOGO_SOFT_MAX_PERMILLE: i64 = 700;
const MOVESTOGO_HARD_MAX_PERMILLE: i64 = 800;
/// With `movestogo`, the hard deadline in permille of the soft one: base, growth for each move to
/// go, and maximum.
const MOVESTOGO_HARD_PER_SOFT_PERMILLE: [i64; 3] = [1500, 110, 5000];

/// The longest time on a clock, in milliseconds: about two years.
const LONGEST_MS: i64 = 1 << 36;
/// The shortest deadline, in microseconds.
const SHORTEST_US: i64 = 100;
pub(super) const US_PER_MS: i64 = 1000;

/// Factors of the soft deadline, as base, slope and minimum: by the best move's share of the
/// nodes, and by the iterations with a stable best move and a stable score.
const EFFORT_FACTOR: [f64; 3] = [2.72, 2.27, 0.56];
const MOVE_STABILITY_FACTOR: [f64; 3] = [1.29, 0.044, 0.72];
const SCORE_STABILITY_FACTOR: [f64; 3] = [1.27, 0.042, 0.86];

const EFFORT_MIN_DEPTH: i32 = 6;

/// Factor by the fall of the score in centipawns, during the search and since the last move.
const FALL_BASE: f64 = 0.86;
const FALL_PER_CP: f64 = 0.010;
const FALL_SINCE_MOVE_PER_CP: f64 = 0.025;
const FALL_FACTOR: RangeInclusive<f64> = 0.81..=1.5;

/// The fall is measured against the average over about this many iterations.
const AVERAGE_ITERATIONS: Score = 3;

/// A score that changes by less than this between iterations is stable.
const STABLE_CP: Score = 12;

/// The unit that clocks count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// Time.
    #[default]
    Time,
    /// Nodes of all threads, this many (1 or more) per millisecond. Nodes searched while
    /// pondering count from the ponderhit on.
    Nodes(u64),
}

/// The clocks of a game that counts nodes. A side's first clock sets its nodes; later only
/// searched nodes and increments change them. Time added by a later time control is ignored.
#[derive(Clone, Debug, Default)]
pub struct NodesTime {
    /// Nodes left, `[White, Black]`; `None` before the first clock.
    left: [Option<i64>; 2],
    /// The side to move in the current search, and its increment in nodes.
    open: Option<(Color, i64)>,
}

impl NodesTime {
    /// Replaces `clock` before a search for `side`, at `nodes_per_ms` (1 or more).
    pub fn open(&mut self, side: Color, clock: ClockState, nodes_per_ms: u64) -> ClockState {
        let per_ms = i64::try_from(nodes_per_ms).unwrap_or(i64::MAX);
        let nodes = |time: Duration| (to_us(time) / US_PER_MS).saturating_mul(per_ms);
        let left = *self.left[side.index()].get_or_insert(nodes(clock.time));
        self.open = Some((side, nodes(clock.increment)));
        ClockState { time: Duration::from_millis((left / per_ms) as u64), ..clock }
    }

    /// Subtracts the nodes of the search; `None` if its move was not played. Searches without
    /// a clock are not charged.
    pub fn charge(&mut self, nodes: Option<u64>) {
        let (Some((side, credit)), Some(nodes)) = (self.open.take(), nodes) else { return };
        if let Some(left) = &mut self.left[side.index()] {
            let spent = i64::try_from(nodes).unwrap_or(i64::MAX);
            *left = left.saturating_sub(spent).max(0).saturating_add(credit);
        }
    }
}

/// For each side, the move number and the score of its last search, from that side's view.
pub(super) type LastScores = [Option<(u16, Score)>; 2];

/// The score of the last search for the side to move, if that was for its previous
/// move or for this one.
pub(super) fn last_score(scores: &LastScores, board: &Board) -> Option<Score> {
    let (number, score) = scores[board.side().index()]?;
    matches!(board.fullmove().checked_sub(number), Some(0 | 1)).then_some(score)
}

/// The stability of the best move and of the score over the iterations of a search.
#[derive(Default)]
pub(super) struct TimeFactors {
    /// The score of the last iteration, and a running average.
    scores: Option<(Score, Score)>,
    /// Iterations with the same best move.
    move_stability: u32,
    /// Iterations with about the same score.
    score_stability: u32,
}

impl TimeFactors {
    /// Takes in an iteration and returns the factor of the soft deadline. `effort` is the best
    /// move's share of the nodes (0 to 1), `last_score` the score of the last search.
    pub(super) fn update(
        &mut self,
        depth: i32,
        is_same_move: bool,
        score: Score,
        last_score: Option<Score>,
        effort: f64,
    ) -> f64 {
        let (previous, average) = self.scores.unwrap_or((score, score));
        let new_average = (average * (AVERAGE_ITERATIONS - 1) + score) / AVERAGE_ITERATIONS;
        self.scores = Some((score, new_average));
        self.move_stability = if is_same_move { self.move_stability + 1 } else { 0 };
        let is_stable = (score - previous).abs() < STABLE_CP;
        self.score_stability = if is_stable { self.score_stability + 1 } else { 0 };
        let (fall_cp, fall_since_move_cp) = if score::is_decisive(score) {
            (0, 0)
        } else {
            (average - score, last_score.map_or(0, |last| last - score))
        };
        let factor = |[base, slope, min]: [f64; 3], x: f64| (base - slope * x).max(min);
        let effort = if depth >= EFFORT_MIN_DEPTH { factor(EFFORT_FACTOR, effort) } else { 1.0 };
        let best_move = factor(MOVE_STABILITY_FACTOR, self.move_stability.into());
        let score = factor(SCORE_STABILITY_FACTOR, self.score_stability.into());
        let fall = FALL_BASE
            + FALL_PER_CP * f64::from(fall_cp)
            + FALL_SINCE_MOVE_PER_CP * f64::from(fall_since_move_cp);
        effort * best_move * score * fall.clamp(*FALL_FACTOR.start(), *FALL_FACTOR.end())
    }
}

/// The deadlines of one search.
#[derive(Clone, Debug)]
pub struct Clock {
    pub(super) time_unit: TimeUnit,
    pub(super) soft: Option<Duration>,
    pub(super) hard: Option<Duration>,
}

impl Clock {
    /// Plans a search within `limits` for the move with this number (from 1), with an overhead
    /// of `overhead` per move.
    pub fn new(limits: &Limits, number: u16, overhead: Duration, time_unit: TimeUnit) -> Clock {
        let overhead_us = to_us(overhead);
        let (soft, hard) = limits.clock.map(|state| plan(state, number, overhead_us)).unzip();
        let fixed = limits.move_time.map(to_us).map(|us| us - overhead_us.min(us / 2));
        let hard = [hard, fixed].into_iter().flatten().min();
        Clock { time_unit, soft: soft.map(to_duration), hard: hard.map(to_duration) }
    }

    /// A clock with a quarter of the time.
    pub(super) fn quarter(&self) -> Clock {
        let [soft, hard] = [self.soft, self.hard].map(|deadline| deadline.map(|time| time / 4));
        Clock { time_unit: self.time_unit, soft, hard }
    }

    /// The hard deadline, unless nodes are counted.
    pub fn deadline(&self) -> Option<Duration> {
        self.hard.filter(|_| self.time_unit == TimeUnit::Time)
    }
}

/// Soft and hard deadline of the move with this number, in microseconds. Both are below the
/// time left, but at least [`SHORTEST_US`].
fn plan(state: ClockState, move_number: u16, overhead_us: i64) -> (i64, i64) {
    let time = to_us(state.time);
    let increment = to_us(state.increment);
    let least = time * USABLE_MIN_PERMILLE / 1000;
    let (soft, hard) = match state.moves_to_go {
        Some(moves) => {
            let usable = (time - overhead_us).max(least);
            let moves = i64::from(moves).clamp(1, HORIZON_MOVES);
            let reserve = (moves + MOVESTOGO_RESERVE_OVERHEADS) * overhead_us;
            let total = (time + (moves - 1) * increment - reserve).max(least);
            let share = total / 1000 * MOVESTOGO_SHARE_PERMILLE / moves;
            let soft = share.min(usable / 1000 * MOVESTOGO_SOFT_MAX_PERMILLE);
            let [base, growth, most] = MOVESTOGO_HARD_PER_SOFT_PERMILLE;
            let hard = soft * (base + growth * moves).min(most) / 1000;
            (soft, hard.min(usable / 1000 * MOVESTOGO_HARD_MAX_PERMILLE))
        }
        None => {
            let net_increment = increment - overhead_us;
            let usable = (time - RESERVE_OVERHEADS * overhead_us).max(least);
            let long_game_scale = 2 * (LONG_GAME_MOVES - i64::from(move_number));
            let planned_min =
                usable / 1000 * PLANNED_MIN_PERMILLE * long_game_scale.clamp(0, LONG_GAME_MOVES)
                    / LONG_GAME_MOVES;
            let total = (usable + HORIZON_MOVES * net_increment.min(0)).max(planned_min).max(least);
            let saved = EARLY_SHARE_PERMILLE * (-f64::from(move_number) / EARLY_MOVES).exp();
            let share_ppm = ((LATE_SHARE_PERMILLE - saved) * 1000.0) as i64;
            let share = total / 1000 * share_ppm / 1000
                + net_increment.max(0) * INCREMENT_SHARE_PERMILLE / 1000;
            (share.min(usable / 1000 * SOFT_MAX_PERMILLE), usable / 1000 * HARD_PERMILLE)
        }
    };
    let (soft, hard) = (soft.max(SHORTEST_US), hard.max(SHORTEST_US));
    (soft.min(hard), hard)
}

/// The time in microseconds, at most [`LONGEST_MS`].
fn to_us(time: Duration) -> i64 {
    time.min(Duration::from_millis(LONGEST_MS as u64)).as_micros() as i64
}

fn to_duration(us: i64) -> Duration {
    Duration::from_micros(us.max(SHORTEST_US) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::EVAL_LIMIT;

    /// Milliseconds in microseconds, with the limits of a clock.
    fn us_of(ms: i64) -> i64 {
        to_us(Duration::from_millis(ms as u64))
    }

    fn state(time_ms: i64, increment_ms: i64, moves_to_go: Option<u32>) -> ClockState {
        let [time, increment] = [time_ms, increment_ms].map(|ms| Duration::from_millis(ms as u64));
        ClockState { time, increment, moves_to_go }
    }

    /// Moves from here on get about the same share of the clock.
    const LATE: u16 = 200;

    /// Soft and hard deadline of a late move in microseconds.
    fn planned(state: ClockState, overhead_ms: i64) -> (i64, i64) {
        plan(state, LATE, us_of(overhead_ms))
    }

    #[test]
    fn unstable_search_takes_longer() {
        let scale = |effort, stable, fall_cp| {
            let scores = Some((0, fall_cp));
            let mut factors =
                TimeFactors { scores, move_stability: stable, score_stability: stable };
            factors.update(20, stable > 0, 0, Some(fall_cp), effort)
        };
        assert!(scale(0.3, 5, 0) > scale(0.6, 5, 0));
        assert!(scale(0.6, 0, 0) > scale(0.6, 5, 0));
        assert!(scale(0.6, 5, 10) > scale(0.6, 5, 0));
        assert!(scale(1.0, 240, -EVAL_LIMIT) > 0.2);
        assert!(scale(0.0, 0, EVAL_LIMIT) < 7.0);
    }

    #[test]
    fn time_is_saved_for_the_middlegame() {
        let share = |number| plan(state(60_000, 0, None), number, 0).0;
        assert!(2 * share(1) < share(20) && share(20) < share(60));
        assert!(share(u16::MAX) < us_of(60_000) / 10);
    }

    #[test]
    fn no_plan_exceeds_the_clock() {
        for time in [0, 1, 5, 10, 50, 100, 1000, 60_000, 7_200_000, i64::MAX] {
            for increment in [0, 10, 1000, 100_000, i64::MAX] {
                for moves in [None, Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for (overhead, number) in [(0, u16::MAX), (10, 1), (100, 40), (5000, 1)] {
                        let clock = state(time, increment, moves);
                        let (soft, hard) = plan(clock, number, us_of(overhead));
                        assert!(soft >= SHORTEST_US && soft <= hard);
                        let left = us_of(time) - us_of(overhead);
                        let most = left.max(us_of(time) / 2).max(SHORTEST_US);
                        assert!(hard <= most, "{time} {increment} {moves:?}: {hard}");
                    }
                }
            }
        }
    }

    #[test]
    fn increments_lost_to_the_overhead_are_not_spent() {
        // The overhead uses up the increment, so the time for a move must shrink with the clock.
        for time in 1..=200 {
            let (soft, hard) = planned(state(time, 10, None), 10);
            assert!(soft <= 100.max(time * 60), "{time} ms: {soft} us");
            assert!(hard <= 100.max(time * 500), "{time} ms: {hard} us");
        }
        // Of a larger increment, a part is kept.
        for (increment, least_kept) in [(40, 150), (100, 350), (1000, 3000)] {
            let (soft, _) = planned(state(least_kept, increment, None), 10);
            assert!(soft < us_of(increment - 5), "{least_kept} ms + {increment}: {soft} us");
        }
        assert!(planned(state(1_000, 10, None), 10).0 > 20_000);
    }

    #[test]
    fn nodes_are_set_once_and_then_charged() {
        let mut nodes_time = NodesTime::default();
        // Later clocks are ignored, and increments credited. Without a move played (`None`) or
        // without a clock (the second charge) a search is free.
        for (clock_ms, charges, left_ms) in [
            (1000, [Some(2000), None], 1000),
            (7, [Some(1_000_000), None], 610),
            (1000, [Some(0), Some(1_000_000)], 10),
            (1000, [None, Some(1_000_000)], 20),
            (1000, [None, None], 20),
        ] {
            let opened = nodes_time.open(Color::White, state(clock_ms, 10, None), 5);
            assert_eq!(opened, state(left_ms, 10, None));
            charges.into_iter().for_each(|nodes| nodes_time.charge(nodes));
        }
        assert_eq!(nodes_time.open(Color::Black, state(300, 0, None), 5).time.as_millis(), 300);
        let longest = state(i64::MAX, i64::MAX, None);
        let opened = NodesTime::default().open(Color::Black, longest, 10_000);
        assert_eq!(opened.time.as_millis() as i64, LONGEST_MS);
    }

    #[test]
    fn moves_to_go_last_even_if_each_takes_its_hard_deadline() {
        for (time_ms, moves) in [(300, 10), (1_000, 20), (4_000, 40), (60_000, 40)] {
            let mut left = us_of(time_ms);
            for moves_left in (1..=moves).rev() {
                let (_, hard) = planned(state(left / US_PER_MS, 0, Some(moves_left)), 10);
                left -= hard + us_of(11);
                assert!(left > 0, "{moves_left} of {moves} moves in {time_ms} ms: {left} us");
            }
        }
    }

    #[test]
    fn low_clock_without_increment_is_used_and_lasts() {
        let soft = |time_us, number| plan(state(time_us / US_PER_MS, 0, None), number, us_of(10)).0;
        assert!(soft(us_of(500), 40) > 8_000);
        // All 240 moves of a game; then 300 moves that all count as late.
        let numbers: [Vec<u16>; 2] = [(1..=240).collect(), vec![LATE; 300]];
        for numbers in numbers {
            let left = numbers.iter().fold(us_of(1000), |us, &number| us - soft(us, number) - 1000);
            assert!(left > 0);
        }
    }

    #[test]
    fn last_score_is_that_of_the_same_side_a_move_ago() {
        let scores = [Some((30, 300)), Some((30, -290))];
        // The same number again: a repeated search, as after a ponder miss.
        for (side, number, expected) in [
            ('w', 31, Some(300)),
            ('b', 31, Some(-290)),
            ('w', 30, Some(300)),
            ('w', 29, None),
            ('w', 32, None),
        ] {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3 {side} - - 0 {number}");
            assert_eq!(last_score(&scores, &fen.parse().expect("it is valid")), expected, "{fen}");
        }
    }
}
