//! How a move is chosen: iterative deepening of an alpha-beta search.
//!
//! [`search`] runs one iteration after the other (`deepening`) and reports each. The
//! nodes are in `negamax` and `quiescence`, every decision to search less or more in
//! `pruning`, the numbers behind them in [`params`]. What a thread learns stays in its
//! [`Memory`]; [`threads`] share only the transposition table ([`transposition`]).

pub mod limits;

pub mod control;

mod sync;

pub mod clock;

pub mod handicap;

mod deepening;

pub mod transposition;

pub mod threads;

mod node;

mod window;

mod frame;

mod correction;

mod history;

mod picker;

mod static_eval;

mod trials;

mod negamax;

mod quiescence;

mod pruning;

pub mod params;

pub mod tablebase;

use std::sync::Arc;

use crate::board::draw::is_repetition;
use crate::board::{Board, Game, Move, NoObserver};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, INFINITE, MAX_PLY, Score};
use crate::tablebase::Tablebases;

use clock::Clock;
use control::Control;
use correction::Correction;
use frame::Frames;
use handicap::Handicap;
use history::{Context, History};
use limits::{Bound, Limits, Outcome, Report, SearchEvent};
use picker::Picker;
use tablebase::{Prober, Probing};
use threads::{CallOff, Crew, Finding, Shared, ThreadCounters};
use transposition::TranspositionTable;

/// Nodes after which a thread first checks whether it must stop. From then on the
/// interval doubles, up to [`NODES_PER_POLL`].
const FIRST_POLL_NODES: u64 = 16;
/// The most nodes between two checks.
const NODES_PER_POLL: u64 = 1024;

/// A search that is told to stop in its first iteration may still complete it within
/// this many nodes, if its clock allows. No more: on a board full of queens,
/// quiescence search alone may take for ever.
const FIRST_ITERATION_MAX_NODES: u64 = 4096;

/// The search was stopped in the middle of the tree; what it was computing is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stopped;

/// What a node returns: its score, unless the search was stopped.
type Searched = Result<Score, Stopped>;

/// A root move and what is known of it.
#[derive(Clone, Debug)]
struct RootMove {
    mv: Move,
    /// Score in the current search of the root; `-INFINITE` until it is known.
    score: Score,
    /// The last known score, what it is a bound of, and from which iteration.
    known: Score,
    bound: Bound,
    depth: i32,
    /// The principal variation that starts with this move.
    pv: Vec<Move>,
    seldepth: usize,
    /// Nodes spent on it in the first line of all iterations so far.
    nodes: u64,
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -INFINITE,
            known: -INFINITE,
            bound: Bound::Exact,
            depth: 1,
            pv: vec![mv],
            seldepth: 0,
            nodes: 0,
        }
    }
}

/// All that one search needs to know from outside. Each thread has its own.
#[derive(Clone)]
pub struct Task {
    /// The position and its history.
    pub game: Game,
    /// When to end.
    pub limits: Limits,
    /// The deadlines that follow from the limits.
    pub clock: Clock,
    /// Number of threads, at least 1; no more than the crew has are used.
    pub threads: usize,
    /// How many lines to report, at least 1.
    pub multi_pv: usize,
    /// How its choice is weakened; its node budget is part of `limits`.
    pub handicap: Option<Handicap>,
    /// The transposition table, shared by all threads.
    pub table: Arc<TranspositionTable>,
    /// The tablebases; there may be none.
    pub tablebases: Arc<Tablebases>,
    /// When the tablebases are probed.
    pub probing: Probing,
    /// The connection to whoever started the search.
    pub control: Arc<Control>,
}

impl Task {
    /// How many lines to search, if there are that many moves.
    fn lines(&self) -> usize {
        let to_choose_from = if self.handicap.is_some() { handicap::LINES } else { 1 };
        self.multi_pv.max(to_choose_from)
    }

    /// Whether all threads vote on the move. Where the user wants several lines, a
    /// fixed depth or a mate, the main thread decides alone.
    fn is_put_to_the_vote(&self) -> bool {
        self.multi_pv == 1 && self.limits.depth.is_none() && self.limits.mate.is_none()
    }
}

/// What one search thread keeps from search to search.
pub struct Memory<E> {
    evaluator: E,
    history: History,
    correction: Correction,
    frames: Frames,
}

impl<E: Evaluator> Memory<E> {
    /// A memory without experience.
    #[must_use]
    pub fn new(evaluator: E) -> Memory<E> {
        Memory {
            evaluator,
            history: History::new(),
            correction: Correction::new(),
            frames: Frames::new(),
        }
    }

    /// Forgets what earlier searches taught.
    pub fn clear(&mut self) {
        self.history.clear();
        self.correction.clear();
        self.evaluator.clear();
    }
}

