//! One thread's search: what it knows, when it stops, and how it reports. The tree
//! itself is searched by the files above: `deepening`, `negamax`, `quiescence`.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::board::draw::{ClockRule, is_repetition};
use crate::board::{Board, Game, Move};
use crate::eval::nnue::{Network, Nnue};
use crate::host;
use crate::score::{self, DRAW, INFINITE, MAX_PLY, Score};
use crate::sys::large_pages::LargeBox;
use crate::tablebase::Tablebases;
use crate::tablebase::root::RankedMove;

use super::clock::{Clock, LastScores};
use super::control::Control;
use super::correction::Correction;
use super::frame::Frames;
use super::handicap::Handicap;
use super::history::{Context, History};
use super::limits::{Bound, Limits, Report, SearchEvent};
use super::picker::Picker;
use super::prober::{Prober, Probing};
use super::shared::{Shared, ThreadCounters};
use super::transposition::TranspositionTable;

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
pub(super) struct Stopped;

/// What a node returns: its score, unless the search was stopped.
pub(super) type Searched = Result<Score, Stopped>;

/// How a root move came to its score.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// What the score is a bound of.
    pub(super) bound: Bound,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The principal variation that starts with the move.
    pub(super) pv: Vec<Move>,
}

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// By the tablebases; a higher rank comes first whatever the scores, even before a
    /// mate: by rank the win is safe from the draw rules. 0 if the root is not in them.
    pub(super) rank: i32,
    /// The score by the tablebases, if they know the root.
    pub(super) tablebase_score: Option<Score>,
    /// Score in the current search of the root; `-INFINITE` until it is known.
    pub(super) score: Score,
    /// How the current search came to that score.
    pub(super) found: Line,
    /// The last score that made it the best move, from which iteration that is, and how
    /// it was found.
    pub(super) known: Score,
    pub(super) depth: i32,
    pub(super) line: Line,
    /// Nodes spent on it in the first line of all iterations so far.
    pub(super) nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        let line = Line { bound: Bound::Exact, seldepth: 0, pv: vec![mv] };
        RootMove {
            mv,
            rank: 0,
            tablebase_score: None,
            score: -INFINITE,
            found: line.clone(),
            known: -INFINITE,
            depth: 1,
            line,
            nodes: 0,
        }
    }

    /// The score to report: that of the tablebases if they know the root, unless a mate
    /// was found, which is more precise.
    pub(super) fn reported_score(&self) -> Score {
        self.tablebase_score.filter(|_| !score::is_mate(self.known)).unwrap_or(self.known)
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
    /// What its threads share; it says how many they are to be. No more than the crew has
    /// are used.
    pub shared: Arc<Shared>,
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
    pub(super) fn lines(&self) -> usize {
        let to_choose_from = self.handicap.map_or(1, |handicap| handicap.lines());
        self.multi_pv.max(to_choose_from)
    }

    /// Whether all threads vote on the move. Where the user wants several lines, a
    /// fixed depth or a mate, the main thread decides alone.
    pub(super) fn is_put_to_the_vote(&self) -> bool {
        self.multi_pv == 1 && self.limits.depth.is_none() && self.limits.mate.is_none()
    }
}

/// What one search thread keeps from search to search.
pub struct Memory {
    evaluator: Nnue,
    history: LargeBox<History>,
    /// Shared by all threads of a crew.
    correction: Arc<LargeBox<Correction>>,
    frames: Frames,
    last_scores: LastScores,
}

impl Memory {
    /// A memory without experience, but for what `correction` knows.
    #[must_use]
    pub(super) fn new(network: &Arc<Network>, correction: Arc<LargeBox<Correction>>) -> Memory {
        Memory {
            evaluator: Nnue::new(Arc::clone(network)),
            history: LargeBox::zeroed(),
            correction,
            frames: Frames::new(),
            last_scores: LastScores::default(),
        }
    }

    /// Forgets what earlier searches taught, but for the correction history, which others
    /// share.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.last_scores = LastScores::default();
    }
}

/// Changes the keys of a search that counts draws by the clock later than others: near
/// the limit, the scores of an earlier search are those of draws.
fn table_salt(rule: ClockRule) -> u64 {
    // The golden ratio, in binary.
    if rule.is_past_claim() { 0x9e37_79b9_7f4a_7c15 } else { 0 }
}

/// The legal moves in the order in which a node would try them. `key` is that of the
/// board in the table.
fn promising_first(
    board: &Board,
    key: u64,
    table: &TranspositionTable,
    history: &History,
) -> Vec<Move> {
    let known = table.probe(key, 0, 0).map(|entry| entry.mv);
    let hash_move = known.filter(|&mv| board.is_legal(mv)).unwrap_or(Move::NONE);
    let context = Context::new(board, Context::NOTHING_BEFORE);
    let mut picker = Picker::new();
    picker.reset(hash_move);
    std::iter::from_fn(|| picker.next(board, history, &context)).collect()
}

