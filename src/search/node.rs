//! The interior node of the fail-soft alpha-beta search, in numbered steps. Longer decisions
//! are in `pruning`, the numbers in `params`.

use std::sync::atomic::Ordering::Relaxed;

use crate::eval::endings;
use crate::score::{self, DRAW, INFINITE, MAX_DEPTH, NO_EVAL, Score};
use carrybit_board::{Board, Move};

use super::corrhist::CorrHistKeys;
use super::history::{HistoryContext, bonus, is_quiet, malus, piece_to};
use super::params::{
    CUTOFF_MAX_HALFMOVE, extension, fail_low, iir, lmr, share_at_clock, singular, tt,
};
use super::pruning::{self, NodeState};
use super::report::{Bound, CurrentMove};
use super::searcher::{NodeResult, Searcher, legal_tt_move};
use super::transposition::TtEntry;

/// Added to the depth with which a tablebase score is stored in the transposition table.
const TB_DEPTH_BONUS: i32 = 6;

impl Searcher<'_> {
    /// Searches `board`, `ply` plies from the root, `depth` plies deep.
    ///
    /// Only `PV` nodes have an open window; they are never a `cut_node` (expected to fail
    /// high). If the stack excludes a move, this is a singular search of the other moves:
    /// it stores nothing in the transposition table or the correction history.
    #[expect(clippy::too_many_lines, reason = "the steps of a node, to be read in one piece")]
    pub(super) fn negamax<const PV: bool, const ROOT: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        mut depth: i32,
        mut alpha: Score,
        mut beta: Score,
        cut_node: bool,
    ) -> NodeResult {
        debug_assert!(alpha < beta && (PV || alpha + 1 == beta));

        // Step 1. Leaf: quiescence search.
        if depth <= 0 {
            return self.quiescence::<PV>(board, ply, alpha, beta);
        }
        self.enter_node(ply)?;
        self.stack.at(ply).pv.clear();
        self.stack.at(ply + 2).cutoff_count = 0;
        if ROOT {
            self.stack.at(1).cutoff_count = 0;
        }
        let in_check = board.in_check();
        let excluded = self.stack.at(ply).excluded;
        let is_singular_search = !excluded.is_null();

        // Step 2. Draws and the end of the stack, mate distance pruning, upcoming repetition.
        if !ROOT {
            if let Some(score) = self.terminal_score(board, ply) {
                return Ok(score);
            }
            alpha = alpha.max(score::mated_at(ply));
            beta = beta.min(score::mate_at(ply + 1));
            if alpha < DRAW && board.has_upcoming_repetition(&self.keys, self.repetition_root) {
                alpha = DRAW;
            }
            if alpha >= beta {
                return Ok(alpha);
            }
        }
        let first_alpha = alpha;

        // Step 3. Transposition table cutoff, except at PV nodes, where it would shorten the
        // PV. An entry that contradicts the expected node type counts only at higher depths.
        let corrhist_keys = self.stack.corrhist_keys(board, ply);
        self.corrhist.prefetch(&corrhist_keys);
        let halfmove = self.fifty_move_rule.shifted(board.halfmove());
        let probed = self.request.table.probe(self.table_key(board.key()), ply, halfmove);
        // A singular search is not cut off by the entry; its reductions use it ([`NodeState::tt`]).
        let tt = probed.filter(|_| !is_singular_search);
        if let Some(tt) = tt
            && !PV
            && tt.cuts(beta)
            && tt.depth >= depth
            && (cut_node == (tt.score >= beta) || depth >= tt::contrary_min_depth())
            && halfmove < CUTOFF_MAX_HALFMOVE
        {
            // A quiet TT move that fails high again gets a bonus.
            if tt.score >= beta && is_quiet(tt.mv) && board.is_legal(tt.mv) {
                let context = HistoryContext::new(board, self.stack.conthist_rows(ply));
                self.history.update(board, &context, tt.mv, &[], depth);
            }
            return Ok(tt.score);
        }
        let tt_move = match (ROOT, is_singular_search) {
            (true, _) => self.root_moves[self.pv_index].mv,
            (_, true) => excluded,
            (_, false) => legal_tt_move(board, tt),
        };
        if !is_singular_search {
            self.stack.at(ply).tt_pv = PV || probed.is_some_and(|tt| tt.pv);
        }
        let tt_pv = self.stack.at(ply).tt_pv;

        // Step 4. Tablebases, except after a null move, which resets the board's fifty-move
        // clock. At PV nodes a win is only a lower bound, because there may be a mate.
        let (mut best_score, mut tb_max) = (-INFINITE, INFINITE);
        if !ROOT
            && !is_singular_search
            && !self.stack.before(ply, 1).mv.is_null()
            && let Some((score, bound)) = self.tb_prober.probe(board, ply, depth)
        {
            self.counters.tb_hits.store(self.tb_prober.hits, Relaxed);
            if bound.cuts(score, alpha, beta) {
                let entry = TtEntry {
                    mv: Move::NONE,
                    score,
                    raw_eval: NO_EVAL,
                    depth: (depth + TB_DEPTH_BONUS).min(MAX_DEPTH),
                    bound: Some(bound),
                    pv: tt_pv,
                };
                self.store(board, ply, entry);
                return Ok(score);
            }
            if PV && bound == Bound::Lower {
                best_score = score;
                alpha = alpha.max(score);
            } else if PV {
                tb_max = score;
            }
        }

        // Step 5. Static evaluation.
        let eval = if is_singular_search {
            NO_EVAL
        } else {
            self.evaluate_node(board, ply, tt, &corrhist_keys, tt_pv)
        };

        // Step 6. Hindsight: correct the reduction of the move that led here.
        if !ROOT && !is_singular_search && !in_check {
            depth += self.hindsight(ply, depth);
        }
        let mut node = NodeState {
            depth,
            pv: PV,
            cut_node,
            tt_pv,
            tt_move,
            tt: probed.filter(|tt| tt.bound.is_some()),
            eval,
            correction: self.stack.at(ply).correction,
            improving: self.is_improving(ply),
            move_count: 0,
        };

        // Steps 7 to 9. Razoring, reverse futility pruning (RFP), null move pruning (NMP).
        let is_prunable = !PV && !in_check && !is_singular_search;
        if is_prunable && let Some(score) = self.node_pruning(board, ply, &node, beta)? {
            return Ok(score);
        }

        // Step 10. Internal iterative reduction (IIR; Ed Schröder, 2020): without a TT move
        // the ordering is poor, and a shallower search finds one for the next visit.
        if (PV || cut_node) && node.depth >= iir::min_depth() && tt_move.is_null() {
            node.depth -= 1;
        }

        // Step 11. Probcut.
        if is_prunable && let Some(score) = self.probcut(board, ply, &node, beta)? {
            return Ok(score);
        }

        // Step 12. The moves.
        let mut best_move = Move::NONE;
        let is_forced = in_check && self.is_defender(ply) && board.legal_moves().len() == 1;
        self.start_moves::<ROOT>(board, ply, tt_move);
        loop {
            // Step 14 prunes only once some move does not lose, and not while `go mate` looks for a
            // faster win. It begins here, so that quiet moves that LMP leaves out are not generated.
            let may_prune = !ROOT
                && !score::is_loss(best_score)
                && (self.request.limits.mate.is_none() || !score::is_win(alpha));
            if may_prune {
                self.late_move_pruning(ply, &node);
            }
            let Some(mv) = self.next_move(board, ply) else { break };
            if mv == excluded {
                continue;
            }
            node.move_count += 1;
            let is_first = node.move_count == 1;
            let history = match (is_first, mv.is_noisy()) {
                (true, _) => 0,
                (false, true) => self.history.noisy(board, mv),
                (false, false) => self.history.quiet(board, &self.stack.at(ply).context, mv),
            };

            // Step 13. After a move that does not give check, we can mate with our next move at
            // the earliest. Skip the move if alpha is already a mate as fast.
            if !ROOT && alpha >= score::mate_at(ply + 3) && !board.gives_check(mv) {
                best_score = best_score.max(score::mate_at(ply + 3));
                continue;
            }

            // Step 14. LMP of this move, history pruning, futility pruning and SEE pruning.
            if may_prune && self.can_prune(board, ply, &node, mv, history, alpha) {
                continue;
            }

            // Step 15. Singular extension (Anantharaman, Campbell and Hsu, 1988): extend the
            // TT move if a search of all other moves stays well below its score.
            let mut extension = 0;
            let is_near = !ROOT && (ply as i32) < extension::plies_per_depth() * self.root_depth;
            let may_extend = is_near && mv == tt_move;
            if may_extend
                && node.depth >= singular::min_depth()
                && let Some(tt) = tt
                && matches!(tt.bound, Some(Bound::Lower | Bound::Exact))
                && tt.depth >= node.depth - singular::tt_plies()
                && !score::is_decisive(tt.score)
            {
                let cp_per_depth_16 = if tt_pv && !PV {
                    singular::tt_pv_cp_per_depth_16()
                } else {
                    singular::cp_per_depth_16()
                };
                let singular_beta = tt.score - node.depth * cp_per_depth_16 / 16;
                let score = self.singular_search(board, ply, &node, singular_beta)?;
                if score < singular_beta {
                    extension = self.singular_extension(ply, &node, singular_beta - score);
                } else if !PV && score >= beta && !score::is_decisive(score) {
                    // Multicut: another move also reaches beta.
                    return Ok(score);
                } else if tt.score >= beta {
                    // Negative extension (Stockfish): one good move among others.
                    extension = -singular::negative_plies();
                } else if cut_node {
                    extension = -singular::cutnode_plies();
                }
            } else if may_extend
                && node.depth < singular::min_depth()
                && cut_node
                && !in_check
                && tt.is_some_and(|tt| tt.bound == Some(Bound::Lower))
                && self.stack.at(ply).static_eval + singular::shallow_cp() <= alpha
            {
                // Too shallow for a singular search: the TT move alone is better than the evaluation
                // (Koivisto).
                extension = 1;
            }
            // The only reply on the way to a possible mate.
            if extension == 0 && is_near && is_forced {
                extension = 1;
            }

            // Step 16. Make the move.
            let nodes_before = self.nodes;
            if ROOT {
                let (number, depth) = (self.pv_index + node.move_count as usize, self.root_depth);
                self.counters.set_current_move(CurrentMove { mv, number, depth });
            }
            // A node in check or with a stored evaluation may have no accumulators yet. After two moves
            // more children are likely, and their updates are shorter from here.
            if node.move_count == 3 {
                self.evaluator.prepare(board);
            }
            let child = self.make(board, ply, mv);
            self.stack.at(ply).double_extensions += i32::from(extension >= 2);
            let mut new_depth = node.depth - 1 + extension;
            let mut score = -INFINITE;

            // Step 17. Late move reductions (LMR): a reduced zero-window search, repeated without
            // the reduction if it beats alpha.
            if node.depth >= lmr::min_depth()
                && node.move_count >= lmr::min_move() + i32::from(ROOT)
            {
                let r = self.lmr_reduction(ply, &node, mv, history, alpha, child.in_check());
                let reduced = (new_depth - r).clamp(1, new_depth.max(1)) + i32::from(PV);
                self.stack.at(ply).reduction = new_depth - reduced;
                let searched = self.zero_window_search(&child, ply, reduced, alpha, true);
                self.stack.at(ply).reduction = 0;
                score = searched?;
                if score > alpha && reduced < new_depth {
                    if !ROOT {
                        new_depth += pruning::do_deeper_or_shallower(score - best_score, new_depth);
                    }
                    if reduced < new_depth {
                        score =
                            self.zero_window_search(&child, ply, new_depth, alpha, !cut_node)?;
                    }
                    // A quiet move that was reduced and searched again.
                    if !mv.is_noisy() && (score <= alpha || score >= beta) {
                        let (ss, depth) = (self.stack.at(ply), node.depth);
                        let change = if score >= beta { bonus(depth) } else { -malus(depth) };
                        self.history.add_continuation(&ss.context, ss.piece_to, change);
                    }
                }
            } else if !PV || !is_first {
                score = self.zero_window_search(&child, ply, new_depth, alpha, !cut_node)?;
            }

            // Step 18. Principal variation search (PVS): full window for the first move and for
            // moves that beat alpha.
            if PV && (is_first || score > alpha) {
                score =
                    -self.negamax::<PV, false>(&child, ply + 1, new_depth, -beta, -alpha, false)?;
            }
            self.unmake();
            if ROOT {
                let window = (is_first || score > alpha).then_some((alpha, beta));
                self.update_root_move(mv, score, window, nodes_before);
            }

            // Step 19. New best move, alpha raise, beta cutoff.
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        self.stack.at(ply).cutoff_count += 1;
                        break;
                    }
                    alpha = score;
                    node.depth -= pruning::alpha_raise_reduction(node.depth, score);
                }
            }
            if mv != best_move {
                self.stack.at(ply).tried.push(mv);
            }
        }

        // Step 20. Checkmate or stalemate.
        if node.move_count == 0 {
            return Ok(match (is_singular_search, in_check) {
                (true, _) => alpha,
                (false, true) => score::mated_at(ply),
                // All moves were overlooked.
                (false, false) if self.request.strength.is_some() && board.has_legal_move() => eval,
                (false, false) => DRAW,
            });
        }

        // Step 21. Update the histories. If all moves failed low unexpectedly, the move that led
        // here gets a bonus.
        best_score = best_score.min(tb_max);
        let bound = Bound::of(best_score, first_alpha, beta);
        let depth = node.depth;
        if !best_move.is_null() {
            let ss = self.stack.at(ply);
            self.history.update(board, &ss.context, best_move, &ss.tried, depth);
        } else if !ROOT && (PV || cut_node) && !is_singular_search {
            let prior = self.stack.before(ply, 1);
            if is_quiet(prior.mv) {
                let bonus = bonus(depth) * fail_low::bonus_percent() / 100;
                self.history.add_quiet(&prior.context, prior.mv, prior.piece_to, bonus);
            }
        }
        // Moderate a fail high towards beta, less so at a high depth.
        if best_score >= beta && !score::is_decisive(best_score) && !score::is_decisive(beta) {
            best_score = (best_score * depth + beta) / (depth + 1);
        }

        // Step 22. Update the correction history and store the node.
        let has_all_moves =
            !ROOT || (self.pv_index == 0 && self.request.limits.search_moves.is_empty());
        if !is_singular_search && has_all_moves {
            let entry = TtEntry {
                mv: best_move,
                score: best_score,
                raw_eval: self.stack.at(ply).raw_eval,
                depth,
                bound: Some(bound),
                pv: tt_pv,
            };
            self.update_corrhist(ply, &corrhist_keys, entry);
            if self.request.observer.is_some() {
                self.observe(board, entry);
            }
            self.store(board, ply, entry);
        }
        Ok(best_score)
    }

    /// Evaluates the node statically and returns its [`NodeState::eval`]. Out of check, stores the
    /// evaluation in the transposition table if the position has no entry there.
    pub(super) fn evaluate_node(
        &mut self,
        board: &Board,
        ply: usize,
        tt: Option<TtEntry>,
        corrhist_keys: &CorrHistKeys,
        tt_pv: bool,
    ) -> Score {
        let prior = self.stack.before(ply, 1);
        let rule50 = rule50(board.halfmove(), (ply > 0).then_some((prior.mv, prior.rule50)));
        let ss = self.stack.at(ply);
        ss.rule50 = rule50;
        (ss.raw_eval, ss.static_eval, ss.correction) = (NO_EVAL, NO_EVAL, 0);
        if board.in_check() {
            return NO_EVAL;
        }
        let known = endings::score(board);
        ss.is_known_ending = known.is_some();
        if let Some(known) = known {
            (ss.raw_eval, ss.static_eval) = (known, known);
        } else {
            ss.raw_eval = match tt {
                Some(tt) if tt.raw_eval != NO_EVAL => tt.raw_eval,
                _ => self.evaluator.evaluate(board),
            };
            ss.correction = self.corrhist.at(corrhist_keys);
            let halfmove = self.fifty_move_rule.shifted(rule50);
            ss.static_eval = corrected(ss.raw_eval, halfmove, ss.correction);
        }
        let eval = match tt {
            Some(tt) if tt.improves_on(ss.static_eval) && !score::is_decisive(tt.score) => tt.score,
            _ => ss.static_eval,
        };
        if tt.is_none() {
            let (mv, raw_eval) = (Move::NONE, ss.raw_eval);
            let entry = TtEntry { mv, score: DRAW, raw_eval, depth: 0, bound: None, pv: tt_pv };
            self.store(board, ply, entry);
        }
        eval
    }

    /// Searches a node without its TT move, to half the depth. Then restarts the node's
    /// picker after the TT move.
    fn singular_search(
        &mut self,
        board: &Board,
        ply: usize,
        node: &NodeState,
        singular_beta: Score,
    ) -> NodeResult {
        let (depth, alpha) = ((node.depth - 1) / 2, singular_beta - 1);
        self.stack.at(ply).excluded = node.tt_move;
        let score =
            self.negamax::<false, false>(board, ply, depth, alpha, singular_beta, node.cut_node);
        let ss = self.stack.at(ply);
        ss.excluded = Move::NONE;
        ss.picker.reset_after(node.tt_move);
        ss.tried.clear();
        score
    }

    /// Updates the correction history with the result `entry` of a node, unless a capture, a
    /// forced win or a known ending explains the difference.
    fn update_corrhist(&mut self, ply: usize, keys: &CorrHistKeys, entry: TtEntry) {
        let ss = self.stack.at(ply);
        if ss.static_eval != NO_EVAL
            && !ss.is_known_ending
            && entry.improves_on(ss.static_eval)
            && !entry.mv.is_noisy()
            && !score::is_decisive(entry.score)
        {
            self.corrhist.update(keys, entry.score - ss.static_eval, entry.depth);
        }
    }

    /// Improving: the static evaluation is better than at our last turn or, if we were in
    /// check then, at the turn before.
    fn is_improving(&mut self, ply: usize) -> bool {
        let now = self.stack.at(ply).static_eval;
        let before = [2, 4]
            .map(|back| self.stack.before(ply, back).static_eval)
            .into_iter()
            .find(|&eval| eval != NO_EVAL);
        now != NO_EVAL && before.is_some_and(|before| now > before)
    }

    fn start_moves<const ROOT: bool>(&mut self, board: &Board, ply: usize, tt_move: Move) {
        let conthist_rows = self.stack.conthist_rows(ply);
        let ss = self.stack.at(ply);
        if ss.excluded.is_null() {
            ss.context = HistoryContext::new(board, conthist_rows);
        }
        ss.tried.clear();
        if ROOT {
            // Moves of lower tablebase rank are worse at any score.
            let moves = &self.root_moves[self.pv_index..];
            let same_rank = moves.iter().take_while(|root| root.tb_rank == moves[0].tb_rank);
            ss.picker.reset_root(same_rank.map(|root| root.mv));
        } else {
            ss.picker.reset(tt_move);
        }
    }

    /// The next move that the search sees. Prefetches the TT cluster of the position after it.
    #[inline]
    pub(super) fn next_move(&mut self, board: &Board, ply: usize) -> Option<Move> {
        let last = self.stack.before(ply, 1).mv;
        let ss = self.stack.at(ply);
        let mut mv = ss.picker.next(board, self.history, &ss.context)?;
        if let Some(strength) = &self.request.strength {
            // At the root, the overlooked moves are left out already.
            while ply > 0 && strength.overlooks(board, mv, ply, last) {
                mv = ss.picker.next(board, self.history, &ss.context)?;
            }
        }
        self.request.table.prefetch(self.table_key(board.key_after(mv)));
        Some(mv)
    }

    #[inline]
    pub(super) fn make(&mut self, board: &Board, ply: usize, mv: Move) -> Board {
        self.push_move(board, ply, mv, piece_to(board, mv));
        self.evaluator.push();
        board.make(mv)
    }

    #[inline]
    pub(super) fn push_move(&mut self, board: &Board, ply: usize, mv: Move, piece_to: usize) {
        let double_extensions = self.stack.before(ply, 1).double_extensions;
        let ss = self.stack.at(ply);
        ss.mv = mv;
        ss.piece_to = piece_to;
        ss.double_extensions = double_extensions;
        self.keys.push(board.key());
    }

    /// Takes back the last [`make`](Searcher::make).
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Searches `child` with a null window above `alpha`. `ply`, `alpha` and the score belong to
    /// the parent, `depth` and `cut_node` to the child.
    #[inline]
    pub(super) fn zero_window_search(
        &mut self,
        child: &Board,
        ply: usize,
        depth: i32,
        alpha: Score,
        cut_node: bool,
    ) -> NodeResult {
        Ok(-self.negamax::<false, false>(child, ply + 1, depth, -alpha - 1, -alpha, cut_node)?)
    }
}

