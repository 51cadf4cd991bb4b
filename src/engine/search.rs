//! Searches that return their result, and evaluations.

use std::fmt;
use std::ops::{ControlFlow, Neg};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::board::{Board, Move};
use crate::eval::nnue::Network;
use crate::eval::{Nnue, endings, wdl};
use crate::host::{self, Instant, channel};
use crate::score;
use crate::search::limits::{Bound, Limits, Report, SearchEvent};
use crate::search::stop_token::StopToken;

use super::Engine;

/// The static evaluation of a position by the engine's own network, or by the rules of its ending;
/// `None` in check, where it means nothing.
///
/// ```
/// use carrybit::{Board, evaluate};
///
/// let score = evaluate(&Board::default()).expect("no check");
/// assert!(score.cp().is_some_and(|cp| cp.abs() < 100));
/// ```
pub fn evaluate(board: &Board) -> Option<Score> {
    let by_network = || {
        let mut nnue = Nnue::new(Network::embedded());
        nnue.reset(board);
        nnue.evaluate(board)
    };
    let score = || endings::score(board).unwrap_or_else(by_network);
    (!board.in_check()).then(|| Score::new(score(), board))
}

impl Engine {
    /// A handle that stops the next search of this engine.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.stop))
    }

    /// The best move, or `None` if there is no legal one; see [`search`](Engine::search).
    ///
    /// # Panics
    /// As [`search`](Engine::search).
    pub fn best_move(&mut self, limits: Limits) -> Option<Move> {
        self.search(limits).best
    }

    /// Searches the position until a limit is reached and returns the result.
    ///
    /// ```
    /// use carrybit::{Board, Engine, Limits};
    ///
    /// let board: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse()?;
    /// let mut engine = Engine::new();
    /// engine.set_game(board.clone());
    /// let result = engine.search(Limits::depth(3));
    /// assert_eq!(board.san_line(&result.pv), ["Ra8#"]);
    /// # Ok::<(), carrybit::FenError>(())
    /// ```
    ///
    /// # Panics
    /// If the limits set none of clock, time, depth and nodes, so that the search might not end.
    pub fn search(&mut self, limits: Limits) -> SearchResult {
        assert!(limits.is_bounded(), "a search without a limit does not end");
        self.search_with(limits, |_| ControlFlow::Continue(()))
    }

    /// Like [`search`](Engine::search), and calls `observe` with the best line, or the
    /// [best lines](Engine::set_multi_pv), of each depth. The search ends at a limit, when
    /// `observe` returns [`ControlFlow::Break`], or by a [`StopHandle`]: a depth can take many
    /// seconds.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use carrybit::{Engine, Limits};
    ///
    /// let mut depths = Vec::new();
    /// let result = Engine::new().search_with(Limits::default(), |line| {
    ///     depths.push(line.depth);
    ///     if line.depth < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// });
    /// assert_eq!(depths, [1, 2, 3, 4, 5]);
    /// assert!(result.best.is_some() && result.depth >= 5);
    /// ```
    pub fn search_with(
        &mut self,
        limits: Limits,
        mut observe: impl FnMut(&Line) -> ControlFlow<()>,
    ) -> SearchResult {
        let limits = Limits { infinite: false, ponder: false, ..limits };
        let fallback = limits.first_move(self.game.board());
        let stop = std::mem::take(&mut self.stop);
        let _stop = StopOnDrop(StopHandle(Arc::clone(&stop)));
        let board = self.game.board().clone();
        // Before the clock starts, because it may take seconds.
        self.wait_until_ready_unless(&stop);
        let started = Instant::now();
        let (sender, events) = channel();
        self.start(limits, StopToken::shared(stop), move |event| {
            // Ignore the error: `observe` has panicked.
            let _ = sender.send(event);
        });
        host::run_spawned();
        let mut last = Line::new(Report::default(), &board);
        // The fallback is for a search thread that panics before the search.
        let (mut best, mut ponder) = (fallback, None);
        let mut flow = ControlFlow::Continue(());
        while let Some(event) = events.recv() {
            match event {
                SearchEvent::Report(report) => {
                    let replaces = report.replaces(&last.pv);
                    let line = Line::new(report, &board);
                    if flow.is_continue() && !line.pv.is_empty() {
                        flow = observe(&line);
                        if flow.is_break() {
                            self.stop();
                        }
                    }
                    if replaces {
                        last = line;
                    }
                }
                SearchEvent::Finished(answer) => (best, ponder) = (answer.best, answer.ponder),
            }
        }
        let (nodes, time) = (self.wait_for_nodes(), started.elapsed());
        let Line { score, bound, pv, depth, .. } = last;
        SearchResult { best, ponder, score, bound, pv, depth, nodes, time }
    }
}

