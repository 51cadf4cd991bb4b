//! One interior node of the alpha-beta search, fail-soft, in numbered steps.

use crate::board::{Board, Move};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, INFINITE, NO_EVAL, Score};

use super::correction::Place;
use super::frame::Frame;
use super::history::{Context, cell};
use super::limits::Bound;
use super::node::{Node, Scout};
use super::params::*;
use super::pruning::{self, Outlook};
use super::transposition::Entry;
use super::trials::Singularity;
use super::{Searched, Searcher, Stopped};

/// A move that others have been tried before.
#[derive(Clone, Copy)]
struct Candidate {
    mv: Move,
    /// Its place in the order, from 1.
    nth: i32,
    history: i32,
    /// The reduction that its place asks for, in 1/1024 plies.
    base: i32,
}

/// How a late move is to be searched.
#[derive(Clone, Copy)]
struct Plan {
    mv: Move,
    /// Plies left at the node.
    depth: i32,
    /// Plies left after the move, without reduction.
    new_depth: i32,
    /// By how many plies it is reduced at first.
    reduction: i32,
    alpha: Score,
    beta: Score,
    best_score: Score,
    cutnode: bool,
}

impl<E: Evaluator> Searcher<'_, E> {
    /// Searches `board`, `ply` plies from the root, `depth` plies deep.
    ///
    /// `alpha < beta`; a [`Scout`] node has `beta == alpha + 1`. `cutnode` says
    /// that the node is expected to fail high. The score is exact between alpha
    /// and beta, and otherwise a bound that may lie outside the window. If the
    /// frame excludes a move, the node is searched as if that did not exist; the
    /// table and the corrections hear nothing of it.
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
        self.frames.at(ply + 2).cutoffs = 0;
        if N::ROOT {
            self.frames.at(1).cutoffs = 0;
        }
        let in_check = board.in_check();
        let excluded = self.frames.at(ply).excluded;
        let is_whole = excluded.is_none();

        // Steps 2 and 3. Draws, the end of the stack, mate distance.
        if !N::ROOT {
            if let Some(score) = self.rule_end(board, ply) {
                return Ok(score);
            }
            (alpha, beta) = self.narrowed(board, ply, alpha, beta);
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // Step 4. Table: a score deep enough ends the node, but never on the
        // principal variation, which would be cut short.
        let probed = self.task.table.probe(board.key(), ply, board.halfmove());
        let entry = probed.filter(|_| is_whole);
        if let Some(entry) = entry
            && !N::PV
            && pruning::is_settled(entry, depth, beta, cutnode)
            && board.halfmove() < CUTOFF_MAX_HALFMOVE
        {
            self.learn_again(board, ply, entry, depth, beta);
            return Ok(entry.score);
        }
        let hash_move = self.hash_move::<N>(board, entry);
        if is_whole {
            self.frames.at(ply).was_pv = N::PV || probed.is_some_and(|entry| entry.pv);
        }
        let was_pv = self.frames.at(ply).was_pv;

        // Step 5. Endgame tables: what is won there may still be a mate, so on the
        // principal variation that is only a limit of the score.
        let original_alpha = alpha;
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && is_whole
            && let Some(verdict) = self.probe_endgame(board, ply, depth)
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

        // Step 6. Static evaluation, and whether things are improving.
        let place =
            Place::new(board, self.frames.before(ply, 1).cell, self.frames.before(ply, 2).cell);
        let judged = if is_whole {
            self.evaluate_node(board, ply, entry, &place, was_pv)
        } else {
            self.frames.at(ply).judged
        };
        let improving = self.is_improving(ply);

        // Step 7. Hindsight: was the move that led here reduced rightly?
        if !N::ROOT && is_whole && !in_check {
            depth += self.look_back(ply, depth);
        }
        let mut outlook = Outlook { depth, eval: judged.eval, improving, was_pv };

        // Steps 8 to 10. Razoring, reverse futility, null move: can the node be
        // decided without looking at its moves?
        if !N::PV
            && !in_check
            && is_whole
            && let Some(score) = self.decide_early(board, ply, outlook, beta, cutnode)?
        {
            return Ok(score);
        }

        // Step 11. Internal iterative reduction.
        if (N::PV || cutnode) && is_whole && pruning::lacks_hash_move(depth, !hash_move.is_none()) {
            depth -= 1;
            outlook.depth = depth;
        }

        // Step 12. Probcut: a capture that beats beta by far in a shallow search
        // will beat it in a deep one.
        if !N::PV
            && !in_check
            && is_whole
            && let Some(wanted) = pruning::probcut_beta(depth, beta, entry)
            && let Some(score) =
                self.probcut(board, ply, depth, (beta, wanted), hash_move, cutnode)?
        {
            return Ok(score);
        }

        // Step 13. The moves.
        let mut best_score = floor;
        let mut best_move = Move::NONE;
        let mut tried = 0;
        self.start_moves::<N>(board, ply, hash_move);
        while let Some(mv) = self.next_move(board, ply) {
            if mv == excluded {
                continue;
            }
            tried += 1;
            let is_noisy = mv.is_noisy();
            let history = if tried > 1 { self.history_of(board, ply, mv) } else { 0 };
            let base = pruning::base_reduction(depth, tried, is_noisy);

            // Step 14. Pruning: a move without check mates no earlier than with
            // our next one, which may be too late.
            if !N::ROOT && alpha >= score::mate_at(ply + 3) && !board.gives_check(mv) {
                best_score = best_score.max(score::mate_at(ply + 3));
                continue;
            }
            // And of late and hopeless moves, once one is known that does not
            // lose, and while no faster win is looked for.
            let late = Candidate { mv, nth: tried, history, base };
            if !N::ROOT
                && !score::is_loss(best_score)
                && best_score != -INFINITE
                && !score::is_win(alpha)
                && self.is_hopeless(board, ply, late, outlook, alpha)
            {
                continue;
            }

            // Step 15. Extension of a table's move without an equal.
            let mut extension = 0;
            if mv == hash_move
                && !N::ROOT
                && is_whole
                && pruning::may_extend(ply, self.root_depth)
                && let Some(entry) = entry
                && let Some(singular_beta) = pruning::singular_beta(depth, entry)
            {
                let window = (singular_beta, beta);
                match self.singularity::<N>(board, ply, depth, window, entry, cutnode)? {
                    Singularity::Cut(score) => return Ok(score),
                    Singularity::Extend(plies) => extension = plies,
                }
            }

            // Step 16. Make the move and search it: the first with the full
            // window, the others reduced and with a window of one point, and
            // again if they turn out better than thought.
            let nodes_before = self.nodes;
            let child = self.make(board, ply, mv);
            let doubles = self.frames.before(ply, 1).doubles + i32::from(extension >= 2);
            self.frames.at(ply).doubles = doubles;
            let mut new_depth = depth - 1 + extension;
            let mut score = -INFINITE;
            if pruning::is_reducible(depth, tried, N::ROOT) {
                let table = pruning::TableView::new(entry, hash_move, alpha, depth);
                let facts = pruning::LateMove {
                    is_noisy,
                    history,
                    cutnode,
                    outlook,
                    table,
                    is_pv: N::PV,
                    gives_check: child.in_check(),
                    cutoffs: self.frames.at(ply + 1).cutoffs,
                    correction: judged.correction,
                };
                let reduction = pruning::reduction(base, facts);
                let plan =
                    Plan { mv, depth, new_depth, reduction, alpha, beta, best_score, cutnode };
                (score, new_depth) = self.search_late::<N>(board, &child, ply, plan)?;
            } else if !N::PV || tried > 1 {
                score = self.scout(&child, ply, new_depth, alpha, !cutnode)?;
            }
            if N::PV && (tried == 1 || score > alpha) {
                score =
                    -self.negamax::<N::Child>(&child, ply + 1, new_depth, -beta, -alpha, false)?;
            }
            self.unmake();
            if N::ROOT {
                let is_known = tried == 1 || score > alpha;
                self.note_root_move(mv, score, is_known.then_some((alpha, beta)), nodes_before);
            }

            // Step 17. Better than the best, than alpha, than beta?
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.frames.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        self.frames.at(ply).cutoffs += 1;
                        break;
                    }
                    alpha = score;
                    if pruning::is_raised(depth, score) {
                        depth -= 1;
                        outlook.depth = depth;
                    }
                }
            }
            if mv != best_move {
                self.frames.at(ply).failed.push(mv);
            }
        }

        // Step 18. No legal move: mate or stalemate.
        if tried == 0 {
            return Ok(match (is_whole, in_check) {
                (false, _) => alpha,
                (true, true) => score::mated_at(ply),
                (true, false) => DRAW,
            });
        }

        // Step 19. Learn, and remember.
        best_score = best_score.min(ceiling);
        let bound = Bound::of(best_score, original_alpha, beta);
        self.learn_moves::<N>(board, ply, best_move, depth, cutnode);
        if best_score >= beta && !score::is_decisive(best_score) && !score::is_decisive(beta) {
            best_score = (best_score * depth + beta) / (depth + 1);
        }
        let entry = Entry {
            mv: best_move,
            score: best_score,
            eval: judged.raw,
            depth,
            bound: Some(bound),
            pv: was_pv,
        };
        self.remember::<N>(board, ply, entry, &place);
        Ok(best_score)
    }

    /// The window without the scores that no line from here can have: none is better
    /// than mating at once, or worse than being mated now, and a move back is a draw
    /// at least. Empty, with alpha at or above beta, if that settles the node.
    fn narrowed(&self, board: &Board, ply: usize, alpha: Score, beta: Score) -> (Score, Score) {
        let mut alpha = alpha.max(score::mated_at(ply));
        if alpha < DRAW && board.can_repeat(&self.keys, self.root_keys) {
            alpha = DRAW;
        }
        (alpha, beta.min(score::mate_at(ply + 1)))
    }

    /// Starts on the moves of the node at `ply`.
    fn start_moves<N: Node>(&mut self, board: &Board, ply: usize, hash_move: Move) {
        let before = self.frames.cells_before(ply);
        let frame = self.frames.at(ply);
        if frame.excluded.is_none() {
            frame.context = Context::new(board, before);
        }
        frame.failed.clear();
        if N::ROOT {
            frame.picker.reset_listed(self.root_moves[self.line..].iter().map(|root| root.mv));
        } else {
            frame.picker.reset(hash_move);
        }
    }

    /// Searches a late move reduced, and if it turns out better than thought
    /// again without reduction. Its score, and the depth that the move deserves.
    fn search_late<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        ply: usize,
        plan: Plan,
    ) -> Result<(Score, i32), Stopped> {
        let Plan { mv, alpha, mut new_depth, .. } = plan;
        let reduced = pruning::late_depth(new_depth, plan.reduction, N::PV);
        self.frames.at(ply).reduction = new_depth - reduced;
        let mut score = self.scout(child, ply, reduced, alpha, true)?;
        self.frames.at(ply).reduction = 0;
        if score > alpha && reduced < new_depth {
            if !N::ROOT {
                new_depth += pruning::re_search_plies(score - plan.best_score, new_depth);
            }
            if reduced < new_depth {
                score = self.scout(child, ply, new_depth, alpha, !plan.cutnode)?;
            }
            if !mv.is_noisy() && (score <= alpha || score >= plan.beta) {
                let context = &self.frames.at(ply).context;
                self.history.learn_reply(board, context, mv, plan.depth, score >= plan.beta);
            }
        }
        Ok((score, new_depth))
    }

    /// The next move of the node at `ply`. While it is weighed, what the table knows
    /// of the position after it is fetched.
    #[inline]
    pub(super) fn next_move(&mut self, board: &Board, ply: usize) -> Option<Move> {
        let frame = self.frames.at(ply);
        let mv = frame.picker.next(board, self.history, &frame.context)?;
        self.task.table.prefetch(board.key_after(mv));
        Some(mv)
    }

    /// Whether a move need not be searched.
    fn is_hopeless(
        &mut self,
        board: &Board,
        ply: usize,
        late: Candidate,
        outlook: Outlook,
        alpha: Score,
    ) -> bool {
        let Candidate { mv, nth, history, base } = late;
        let (depth, is_noisy) = (outlook.depth, mv.is_noisy());
        let reduced_depth = pruning::reduced_depth(depth, base, history, is_noisy);
        let static_eval = self.frames.at(ply).judged.corrected;
        if !is_noisy && static_eval != NO_EVAL {
            if pruning::is_late(outlook, nth) {
                self.frames.at(ply).picker.skip_quiets();
                return true;
            }
            if pruning::is_discredited(history, reduced_depth, depth) {
                return true;
            }
            if pruning::is_futile(static_eval, history, reduced_depth, alpha)
                && !board.gives_check(mv)
            {
                self.frames.at(ply).picker.skip_quiets();
                return true;
            }
        }
        // A check may be a sacrifice.
        let threshold = pruning::see_threshold(depth, reduced_depth, history, is_noisy);
        !board.see_ge(mv, threshold, &SEE_VALUES) && !board.gives_check(mv)
    }

    /// Learns from a node that the table's `entry` alone has settled: that a quiet
    /// move was good once more.
    fn learn_again(&mut self, board: &Board, ply: usize, entry: Entry, depth: i32, beta: Score) {
        let mv = entry.mv;
        if entry.score >= beta && !mv.is_none() && !mv.is_noisy() && board.is_legal(mv) {
            let context = Context::new(board, self.frames.cells_before(ply));
            self.history.learn(board, &context, mv, &[], depth);
        }
    }

    /// Learns from the static evaluation what the move that led here was worth, and
    /// says how many plies deeper or shallower the node deserves to be searched.
    fn look_back(&mut self, ply: usize, depth: i32) -> i32 {
        let eval = self.frames.at(ply).judged.corrected;
        let Frame { mv, context, judged, reduction, .. } = self.frames.before(ply, 1);
        if judged.corrected == NO_EVAL {
            return 0;
        }
        if !mv.is_none() && !mv.is_noisy() {
            self.history.learn_eval(context, *mv, -(eval + judged.corrected));
        }
        pruning::hindsight(depth, *reduction, judged.corrected, eval)
    }

    /// Learns from a node's best move, if one raised alpha; if none did, though that
    /// was not expected, that the move which led here was good.
    fn learn_moves<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        best: Move,
        depth: i32,
        cutnode: bool,
    ) {
        if !best.is_none() {
            let frame = self.frames.at(ply);
            self.history.learn(board, &frame.context, best, &frame.failed, depth);
        } else if !N::ROOT && (N::PV || cutnode) && self.frames.at(ply).excluded.is_none() {
            let Frame { mv, cell, context, .. } = self.frames.before(ply, 1);
            if !mv.is_none() && !mv.is_noisy() {
                self.history.learn_unanswered(context, *mv, *cell, depth);
            }
        }
    }

    /// Puts what a node found into the table, and learns from it how the static
    /// evaluation errs, unless a capture or a forced win explains it. Nothing, if
    /// only some of the moves were searched.
    fn remember<N: Node>(&mut self, board: &Board, ply: usize, entry: Entry, place: &Place) {
        let frame = self.frames.at(ply);
        let is_part = !frame.excluded.is_none()
            || (N::ROOT && (self.line > 0 || !self.task.limits.search_moves.is_empty()));
        if is_part {
            return;
        }
        let static_eval = frame.judged.corrected;
        let is_telling = entry.improves_on(static_eval)
            && !entry.mv.is_noisy()
            && !score::is_decisive(entry.score);
        if static_eval != NO_EVAL && is_telling {
            self.correction.learn(place, entry.score - static_eval, entry.depth);
        }
        self.task.table.store(board.key(), ply, entry);
    }

    /// What the histories say about a move of the node at `ply`.
    #[inline]
    fn history_of(&mut self, board: &Board, ply: usize, mv: Move) -> i32 {
        if mv.is_noisy() {
            self.history.noisy(board, mv)
        } else {
            self.history.quiet(board, &self.frames.at(ply).context, mv)
        }
    }

    /// Makes a move of the node at `ply`; to be followed by [`Searcher::unmake`].
    #[inline]
    pub(super) fn make(&mut self, board: &Board, ply: usize, mv: Move) -> Board {
        let frame = self.frames.at(ply);
        frame.mv = mv;
        frame.cell = cell(board, mv);
        self.keys.push(board.key());
        board.make(mv, self.evaluator.push())
    }

    /// Forgets the move (or null move) made last.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Whether the move that led to `child` beats `alpha`, asked with a window of
    /// one point `depth` plies deep. The score is seen from the mover's side.
    #[inline]
    pub(super) fn scout(
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
    fn hash_move<N: Node>(&self, board: &Board, entry: Option<Entry>) -> Move {
        if N::ROOT {
            return self.root_moves[self.line].mv;
        }
        match entry {
            Some(entry) if board.is_legal(entry.mv) => entry.mv,
            _ => Move::NONE,
        }
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
            root_move.bound = Bound::of(score, alpha, beta);
            root_move.seldepth = seldepth;
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(line);
        }
    }
}
