//! The limits of a search and the events that it reports.

use std::time::Duration;

use crate::board::{Board, Move};
use crate::score::Score;

/// From this age on, a search also reports bounds and its progress.
pub const LONG_SEARCH: Duration = Duration::from_secs(3);

/// The clock of the side to move. A later version may have more fields: begin with the default.
///
/// ```
/// use std::time::Duration;
///
/// use carrybit::{ClockState, Engine, Limits};
///
/// let [time, increment] = [300, 5].map(Duration::from_millis);
/// let clock = ClockState { time, increment, ..ClockState::default() };
/// let limits = Limits { clock: Some(clock), ..Limits::default() };
/// assert!(Engine::new().best_move(limits).is_some());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockState {
    /// Time left.
    pub time: Duration,
    /// Time credited after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of a search. The first one reached ends it. A later version may have more:
/// begin with one of the functions or with the default, which has none.
///
/// ```
/// use std::time::Duration;
///
/// use carrybit::Limits;
///
/// let limits = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::depth(20) };
/// assert_eq!(limits.depth, Some(20));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The clock to plan with.
    pub clock: Option<ClockState>,
    /// The time for the move. The search ends 10 ms earlier (after half of it, if that is later),
    /// so that the move is in time.
    pub move_time: Option<Duration>,
    /// Number of iterations, 1 to 240; other numbers are clamped.
    pub depth: Option<i32>,
    /// Nodes of all threads together. The first iteration goes on beyond it, up to 4096 nodes.
    pub nodes: Option<u64>,
    /// No further iteration is started after this many nodes. Self-play and tuning use it: as in
    /// play by the clock, most searches end with a complete iteration.
    #[doc(hidden)]
    pub soft_nodes: Option<u64>,
    /// Ends the search at a mate in this many moves (1 or more) or fewer, for either side.
    pub mate: Option<i32>,
    /// Answer only after a stop; for the UCI dialogue, others ignore it.
    #[doc(hidden)]
    pub infinite: bool,
    /// Search on the opponent's time: answer only after a ponderhit or a stop; for the UCI
    /// dialogue, others ignore it.
    #[doc(hidden)]
    pub ponder: bool,
    /// The root moves to search; empty for all.
    pub search_moves: Vec<Move>,
}

/// The hard limit of nodes, as a multiple of the soft one.
pub const HARD_PER_SOFT_NODES: u64 = 8;

impl Limits {
    /// A search to this depth, in plies.
    pub fn depth(depth: i32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of this many nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A search of this duration.
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }

    /// A move for when a search found none; `None` if there is no legal one.
    pub(crate) fn first_move(&self, board: &Board) -> Option<Move> {
        let is_allowed = |mv: &Move| self.search_moves.is_empty() || self.search_moves.contains(mv);
        board.legal_moves().into_iter().find(is_allowed)
    }

    /// Whether a search reaches one of the limits sooner or later. (There may be no mate.)
    pub(crate) fn is_bounded(&self) -> bool {
        self.clock.is_some()
            || self.move_time.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }

    /// Makes the limit of nodes soft and adds a hard one, [`HARD_PER_SOFT_NODES`] times as high,
    /// so that no iteration takes forever.
    #[doc(hidden)]
    pub fn with_soft_nodes(self) -> Limits {
        let hard = self.nodes.map(|nodes| nodes.saturating_mul(HARD_PER_SOFT_NODES));
        Limits { soft_nodes: self.nodes, nodes: hard, ..self }
    }
}

/// How a reported score relates to the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The score is exact.
    #[default]
    Exact,
    /// The true score is at least this (failed high).
    Lower,
    /// The true score is at most this (failed low).
    Upper,
}

impl Bound {
    /// The bound of a fail-soft score from a search between `alpha` and `beta`.
    pub(super) fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        match score {
            _ if score >= beta => Bound::Lower,
            _ if score <= alpha => Bound::Upper,
            _ => Bound::Exact,
        }
    }

    /// Whether `score` with this bound decides a search between `alpha` and `beta`.
    #[inline]
    pub(super) fn cuts(self, score: Score, alpha: Score, beta: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        }
    }
}

/// The report on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Depth of the iteration, in plies; 0 if there was nothing to search.
    pub depth: i32,
    /// The selective depth: the deepest ply reached.
    pub seldepth: usize,
    /// Rank of this line among the root moves, from 1.
    pub multi_pv: usize,
    /// Score from the side to move's view.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Permille of the transposition table in use.
    pub hashfull: u32,
    /// Positions found in tablebases.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// The principal variation from the root; all of its moves are legal.
    pub pv: Vec<Move>,
}

impl Report {
    /// Whether this report replaces one with the line `last` as the result. A stopped search may end
    /// with a bound, which must not replace an exact score of the same move.
    pub(crate) fn replaces(&self, last: &[Move]) -> bool {
        self.multi_pv <= 1 && (self.bound == Bound::Exact || last.first() != self.pv.first())
    }
}

/// A root move that is being searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentMove {
    /// The move.
    pub mv: Move,
    /// Its place in the order of search, from 1.
    pub number: usize,
    /// Depth of the iteration, in plies.
    pub depth: i32,
}

/// The progress of a search under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The main thread's root move; `None` before the first.
    pub current_move: Option<CurrentMove>,
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Permille of the transposition table in use.
    pub hashfull: u32,
    /// Positions found in tablebases, by all threads.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; `None` if there is no legal one.
    pub best: Option<Move>,
    /// The expected reply, legal after `best`.
    pub ponder: Option<Move>,
}

/// The events of a search: reports, then one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchEvent {
    /// A report on one line.
    Report(Report),
    /// The search has ended.
    Finished(BestMove),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn bound_replaces_no_exact_score_and_no_other_rank_counts() {
        let moves = Board::default().legal_moves();
        let report = |multi_pv, bound, index: usize| Report {
            multi_pv,
            bound,
            pv: vec![moves[index]],
            ..Report::default()
        };
        let exact = report(1, Bound::Exact, 0);
        assert!(report(1, Bound::Lower, 0).replaces(&[]) && exact.replaces(&exact.pv));
        assert!(!report(1, Bound::Upper, 0).replaces(&exact.pv));
        assert!(!report(2, Bound::Exact, 0).replaces(&[]));
        // The best move may change just before the search is stopped.
        assert!(report(1, Bound::Lower, 1).replaces(&exact.pv));
    }
}
