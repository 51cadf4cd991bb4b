//! Time management: from limits to deadlines.
//!
//! There are two: a *soft* one, checked between iterations and stretched or shrunk by
//! how sure the search is, and a *hard* one that nothing exceeds. The formula follows
//! Weiss, the factors Reckless.
//!
//! A clock may count nodes instead of time ([`Pace`]), a fixed number to the
//! millisecond; what is said of time below then holds for nodes, and a timed game with
//! one thread is the same on every run. Between moves a [`NodePurse`] keeps the nodes
//! that are left.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Color;

use super::control::Control;
use super::limits::{ClockState, Limits};

/// Moves to plan for if the clock does not say.
const HORIZON_MOVES: i64 = 50;
/// Share of the time left that a move gets without `movestogo`.
const SHARE_PERMILLE: i64 = 26;
/// Share of the increment, less the overhead, that a move gets besides. As long as a
/// move takes less than it brings in, a low clock recovers.
const INCREMENT_SHARE_PERMILLE: i64 = 800;
/// Share of the time left that all moves up to the next time control get together.
const CYCLE_SHARE_PERMILLE: i64 = 750;
/// Share of the clock that may be used in any case, however little the overhead of all
/// planned moves leaves of clock and increments.
const USABLE_MIN_PERMILLE: i64 = 200;
/// The largest share of the clock that is planned for a move.
const SOFT_MAX_PERMILLE: i64 = 200;
/// The same with `movestogo`.
const CYCLE_SOFT_MAX_PERMILLE: i64 = 700;
/// How many times the soft deadline the hard one is at most.
const HARD_PER_SOFT: i64 = 5;
/// The largest share of the clock up to the hard deadline: the rest must outlast a few
/// hiccups of a busy machine.
const HARD_MAX_PERMILLE: i64 = 500;
/// The same with `movestogo`.
const CYCLE_HARD_MAX_PERMILLE: i64 = 800;

/// The longest time on a clock, in milliseconds: about two years. More counts as this.
const LONGEST_MS: i64 = 1 << 36;

/// The shortest deadline, in microseconds.
const SHORTEST_US: i64 = 100;

/// Microseconds in a millisecond.
const US_PER_MS: i64 = 1000;

/// Factor of the soft deadline if no node was spent on the best move.
const FRACTION_BASE_PERMILLE: u64 = 2150;
/// By how much that factor falls if all nodes were spent on the best move.
const FRACTION_SLOPE_PERMILLE: u64 = 1500;
/// The first iteration after which the best move's share of nodes means anything.
const FRACTION_MIN_DEPTH: i32 = 6;
/// Factor of the soft deadline if the best move has just changed.
const STABILITY_BASE_PERMILLE: u64 = 1250;
/// By how much that factor falls with each iteration that the best move lasts.
const STABILITY_STEP_PERMILLE: u64 = 50;
/// The most iterations that count for it.
const STABILITY_MAX: u64 = 8;
/// By how much the factor of the soft deadline for a falling score, 1000 by itself,
/// grows with each centipawn.
const FALL_PERMILLE_PER_CP: i64 = 8;
/// The range of that factor.
const FALL_PERMILLE: std::ops::RangeInclusive<i64> = 900..=1500;

/// What clocks count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Time.
    #[default]
    Time,
    /// Nodes of all threads, this many (1 or more) to the millisecond. Those searched
    /// while pondering count once the ponderhit has come.
    Nodes(u64),
}

/// The clocks of a game whose time is counted in nodes. The first clock that a side
/// shows fills its purse; from then on only searched nodes and increments change it,
/// whatever the clock says. Games with several time controls are therefore not served.
#[derive(Clone, Debug, Default)]
pub struct NodePurse {
    /// Nodes left, `[White, Black]`; `None` before the first clock.
    left: [Option<i64>; 2],
    /// Whose move is being searched, and the nodes credited after it.
    open: Option<(Color, i64)>,
}

impl NodePurse {
    /// What `side`, which is about to search, has instead of `clock`, at
    /// `nodes_per_ms` (1 or more).
    pub fn open(&mut self, side: Color, clock: ClockState, nodes_per_ms: u64) -> ClockState {
        let per_ms = i64::try_from(nodes_per_ms).unwrap_or(i64::MAX);
        let nodes = |ms: i64| ms.clamp(0, LONGEST_MS).saturating_mul(per_ms);
        let left = *self.left[side.index()].get_or_insert(nodes(clock.time_ms));
        self.open = Some((side, nodes(clock.increment_ms)));
        ClockState { time_ms: left / per_ms, ..clock }
    }

    /// Pays for the nodes of the search. It is free if it had no clock, or if its move
    /// was not played (`None`).
    pub fn settle(&mut self, nodes: Option<u64>) {
        let (Some((side, credit)), Some(nodes)) = (self.open.take(), nodes) else { return };
        if let Some(left) = &mut self.left[side.index()] {
            let spent = i64::try_from(nodes).unwrap_or(i64::MAX);
            *left = left.saturating_sub(spent).max(0).saturating_add(credit);
        }
    }
}

