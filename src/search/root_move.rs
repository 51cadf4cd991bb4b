//! A root move with its results.

use carrybit_board::Move;

use crate::score::{INFINITE, Score};

use super::report::Bound;

#[derive(Clone, Debug)]
pub(super) struct RootLine {
    /// `-INFINITE` if unknown.
    pub(super) score: Score,
    pub(super) bound: Bound,
    pub(super) depth: i32,
    pub(super) seldepth: usize,
    pub(super) pv: Vec<Move>,
}

#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Moves of a higher rank come first whatever the scores, even if a lower-ranked move mates:
    /// only the rank takes the draw rules into account. 0 if the root is not in the tablebases.
    pub(super) tb_rank: i32,
    pub(super) tb_score: Option<Score>,
    /// From the current search of the root.
    pub(super) current: RootLine,
    /// From the last time that it was the best move of its line.
    pub(super) result: RootLine,
    /// Nodes spent on it in the first line of all iterations so far.
    pub(super) nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        let line =
            RootLine { score: -INFINITE, bound: Bound::Exact, depth: 1, seldepth: 0, pv: vec![mv] };
        let (current, result) = (line.clone(), line);
        RootMove { mv, tb_rank: 0, tb_score: None, current, result, nodes: 0 }
    }
}