/// Stops one search of an [`Engine`] from another thread: the first one that begins after
/// [`Engine::stop_handle`].
///
/// ```
/// use std::thread;
///
/// use carrybit::{Engine, Limits};
///
/// let mut engine = Engine::new();
/// let handle = engine.stop_handle();
/// let search = thread::spawn(move || engine.search_with(Limits::default(), |_| {
///     std::ops::ControlFlow::Continue(())
/// }));
/// handle.stop();
/// assert!(search.join().is_ok_and(|result| result.best.is_some()));
/// ```
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Ends the search, whose result is then the best found so far. If it has not begun, it ends
    /// with its first iteration; if it is over, nothing happens. May be called more than once.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Stops the search when it goes out of scope, even by a panic of the observer.
struct StopOnDrop(StopHandle);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A score from the view of the side to move. Greater is better, among scores of one position: how
/// much a pawn is worth depends on the material.
///
/// ```
/// use carrybit::{Engine, Limits};
///
/// let mut engine = Engine::new();
/// engine.set_game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse::<carrybit::Board>()?);
/// let score = engine.search(Limits::depth(3)).score;
/// assert_eq!((score.mate(), score.cp(), score.to_string()), (Some(1), None, "#1".to_owned()));
/// # Ok::<(), carrybit::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score {
    internal: score::Score,
    /// The material of the position, on which the conversion depends.
    material: u32,
}

impl Score {
    /// The score of a search or evaluation of `board`.
    pub(super) fn new(internal: score::Score, board: &Board) -> Score {
        // Equal mates must compare as equal.
        let material = if score::is_decisive(internal) { 0 } else { wdl::material(board) };
        Score { internal, material }
    }

    /// The score in centipawns, as GUIs show it: at 100, half of the games are won. A tablebase win
    /// is 20,000 less the plies to the tablebase. `None` for a mate.
    pub fn cp(self) -> Option<i32> {
        self.mate().is_none().then(|| wdl::shown_cp(self.internal, self.material))
    }

    /// The moves to mate: positive if the side to move mates, negative if it gets mated, 0 if one
    /// side is mated already ([`wdl`](Score::wdl) shows which). `None` if no mate was found.
    pub fn mate(self) -> Option<i32> {
        score::mate_in_moves(self.internal)
    }

    /// The expected wins, draws and losses in 1000 games.
    pub fn wdl(self) -> [u32; 3] {
        wdl::wdl(self.internal, self.material)
    }
}

/// The score from the view of the other side.
impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score { internal: -self.internal, ..self }
    }
}

/// In pawns, `+0.34`, or in moves to mate, `#3` and `#-2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_pawns = || format!("{:+.2}", f64::from(self.cp().unwrap_or(0)) / 100.0);
        f.pad(&self.mate().map_or_else(in_pawns, |moves| format!("#{moves}")))
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal one (or none among [`Limits::search_moves`]).
    /// At [limited strength](super::Engine::set_elo) with
    /// [several lines](super::Engine::set_multi_pv), it may not be the best.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score of the best line; of the position if there is no legal move.
    pub score: Score,
    /// Whether the score is exact; a stopped search may end with a bound.
    pub bound: Bound,
    /// The principal variation. It begins with the best move, which is not always `best`.
    pub pv: Vec<Move>,
    /// The depth of the iteration that found the line, in plies. If the search was stopped, that
    /// iteration may be incomplete.
    pub depth: i32,
    /// The nodes of all threads.
    pub nodes: u64,
    /// The duration of the search.
    pub time: Duration,
}

/// A line that a search reports while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The rank of the line, from 1; above 1 only if [several](super::Engine::set_multi_pv) are
    /// searched.
    pub rank: usize,
    /// The depth of the iteration, in plies.
    pub depth: i32,
    /// The score of the first move.
    pub score: Score,
    /// Whether the score is exact or a bound, which only long and stopped searches report.
    pub bound: Bound,
    /// The moves; all are legal.
    pub pv: Vec<Move>,
    /// The nodes so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
}

impl Line {
    pub(super) fn new(report: Report, board: &Board) -> Line {
        let Report { multi_pv: rank, depth, score, bound, nodes, time, pv, .. } = report;
        Line { rank, depth, score: Score::new(score, board), bound, pv, nodes, time }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    #[test]
    fn panic_of_the_observer_stops_the_search() {
        let mut engine = Engine::new();
        let search = || engine.search_with(Limits::default(), |_| resume_unwind(Box::new(())));
        assert!(catch_unwind(AssertUnwindSafe(search)).is_err());
        let running = engine.running.as_ref().expect("the engine has not waited for its end");
        assert!(running.stop_token.is_stopped());
    }

    #[test]
    fn scores_print_as_guis_show_them_and_change_sides() {
        let board = Board::default();
        let text = |score| Score::new(score, &board).to_string();
        assert_eq!([text(score::mate_at(5)), text(score::mated_at(4))], ["#3", "#-2"]);
        assert_eq!([text(0), text(score::mated_at(0))], ["+0.00", "#0"]);
        let score = Score::new(150, &board);
        assert_eq!((-score).cp(), score.cp().map(|cp| -cp));
        let [win, draw, loss] = score.wdl();
        assert_eq!((-score).wdl(), [loss, draw, win]);
        assert!(score > -score && win + draw + loss == 1000);
    }
}
