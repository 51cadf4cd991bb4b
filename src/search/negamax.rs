//! One interior node of the alpha-beta search, fail-soft, in numbered steps.

use crate::board::{Board, Move};
use crate::score::{self, DRAW, INFINITE, NO_EVAL, Score};

use super::history::{Context, cell};
use super::limits::{Bound, CurrentMove};
use super::node::{Expected, Node, Scout};
use super::params::{CUTOFF_MAX_HALFMOVE, SEE_VALUES};
use super::pruning::{self, HashFacts, LateMove, NodeFacts, TableView};
use super::searcher::{Searched, Searcher, Stopped};
use super::transposition::Entry;
use super::trials::Singularity;
use super::window::Window;

/// How a move is to be searched with a null window.
#[derive(Clone, Copy)]
struct Plan {
    /// Plies left after the move, without reduction.
    new_depth: i32,
    /// What the transposition table says of the node.
    view: TableView,
    /// The node's window as it stands now.
    window: Window,
    /// The best score so far.
    best_score: Score,
}

impl Searcher<'_> {
    /// Searches `board`, `ply` plies from the root, `depth` plies deep.
    ///
    /// A [`Scout`] node has a null window. Nodes of the other kinds have an open one, and
    /// are never expected to fail high. The score is exact inside the window, and
    /// otherwise a bound that may lie beyond it. If the frame excludes a move, the node
    /// is searched as if that move did not exist, and nothing of it goes into the
    /// transposition table or the correction history.
    #[expect(clippy::too_many_lines, reason = "the steps of a node, to be read in one piece")]
    pub(super) fn negamax<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mut depth: i32,
        mut window: Window,
        expected: Expected,
    ) -> Searched {
        debug_assert!(!window.is_empty() && (N::PV || window.is_null()));

        // Step 1. Leaf: quiescence search takes over.
        if depth <= 0 {
            return self.quiescence::<N>(board, ply, window);
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

        // Steps 2 and 3. Draws and the end of the stack; mate distance pruning.
        if !N::ROOT {
            if let Some(score) = self.rule_end(board, ply) {
                return Ok(score);
            }
            window = self.narrowed(board, ply, window);
            if window.is_empty() {
                return Ok(window.alpha);
            }
        }
        let Window { mut alpha, beta } = window;

        // Step 4. Transposition table: a score from a search deep enough ends the
        // node, but never on the principal variation, which would be cut short. What
        // corrects the evaluation is fetched meanwhile.
        let indices = self.frames.indices(board, ply);
        self.correction.prefetch(&indices);
        let clock = self.clock_rule.clock(board.halfmove());
        let probed = self.task.table.probe(self.table_key(board.key()), ply, clock);
        let entry = probed.filter(|_| is_whole);
        if let Some(entry) = entry
            && !N::PV
            && pruning::is_settled(entry, depth, beta, expected)
            && clock < CUTOFF_MAX_HALFMOVE
        {
            self.learn_again(board, ply, entry, depth, beta);
            return Ok(entry.score);
        }
        let hash_move = self.hash_move::<N>(board, entry);
        let table = if is_whole {
            TableView { entry, mv: hash_move }
        } else {
            TableView::without(excluded, probed)
        };
        if is_whole {
            self.frames.at(ply).was_pv = N::PV || probed.is_some_and(|entry| entry.pv);
        }
        let was_pv = self.frames.at(ply).was_pv;

        // Step 5. Tablebases: a position won there may still hold a mate, so on the
        // principal variation they only limit the score.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && is_whole
            && let Some(verdict) = self.probe_tablebases(board, ply, depth)
        {
            if verdict.settles(window) {
                self.store_verdict(board, ply, depth, verdict, was_pv);
                return Ok(verdict.score);
            }
            if N::PV {
                (floor, ceiling) = verdict.limits();
                alpha = alpha.max(floor);
            }
        }

        // Step 6. Static evaluation, and whether it is improving.
        let static_eval = if is_whole {
            self.evaluate_node(board, ply, entry, &indices, was_pv)
        } else {
            self.frames.at(ply).static_eval
        };
        let improving = self.is_improving(ply);

        // Step 7. Hindsight: was the move that led here rightly reduced?
        if !N::ROOT && is_whole && !in_check {
            depth += self.look_back(ply, depth);
        }
        let mut node = NodeFacts {
            depth,
            expected,
            is_pv: N::PV,
            was_pv,
            eval: static_eval.refined,
            correction: static_eval.correction,
            improving,
        };

        // Steps 8 to 10. Razoring, reverse futility, null move: can the node be
        // decided without trying its moves?
        if !N::PV
            && !in_check
            && is_whole
            && let Some(score) = self.decide_early(board, ply, node, beta)?
        {
            return Ok(score);
        }

        // Step 11. Internal iterative reduction.
        if (N::PV || expected.is_cut())
            && is_whole
            && pruning::lacks_hash_move(node.depth, !hash_move.is_none())
        {
            node.depth -= 1;
        }

        // Step 12. Probcut: a capture that beats beta by far in a shallow search
        // will beat it in a deep one.
        if !N::PV
            && !in_check
            && is_whole
            && let Some(target) = pruning::probcut_beta(node.depth, table, beta)
            && let Some(score) = self.probcut(board, ply, node, beta, target, hash_move)?
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
            let history = if tried > 1 { self.history_of(board, ply, mv) } else { 0 };
            let base = pruning::base_reduction(node.depth, tried, mv.is_noisy());
            let late = LateMove { mv, nth: tried, history, base };

            // Step 14. Pruning: a move without check mates no earlier than with
            // our next one, which may be too late.
            if !N::ROOT && alpha >= score::mate_at(ply + 3) && !board.gives_check(mv) {
                best_score = best_score.max(score::mate_at(ply + 3));
                continue;
            }
            // Late and hopeless moves are skipped, too, once there is a move that
            // does not lose, unless a faster win is wanted.
            if !N::ROOT
                && !score::is_loss(best_score)
                && best_score != -INFINITE
                && !score::is_win(alpha)
                && self.is_hopeless(board, ply, late, node, alpha)
            {
                continue;
            }

            // Step 15. Singular extension: the hash move has no equal.
            let mut extension = 0;
            if mv == hash_move
                && !N::ROOT
                && is_whole
                && pruning::may_extend(ply, self.root_depth)
                && let Some(entry) = entry
                && let Some(singular_beta) = pruning::singular_beta(node.depth, entry)
            {
                match self.singularity(board, ply, node, beta, singular_beta, entry)? {
                    Singularity::Cut(score) => return Ok(score),
                    Singularity::Extend(plies) => extension = plies,
                }
            }

            // Step 16. Make the move and search it: the first with the full window,
            // the others reduced and with a null window, and again if they turn out
            // better than expected.
            let nodes_before = self.nodes;
            if N::ROOT {
                let (number, depth) = (self.line + tried as usize, self.root_depth);
                self.counters.set_current_move(CurrentMove { mv, number, depth });
            }
            let child = self.make(board, ply, mv);
            let doubles = self.frames.before(ply, 1).doubles + i32::from(extension >= 2);
            self.frames.at(ply).doubles = doubles;
            let mut new_depth = node.depth - 1 + extension;
            let mut score = -INFINITE;
            if !N::PV || tried > 1 {
                let window = Window::new(alpha, beta);
                let plan = Plan { new_depth, view: table, window, best_score };
                (score, new_depth) =
                    self.search_closed::<N>(board, &child, ply, late, node, plan)?;
            }
            if N::PV && (tried == 1 || score > alpha) {
                score = self.search_open::<N>(&child, ply, new_depth, Window::new(alpha, beta))?;
            }
            self.unmake();
            if N::ROOT {
                let is_known = tried == 1 || score > alpha;
                let window = is_known.then_some(Window::new(alpha, beta));
                self.note_root_move(mv, score, window, nodes_before);
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
                    node.raise(score);
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

        // Step 19. Learn from the node, and store it.
        best_score = best_score.min(ceiling);
        let bound = Bound::of(best_score, window);
        self.learn_moves::<N>(board, ply, best_move, node);
        if best_score >= beta && !score::is_decisive(best_score) && !score::is_decisive(beta) {
            best_score = (best_score * node.depth + beta) / (node.depth + 1);
        }
        let entry = Entry {
            mv: best_move,
            score: best_score,
            eval: static_eval.raw,
            depth: node.depth,
            bound: Some(bound),
            pv: was_pv,
        };
        self.remember::<N>(board, ply, entry, &indices);
        Ok(best_score)
    }

    /// The window without the scores that no line from here can have: none is better
    /// than mating with the next move or worse than being mated now, and where a move
    /// back repeats the position, the score is a draw at least. Empty if that settles
    /// the node.
    fn narrowed(&self, board: &Board, ply: usize, window: Window) -> Window {
        let mut alpha = window.alpha.max(score::mated_at(ply));
        if alpha < DRAW && board.can_repeat(&self.keys, self.root_keys) {
            alpha = DRAW;
        }
        Window::new(alpha, window.beta.min(score::mate_at(ply + 1)))
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
            // Moves of lower ranks are worse, whatever a search finds.
            let root_moves = &self.root_moves[self.line..];
            let same_rank = root_moves.iter().take_while(|root| root.rank == root_moves[0].rank);
            frame.picker.reset_listed(same_rank.map(|root| root.mv));
        } else {
            frame.picker.reset(hash_move);
        }
    }

    /// Searches a move with a null window: a late one reduced, and again without reduction
    /// if it turns out better than expected. Returns its score, and the depth that it
    /// deserves.
    #[inline]
    fn search_closed<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        ply: usize,
        late: LateMove,
        node: NodeFacts,
        plan: Plan,
    ) -> Result<(Score, i32), Stopped> {
        let Plan { window: Window { alpha, beta }, mut new_depth, .. } = plan;
        let LateMove { mv, nth, .. } = late;
        if !pruning::is_reducible(node.depth, nth, N::ROOT) {
            let score = self.scout(child, ply, new_depth, alpha, node.expected.of_child())?;
            return Ok((score, new_depth));
        }
        let hash = HashFacts::new(plan.view, alpha, node.depth);
        let cutoffs = self.frames.at(ply + 1).cutoffs;
        let reduction_1024 = pruning::reduction_1024(late, node, hash, child.in_check(), cutoffs);
        let reduced = pruning::late_depth(new_depth, reduction_1024, N::PV);
        self.frames.set_reduction(ply, new_depth - reduced);
        let mut score = self.scout(child, ply, reduced, alpha, Expected::Cut)?;
        self.frames.set_reduction(ply, 0);
        if score > alpha && reduced < new_depth {
            if !N::ROOT {
                new_depth += pruning::re_search_plies(score - plan.best_score, new_depth);
            }
            if reduced < new_depth {
                score = self.scout(child, ply, new_depth, alpha, node.expected.of_child())?;
            }
            if !mv.is_noisy() && (score <= alpha || score >= beta) {
                let context = &self.frames.at(ply).context;
                self.history.learn_continuation(board, context, mv, node.depth, score >= beta);
            }
        }
        Ok((score, new_depth))
    }

    /// The next move of the node at `ply`. The transposition table's cluster for the
    /// position after it is fetched in the meantime.
    #[inline]
    pub(super) fn next_move(&mut self, board: &Board, ply: usize) -> Option<Move> {
        let frame = self.frames.at(ply);
        let mv = frame.picker.next(board, self.history, &frame.context)?;
        self.task.table.prefetch(self.table_key(board.key_after(mv)));
        Some(mv)
    }

    /// Whether a late move is pruned.
    fn is_hopeless(
        &mut self,
        board: &Board,
        ply: usize,
        late: LateMove,
        node: NodeFacts,
        alpha: Score,
    ) -> bool {
        let LateMove { mv, nth, history, base } = late;
        let (depth, is_noisy) = (node.depth, mv.is_noisy());
        let reduced_depth = pruning::reduced_depth(depth, base, history, is_noisy);
        let static_eval = self.frames.at(ply).static_eval.corrected;
        if !is_noisy && static_eval != NO_EVAL {
            if pruning::is_late(node, nth) {
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

    /// Makes a move of the node at `ply`, to be followed by [`Searcher::unmake`].
    #[inline]
    pub(super) fn make(&mut self, board: &Board, ply: usize, mv: Move) -> Board {
        let frame = self.frames.at(ply);
        frame.mv = mv;
        frame.cell = cell(board, mv);
        self.keys.push(board.key());
        self.evaluator.push();
        board.make(mv)
    }

    /// Takes back the last move, or null move.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Whether the move that led to `child` beats `alpha`: a null-window search,
    /// `depth` plies deep, with the score from the mover's view.
    #[inline]
    pub(super) fn scout(
        &mut self,
        child: &Board,
        ply: usize,
        depth: i32,
        alpha: Score,
        expected: Expected,
    ) -> Searched {
        let window = Window::above(alpha).flipped();
        Ok(-self.negamax::<Scout>(child, ply + 1, depth, window, expected)?)
    }

    /// Searches the move that led to `child` with the open window of its node, `depth`
    /// plies deep; the score is from the mover's view.
    #[inline]
    fn search_open<N: Node>(
        &mut self,
        child: &Board,
        ply: usize,
        depth: i32,
        window: Window,
    ) -> Searched {
        let window = window.flipped();
        Ok(-self.negamax::<N::Child>(child, ply + 1, depth, window, Expected::NoCut)?)
    }

    /// The move to try first: at the root that of the line being searched, elsewhere
    /// the hash move if it is legal (the entry may be of another position).
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
    /// searched with, or `None` if its score means nothing because it did not raise
    /// alpha.
    fn note_root_move(
        &mut self,
        mv: Move,
        score: Score,
        window: Option<Window>,
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
        if let Some(window) = window {
            root_move.score = score;
            let found = &mut root_move.found;
            found.bound = Bound::of(score, window);
            found.seldepth = seldepth;
            found.pv.clear();
            found.pv.push(mv);
            found.pv.extend_from_slice(line);
        }
    }
}
