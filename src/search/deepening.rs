//! Iterative deepening: one iteration after the other, each of its lines with an
//! aspiration window around its last score, until the answer is good enough.

use std::cmp::Reverse;

use crate::score::{self, INFINITE, MAX_DEPTH, MAX_PLY, Score};

use super::clock::Confidence;
use super::limits::{LONG_SEARCH, SearchEvent};
use super::node::{Expected, Root};
use super::params::aspiration;
use super::searcher::{RootMove, Searcher, Stopped};
use super::window::Window;

/// The first windows of threads differ by up to this many centipawns less one on either side,
/// so that they search different trees (Stockfish).
const WINDOW_VARIETY: usize = 8;

/// A fall of the score is measured against its average over about this many
/// iterations.
const SCORE_MEMORY: Score = 3;

/// A score that changes by less than this in centipawns from one iteration to the next
/// stays about the same.
const STEADY_CP: Score = 12;

/// The score of the next search is compared with that of this one if it came as deep as this:
/// a forced move is played after the first iteration.
const TELLING_DEPTH: i32 = 8;

/// Where the tablebases know the win, this depth is enough to make progress.
const KNOWN_WIN_DEPTH: i32 = 16;

/// How the root has fared in the iterations of a search.
#[derive(Default)]
struct Progress {
    /// The score of the last iteration, and about the average of the last few.
    scores: Option<(Score, Score)>,
    /// For how many iterations the best move has been the same.
    stability: u32,
    /// For how many iterations the score has been about the same.
    steadiness: u32,
}

impl Progress {
    /// Takes note of an iteration with this score, and whether the best move has
    /// remained. Returns by how much the score has fallen.
    fn note(&mut self, score: Score, is_same_move: bool) -> Score {
        let (last, usual) = self.scores.unwrap_or((score, score));
        let is_steady = (score - last).abs() < STEADY_CP;
        self.scores = Some((score, (usual * (SCORE_MEMORY - 1) + score) / SCORE_MEMORY));
        self.stability = if is_same_move { self.stability + 1 } else { 0 };
        self.steadiness = if is_steady { self.steadiness + 1 } else { 0 };
        usual - score
    }
}

