//! How a move is chosen: iterative deepening of an alpha-beta search.
//!
//! [`search`] deepens iteration by iteration (`deepening`) and reports each. The
//! nodes are in `negamax` and `quiescence`, their numbers in [`params`], every decision to
//! search less in `pruning`. What a thread learns stays in its [`Memory`];
//! [`threads`] share only the [`table`].

pub mod limits;

pub mod control;

mod sync;

pub mod clock;

pub mod handicap;

mod deepening;

pub mod table;

pub mod threads;

mod node;

mod frame;

mod correction;

mod history;

mod picker;

mod judge;

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
use table::Table;
use tablebase::{Endgames, Probing};
use threads::{CallOff, Crew, Finding, Shared, Tally};

/// A thread looks whether it must end after so many nodes, then after twice as many
/// and so on,
const FIRST_POLL_NODES: u64 = 16;
/// but at least once in so many.
const NODES_PER_POLL: u64 = 1024;

/// A search that was told to stop in its first iteration may take so many nodes to
/// complete it, if its clock allows: with a board full of queens, quiescence alone
/// may take for ever.
const FIRST_ITERATION_MAX_NODES: u64 = 4096;

/// The search has been stopped in mid-tree; what it was computing is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stopped;

/// What a node returns: its score, unless the search was stopped.
type Searched = Result<Score, Stopped>;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
struct RootMove {
    mv: Move,
    /// Score in the search going on; `-INFINITE` until it is known.
    score: Score,
    /// The last score known, what it is a bound of, and from which iteration.
    known: Score,
    bound: Bound,
    depth: i32,
    /// The line, from this move on.
    pv: Vec<Move>,
    seldepth: usize,
    /// Nodes spent on it in the first line of all iterations.
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
    /// How many threads search, at least 1; no more than the crew has.
    pub threads: usize,
    /// How many lines to report, at least 1.
    pub multi_pv: usize,
    /// How its choice is weakened; its budget of nodes is part of `limits`.
    pub handicap: Option<Handicap>,
    /// The shared table.
    pub table: Arc<Table>,
    /// The endgame tables; there may be none.
    pub tablebases: Arc<Tablebases>,
    /// When the endgame tables are asked.
    pub probing: Probing,
    /// The rope to whoever started the search.
    pub control: Arc<Control>,
}

impl Task {
    /// How many lines to search, as far as there are so many moves.
    fn lines(&self) -> usize {
        let to_choose_from = if self.handicap.is_some() { handicap::LINES } else { 1 };
        self.multi_pv.max(to_choose_from)
    }

    /// Whether all threads have a say in the move. What the user asks to be
    /// reported in full, or to a depth, is the main thread's own work.
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
    }
}

/// Searches with threads of `crew`, this one among them, until a limit is reached
/// or `task.control` stops it. Reports each iteration, and returns the move to
/// play. It does not wait for a stop or ponderhit once it has nothing left to do.
/// The outcome's best move is the first of the last report's line, unless several
/// are asked for and there is a handicap.
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
    // Whatever happens: the helpers end.
    let call_off = CallOff(&task.control);
    let helpers_findings = helpers.send(task, &shared);
    searcher.deepen(report);
    drop(call_off);
    let mut findings = vec![searcher.finding()];
    let helpers_findings = helpers_findings.wait();
    if task.is_put_to_the_vote() {
        findings.extend(helpers_findings);
    }
    let best = match task.handicap {
        Some(handicap) => searcher.choose(handicap),
        None => &findings[threads::elect(&findings)].best,
    };
    // Of several lines asked for, each keeps its rank.
    if best.mv != searcher.root_moves[0].mv && task.multi_pv == 1 {
        report(SearchEvent::Report(searcher.report(best, 0)));
    }
    Outcome { best: Some(best.mv), ponder: expected_answer(task, best) }
}

/// The answer to expect to the best move: the next one of its line, or, if the
/// search was stopped when that was not known yet, what the table knows.
fn expected_answer(task: &Task, best: &RootMove) -> Option<Move> {
    best.pv.get(1).copied().or_else(|| {
        let board = task.game.board().make(best.mv, &mut NoObserver);
        let known = task.table.probe(board.key(), 1, board.halfmove())?.mv;
        board.is_legal(known).then_some(known)
    })
}