/// How sure the search is of its move after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Confidence {
    /// The completed iteration.
    pub depth: i32,
    /// Share of the nodes that was spent on the best move, in permille.
    pub best_move_permille: u64,
    /// For how many iterations the best move has been the same.
    pub stability: u64,
    /// By how many centipawns the score has fallen below that of the last iterations;
    /// negative if it rose.
    pub fall_cp: i32,
}

/// The deadlines of one search.
#[derive(Clone, Debug)]
pub struct Clock {
    control: Arc<Control>,
    pace: Pace,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

impl Clock {
    /// Plans a search within `limits`, with an overhead of `overhead_ms` for each move.
    #[must_use]
    pub fn new(limits: &Limits, overhead_ms: u64, pace: Pace, control: Arc<Control>) -> Clock {
        let overhead_us = to_us(i64::try_from(overhead_ms).unwrap_or(i64::MAX));
        let (soft, mut hard) = match limits.clock {
            Some(state) => {
                let (soft_us, hard_us) = plan(state, overhead_us);
                (Some(to_duration(soft_us)), Some(to_duration(hard_us)))
            }
            None => (None, None),
        };
        if let Some(move_time_ms) = limits.move_time_ms {
            let move_time_us = to_us(i64::try_from(move_time_ms).unwrap_or(i64::MAX));
            let fixed = to_duration(move_time_us - overhead_us.min(move_time_us / 2));
            hard = Some(hard.map_or(fixed, |hard| hard.min(fixed)));
        }
        Clock { control, pace, soft, hard }
    }

    /// Time used on the clock, since the `go` or the ponderhit; `None` while pondering.
    /// `nodes` returns the nodes searched so far.
    fn on_clock(&self, nodes: impl FnOnce() -> u64) -> Option<Duration> {
        let on_clock = self.control.on_clock()?;
        Some(match self.pace {
            Pace::Time => on_clock,
            Pace::Nodes(per_ms) => Duration::from_micros(nodes().saturating_mul(1000) / per_ms),
        })
    }

    /// The hard deadline, if time is counted.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        self.hard.filter(|_| self.pace == Pace::Time)
    }

    /// The hard deadline in nodes, if nodes are counted.
    #[must_use]
    pub fn node_limit(&self) -> Option<u64> {
        match (self.pace, self.hard) {
            (Pace::Nodes(per_ms), Some(hard)) => {
                let hard_us = u64::try_from(hard.as_micros()).unwrap_or(u64::MAX);
                Some(hard_us.saturating_mul(per_ms) / US_PER_MS as u64)
            }
            _ => None,
        }
    }

    /// Whether the search must stop: the hard deadline has passed, or the ponderhit came
    /// after more thought than the soft deadline asks for. Never while pondering.
    /// `nodes` returns the nodes searched so far.
    #[must_use]
    pub fn is_over(&self, nodes: impl FnOnce() -> u64) -> bool {
        let Some(on_clock) = self.on_clock(nodes) else { return false };
        let pondered = match self.pace {
            Pace::Time => self.control.elapsed().saturating_sub(on_clock),
            Pace::Nodes(_) => Duration::ZERO,
        };
        self.hard.is_some_and(|hard| on_clock >= hard)
            || self.soft.is_some_and(|soft| pondered >= soft)
    }

    /// Whether no further iteration should be started. `nodes` returns the nodes
    /// searched so far.
    #[must_use]
    pub fn is_enough(&self, confidence: Confidence, nodes: impl FnOnce() -> u64) -> bool {
        let (Some(soft), Some(on_clock)) = (self.soft, self.on_clock(nodes)) else {
            return false;
        };
        let fraction_permille = if confidence.depth >= FRACTION_MIN_DEPTH {
            FRACTION_BASE_PERMILLE
                - FRACTION_SLOPE_PERMILLE * confidence.best_move_permille.min(1000) / 1000
        } else {
            1000
        };
        let stability_permille = STABILITY_BASE_PERMILLE
            - STABILITY_STEP_PERMILLE * confidence.stability.min(STABILITY_MAX);
        let fall_permille = (1000 + FALL_PERMILLE_PER_CP * i64::from(confidence.fall_cp))
            .clamp(*FALL_PERMILLE.start(), *FALL_PERMILLE.end()) as u64;
        let factors = fraction_permille * stability_permille / 1000 * fall_permille / 1000;
        let scaled_us = soft.as_micros() as u64 / 1000 * factors;
        let thought = match self.pace {
            // Pondering was free, but it was thought all the same.
            Pace::Time => self.control.elapsed(),
            Pace::Nodes(_) => on_clock,
        };
        thought.as_micros() as u64 >= scaled_us
    }

    /// Whether there is a game clock, so that the only legal move should be played at
    /// once.
    #[must_use]
    pub fn is_game(&self) -> bool {
        self.soft.is_some()
    }
}