impl Searcher<'_> {
    /// Runs iterations until the search is done. Helpers go on until it is called off.
    pub(super) fn deepen(&mut self, report: &mut dyn FnMut(SearchEvent)) {
        let is_main = self.number == 0;
        let wanted_depth = if is_main { self.task.limits.depth } else { None };
        let max_depth = wanted_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let lines = self.task.lines().min(self.root_moves.len());
        let mut progress = Progress::default();
        let last_score = self.last_scores.before(self.task.game.board());
        for depth in 1..=max_depth {
            self.root_depth = depth;
            let last_best = self.root_moves[0].mv;
            // After the lines, moves that were hard to refute come first.
            self.root_moves[lines..]
                .sort_by_key(|root_move| Reverse((root_move.rank, root_move.nodes)));
            for line in 0..lines {
                self.line = line;
                if self.aspirate(report).and_then(|()| self.hunt_mate()).is_err() {
                    // What was found before the stop still counts: a move that raised
                    // alpha is better than the best one of the last iteration.
                    self.sort_root_moves(line);
                    self.note_score(line);
                    self.guess_score();
                    self.report_lines(line + 1, report);
                    return;
                }
                sort_by_score(&mut self.root_moves[..=line]);
                // A handicap chooses among all lines.
                self.may_stop |= self.task.handicap.is_none() || line + 1 == lines;
                if line + 1 < lines {
                    self.report_early(report);
                }
            }
            self.completed = depth;
            self.report_lines(lines, report);
            let best = &self.root_moves[0];
            let fall_cp = progress.note(best.known, best.mv == last_best);
            let is_decisive = score::is_decisive(best.known);
            let confidence = Confidence {
                depth,
                effort: best.nodes as f64 / self.first_line_nodes.max(1) as f64,
                stability: progress.stability,
                steadiness: progress.steadiness,
                fall_cp: if is_decisive { 0 } else { fall_cp },
                fall_since_move_cp: match last_score {
                    Some(last) if !is_decisive => last - best.known,
                    _ => 0,
                },
            };
            if depth >= TELLING_DEPTH {
                self.last_scores.note(self.task.game.board(), best.known);
            }
            self.stretch = confidence.stretch();
            let is_done =
                self.is_done() || self.task.clock.is_enough(self.stretch, || self.shared.nodes());
            if is_main && is_done {
                return;
            }
        }
    }

    /// Whether the move takes no more of the game's clock: there is no other, or tablebases
    /// know that it wins.
    pub(super) fn is_played_at_once(&self) -> bool {
        let is_on_clock = self.task.clock.is_game()
            && !self.task.limits.infinite
            && self.task.control.on_clock().is_some();
        let is_forced = self.root_moves.len() == 1;
        let is_deep = score::is_mate(self.root_moves[0].known) || self.completed >= KNOWN_WIN_DEPTH;
        let is_won = self.root_moves[0].tablebase_score.is_some_and(score::is_win);
        let is_clear = is_forced || is_won && is_deep;
        self.completed > 0 && is_on_clock && is_clear
    }

    /// Whether the iteration that has just ended was the last one that is needed.
    fn is_done(&self) -> bool {
        let limits = &self.task.limits;
        let score = self.root_moves[0].score;
        let is_mate_found = limits.mate.is_some_and(|wanted| {
            score::mate_in_moves(score).is_some_and(|moves| moves.abs() <= wanted.abs())
        });
        let is_enough = limits.soft_nodes.is_some_and(|soft| self.shared.nodes() >= soft);
        self.is_played_at_once() || is_mate_found || is_enough || self.is_called_off()
    }

    /// One line of one iteration, with an aspiration window around the last score that is
    /// widened on the side that fails. A search that fails high is repeated a little
    /// shallower: the move is good, only its score is unknown.
    fn aspirate(&mut self, report: &mut dyn FnMut(SearchEvent)) -> Result<(), Stopped> {
        let (line, depth) = (self.line, self.root_depth);
        let last = self.root_moves[line].known;
        let mut delta = aspiration::cp() + (self.number % WINDOW_VARIETY) as Score;
        let mut window = Window::FULL;
        if depth >= aspiration::min_depth() && last != -INFINITE && !score::is_decisive(last) {
            window = Window::new(last - delta, last + delta);
        }
        let mut reduction = 0;
        loop {
            for root_move in &mut self.root_moves[line..] {
                root_move.score = -INFINITE;
            }
            self.seldepth = 0;
            let searched_depth = (depth - reduction).max(1);
            let board = self.task.game.board();
            let score = self.negamax::<Root>(board, 0, searched_depth, window, Expected::NoCut)?;
            self.sort_root_moves(line);
            self.note_score(line);
            if score <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (score - delta).max(-INFINITE);
                reduction = 0;
            } else if score >= window.beta {
                window.beta = (score + delta).min(INFINITE);
                reduction = (reduction + 1).min(aspiration::max_reduction_plies());
            } else {
                return Ok(());
            }
            delta += delta / 2;
            if delta > aspiration::open_cp() || score::is_decisive(score) {
                window = Window::FULL;
                reduction = 0;
            }
            self.report_early(report);
        }
    }

    /// If the search is long, reports what is known before the iteration is complete: a
    /// bound, or some of several lines.
    fn report_early(&self, report: &mut dyn FnMut(SearchEvent)) {
        // Lines that only a handicap needs are not shown.
        let is_shown = self.line < self.task.multi_pv;
        if is_shown && self.task.control.elapsed() >= LONG_SEARCH {
            self.report_lines(self.line + 1, report);
        }
    }

    /// If a mate is asked for, looks for it with a window that nothing else reaches:
    /// where only a mate counts, next to nothing is pruned. If there is none, what is
    /// known of the root moves stays as it was.
    fn hunt_mate(&mut self) -> Result<(), Stopped> {
        let Some(moves) = self.task.limits.mate else { return Ok(()) };
        let plies = (2 * moves.unsigned_abs() as usize).saturating_sub(1);
        if self.line > 0 || plies > MAX_PLY || score::is_loss(self.root_moves[0].known) {
            return Ok(());
        }
        let before = (self.root_moves.clone(), self.first_line_nodes);
        for root_move in &mut self.root_moves {
            root_move.score = -INFINITE;
        }
        let window = Window::new(score::mate_at(plies) - 1, INFINITE);
        let board = self.task.game.board();
        let searched = self.negamax::<Root>(board, 0, self.root_depth, window, Expected::NoCut);
        self.sort_root_moves(0);
        if self.root_moves[0].score > window.alpha {
            self.note_score(0);
        } else {
            (self.root_moves, self.first_line_nodes) = before;
        }
        searched.map(|_| ())
    }

    /// Sorts the root moves from `line` on; equal ones keep their order.
    fn sort_root_moves(&mut self, line: usize) {
        sort_by_score(&mut self.root_moves[line..]);
    }

    /// Remembers the score of the current search, if there is one yet.
    fn note_score(&mut self, line: usize) {
        let root_move = &mut self.root_moves[line];
        if root_move.score != -INFINITE {
            root_move.known = root_move.score;
            root_move.depth = self.root_depth;
            root_move.line.clone_from(&root_move.found);
        }
    }

    /// If the search was stopped before it knew anything, the static evaluation serves as
    /// the score of the first move.
    fn guess_score(&mut self) {
        let board = self.task.game.board();
        if self.root_moves[0].known == -INFINITE {
            self.evaluator.reset(board);
            let guess = if board.in_check() { score::DRAW } else { self.evaluator.evaluate(board) };
            self.root_moves[0].known = guess;
        }
    }
}

