//! The events that a search reports.

use std::time::Duration;

use carrybit_board::Move;

use crate::score::Score;

/// From this age on, a search also reports bounds and its progress.
pub const LONG_SEARCH: Duration = Duration::from_secs(3);

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
    /// Permille of the transposition table that the search has written.
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
    /// Permille of the transposition table that the search has written.
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
    use carrybit_board::Board;

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
