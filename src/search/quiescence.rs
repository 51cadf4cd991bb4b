//! Quiescence search: captures until nothing hangs, and every evasion of a check, so
//! that the static evaluation is used only where it can be trusted.

use crate::board::{Board, Move};
use crate::score::{self, DRAW, INFINITE, Score};

use super::history::Context;
use super::limits::Bound;
use super::node::Node;
use super::params::{CUTOFF_MAX_HALFMOVE, SEE_VALUES, quiescence};
use super::searcher::{Searched, Searcher};
use super::transposition::Entry;
use super::window::Window;

impl Searcher<'_> {
    /// Searches `board` until it is quiet. The contract is that of `negamax`.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
    ) -> Searched {
        let Window { mut alpha, beta } = window;
        self.enter_node(ply)?;
        self.frames.at(ply).pv.clear();
        let in_check = board.in_check();

        // Step 1. Draws and the end of the stack. Where a move back repeats the
        // position, the score is a draw at least.
        if let Some(score) = self.rule_end(board, ply) {
            return Ok(score);
        }
        if alpha < DRAW && board.can_repeat(&self.keys, self.root_keys) {
            alpha = DRAW;
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // Step 2. Transposition table.
        let clock = self.clock_rule.clock(board.halfmove());
        let entry = self.task.table.probe(self.table_key(board.key()), ply, clock);
        if let Some(entry) = entry
            && !N::PV
            && entry.cuts(beta)
            && clock < CUTOFF_MAX_HALFMOVE
        {
            return Ok(entry.score);
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        let hash_move = match entry {
            Some(entry) if board.is_legal(entry.mv) => entry.mv,
            _ => Move::NONE,
        };

        // Step 3. Stand pat: nobody has to capture. In check there is no such choice.
        let indices = self.frames.indices(board, ply);
        let static_eval = self.evaluate_node(board, ply, entry, &indices, was_pv);
        let mut best_score = -INFINITE;
        if !in_check {
            best_score = static_eval.refined;
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

                // Step 6. After a few captures, only recaptures may still help.
                let is_recapture = !last.is_none() && mv.to() == last.to();
                if !in_check
                    && tried > quiescence::max_moves()
                    && !is_recapture
                    && !board.gives_check(mv)
                {
                    continue;
                }

                // Step 7. Futility: even with the captured piece, alpha is out of reach.
                if !in_check && !mv.is_promotion() {
                    let captured =
                        board.captured_kind(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
                    let hope = static_eval.corrected + quiescence::futility_cp() + captured;
                    if hope <= alpha && !board.gives_check(mv) {
                        best_score = best_score.max(hope);
                        continue;
                    }
                }
            }
            let child = self.make(board, ply, mv);
            let window = Window::new(alpha, beta).flipped();
            let score = -self.quiescence::<N::Child>(&child, ply + 1, window)?;
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

        // Step 8. Checkmate. Stalemate is not detected.
        if in_check && tried == 0 {
            return Ok(score::mated_at(ply));
        }

        // Step 9. Store the node.
        if best_score >= beta {
            best_score = softened(best_score, beta);
        }
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let entry = Entry {
            mv: best_move,
            score: best_score,
            eval: static_eval.raw,
            depth: 0,
            bound: Some(bound),
            pv: was_pv,
        };
        self.task.table.store(self.table_key(board.key()), ply, entry);
        Ok(best_score)
    }
}

/// The score of a node that fails high, brought halfway back to beta: what lies beyond
/// has not been searched.
fn softened(score: Score, beta: Score) -> Score {
    if score::is_decisive(score) || score::is_decisive(beta) { score } else { (score + beta) / 2 }
}
