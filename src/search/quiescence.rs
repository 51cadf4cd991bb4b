//! Quiescence: captures until nothing hangs, and every evasion of a check, so
//! that the static evaluation is asked only where it can be trusted.

use crate::board::{Board, Move};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, INFINITE, Score};

use super::correction::Place;
use super::history::Context;
use super::limits::Bound;
use super::node::Node;
use super::params::*;
use super::transposition::Entry;
use super::{Searched, Searcher};

impl<E: Evaluator> Searcher<'_, E> {
    /// Searches `board` until it is quiet; same contract as `negamax`.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Searched {
        self.enter_node(ply)?;
        self.frames.at(ply).pv.clear();
        let in_check = board.in_check();

        // Step 1. Draws, and the end of the stack. A move back is a draw at least.
        if let Some(score) = self.rule_end(board, ply) {
            return Ok(score);
        }
        if alpha < DRAW && board.can_repeat(&self.keys, self.root_keys) {
            alpha = DRAW;
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // Step 2. Table.
        let entry = self.task.table.probe(board.key(), ply, board.halfmove());
        if let Some(entry) = entry
            && !N::PV
            && entry.cuts(beta)
            && board.halfmove() < CUTOFF_MAX_HALFMOVE
        {
            return Ok(entry.score);
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        let hash_move = match entry {
            Some(entry) if board.is_legal(entry.mv) => entry.mv,
            _ => Move::NONE,
        };

        // Step 3. Stand pat: nobody has to capture. In check there is no such choice.
        let place =
            Place::new(board, self.frames.before(ply, 1).cell, self.frames.before(ply, 2).cell);
        let judged = self.evaluate_node(board, ply, entry, &place, was_pv);
        let mut best_score = -INFINITE;
        if !in_check {
            best_score = judged.eval;
            if best_score >= beta {
                return Ok(softened(best_score, beta));
            }
            alpha = alpha.max(best_score);
        }

        // Step 4. The moves.
        let mut best_move = Move::NONE;
        let before = self.frames.cells_before(ply);
        let frame = self.frames.at(ply);
        if in_check {
            frame.context = Context::new(board, before);
            frame.picker.reset(hash_move);
        } else {
            frame.picker.reset_noisy(hash_move, 0);
        }
        let last = self.frames.before(ply, 1).mv;
        let mut tried = 0;
        while let Some(mv) = self.next_move(board, ply) {
            tried += 1;
            if !score::is_loss(best_score) && best_score != -INFINITE {
                // Step 5. Quiet evasions are enough once a move does not lose.
                if in_check && !mv.is_noisy() {
                    self.frames.at(ply).picker.skip_quiets();
                    continue;
                }

                // Step 6. After a few captures only those that take back may help.
                let is_recapture = !last.is_none() && mv.to() == last.to();
                if !in_check
                    && tried > quiescence_max_moves()
                    && !is_recapture
                    && !board.gives_check(mv)
                {
                    continue;
                }

                // Step 7. Futility: even the captured piece does not bring us near alpha.
                if !in_check && !mv.is_promotion() {
                    let captured =
                        board.captured_kind(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
                    let hope = judged.corrected + quiescence_futility_cp() + captured;
                    if hope <= alpha && !board.gives_check(mv) {
                        best_score = best_score.max(hope);
                        continue;
                    }
                }
            }
            let child = self.make(board, ply, mv);
            let score = -self.quiescence::<N::Child>(&child, ply + 1, -beta, -alpha)?;
            self.unmake();
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.frames.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }

        // Step 8. Mate. Stalemate is not looked for.
        if in_check && tried == 0 {
            return Ok(score::mated_at(ply));
        }

        // Step 9. Remember.
        if best_score >= beta {
            best_score = softened(best_score, beta);
        }
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let entry = Entry {
            mv: best_move,
            score: best_score,
            eval: judged.raw,
            depth: 0,
            bound: Some(bound),
            pv: was_pv,
        };
        self.task.table.store(board.key(), ply, entry);
        Ok(best_score)
    }
}

/// The score of a node that fails high, drawn half the way to beta: what lies
/// beyond was not looked into.
fn softened(score: Score, beta: Score) -> Score {
    if score::is_decisive(score) || score::is_decisive(beta) { score } else { (score + beta) / 2 }
}