/// What is said about a root without legal moves: mated or stalemate.
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
fn promising_first(board: &Board, table: &Table, history: &History) -> Vec<Move> {
    let known = table.probe(board.key(), 0, board.halfmove()).map(|entry| entry.mv);
    let table_move = known.filter(|&mv| board.is_legal(mv)).unwrap_or(Move::NONE);
    let context = Context::new(board, Context::NOTHING_BEFORE);
    let mut picker = Picker::new();
    picker.reset(table_move);
    std::iter::from_fn(|| picker.next(board, history, &context)).collect()
}

/// One search at work.
struct Searcher<'a, E> {
    task: &'a Task,
    shared: &'a Shared,
    tally: &'a Tally,
    /// Whether it runs on the main thread.
    is_main: bool,
    evaluator: &'a mut E,
    history: &'a mut History,
    correction: &'a mut Correction,
    frames: &'a mut Frames,
    endgames: Endgames<'a>,
    /// Keys of all positions before the current one: the game's, then the line's.
    keys: Vec<u64>,
    /// How many of them the game had at the root.
    root_keys: usize,
    root_moves: Vec<RootMove>,
    /// The rank of the line being searched, from 0: the root moves before it are done.
    line: usize,
    /// Depth of the iteration.
    root_depth: i32,
    /// The last iteration completed, 0 for none.
    completed: i32,
    /// Nodes of this thread.
    nodes: u64,
    /// Those of them that were spent on the first line.
    first_line_nodes: u64,
    /// After so many nodes it is time to look whether the search must end.
    next_poll: u64,
    seldepth: usize,
    /// Null moves are not tried before this ply while one is being verified;
    /// otherwise 0.
    null_move_min_ply: usize,
    /// Whether a line has been searched, or with a handicap all lines: until then
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
        let endgames = Endgames::at_root(&task.tablebases, task.probing, &task.game, &mut moves);
        let root_moves = moves.into_iter().map(RootMove::new).collect();
        let keys = task.game.history().to_vec();
        let is_main = number == 0;
        let mut searcher = Searcher {
            task,
            shared,
            tally: shared.tally(number),
            is_main,
            evaluator,
            history,
            correction,
            frames,
            endgames,
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
        searcher.tally.set_table_hits(searcher.endgames.hits);
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

    /// Tells of a root move, this thread's or another's, as the line of this rank.
    fn report(&self, root_move: &RootMove, line: usize) -> Report {
        Report {
            depth: root_move.depth,
            seldepth: root_move.seldepth.max(1),
            multi_pv: line + 1,
            score: self.endgames.reported(root_move.known),
            bound: root_move.bound,
            nodes: self.shared.nodes(),
            hashfull: self.task.table.hashfull(),
            tb_hits: self.shared.table_hits(),
            time: self.task.control.elapsed(),
            pv: root_move.pv.clone(),
        }
    }

    /// What this thread would play.
    fn finding(&self) -> Finding {
        Finding { best: self.root_moves[0].clone(), completed: self.completed }
    }

    /// The root move to play with a handicap.
    fn choose(&self, handicap: Handicap) -> &RootMove {
        let lines = &self.root_moves[..self.task.lines().min(self.root_moves.len())];
        let scores: Vec<Score> = lines.iter().map(|root_move| root_move.known).collect();
        &lines[handicap.choose(&scores, self.task.game.board().key())]
    }

    /// Counts a node and looks, now and then, whether the search must end.
    #[inline]
    fn enter_node(&mut self, ply: usize) -> Result<(), Stopped> {
        self.nodes += 1;
        self.tally.set_nodes(self.nodes);
        self.seldepth = self.seldepth.max(ply + 1);
        let is_due = self.nodes >= self.next_poll || self.task.control.is_called_off();
        if is_due { self.poll() } else { Ok(()) }
    }

    /// Looks whether the search must end. Whoever sees that first tells the
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

    /// The score of a position at which the search ends whatever is on the board:
    /// a draw, or the last ply there is room for.
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

    /// Whether the position is drawn by repetition, the fifty-move clock or
    /// lack of material.
    #[inline]
    fn is_draw(&self, board: &Board) -> bool {
        is_repetition(&self.keys, board.key(), board.halfmove(), self.root_keys)
            || board.is_fifty_move_draw()
            || (!board.has_pawns_or_majors() && board.is_insufficient_material())
    }
}