/// Plies since the last capture or pawn move. A null move resets the board's clock
/// `halfmove`, but not this count; `prior` is the last move and the count before it.
fn rule50(halfmove: u16, prior: Option<(Move, u16)>) -> u16 {
    match prior {
        Some((mv, plies)) if mv.is_null() || halfmove > 0 => plies.saturating_add(1),
        _ => halfmove,
    }
}

/// Scales the evaluation down by the fifty-move clock. The correction is not scaled: it is the
/// error of scaled evaluations.
fn corrected(eval: Score, clock: u16, correction: Score) -> Score {
    let [left, whole] = share_at_clock(clock);
    score::clamp_eval(eval * left / whole + correction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrybit_board::Square;
    use carrybit_board::draw::FIFTY_MOVES_PLIES;

    #[test]
    fn fifty_move_clock_does_not_scale_corrections() {
        let late = FIFTY_MOVES_PLIES - 10;
        assert!(corrected(200, late, 0) < 200);
        assert_eq!(corrected(200, late, 30), corrected(200, late, 0) + 30);
        assert_eq!(corrected(0, late, -30), -30);
    }

    #[test]
    fn null_move_does_not_reset_rule50() {
        let mv = Move::quiet(Square::new(6, 0), Square::new(5, 2));
        assert_eq!(rule50(7, None), 7);
        assert_eq!(rule50(8, Some((mv, 7))), 8);
        assert_eq!(rule50(0, Some((mv, 7))), 0);
        // The board's clock restarts at the null move.
        assert_eq!(rule50(0, Some((Move::NONE, 7))), 8);
        assert_eq!(rule50(1, Some((mv, 8))), 9);
    }
}