/// Searches with threads of `crew`, this one among them, until a limit is reached
/// or `task.control` stops it. Reports each iteration, and returns the move to
/// play. Does not wait for a stop or ponderhit once there is nothing left to do.
/// The best move returned begins the last line reported, unless several lines are
/// asked for and there is a handicap.
pub fn search<E: Evaluator>(
    task: &Task,
    crew: &mut Crew<E>,
    report: &mut dyn FnMut(SearchEvent),
) -> Outcome {
    let shared = Arc::new(Shared::new(task.threads.clamp(1, crew.threads())));
    let (memory, helpers) = crew.muster();
    let mut searcher = Searcher::new(task, &shared, 0, memory);
    if searcher.root_moves.is_empty() {
        report(SearchEvent::Report(no_move_report(task)));
        return Outcome { best: None, ponder: None };
    }
    // Whatever happens, the helpers stop.
    let call_off = CallOff(&task.control);
    let helper_findings = helpers.send(task, &shared);
    searcher.deepen(report);
    drop(call_off);
    let mut findings = vec![searcher.finding()];
    let helper_findings = helper_findings.wait();
    if task.is_put_to_the_vote() {
        findings.extend(helper_findings);
    }
    let best = match task.handicap {
        Some(handicap) => searcher.choose(handicap),
        None => &findings[threads::elect(&findings)].best,
    };
    // If several lines are asked for, each keeps its rank.
    if best.mv != searcher.root_moves[0].mv && task.multi_pv == 1 {
        report(SearchEvent::Report(searcher.report(best, 0)));
    }
    Outcome { best: Some(best.mv), ponder: expected_reply(task, best) }
}

/// The expected reply to the best move: the next one of its line, or, if the search
/// was stopped before that was known, the hash move.
fn expected_reply(task: &Task, best: &RootMove) -> Option<Move> {
    best.pv.get(1).copied().or_else(|| {
        let board = task.game.board().make(best.mv, &mut NoObserver);
        let hash_move = task.table.probe(board.key(), 1, board.halfmove())?.mv;
        board.is_legal(hash_move).then_some(hash_move)
    })
}

/// The report on a root without legal moves: checkmate or stalemate.
fn no_move_report(task: &Task) -> Report {
    let is_mate = task.game.board().in_check();
    Report {
        depth: 0,
        seldepth: 0,
        multi_pv: 1,
        score: if is_mate { score::mated_at(0) } else { score::DRAW },
        bound: Bound::Exact,
        nodes: 0,
        hashfull: 0,
        tb_hits: 0,
        time: task.control.elapsed(),
        pv: Vec::new(),
    }
}

/// The legal moves in the order in which a node would try them.
fn promising_first(board: &Board, table: &TranspositionTable, history: &History) -> Vec<Move> {
    let known = table.probe(board.key(), 0, board.halfmove()).map(|entry| entry.mv);
    let hash_move = known.filter(|&mv| board.is_legal(mv)).unwrap_or(Move::NONE);
    let context = Context::new(board, Context::NOTHING_BEFORE);
    let mut picker = Picker::new();
    picker.reset(hash_move);
    std::iter::from_fn(|| picker.next(board, history, &context)).collect()
}

/// One search at work.
struct Searcher<'a, E> {
    task: &'a Task,
    shared: &'a Shared,
    counters: &'a ThreadCounters,
    /// Whether this is the main thread.
    is_main: bool,
    evaluator: &'a mut E,
    history: &'a mut History,
    correction: &'a mut Correction,
    frames: &'a mut Frames,
    prober: Prober<'a>,
    /// Keys of all positions before the current one: the game's, then the line's.
    keys: Vec<u64>,
    /// How many of these keys are the game's.
    root_keys: usize,
    root_moves: Vec<RootMove>,
    /// The rank of the line being searched, from 0: the root moves before it are done.
    line: usize,
    /// Depth of the iteration.
    root_depth: i32,
    /// The last completed iteration, 0 for none.
    completed: i32,
    /// Nodes searched by this thread.
    nodes: u64,
    /// Nodes that this thread spent on the first line.
    first_line_nodes: u64,
    /// The node count at which to check next whether the search must stop.
    next_poll: u64,
    seldepth: usize,
    /// While a null move is being verified, the first ply at which another one may be
    /// tried; otherwise 0.
    null_move_min_ply: usize,
    /// Whether the first line is complete, or with a handicap all lines: until then
    /// limits do not apply to the main thread.
    may_stop: bool,
}

