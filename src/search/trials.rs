//! Smaller searches by which a node may save itself the large one: a null move,
//! a capture that beats beta by far (probcut), all moves but the table's
//! (singular extension).

use crate::board::{Board, Move};
use crate::eval::Evaluator;
use crate::score::{self, Score};

use super::history::NO_MOVE;
use super::limits::Bound;
use super::node::{Node, Scout};
use super::params::*;
use super::pruning::{self, Outlook};
use super::transposition::Entry;
use super::{Searcher, Stopped};

/// What a search without the table's move says about it.
pub(super) enum Singularity {
    /// It is to be searched by so many plies deeper, or shallower.
    Extend(i32),
    /// It is not even needed: the node fails high with this score.
    Cut(Score),
}

impl<E: Evaluator> Searcher<'_, E> {
    /// Decides a node with a window of one point below `beta` by its evaluation
    /// alone, or by a search much smaller than that of its moves; its score, if
    /// that can be done. Not in check.
    pub(super) fn decide_early(
        &mut self,
        board: &Board,
        ply: usize,
        outlook: Outlook,
        beta: Score,
        cutnode: bool,
    ) -> Result<Option<Score>, Stopped> {
        let alpha = beta - 1;
        let eval = outlook.eval;

        // Step 8. Razoring: far below alpha, only captures can help.
        if pruning::is_far_below(outlook, alpha) && !score::is_decisive(alpha) {
            let score = self.quiescence::<Scout>(board, ply, alpha, beta)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        if score::is_loss(beta) {
            return Ok(None);
        }

        // Step 9. Reverse futility: far above beta already.
        if pruning::is_far_above(outlook, beta) && !score::is_decisive(eval) {
            return Ok(Some((eval + beta) / 2));
        }

        // Step 10. Null move: good enough even if the opponent moves twice? Only
        // asked where that is expected.
        let static_eval = self.frames.at(ply).judged.corrected;
        if cutnode
            && pruning::tries_null_move(outlook, static_eval, beta)
            && ply >= self.null_move_min_ply
            && !self.frames.before(ply, 1).mv.is_none()
            && board.has_non_pawns(board.side())
        {
            return self.null_move(board, ply, outlook, beta);
        }
        Ok(None)
    }

    /// Lets the opponent move twice; the score that we keep all the same, if it
    /// is enough. Deep in the tree that is verified by a search in which we may
    /// not pass, lest a position be missed where any move is worse than none.
    pub(super) fn null_move(
        &mut self,
        board: &Board,
        ply: usize,
        outlook: Outlook,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let reduced = outlook.depth - pruning::null_move_reduction(outlook, beta);
        let doubles = self.frames.before(ply, 1).doubles;
        let frame = self.frames.at(ply);
        frame.mv = Move::NONE;
        frame.cell = NO_MOVE;
        frame.doubles = doubles;
        let child = board.make_null();
        self.task.table.prefetch(child.key());
        self.evaluator.push();
        self.keys.push(board.key());
        let score = self.scout(&child, ply, reduced, beta - 1, false)?;
        self.unmake();
        if score < beta {
            return Ok(None);
        }
        // A mate found after passing is no proof of one.
        let score = if score::is_win(score) { beta } else { score };
        if outlook.depth < null_move_verify_min_depth() || self.null_move_min_ply > 0 {
            return Ok(Some(score));
        }
        self.null_move_min_ply = pruning::null_move_min_ply(ply, reduced);
        let verified = self.negamax::<Scout>(board, ply, reduced, beta - 1, beta, false);
        self.null_move_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// Searches a node without its table's move, whose `entry` promises a lot,
    /// to see whether any other comes near it. `window` is the score that they
    /// must not reach, and the node's beta. The node's picker starts anew after
    /// the table's move.
    pub(super) fn singularity<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        window: (Score, Score),
        entry: Entry,
        cutnode: bool,
    ) -> Result<Singularity, Stopped> {
        let (singular_beta, beta) = window;
        self.frames.at(ply).excluded = entry.mv;
        let searched = self.negamax::<Scout>(
            board,
            ply,
            (depth - 1) / 2,
            singular_beta - 1,
            singular_beta,
            cutnode,
        );
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
                N::PV,
                entry.mv.is_noisy(),
                doubles,
            ))
        } else if !N::PV && score >= beta && !score::is_decisive(score) {
            Singularity::Cut(score)
        } else {
            Singularity::Extend(-pruning::singular_reduction(entry.score >= beta, cutnode))
        })
    }

    /// Looks for a capture that reaches `wanted`, well above `beta`, first in
    /// quiescence and then in a shallow search; if there is one, its score less
    /// that distance.
    pub(super) fn probcut(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        (beta, wanted): (Score, Score),
        hash_move: Move,
        cutnode: bool,
    ) -> Result<Option<Score>, Stopped> {
        let reduced = depth - probcut_reduction_plies();
        let doubles = self.frames.before(ply, 1).doubles;
        let frame = self.frames.at(ply);
        frame.doubles = doubles;
        let (raw_eval, was_pv) = (frame.judged.raw, frame.was_pv);
        frame.picker.reset_noisy(hash_move, wanted - frame.judged.corrected);
        while let Some(mv) = self.next_move(board, ply) {
            let child = self.make(board, ply, mv);
            let mut score = -self.quiescence::<Scout>(&child, ply + 1, -wanted, -wanted + 1)?;
            if score >= wanted && reduced > 0 {
                score = self.scout(&child, ply, reduced, wanted - 1, !cutnode)?;
            }
            self.unmake();
            if score >= wanted {
                let entry = Entry {
                    mv,
                    score,
                    eval: raw_eval,
                    depth: reduced + 1,
                    bound: Some(Bound::Lower),
                    pv: was_pv,
                };
                self.task.table.store(board.key(), ply, entry);
                let surplus = if score::is_decisive(score) { 0 } else { wanted - beta };
                return Ok(Some(score - surplus));
            }
        }
        Ok(None)
    }
}
