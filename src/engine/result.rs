//! The lines and the result of a search as programs see them.

use std::time::Duration;

use carrybit_board::{Board, Move};

use crate::search::report::{Bound, Report};

use super::shown_score::Score;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal one (or none among
    /// [`Limits::search_moves`](crate::Limits::search_moves)). At
    /// [limited strength](super::Engine::set_elo) with
    /// [several lines](super::Engine::set_multi_pv), it may not be the best.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score of the best line; of the position if there is no legal move.
    pub score: Score,
    /// Whether the score is exact; a stopped search may end with a bound.
    pub bound: Bound,
    /// The principal variation. It begins with the best move, which is not always `best`.
    pub pv: Vec<Move>,
    /// The depth of the iteration that found the line, in plies. If the search was stopped, that
    /// iteration may be incomplete.
    pub depth: i32,
    /// The nodes of all threads.
    pub nodes: u64,
    /// The duration of the search.
    pub time: Duration,
    /// The deepest ply reached up to the report of the line.
    pub seldepth: usize,
    /// The permille of the transposition table in use at that report.
    pub hashfull: u32,
    /// The positions found in tablebases up to that report.
    pub tb_hits: u64,
    /// The last complete set of lines, the best first: as many as
    /// [requested](super::Engine::set_multi_pv), if there are that many moves. Empty without a
    /// legal move.
    pub lines: Vec<Line>,
}

/// A line that a search reports while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The rank of the line, from 1; above 1 only if [several](super::Engine::set_multi_pv) are
    /// searched.
    pub rank: usize,
    /// The depth of the iteration, in plies.
    pub depth: i32,
    /// The score of the first move.
    pub score: Score,
    /// Whether the score is exact or a bound, which only long and stopped searches report.
    pub bound: Bound,
    /// The moves; all are legal.
    pub pv: Vec<Move>,
    /// The nodes so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The permille of the transposition table in use.
    pub hashfull: u32,
    /// The positions found in tablebases.
    pub tb_hits: u64,
}

impl Line {
    pub(super) fn new(report: Report, board: &Board) -> Line {
        let Report { multi_pv: rank, depth, seldepth, score, bound, .. } = report;
        let Report { nodes, hashfull, tb_hits, time, pv, .. } = report;
        let score = Score::new(score, board);
        Line { rank, depth, score, bound, pv, nodes, time, seldepth, hashfull, tb_hits }
    }
}
