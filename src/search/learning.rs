//! What nodes learn (histories, corrections, entries of the transposition table), and what
//! that says of a move.

use crate::board::{Board, Move};
use crate::score::{self, NO_EVAL, Score};

use super::correction::Indices;
use super::frame::{Frame, StaticEval};
use super::history::Context;
use super::node::Node;
use super::pruning::{self, NodeFacts};
use super::searcher::Searcher;
use super::transposition::Entry;

impl Searcher<'_> {
    /// Learns from a node that its `entry` alone has settled: a quiet hash move was
    /// good once more.
    pub(super) fn learn_again(
        &mut self,
        board: &Board,
        ply: usize,
        entry: Entry,
        depth: i32,
        beta: Score,
    ) {
        let mv = entry.mv;
        if entry.score >= beta && !mv.is_none() && !mv.is_noisy() && board.is_legal(mv) {
            let context = Context::new(board, self.frames.cells_before(ply));
            self.history.learn(board, &context, mv, &[], depth);
        }
    }

    /// Learns from the static evaluation what the move that led here was worth.
    /// Returns how many plies deeper, or shallower, the node should be searched.
    pub(super) fn look_back(&mut self, ply: usize, depth: i32) -> i32 {
        let eval = self.frames.at(ply).static_eval.corrected;
        let reduced = self.frames.take_reduction(ply);
        let Frame { mv, context, static_eval, .. } = self.frames.before(ply, 1);
        let eval_before = static_eval.corrected;
        if eval_before == NO_EVAL {
            return 0;
        }
        if !mv.is_none() && !mv.is_noisy() {
            self.history.learn_eval(context, *mv, -(eval + eval_before));
        }
        pruning::hindsight(depth, reduced, eval_before, eval)
    }

    /// Learns from a node's best move, if one raised alpha: it was good. If none did against
    /// expectation, the move that led here was good.
    pub(super) fn learn_moves<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        best: Move,
        node: NodeFacts,
    ) {
        let NodeFacts { depth, expected, .. } = node;
        if !best.is_none() {
            let frame = self.frames.at(ply);
            self.history.learn(board, &frame.context, best, &frame.failed, depth);
        } else if !N::ROOT && (N::PV || expected.is_cut()) && self.frames.at(ply).excluded.is_none()
        {
            let Frame { mv, cell, context, .. } = self.frames.before(ply, 1);
            if !mv.is_none() && !mv.is_noisy() {
                self.history.learn_unanswered(context, *mv, *cell, depth);
            }
        }
    }

    /// Stores what a node found in the transposition table, and learns from it how
    /// the static evaluation errs, unless a capture or a forced win explains that, or
    /// the ending is known.
    /// Does nothing if only some of the moves were searched.
    pub(super) fn remember<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        entry: Entry,
        indices: &Indices,
    ) {
        let frame = self.frames.at(ply);
        let is_part = !frame.excluded.is_none()
            || (N::ROOT && (self.line > 0 || !self.task.limits.search_moves.is_empty()));
        if is_part {
            return;
        }
        let StaticEval { corrected: static_eval, is_known, .. } = frame.static_eval;
        let is_telling = !is_known
            && entry.improves_on(static_eval)
            && !entry.mv.is_noisy()
            && !score::is_decisive(entry.score);
        if static_eval != NO_EVAL && is_telling {
            self.correction.learn(indices, entry.score - static_eval, entry.depth);
        }
        self.task.table.store(self.table_key(board.key()), ply, entry);
    }

    /// What the histories say about a move of the node at `ply`.
    #[inline]
    pub(super) fn history_of(&mut self, board: &Board, ply: usize, mv: Move) -> i32 {
        if mv.is_noisy() {
            self.history.noisy(board, mv)
        } else {
            self.history.quiet(board, &self.frames.at(ply).context, mv)
        }
    }
}
