//! Quiescence search (qsearch): captures and queen promotions that win a little by SEE, a noisy TT
//! move, and evasions of checks, so that only quiet positions are evaluated.

use crate::score::{self, DRAW, INFINITE, Score};
use carrybit_board::{Board, Move};

use super::history::HistoryContext;
use super::params::{CUTOFF_MAX_HALFMOVE, SEE_VALUES, quiescence};
use super::report::Bound;
use super::searcher::{NodeResult, Searcher, legal_tt_move};
use super::transposition::TtEntry;

impl Searcher<'_> {
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> NodeResult {
        self.enter_node(ply)?;
        self.stack.at(ply).pv.clear();
        let in_check = board.in_check();

        // Step 1. Draws and the end of the stack; upcoming repetition.
        if let Some(score) = self.terminal_score(board, ply) {
            return Ok(score);
        }
        if alpha < DRAW && board.has_upcoming_repetition(&self.keys, self.repetition_root) {
            alpha = DRAW;
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // Step 2. Transposition table cutoff.
        let halfmove = self.fifty_move_rule.shifted(board.halfmove());
        let tt = self.request.table.probe(self.table_key(board.key()), ply, halfmove);
        if let Some(tt) = tt
            && !PV
            && tt.cuts(beta)
            && halfmove < CUTOFF_MAX_HALFMOVE
        {
            return Ok(tt.score);
        }
        let tt_pv = PV || tt.is_some_and(|tt| tt.pv);

        // Step 3. Stand pat, except in check.
        let corrhist_keys = self.stack.corrhist_keys(board, ply);
        let eval = self.evaluate_node(board, ply, tt, &corrhist_keys, tt_pv);
        let mut best_score = -INFINITE;
        if !in_check {
            best_score = eval;
            if best_score >= beta {
                return Ok(softened(best_score, beta));
            }
            alpha = alpha.max(best_score);
        }

        // Step 4. The moves.
        let mut best_move = Move::NONE;
        let conthist_rows = self.stack.conthist_rows(ply);
        let ss = self.stack.at(ply);
        if in_check {
            ss.context = HistoryContext::new(board, conthist_rows);
            ss.picker.reset(legal_tt_move(board, tt));
        } else {
            let tt_move = legal_tt_move(board, tt.filter(|tt| tt.mv.is_noisy()));
            ss.picker.reset_noisy(tt_move, quiescence::see_cp());
        }
        let prior_mv = self.stack.before(ply, 1).mv;
        let mut move_count = 0;
        while let Some(mv) = self.next_move(board, ply) {
            move_count += 1;
            if !score::is_loss(best_score) {
                // Step 5. Late move pruning (LMP), except recaptures and checks.
                let is_recapture = !prior_mv.is_null() && mv.target() == prior_mv.target();
                if !in_check
                    && move_count > quiescence::max_moves()
                    && !is_recapture
                    && !board.gives_check(mv)
                {
                    continue;
                }

                // Step 6. Futility pruning: the captured piece is worth too little to reach alpha.
                if !in_check && !mv.is_promotion() {
                    let captured =
                        board.captured_kind(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
                    let best_case =
                        self.stack.at(ply).static_eval + quiescence::futility_cp() + captured;
                    if best_case <= alpha && !board.gives_check(mv) {
                        best_score = best_score.max(best_case);
                        continue;
                    }
                }
            }
            let child = self.make(board, ply, mv);
            let score = -self.quiescence::<PV>(&child, ply + 1, -beta, -alpha)?;
            self.unmake();
            if score > best_score {
                best_score = score;
                // Step 7. Skip quiet evasions once a move does not lose.
                if in_check && !score::is_loss(score) {
                    self.stack.at(ply).picker.skip_quiets();
                }
                if score > alpha {
                    best_move = mv;
                    if PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }

        // Step 8. Checkmate. Stalemate is not detected.
        if in_check && move_count == 0 {
            return Ok(score::mated_at(ply));
        }

        // Step 9. Store the node.
        if best_score >= beta {
            best_score = softened(best_score, beta);
        }
        let bound = Some(if best_score >= beta { Bound::Lower } else { Bound::Upper });
        let (mv, score, raw_eval) = (best_move, best_score, self.stack.at(ply).raw_eval);
        self.store(board, ply, TtEntry { mv, score, raw_eval, depth: 0, bound, pv: tt_pv });
        Ok(best_score)
    }
}

/// The score of a fail high: the mean of `score` and `beta`, since a score above beta comes
/// from a search that was cut off. Decisive scores stay exact.
fn softened(score: Score, beta: Score) -> Score {
    if score::is_decisive(score) || score::is_decisive(beta) { score } else { (score + beta) / 2 }
}
