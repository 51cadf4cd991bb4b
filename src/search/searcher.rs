//! One thread's search: its data, limits, root moves and reports.

use std::cmp::Reverse;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::eval::endings;
use crate::eval::nnue::{Network, Nnue};
use crate::host::{self, Instant};
use crate::score::{self, DRAW, INFINITE, MAX_PLY, Score};
use crate::sys::large_pages::LargeBox;
use carrybit_board::draw::{FiftyMoveRule, is_repetition};
use carrybit_board::random::STRIDE;
use carrybit_board::{Board, Move};

use super::clock::LastScores;
use super::corrhist::CorrectionHistory;
use super::history::{History, HistoryContext};
use super::picker::Picker;
use super::prober::TbProber;
use super::report::{Bound, Report};
use super::request::{SearchRequest, ThreadCounters};
use super::root_move::{RootLine, RootMove};
use super::stack::SearchStack;
use super::strength::LimitedStrength;
use super::transposition::TtEntry;

/// Nodes before the first check of the limits. The interval doubles up to [`NODES_PER_POLL`].
const FIRST_POLL_NODES: u64 = 16;
const NODES_PER_POLL: u64 = 1024;

/// A stopped search still completes its first iteration, unless its time is over, or it has
/// searched this many nodes, or so much time has passed since the stop: quiescence search on a
/// board full of queens may take forever, and each node may fault in a page of a new table.
const FIRST_ITERATION_MAX_NODES: u64 = 4096;
const FIRST_ITERATION_GRACE: Duration = Duration::from_millis(20);

/// The search was stopped; its result is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

pub(super) type NodeResult = Result<Score, Stopped>;

/// A search thread's data, kept between searches.
pub(super) struct ThreadData {
    evaluator: Nnue,
    history: LargeBox<History>,
    corrhist: Arc<LargeBox<CorrectionHistory>>,
    stack: SearchStack,
    last_scores: LastScores,
}

impl ThreadData {
    pub(super) fn new(
        network: &Arc<Network>,
        corrhist: Arc<LargeBox<CorrectionHistory>>,
    ) -> ThreadData {
        ThreadData {
            evaluator: Nnue::new(Arc::clone(network)),
            history: LargeBox::zeroed(),
            corrhist,
            stack: SearchStack::new(),
            last_scores: [None; 2],
        }
    }

    /// Clears everything except the correction history, which all threads share.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.last_scores = [None; 2];
    }
}

/// The entry's move if it is legal: the entry may belong to another position.
pub(super) fn legal_tt_move(board: &Board, entry: Option<TtEntry>) -> Move {
    entry.map(|entry| entry.mv).filter(|&mv| board.is_legal(mv)).unwrap_or(Move::NONE)
}

/// Drops the root moves that limited strength overlooks, unless that would be all.
fn seen(request: &SearchRequest, mut moves: Vec<Move>) -> Vec<Move> {
    let is_seen = |mv: &Move| {
        let board = request.game.board();
        !request.strength.is_some_and(|strength| strength.overlooks(board, *mv, 0, Move::NONE))
    };
    if moves.iter().any(is_seen) {
        moves.retain(is_seen);
    }
    moves
}