/// Soft and hard deadline of a move, in microseconds. Both are at least
/// [`SHORTEST_US`], and otherwise below the time left.
fn plan(state: ClockState, overhead_us: i64) -> (i64, i64) {
    let time = to_us(state.time_ms);
    let increment = to_us(state.increment_ms);
    let least = time * USABLE_MIN_PERMILLE / 1000;
    let usable = (time - overhead_us).max(least);
    let moves = state.moves_to_go.map_or(HORIZON_MOVES, |n| i64::from(n).clamp(1, HORIZON_MOVES));
    let (share, soft_max, hard_max) = match state.moves_to_go {
        Some(_) => {
            let total = (time + (moves - 1) * increment - moves * overhead_us).max(least);
            let share = total / 1000 * CYCLE_SHARE_PERMILLE / moves;
            (share, CYCLE_SOFT_MAX_PERMILLE, CYCLE_HARD_MAX_PERMILLE)
        }
        None => {
            let gain = increment - overhead_us;
            let total = (time + moves * gain.min(0)).max(least);
            let share = (total * SHARE_PERMILLE + gain.max(0) * INCREMENT_SHARE_PERMILLE) / 1000;
            (share, SOFT_MAX_PERMILLE, HARD_MAX_PERMILLE)
        }
    };
    let soft = share.min(usable / 1000 * soft_max).max(SHORTEST_US);
    let hard = (HARD_PER_SOFT * soft).min(usable / 1000 * hard_max).max(SHORTEST_US);
    (soft.min(hard), hard)
}

/// Milliseconds, clamped between 0 and [`LONGEST_MS`], in microseconds.
fn to_us(ms: i64) -> i64 {
    ms.clamp(0, LONGEST_MS) * US_PER_MS
}

fn to_duration(us: i64) -> Duration {
    Duration::from_micros(us.max(SHORTEST_US) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(time_ms: i64, increment_ms: i64, moves_to_go: Option<u32>) -> ClockState {
        ClockState { time_ms, increment_ms, moves_to_go }
    }

    /// Soft and hard deadline in microseconds.
    fn planned(state: ClockState, overhead_ms: i64) -> (i64, i64) {
        plan(state, to_us(overhead_ms))
    }

    #[test]
    fn no_plan_exceeds_the_clock() {
        for time in [-50, 0, 1, 5, 10, 50, 100, 1000, 60_000, 7_200_000, i64::MAX] {
            for increment in [0, 10, 1000, 100_000, i64::MAX] {
                for moves in [None, Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 100, 5000] {
                        let (soft, hard) = planned(state(time, increment, moves), overhead);
                        assert!(soft >= SHORTEST_US && soft <= hard);
                        let left = to_us(time) - to_us(overhead);
                        let most = left.max(to_us(time) / 2).max(SHORTEST_US);
                        assert!(hard <= most, "{time} {increment} {moves:?}: {hard}");
                    }
                }
            }
        }
    }

    #[test]
    fn increments_that_the_overhead_eats_are_not_spent() {
        // The clock must not run down to nothing: the less is left, the less of the
        // increment is planned for, so that what gets lost can be afforded.
        for time in 1..=200 {
            let (soft, hard) = planned(state(time, 10, None), 10);
            assert!(soft <= 100.max(time * 30), "{time} ms: {soft} us");
            assert!(hard <= 500.max(time * 150), "{time} ms: {hard} us");
        }
        // Nor are larger ones spent entirely.
        for (increment, least_kept) in [(40, 300), (100, 700), (1000, 5000)] {
            let (soft, _) = planned(state(least_kept, increment, None), 10);
            assert!(soft < to_us(increment - 5), "{least_kept} ms + {increment}: {soft} us");
        }
        // Time on the clock is used.
        assert!(planned(state(1_000, 10, None), 10).0 > 20_000);
    }

    #[test]
    fn a_purse_is_filled_once_and_then_pays() {
        let mut purse = NodePurse::default();
        let open = |purse: &mut NodePurse, time| purse.open(Color::White, state(time, 10, None), 5);
        assert_eq!(open(&mut purse, 1000).time_ms, 1000);
        purse.settle(Some(2000));
        // What the clock says no longer matters; the increment is credited.
        assert_eq!(open(&mut purse, 7).time_ms, 610);
        purse.settle(Some(1_000_000));
        assert_eq!(open(&mut purse, 1000), state(10, 10, None));
        // A search without a clock costs nothing, and the other side has its own.
        purse.settle(Some(0));
        purse.settle(Some(1_000_000));
        assert_eq!(open(&mut purse, 1000).time_ms, 20);
        // Nor does one whose move was not played, and it is forgotten.
        purse.settle(None);
        purse.settle(Some(1_000_000));
        assert_eq!(open(&mut purse, 1000).time_ms, 20);
        assert_eq!(purse.open(Color::Black, state(300, 0, None), 5).time_ms, 300);
        let extreme = state(i64::MAX, i64::MAX, None);
        assert_eq!(NodePurse::default().open(Color::Black, extreme, 10_000).time_ms, LONGEST_MS);
    }

    #[test]
    fn three_hundred_moves_without_increment_are_survived() {
        let mut time_us = to_us(1000);
        for _ in 0..300 {
            let (soft, _) = planned(state(time_us / US_PER_MS, 0, None), 10);
            time_us -= soft + 1000;
        }
        assert!(time_us > 0);
    }
}
