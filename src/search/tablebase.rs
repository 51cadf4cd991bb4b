//! Tablebases in the tree: nodes that they decide are cut off.

use crate::board::{Board, Move};
use crate::score::{MAX_DEPTH, NO_EVAL};

use super::prober::Verdict;
use super::searcher::Searcher;
use super::transposition::Entry;

/// A score from a tablebase is stored in the transposition table as searched this much
/// deeper than the node.
const TRUST_PLIES: i32 = 6;

impl Searcher<'_> {
    /// What the tablebases say about a node below the root, if it is one to be probed.
    #[inline]
    pub(super) fn probe_tablebases(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
    ) -> Option<Verdict> {
        if self.frames.before(ply, 1).mv.is_none() {
            // After a null move the fifty-move clock means nothing.
            return None;
        }
        let verdict = self.prober.probe(board, ply, depth)?;
        self.counters.set_tablebase_hits(self.prober.hits);
        Some(verdict)
    }

    /// Stores what the tablebases say about a node in the transposition table, which is
    /// faster to probe next time.
    pub(super) fn store_verdict(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        verdict: Verdict,
        pv: bool,
    ) {
        let entry = Entry {
            mv: Move::NONE,
            score: verdict.score,
            eval: NO_EVAL,
            depth: (depth + TRUST_PLIES).min(MAX_DEPTH),
            bound: Some(verdict.bound),
            pv,
        };
        self.task.table.store(self.table_key(board.key()), ply, entry);
    }
}