pub(super) struct Searcher<'a> {
    pub(super) request: &'a SearchRequest,
    pub(super) counters: &'a ThreadCounters,
    /// 0 is the main thread.
    pub(super) number: usize,
    pub(super) evaluator: &'a mut Nnue,
    pub(super) history: &'a mut History,
    pub(super) corrhist: &'a CorrectionHistory,
    pub(super) stack: &'a mut SearchStack,
    pub(super) last_scores: &'a mut LastScores,
    pub(super) tb_prober: TbProber<'a>,
    /// Keys of all positions before the current one: those of the game, then those of the line.
    pub(super) keys: Vec<u64>,
    /// The index from which on a single earlier occurrence is a draw.
    pub(super) repetition_root: usize,
    pub(super) fifty_move_rule: FiftyMoveRule,
    /// Changes the table keys (by xor). Not 0 at limited strength, and if the game went on after an
    /// unclaimed fifty-move draw: earlier searches stored these positions as draws.
    salt: u64,
    pub(super) root_moves: Vec<RootMove>,
    /// The index of the line of MultiPV that is being searched.
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    /// Whether the side to move at the root was winning by [`seek_mate`] in the last iteration.
    pub(super) seeks_mate: bool,
    /// The last completed iteration, 0 for none.
    pub(super) completed_depth: i32,
    /// The factor of the soft deadline.
    pub(super) time_scale: f64,
    pub(super) nodes: u64,
    next_poll: u64,
    /// When the search noticed a stop in its first iteration.
    stopped_at: Option<Instant>,
    pub(super) seldepth: usize,
    /// During a null move's verification search, the first ply with null moves; otherwise 0.
    pub(super) nmp_min_ply: usize,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        request: &'a SearchRequest,
        number: usize,
        data: &'a mut ThreadData,
    ) -> Searcher<'a> {
        let ThreadData { evaluator, history, corrhist, stack, last_scores } = data;
        let board = request.game.board();
        evaluator.reset(board);
        let fifty_move_rule = match request.is_unclaimed {
            true => FiftyMoveRule::unclaimed(board),
            false => FiftyMoveRule::of(board),
        };
        let strength_salt = request.strength.map_or(0, |strength| strength.salt());
        let salt = if fifty_move_rule.is_past_claim() { STRIDE } else { 0 } ^ strength_salt;
        let wanted = &request.limits.search_moves;
        // The root moves in the order of an interior node.
        let mut picker = Picker::new();
        picker.reset(legal_tt_move(board, request.table.probe(board.key() ^ salt, 0, 0)));
        let context = HistoryContext::new(board, HistoryContext::NO_CONTHIST_ROWS);
        let moves: Vec<Move> = iter::from_fn(|| picker.next(board, history, &context))
            .filter(|mv| request.limits.allow(mv))
            .collect();
        let mut tb_prober = TbProber::new(&request.tablebases, request.settings.probing);
        let root_moves = tb_prober
            .rank_root(&request.game, fifty_move_rule, &moves, request.settings.multi_pv > 1)
            .unwrap_or_else(|| seen(request, moves).into_iter().map(RootMove::new).collect());
        let keys = request.game.history().to_vec();
        let mut searcher = Searcher {
            request,
            counters: &request.shared.0[number],
            number,
            evaluator,
            history,
            corrhist,
            stack,
            last_scores,
            tb_prober,
            // If moves are left out at the root, its side may have a better one when it recurs.
            repetition_root: keys.len() + usize::from(request.pv_count() > 1 || !wanted.is_empty()),
            keys,
            fifty_move_rule,
            salt,
            root_moves,
            pv_index: 0,
            root_depth: 0,
            seeks_mate: false,
            completed_depth: 0,
            time_scale: 1.0,
            nodes: 0,
            next_poll: 0,
            stopped_at: None,
            seldepth: 0,
            nmp_min_ply: 0,
        };
        searcher.counters.tb_hits.store(searcher.tb_prober.hits, Relaxed);
        searcher.plan_next_poll();
        searcher
    }

    /// Records the search of a root move. `window` is alpha and beta, or `None` if a move after
    /// the first did not raise alpha: then its score is only a bound, and is not kept.
    pub(super) fn update_root_move(
        &mut self,
        mv: Move,
        score: Score,
        window: Option<(Score, Score)>,
        nodes_before: u64,
    ) {
        let spent = self.nodes - nodes_before;
        let found =
            self.root_moves[self.pv_index..].iter_mut().find(|root_move| root_move.mv == mv);
        let Some(root_move) = found else { return };
        if self.pv_index == 0 {
            root_move.nodes += spent;
        }
        if let Some((alpha, beta)) = window {
            let current = &mut root_move.current;
            current.score = score;
            current.bound = Bound::of(score, alpha, beta);
            current.depth = self.root_depth;
            current.seldepth = self.seldepth;
            current.pv.clear();
            current.pv.push(mv);
            current.pv.extend_from_slice(&self.stack.at(1).pv);
        }
    }

    /// Reports as many lines as requested: first the `searched` ones of this iteration, then
    /// others by their last results.
    pub(super) fn report_lines(&self, searched: usize, report: &mut dyn FnMut(Report)) {
        let mut root_moves: Vec<&RootMove> = self.root_moves.iter().collect();
        root_moves[searched..].sort_by_key(|root_move| {
            let RootLine { depth, score, .. } = root_move.result;
            Reverse((root_move.tb_rank, depth, score))
        });
        root_moves.retain(|root_move| root_move.result.score != -INFINITE);
        for (line, root_move) in
            root_moves.into_iter().enumerate().take(self.request.settings.multi_pv)
        {
            report(self.make_report(root_move, line));
        }
    }

    /// The report on a root move, perhaps of another thread, as the line with this index.
    pub(super) fn make_report(&self, root_move: &RootMove, line: usize) -> Report {
        let RootLine { depth, seldepth, score, bound, pv } = &root_move.result;
        // Unless the search found a mate, the tablebase score, which is exact.
        let tb_score = root_move.tb_score.filter(|_| !score::is_mate(*score));
        Report {
            depth: *depth,
            seldepth: (*seldepth).max(1),
            multi_pv: line + 1,
            score: tb_score.unwrap_or(*score),
            bound: if tb_score.is_some() { Bound::Exact } else { *bound },
            nodes: self.request.shared.nodes(),
            hashfull: self.request.table.hashfull(),
            tb_hits: self.request.shared.tablebase_hits(),
            time: self.request.stop_token.elapsed(),
            pv: pv.clone(),
        }
    }

    /// The reply in the PV of the best move or, without one, the TT move after it.
    pub(super) fn ponder_move(&self, best: &RootMove) -> Option<Move> {
        best.result.pv.get(1).copied().or_else(|| {
            let board = self.request.game.board().make(best.mv);
            let tt_move =
                legal_tt_move(&board, self.request.table.probe(self.table_key(board.key()), 1, 0));
            (!tt_move.is_null()).then_some(tt_move)
        })
    }

    pub(super) fn choose(&self, strength: LimitedStrength) -> &RootMove {
        let lines = &self.root_moves[..self.request.pv_count().min(self.root_moves.len())];
        // Moves of lower tablebase rank are shown, but not played.
        let is_kept = |root_move: &&RootMove| root_move.tb_rank == lines[0].tb_rank;
        let scores: Vec<Score> =
            lines.iter().take_while(is_kept).map(|root_move| root_move.result.score).collect();
        &lines[strength.choose(&scores)]
    }

    /// Counts a node and polls the limits when due.
    #[inline]
    pub(super) fn enter_node(&mut self, ply: usize) -> Result<(), Stopped> {
        self.nodes += 1;
        self.counters.nodes.store(self.nodes, Relaxed);
        self.seldepth = self.seldepth.max(ply + 1);
        let is_due = self.nodes >= self.next_poll || self.request.stop_token.is_aborted();
        if is_due { self.poll() } else { Ok(()) }
    }

    /// The first thread at a limit aborts all: the main thread may be waiting for a processor.
    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        host::yield_now();
        if self.must_stop() {
            self.request.stop_token.abort();
            // The main thread first completes the first line, or at limited strength all lines, as
            // `FIRST_ITERATION_MAX_NODES` describes.
            let may_stop = self.number > 0
                || self.completed_depth > 0
                || (self.pv_index > 0 && self.request.strength.is_none());
            let is_too_long = self.nodes >= FIRST_ITERATION_MAX_NODES || self.is_grace_over();
            if may_stop || is_too_long || self.is_time_over() {
                return Err(Stopped);
            }
        }
        self.plan_next_poll();
        Ok(())
    }

    fn is_grace_over(&mut self) -> bool {
        self.request.stop_token.is_stopped()
            && self.stopped_at.get_or_insert_with(Instant::now).elapsed() >= FIRST_ITERATION_GRACE
    }

    fn plan_next_poll(&mut self) {
        let shared = &self.request.shared;
        let share = |limit: u64| limit.saturating_sub(shared.nodes()) / shared.0.len() as u64;
        let limits = [self.request.limits.nodes, self.request.node_limit()];
        let share = limits.into_iter().flatten().min().map_or(u64::MAX, share);
        let as_many_again = self.nodes.clamp(FIRST_POLL_NODES, NODES_PER_POLL);
        self.next_poll = self.nodes + share.clamp(1, as_many_again);
    }

    pub(super) fn must_stop(&self) -> bool {
        self.request.stop_token.is_aborted()
            || self.request.limits.nodes.is_some_and(|limit| self.request.shared.nodes() >= limit)
            || self.request.stop_token.is_stopped()
            || self.is_time_over()
    }

    /// Whether the hard deadline has passed. On the main thread also, whether the time spent
    /// pondering suffices or the move is to be played at once.
    pub(super) fn is_time_over(&self) -> bool {
        let is_enough =
            || self.request.was_pondered_enough(self.time_scale) || self.plays_at_once();
        self.request.is_past_hard() || self.number == 0 && is_enough()
    }

    /// The board's key, salted for the transposition table.
    #[inline]
    pub(super) fn table_key(&self, key: u64) -> u64 {
        key ^ self.salt
    }

    #[inline]
    pub(super) fn store(&self, board: &Board, ply: usize, entry: TtEntry) {
        self.request.table.store(self.table_key(board.key()), ply, entry);
    }

    /// Shows an entry to the observer: a copy, as a reference would keep the original in memory.
    #[cold]
    pub(super) fn observe(&self, board: &Board, entry: TtEntry) {
        self.request.observer.iter().for_each(|observe| observe(board, &entry));
    }

    /// The score of a draw by repetition, the fifty-move rule or insufficient material, or of
    /// the last ply of the stack.
    #[inline]
    pub(super) fn terminal_score(&mut self, board: &Board, ply: usize) -> Option<Score> {
        let is_draw =
            is_repetition(&self.keys, board.key(), board.halfmove(), self.repetition_root)
                || self.fifty_move_rule.is_draw(board)
                || (!board.has_pawns_or_majors() && board.is_insufficient_material());
        if is_draw { Some(DRAW) } else { (ply >= MAX_PLY).then(|| self.static_score(board)) }
    }

    /// The static evaluation, by rule in a known ending; [`DRAW`] in check.
    #[cold]
    pub(super) fn static_score(&mut self, board: &Board) -> Score {
        if board.in_check() {
            DRAW
        } else {
            endings::score(board).unwrap_or_else(|| self.evaluator.evaluate(board))
        }
    }
}