/// Sorts root moves by rank, and those of one rank by score; equal ones keep their order.
fn sort_by_score(root_moves: &mut [RootMove]) {
    root_moves.sort_by_key(|root_move| Reverse((root_move.rank, root_move.score)));
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Game;
    use crate::eval::nnue::Network;
    use crate::host::Instant;
    use crate::search::clock::{Clock, Pace};
    use crate::search::control::Control;
    use crate::search::limits::{ClockState, Limits};
    use crate::search::prober::Probing;
    use crate::search::searcher::{Memory, Task};
    use crate::search::shared::Shared;
    use crate::search::transposition::TranspositionTable;
    use crate::sys::large_pages::LargeBox;

    pub(in crate::search) fn task(limits: Limits) -> Task {
        let control = Arc::new(Control::new(Instant::now(), false, limits.ponder));
        Task {
            game: Game::default(),
            clock: Clock::new(&limits, 1, 0, Pace::Time, Arc::clone(&control)),
            limits,
            shared: Arc::new(Shared::new(1)),
            multi_pv: 1,
            handicap: None,
            table: Arc::new(TranspositionTable::new(1).0),
            tablebases: Arc::default(),
            probing: Probing::default(),
            control,
        }
    }

    pub(in crate::search) fn memory() -> Memory {
        Memory::new(&Network::embedded(), Arc::new(LargeBox::zeroed()))
    }

    #[test]
    fn the_only_move_is_played_at_once_even_after_a_ponderhit() {
        let clock = ClockState { time_ms: 3_600_000, increment_ms: 0, moves_to_go: None };
        for (moves, completed, is_clear) in [(1, 1, true), (1, 0, false), (2, 1, false)] {
            let search_moves = Game::default().board().legal_moves()[..moves].to_vec();
            let limits =
                Limits { clock: Some(clock), ponder: true, search_moves, ..Limits::default() };
            let task = task(limits);
            let mut memory = memory();
            let mut searcher = Searcher::new(&task, 0, &mut memory);
            searcher.completed = completed;
            assert!(!searcher.is_time_over(), "still pondering");
            task.control.ponderhit();
            assert_eq!(searcher.is_time_over(), is_clear);
        }
    }

    #[test]
    fn a_mate_that_is_not_found_leaves_the_effort_as_it_was() {
        let task = task(Limits { depth: Some(6), mate: Some(2), ..Limits::default() });
        let mut memory = memory();
        let mut searcher = Searcher::new(&task, 0, &mut memory);
        searcher.deepen(&mut |_| {});
        let nodes: u64 = searcher.root_moves.iter().map(|root_move| root_move.nodes).sum();
        assert_eq!(searcher.first_line_nodes, nodes);
    }
}
