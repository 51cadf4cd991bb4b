//! Smaller searches by which a node may save itself the large one: a null move, a
//! capture that beats beta by far (probcut), all moves but the hash move (singular
//! extension).

use crate::board::{Board, Move};
use crate::score::{self, Score};

use super::history::NO_MOVE;
use super::limits::Bound;
use super::node::{Expected, Scout};
use super::params::null_move;
use super::pruning::{self, NodeFacts};
use super::searcher::{Searcher, Stopped};
use super::transposition::Entry;
use super::window::Window;

/// What a search without the hash move says about that move.
pub(super) enum Singularity {
    /// It is searched this many plies deeper, or shallower if negative.
    Extend(i32),
    /// It is not even needed: the node fails high with this score.
    Cut(Score),
}

impl Searcher<'_> {
    /// The score of a null-window node that can be decided by its evaluation alone,
    /// or by a search much smaller than that of its moves. Not in check.
    pub(super) fn decide_early(
        &mut self,
        board: &Board,
        ply: usize,
        node: NodeFacts,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let window = Window::below(beta);
        let alpha = window.alpha;
        let eval = node.eval;

        // Step 8. Razoring: far below alpha, only captures can help.
        if pruning::is_far_below(node, alpha) && !score::is_decisive(alpha) {
            let score = self.quiescence::<Scout>(board, ply, window)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        if score::is_loss(beta) {
            return Ok(None);
        }

        // Step 9. Reverse futility: far above beta already.
        if pruning::is_far_above(node, beta) && !score::is_decisive(eval) {
            return Ok(Some((eval + beta) / 2));
        }

        // Step 10. Null move: good enough even if the opponent moves twice? Tried only
        // where that is expected.
        let static_eval = self.frames.at(ply).static_eval.corrected;
        if node.expected.is_cut()
            && pruning::tries_null_move(node, static_eval, beta)
            && ply >= self.null_move_min_ply
            && !self.frames.before(ply, 1).mv.is_none()
            && board.has_non_pawns(board.side())
        {
            return self.null_move(board, ply, node, beta);
        }
        Ok(None)
    }

    /// Lets the opponent move twice, and returns the score if it still reaches beta.
    /// Far from the leaves a search without null moves verifies that, lest zugzwang
    /// be missed, where any move is worse than none.
    pub(super) fn null_move(
        &mut self,
        board: &Board,
        ply: usize,
        node: NodeFacts,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let reduced = node.depth - pruning::null_move_reduction(node, beta);
        let doubles = self.frames.before(ply, 1).doubles;
        let frame = self.frames.at(ply);
        frame.mv = Move::NONE;
        frame.cell = NO_MOVE;
        frame.doubles = doubles;
        let child = board.make_null();
        self.task.table.prefetch(self.table_key(child.key()));
        self.evaluator.push();
        self.keys.push(board.key());
        let score = self.scout(&child, ply, reduced, beta - 1, Expected::NoCut)?;
        self.unmake();
        if score < beta {
            return Ok(None);
        }
        // A mate found after a null move is no proof of one.
        let score = if score::is_win(score) { beta } else { score };
        if node.depth < null_move::verify_min_depth() || self.null_move_min_ply > 0 {
            return Ok(Some(score));
        }
        self.null_move_min_ply = pruning::null_move_min_ply(ply, reduced);
        let window = Window::below(beta);
        let verified = self.negamax::<Scout>(board, ply, reduced, window, Expected::NoCut);
        self.null_move_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// Searches a node without its hash move, whose `entry` promises a lot, to see
    /// whether any other move comes near it, that is: reaches `singular_beta`. The
    /// node's picker starts anew after the hash move.
    pub(super) fn singularity(
        &mut self,
        board: &Board,
        ply: usize,
        node: NodeFacts,
        beta: Score,
        singular_beta: Score,
        entry: Entry,
    ) -> Result<Singularity, Stopped> {
        self.frames.at(ply).excluded = entry.mv;
        let window = Window::below(singular_beta);
        let depth = (node.depth - 1) / 2;
        let searched = self.negamax::<Scout>(board, ply, depth, window, node.expected);
        let frame = self.frames.at(ply);
        frame.excluded = Move::NONE;
        frame.picker.reset_after(entry.mv);
        frame.failed.clear();
        let score = searched?;
        Ok(if score < singular_beta {
            let doubles = self.frames.before(ply, 1).doubles;
            let short = singular_beta - score;
            Singularity::Extend(pruning::singular_extension(
                short,
                node.is_pv,
                entry.mv.is_noisy(),
                doubles,
            ))
        } else if !node.is_pv && score >= beta && !score::is_decisive(score) {
            Singularity::Cut(score)
        } else {
            Singularity::Extend(-pruning::singular_reduction(entry.score >= beta, node.expected))
        })
    }

    /// Looks for a capture that reaches `target`, well above `beta`, first in
    /// quiescence and then in a shallow search. Returns its score, less the distance
    /// of the two.
    pub(super) fn probcut(
        &mut self,
        board: &Board,
        ply: usize,
        node: NodeFacts,
        beta: Score,
        target: Score,
        hash_move: Move,
    ) -> Result<Option<Score>, Stopped> {
        let window = Window::below(target).flipped();
        let reduced = pruning::probcut_depth(node.depth);
        let doubles = self.frames.before(ply, 1).doubles;
        let frame = self.frames.at(ply);
        frame.doubles = doubles;
        let (raw_eval, was_pv) = (frame.static_eval.raw, frame.was_pv);
        frame.picker.reset_noisy(hash_move, target - frame.static_eval.corrected);
        while let Some(mv) = self.next_move(board, ply) {
            let child = self.make(board, ply, mv);
            let mut score = -self.quiescence::<Scout>(&child, ply + 1, window)?;
            if score >= target && reduced > 0 {
                score = self.scout(&child, ply, reduced, target - 1, node.expected.of_child())?;
            }
            self.unmake();
            if score >= target {
                let entry = Entry {
                    mv,
                    score,
                    eval: raw_eval,
                    depth: reduced + 1,
                    bound: Some(Bound::Lower),
                    pv: was_pv,
                };
                self.task.table.store(self.table_key(board.key()), ply, entry);
                let surplus = if score::is_decisive(score) { 0 } else { target - beta };
                return Ok(Some(score - surplus));
            }
        }
        Ok(None)
    }
}