impl<'a, E: Evaluator> Searcher<'a, E> {
    /// The search of the thread with this number; 0 is the main thread.
    fn new(
        task: &'a Task,
        shared: &'a Shared,
        number: usize,
        memory: &'a mut Memory<E>,
    ) -> Searcher<'a, E> {
        let Memory { evaluator, history, correction, frames } = memory;
        let board = task.game.board();
        evaluator.reset(board);
        frames.reset();
        let wanted = &task.limits.search_moves;
        let mut moves = promising_first(board, &task.table, history);
        moves.retain(|mv| wanted.is_empty() || wanted.contains(mv));
        let prober = Prober::at_root(&task.tablebases, task.probing, &task.game, &mut moves);
        let root_moves = moves.into_iter().map(RootMove::new).collect();
        let keys = task.game.history().to_vec();
        let is_main = number == 0;
        let mut searcher = Searcher {
            task,
            shared,
            counters: shared.counters_of(number),
            is_main,
            evaluator,
            history,
            correction,
            frames,
            prober,
            root_keys: keys.len(),
            keys,
            root_moves,
            line: 0,
            root_depth: 0,
            completed: 0,
            nodes: 0,
            first_line_nodes: 0,
            next_poll: 0,
            seldepth: 0,
            null_move_min_ply: 0,
            may_stop: !is_main,
        };
        searcher.counters.set_tablebase_hits(searcher.prober.hits);
        searcher.plan_next_poll();
        searcher
    }

    fn report_lines(&self, report: &mut dyn FnMut(SearchEvent)) {
        for (line, root_move) in self.root_moves.iter().enumerate().take(self.task.multi_pv) {
            if root_move.known != -INFINITE {
                report(SearchEvent::Report(self.report(root_move, line)));
            }
        }
    }

    /// The report on a root move, this thread's or another's, as the line of this rank.
    fn report(&self, root_move: &RootMove, line: usize) -> Report {
        Report {
            depth: root_move.depth,
            seldepth: root_move.seldepth.max(1),
            multi_pv: line + 1,
            score: self.prober.reported(root_move.known),
            bound: root_move.bound,
            nodes: self.shared.nodes(),
            hashfull: self.task.table.hashfull(),
            tb_hits: self.shared.tablebase_hits(),
            time: self.task.control.elapsed(),
            pv: root_move.pv.clone(),
        }
    }

    /// What this thread would play.
    fn finding(&self) -> Finding {
        Finding { best: self.root_moves[0].clone(), completed: self.completed }
    }

    /// The root move to play under a handicap.
    fn choose(&self, handicap: Handicap) -> &RootMove {
        let lines = &self.root_moves[..self.task.lines().min(self.root_moves.len())];
        let scores: Vec<Score> = lines.iter().map(|root_move| root_move.known).collect();
        &lines[handicap.choose(&scores, self.task.game.board().key())]
    }

    /// Counts a node and checks, now and then, whether the search must stop.
    #[inline]
    fn enter_node(&mut self, ply: usize) -> Result<(), Stopped> {
        self.nodes += 1;
        self.counters.set_nodes(self.nodes);
        self.seldepth = self.seldepth.max(ply + 1);
        let is_due = self.nodes >= self.next_poll || self.task.control.is_called_off();
        if is_due { self.poll() } else { Ok(()) }
    }

    /// Checks whether the search must stop. The first thread to notice tells the
    /// others: the main thread may be waiting for a processor.
    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        if self.is_called_off() {
            self.task.control.call_off();
            if self.may_stop || self.nodes >= FIRST_ITERATION_MAX_NODES || self.is_time_over() {
                return Err(Stopped);
            }
        }
        self.plan_next_poll();
        Ok(())
    }

    fn plan_next_poll(&mut self) {
        let limits = [self.task.limits.nodes, self.task.clock.node_limit()];
        let limit = limits.into_iter().flatten().min();
        let share = limit.map_or(u64::MAX, |limit| self.shared.share_of_nodes_left(limit));
        let as_many_again = self.nodes.clamp(FIRST_POLL_NODES, NODES_PER_POLL);
        self.next_poll = self.nodes + share.clamp(1, as_many_again);
    }

    /// Whether nodes or time are used up, or a stop has been asked for.
    fn is_called_off(&self) -> bool {
        self.task.control.is_called_off()
            || self.task.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit)
            || self.task.control.is_stopped()
            || self.is_time_over()
    }

    /// Whether the clock leaves no more time for this move.
    fn is_time_over(&self) -> bool {
        self.task.clock.is_over(|| self.shared.nodes())
    }

    /// The score of a position at which the search ends in any case: a draw, or the
    /// last ply there is room for.
    #[inline]
    fn rule_end(&mut self, board: &Board, ply: usize) -> Option<Score> {
        if self.is_draw(board) {
            Some(DRAW)
        } else if ply >= MAX_PLY {
            Some(if board.in_check() { DRAW } else { self.evaluator.evaluate(board) })
        } else {
            None
        }
    }

    /// Whether the position is drawn by repetition, the fifty-move rule or
    /// insufficient material.
    #[inline]
    fn is_draw(&self, board: &Board) -> bool {
        is_repetition(&self.keys, board.key(), board.halfmove(), self.root_keys)
            || board.is_fifty_move_draw()
            || (!board.has_pawns_or_majors() && board.is_insufficient_material())
    }
}