/// One search at work.
pub(super) struct Searcher<'a> {
    pub(super) task: &'a Task,
    pub(super) shared: &'a Shared,
    pub(super) counters: &'a ThreadCounters,
    /// The number of this thread; 0 is the main thread.
    pub(super) number: usize,
    pub(super) evaluator: &'a mut Nnue,
    pub(super) history: &'a mut History,
    pub(super) correction: &'a Correction,
    pub(super) frames: &'a mut Frames,
    pub(super) last_scores: &'a mut LastScores,
    pub(super) prober: Prober<'a>,
    /// Keys of all positions before the current one: the game's, then the line's.
    pub(super) keys: Vec<u64>,
    /// How many of these keys are the game's.
    pub(super) root_keys: usize,
    pub(super) clock_rule: ClockRule,
    /// Distinguishes the keys in the transposition table; see [`table_salt`].
    salt: u64,
    pub(super) root_moves: Vec<RootMove>,
    /// The rank of the line being searched, from 0: the root moves before it are done.
    pub(super) line: usize,
    /// Depth of the iteration.
    pub(super) root_depth: i32,
    /// The last completed iteration, 0 for none.
    pub(super) completed: i32,
    /// How much of the soft deadline's time the search should use as it stands: 1 is all of it.
    pub(super) stretch: f64,
    /// Nodes searched by this thread.
    pub(super) nodes: u64,
    /// Nodes that this thread spent on the first line.
    pub(super) first_line_nodes: u64,
    /// The node count at which to check next whether the search must stop.
    pub(super) next_poll: u64,
    pub(super) seldepth: usize,
    /// While a null move is being verified, the first ply at which another one may be
    /// tried; otherwise 0.
    pub(super) null_move_min_ply: usize,
    /// Whether the first line is complete, or with a handicap all lines: until then
    /// limits do not apply to the main thread.
    pub(super) may_stop: bool,
}

