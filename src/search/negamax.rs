//! One interior node of the alpha-beta search, fail-soft, in numbered steps.

use crate::board::{Board, Move};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, INFINITE, MAX_PLY, Score, UNKNOWN};

use super::limits::Bound;
use super::node::{Node, Scout};
use super::params::*;
use super::pruning::{self, Outlook};
use super::table::Entry;
use super::{Searched, Searcher};

impl<E: Evaluator> Searcher<'_, E> {
    /// Searches `board`, `ply` plies from the root, `depth` plies deep.
    ///
    /// `alpha < beta`; a [`Scout`] node has `beta == alpha + 1`. `cutnode` says
    /// that the node is expected to fail high. The score is exact between alpha
    /// and beta, and otherwise a bound that may lie outside the window.
    pub(super) fn negamax<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mut depth: i32,
        mut alpha: Score,
        mut beta: Score,
        cutnode: bool,
    ) -> Searched {
        debug_assert!(alpha < beta && (N::PV || alpha + 1 == beta));

        // Step 1. Leaf: captures are left to quiescence, and so are checks.
        if depth <= 0 {
            return self.quiescence::<N>(board, ply, alpha, beta);
        }
        self.enter_node(ply)?;
        self.frames.at(ply).pv.clear();
        let in_check = board.in_check();

        if !N::ROOT {
            // Step 2. Draws, and the end of the stack.
            if self.is_draw(board) {
                return Ok(DRAW);
            }
            if ply >= MAX_PLY {
                return Ok(if in_check { DRAW } else { self.evaluator.evaluate(board) });
            }

            // Step 3. Mate distance: no line from here is better than mating at
            // once, or worse than being mated now.
            alpha = alpha.max(score::mated_at(ply));
            beta = beta.min(score::mate_at(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // Step 4. Table: a score deep enough ends the node, but never on the
        // principal variation, which would be cut short.
        let entry = self.task.table.probe(board.key(), ply, board.halfmove());
        if let Some(entry) = entry
            && !N::PV
            && entry.depth >= depth
            && entry.cuts(beta)
            && board.halfmove() < TABLE_MAX_HALFMOVE
        {
            return Ok(entry.score);
        }
        let table_move = self.table_move::<N>(board, entry);
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // Step 4a. Endgame tables: what is won there may still be a mate, so on the
        // principal variation that is only a limit of the score.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && let Some(verdict) = self.endgames.probe(board, ply, depth)
        {
            if verdict.settles(alpha, beta) {
                self.store_verdict(board, ply, depth, verdict, was_pv);
                return Ok(verdict.score);
            }
            if N::PV {
                (floor, ceiling) = verdict.limits();
                alpha = alpha.max(floor);
            }
        }

        // Step 5. Static evaluation, and whether things are improving.
        let (static_eval, eval) = self.evaluate_node(board, ply, entry, was_pv);
        let improving = self.is_improving(ply);
        let outlook = Outlook { depth, eval, improving };

        if !N::PV && !in_check {
            // Step 6. Reverse futility: far above beta already.
            if pruning::is_far_above(outlook, beta)
                && !score::is_decisive(eval)
                && !score::is_loss(beta)
            {
                return Ok((eval + beta) / 2);
            }

            // Step 7. Null move: good enough even if the opponent moves twice?
            if pruning::tries_null_move(outlook, static_eval, beta)
                && !self.frames.before(ply, 1).mv.is_none()
                && board.has_non_pawns(board.side())
                && !score::is_loss(beta)
            {
                let reduced = depth - pruning::null_move_reduction(outlook, beta);
                let score = self.null_move(board, ply, reduced, beta, cutnode)?;
                if score >= beta {
                    // A mate found after passing is no proof of one.
                    return Ok(if score::is_win(score) { beta } else { score });
                }
            }
        }

        // Step 8. Internal iterative reduction.
        if (N::PV || cutnode) && pruning::lacks_table_move(depth, !table_move.is_none()) {
            depth -= 1;
        }

        // Step 9. The moves.
        let original_alpha = alpha;
        let mut best_score = floor;
        let mut best_move = Move::NONE;
        let mut tried = 0;
        let frame = self.frames.at(ply);
        frame.picker.reset(table_move);
        frame.failed_quiets.clear();
        while let Some(mv) = self.frames.at(ply).picker.next(board, self.history) {
            if N::ROOT && !self.is_wanted_at_root(mv) {
                continue;
            }
            tried += 1;
            let is_noisy = mv.is_noisy();
            let history = if is_noisy { 0 } else { self.history.quiet(board.side(), mv) };
            let base = pruning::base_reduction(depth, tried, is_noisy);

            // Step 10. Pruning of late and hopeless moves, once one is known
            // that does not lose; of quiet ones not while a faster mate is looked for.
            if !N::ROOT && !score::is_loss(best_score) && best_score != -INFINITE {
                let reduced_depth = pruning::reduced_depth(depth, base, history);
                if !is_noisy && !in_check && !score::is_win(alpha) {
                    if pruning::is_late(Outlook { depth, ..outlook }, tried) {
                        self.frames.at(ply).picker.skip_quiets();
                        continue;
                    }
                    if pruning::is_futile(static_eval, reduced_depth, alpha)
                        && !board.gives_check(mv)
                    {
                        continue;
                    }
                }
                if let Some(threshold) = pruning::see_threshold(depth, reduced_depth, is_noisy)
                    && !board.see_ge(mv, threshold, &SEE_VALUES)
                {
                    continue;
                }
            }

            // Step 11. Make the move and search it: the first with the full
            // window, the others reduced and with a window of one point, and
            // again if they turn out better than thought.
            let nodes_before = self.nodes;
            self.task.table.prefetch(board.key_after(mv));
            let child = board.make(mv, self.evaluator.push());
            self.keys.push(board.key());
            self.frames.at(ply).mv = mv;
            let is_extended = pruning::extends_check(child.in_check(), ply, self.root_depth);
            let new_depth = depth - 1 + i32::from(is_extended);
            let mut score = -INFINITE;
            if pruning::is_reducible(depth, tried, N::ROOT) {
                let facts = pruning::LateMove {
                    history,
                    cutnode,
                    improving,
                    was_pv,
                    gives_check: child.in_check(),
                };
                let reduced = (new_depth - pruning::reduction(base, facts)).clamp(1, new_depth);
                score = self.scout(&child, ply, reduced, alpha, true)?;
                if score > alpha && reduced < new_depth {
                    score = self.scout(&child, ply, new_depth, alpha, !cutnode)?;
                }
            } else if !N::PV || tried > 1 {
                score = self.scout(&child, ply, new_depth, alpha, !cutnode)?;
            }
            if N::PV && (tried == 1 || score > alpha) {
                score =
                    -self.negamax::<N::Child>(&child, ply + 1, new_depth, -beta, -alpha, false)?;
            }
            self.keys.pop();
            self.evaluator.pop();
            if N::ROOT {
                let is_known = tried == 1 || score > alpha;
                self.note_root_move(mv, score, is_known.then_some((alpha, beta)), nodes_before);
            }

            // Step 12. Better than the best, than alpha, than beta?
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.frames.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        if !is_noisy {
                            let failed = &self.frames.at(ply).failed_quiets;
                            self.history.update_quiets(board.side(), mv, failed, depth);
                        }
                        break;
                    }
                    alpha = score;
                }
            }
            if !is_noisy {
                self.frames.at(ply).failed_quiets.push(mv);
            }
        }

        // Step 13. No legal move: mate or stalemate.
        if tried == 0 {
            return Ok(if in_check { score::mated_at(ply) } else { DRAW });
        }

        // Step 14. Remember.
        best_score = best_score.min(ceiling);
        let bound = if best_score >= beta {
            Bound::Lower
        } else if best_score > original_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !(N::ROOT && self.line > 0) {
            let entry = Entry {
                mv: best_move,
                score: best_score,
                eval: static_eval,
                depth,
                bound: Some(bound),
                pv: was_pv,
            };
            self.task.table.store(board.key(), ply, entry);
        }
        Ok(best_score)
    }

    /// Whether the move that led to `child` beats `alpha`, asked with a window of
    /// one point `depth` plies deep. The score is seen from the mover's side.
    #[inline]
    fn scout(
        &mut self,
        child: &Board,
        ply: usize,
        depth: i32,
        alpha: Score,
        cutnode: bool,
    ) -> Searched {
        Ok(-self.negamax::<Scout>(child, ply + 1, depth, -alpha - 1, -alpha, cutnode)?)
    }

    /// The move to try first: at the root that of the line searched, else the
    /// table's, if it is legal here (another position may have the same key bits).
    fn table_move<N: Node>(&self, board: &Board, entry: Option<Entry>) -> Move {
        if N::ROOT {
            return self.root_moves[self.line].mv;
        }
        match entry {
            Some(entry) if board.is_legal(entry.mv) => entry.mv,
            _ => Move::NONE,
        }
    }

    /// The static evaluation of the node, and the better guess that the table's
    /// score may allow; both [`UNKNOWN`] in check. A fresh evaluation goes into
    /// the table at once.
    pub(super) fn evaluate_node(
        &mut self,
        board: &Board,
        ply: usize,
        entry: Option<Entry>,
        was_pv: bool,
    ) -> (Score, Score) {
        let static_eval = match entry {
            _ if board.in_check() => UNKNOWN,
            Some(entry) if entry.eval != UNKNOWN => entry.eval,
            _ => self.evaluator.evaluate(board),
        };
        self.frames.at(ply).eval = static_eval;
        if static_eval == UNKNOWN {
            return (UNKNOWN, UNKNOWN);
        }
        match entry {
            Some(entry) if entry.improves_on(static_eval) && !score::is_decisive(entry.score) => {
                (static_eval, entry.score)
            }
            Some(_) => (static_eval, static_eval),
            None => {
                let entry = Entry {
                    mv: Move::NONE,
                    score: DRAW,
                    eval: static_eval,
                    depth: 0,
                    bound: None,
                    pv: was_pv,
                };
                self.task.table.store(board.key(), ply, entry);
                (static_eval, static_eval)
            }
        }
    }

    /// Whether the static evaluation is better than at our last turn; in check,
    /// or after a check, nothing is known and nothing is assumed.
    fn is_improving(&mut self, ply: usize) -> bool {
        let now = self.frames.at(ply).eval;
        let before = self.frames.before(ply, 2).eval;
        now != UNKNOWN && before != UNKNOWN && now > before
    }

    /// Lets the opponent move twice; the score that we keep all the same.
    fn null_move(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        beta: Score,
        cutnode: bool,
    ) -> Searched {
        self.frames.at(ply).mv = Move::NONE;
        let child = board.make_null();
        self.task.table.prefetch(child.key());
        self.evaluator.push();
        self.keys.push(board.key());
        let score = self.scout(&child, ply, depth, beta - 1, !cutnode)?;
        self.keys.pop();
        self.evaluator.pop();
        Ok(score)
    }

    /// Whether the root move is neither left out by the user nor already
    /// searched as a better line.
    fn is_wanted_at_root(&self, mv: Move) -> bool {
        self.root_moves[self.line..].iter().any(|root_move| root_move.mv == mv)
    }

    /// Keeps what the search of a root move brought. `window` is the one it was
    /// searched with, if its score can be compared with others: that of a move
    /// which did not raise alpha says nothing.
    fn note_root_move(
        &mut self,
        mv: Move,
        score: Score,
        window: Option<(Score, Score)>,
        nodes_before: u64,
    ) {
        let spent = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let line = &self.frames.at(1).pv;
        let found = self.root_moves[self.line..].iter_mut().find(|root_move| root_move.mv == mv);
        let Some(root_move) = found else { return };
        if self.line == 0 {
            root_move.nodes += spent;
            self.first_line_nodes += spent;
        }
        if let Some((alpha, beta)) = window {
            root_move.score = score;
            root_move.bound = match score {
                _ if score <= alpha => Bound::Upper,
                _ if score >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            root_move.seldepth = seldepth;
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(line);
        }
    }
}