impl<'a> Searcher<'a> {
    /// The search of the thread with this number; 0 is the main thread.
    pub(super) fn new(task: &'a Task, number: usize, memory: &'a mut Memory) -> Searcher<'a> {
        let Memory { evaluator, history, correction, frames, last_scores } = memory;
        let board = task.game.board();
        evaluator.reset(board);
        frames.reset();
        let wanted = &task.limits.search_moves;
        let clock_rule = ClockRule::of(board);
        let salt = table_salt(clock_rule);
        let mut moves = promising_first(board, board.key() ^ salt, &task.table, history);
        moves.retain(|mv| wanted.is_empty() || wanted.contains(mv));
        let (prober, ranked) =
            Prober::at_root(&task.tablebases, task.probing, &task.game, &moves, task.multi_pv > 1);
        let root_moves = match ranked {
            Some(ranked) => ranked
                .into_iter()
                .map(|(RankedMove { mv, rank, .. }, score)| RootMove {
                    rank,
                    tablebase_score: Some(score),
                    ..RootMove::new(mv)
                })
                .collect(),
            None => moves.into_iter().map(RootMove::new).collect(),
        };
        let keys = task.game.history().to_vec();
        let mut searcher = Searcher {
            task,
            shared: &task.shared,
            counters: task.shared.counters_of(number),
            number,
            evaluator,
            history,
            correction,
            frames,
            last_scores,
            prober,
            root_keys: keys.len(),
            keys,
            clock_rule,
            salt,
            root_moves,
            line: 0,
            root_depth: 0,
            completed: 0,
            stretch: 1.0,
            nodes: 0,
            first_line_nodes: 0,
            next_poll: 0,
            seldepth: 0,
            null_move_min_ply: 0,
            may_stop: number > 0,
        };
        searcher.counters.set_tablebase_hits(searcher.prober.hits);
        searcher.plan_next_poll();
        searcher
    }

    /// Reports as many lines as the user wants: first the `searched` ones of this
    /// iteration, then what was known before of other moves, the best of it.
    pub(super) fn report_lines(&self, searched: usize, report: &mut dyn FnMut(SearchEvent)) {
        let mut root_moves: Vec<&RootMove> = self.root_moves.iter().collect();
        root_moves[searched..]
            .sort_by_key(|root_move| Reverse((root_move.rank, root_move.depth, root_move.known)));
        root_moves.retain(|root_move| root_move.known != -INFINITE);
        for (line, root_move) in root_moves.into_iter().enumerate().take(self.task.multi_pv) {
            report(SearchEvent::Report(self.report(root_move, line)));
        }
    }

    /// The report on a root move, this thread's or another's, as the line of this rank.
    pub(super) fn report(&self, root_move: &RootMove, line: usize) -> Report {
        Report {
            depth: root_move.depth,
            seldepth: root_move.line.seldepth.max(1),
            multi_pv: line + 1,
            score: root_move.reported_score(),
            bound: root_move.line.bound,
            nodes: self.shared.nodes(),
            hashfull: self.task.table.hashfull(),
            tb_hits: self.shared.tablebase_hits(),
            time: self.task.control.elapsed(),
            pv: root_move.line.pv.clone(),
        }
    }

    /// The expected reply to the best move: the next one of its line, or, if the search
    /// was stopped before that was known, the hash move.
    pub(super) fn expected_reply(&self, best: &RootMove) -> Option<Move> {
        best.line.pv.get(1).copied().or_else(|| {
            let board = self.task.game.board().make(best.mv);
            let hash_move = self.task.table.probe(self.table_key(board.key()), 1, 0)?.mv;
            board.is_legal(hash_move).then_some(hash_move)
        })
    }

    /// The root move to play under a handicap.
    pub(super) fn choose(&self, handicap: Handicap) -> &RootMove {
        let lines = &self.root_moves[..self.task.lines().min(self.root_moves.len())];
        // Moves that lose what the tablebases promise are shown, but not played.
        let is_kept = |root_move: &&RootMove| root_move.rank == lines[0].rank;
        let scores: Vec<Score> =
            lines.iter().take_while(is_kept).map(|root_move| root_move.known).collect();
        &lines[handicap.choose(&scores, self.task.game.board().key())]
    }

    /// Counts a node and checks, now and then, whether the search must stop.
    #[inline]
    pub(super) fn enter_node(&mut self, ply: usize) -> Result<(), Stopped> {
        self.nodes += 1;
        self.counters.set_nodes(self.nodes);
        self.seldepth = self.seldepth.max(ply + 1);
        let is_due = self.nodes >= self.next_poll || self.task.control.is_called_off();
        if is_due { self.poll() } else { Ok(()) }
    }

    /// Checks whether the search must stop. The first thread to notice tells the
    /// others: the main thread may be waiting for a processor.
    #[cold]
    pub(super) fn poll(&mut self) -> Result<(), Stopped> {
        host::pause();
        if self.is_called_off() {
            self.task.control.call_off();
            if self.may_stop || self.nodes >= FIRST_ITERATION_MAX_NODES || self.is_time_over() {
                return Err(Stopped);
            }
        }
        self.plan_next_poll();
        Ok(())
    }

    pub(super) fn plan_next_poll(&mut self) {
        let limits = [self.task.limits.nodes, self.task.clock.node_limit()];
        let limit = limits.into_iter().flatten().min();
        let share = limit.map_or(u64::MAX, |limit| self.shared.share_of_nodes_left(limit));
        let as_many_again = self.nodes.clamp(FIRST_POLL_NODES, NODES_PER_POLL);
        self.next_poll = self.nodes + share.clamp(1, as_many_again);
    }

    /// Whether nodes or time are used up, or a stop has been asked for.
    pub(super) fn is_called_off(&self) -> bool {
        self.task.control.is_called_off()
            || self.task.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit)
            || self.task.control.is_stopped()
            || self.is_time_over()
    }

    /// Whether the clock leaves no more time for this move, or pondering has taken enough.
    pub(super) fn is_time_over(&self) -> bool {
        let clock = &self.task.clock;
        let is_enough = || clock.was_pondered_enough(self.stretch) || self.is_played_at_once();
        clock.is_over(|| self.shared.nodes()) || self.number == 0 && is_enough()
    }

    /// The key of a position in the transposition table, from its key on the board.
    #[inline]
    pub(super) fn table_key(&self, key: u64) -> u64 {
        key ^ self.salt
    }

    /// The score of a position at which the search ends in any case: a draw, or the
    /// last ply there is room for.
    #[inline]
    pub(super) fn rule_end(&mut self, board: &Board, ply: usize) -> Option<Score> {
        if self.is_draw(board) {
            Some(DRAW)
        } else if ply >= MAX_PLY {
            Some(if board.in_check() { DRAW } else { self.evaluate_last(board) })
        } else {
            None
        }
    }

    /// Whether the position is drawn by repetition, the fifty-move rule or
    /// insufficient material.
    #[inline]
    pub(super) fn is_draw(&self, board: &Board) -> bool {
        is_repetition(&self.keys, board.key(), board.halfmove(), self.root_keys)
            || self.clock_rule.is_draw(board)
            || (!board.has_pawns_or_majors() && board.is_insufficient_material())
    }
}
