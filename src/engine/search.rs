//! Searches that return their result, and evaluations.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::eval::nnue::Network;
use crate::eval::{Nnue, endings};
use crate::host::{self, Instant, Receiver, channel};
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Report, SearchEvent};
use crate::search::stop_token::StopToken;
use carrybit_board::{Board, Move};

use super::Engine;
use super::result::{Line, Score, SearchResult};

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
        StopHandle { flag: Arc::clone(&self.stop), token: None }
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
        let mut search = self.begin(Limits { infinite: false, ponder: false, ..limits });
        while let Some(line) = search.next() {
            if observe(&line).is_break() {
                search.stop();
                break;
            }
        }
        search.finish()
    }

    /// Begins a search and returns while it runs, on threads of its own: an iterator over its
    /// [lines](Line), as [`search_with`](Engine::search_with) reports them. First it waits until the
    /// threads are idle and the transposition table is in memory. With [`Limits::ponder`] the clock
    /// starts at the [`ponderhit`](Search::ponderhit).
    ///
    /// ```
    /// use carrybit::{Engine, Limits};
    ///
    /// let mut engine = Engine::new();
    /// let mut search = engine.begin(Limits::default()); // without a limit: until it is stopped
    /// let stop = search.stop_handle();
    /// std::thread::spawn(move || {
    ///     std::thread::sleep(std::time::Duration::from_millis(50));
    ///     stop.stop();
    /// });
    /// for line in search.by_ref() {
    ///     println!("{} {}", line.depth, line.score);
    /// }
    /// assert!(search.finish().best.is_some());
    /// ```
    pub fn begin(&mut self, limits: Limits) -> Search<'_> {
        let stop = std::mem::take(&mut self.stop);
        let board = self.game.board().clone();
        // Before the clock starts, because it may take seconds.
        self.wait_until_ready_unless(&stop);
        let started = Instant::now();
        let (sender, events) = channel();
        let stop_token = StopToken::new(started, limits.infinite, limits.ponder).stopped_by(stop);
        self.start(limits, stop_token, move |event| {
            // Ignore the error: the search was dropped.
            let _ = sender.send(event);
        });
        host::run_spawned();
        let last = Line::new(Report::default(), &board);
        Search {
            engine: self,
            events,
            board,
            started,
            last,
            lines: Vec::new(),
            newest: Vec::new(),
            answer: BestMove { best: None, ponder: None },
        }
    }
}

/// A search that [`Engine::begin`] has begun: an iterator over its lines, which waits for each. It
/// is stopped when it is dropped.
pub struct Search<'a> {
    engine: &'a mut Engine,
    events: Receiver<SearchEvent>,
    board: Board,
    started: Instant,
    last: Line,
    /// The last complete set of lines, and the set that is growing.
    lines: Vec<Line>,
    newest: Vec<Line>,
    answer: BestMove,
}

impl Search<'_> {
    /// Ends the search, whose result is then the best found so far.
    pub fn stop(&self) {
        self.engine.stop();
    }

    /// Starts the clock of a search that ponders: the opponent has played the expected move.
    pub fn ponderhit(&self) {
        self.engine.ponderhit(Instant::now());
    }

    /// A handle that stops this search from another thread.
    pub fn stop_handle(&self) -> StopHandle {
        let token = self.engine.running.as_ref().map(|running| Arc::clone(&running.stop_token));
        StopHandle { flag: Arc::default(), token }
    }

    /// Waits for the end of the search, and skips the lines up to there.
    pub fn finish(mut self) -> SearchResult {
        while self.next().is_some() {}
        self.complete_lines();
        let (nodes, time) = (self.engine.wait_for_nodes(), self.started.elapsed());
        let BestMove { best, ponder } = self.answer;
        let lines = std::mem::take(&mut self.lines);
        let Line { score, bound, pv, depth, seldepth, hashfull, tb_hits, .. } = self.last.clone();
        SearchResult {
            best,
            ponder,
            score,
            bound,
            pv,
            depth,
            nodes,
            time,
            seldepth,
            hashfull,
            tb_hits,
            lines,
        }
    }

    fn complete_lines(&mut self) {
        if self.newest.len() >= self.lines.len() {
            self.lines = std::mem::take(&mut self.newest);
        }
        self.newest.clear();
    }
}

impl Iterator for Search<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            match self.events.recv()? {
                SearchEvent::Report(report) => {
                    let replaces = report.replaces(&self.last.pv);
                    let line = Line::new(report, &self.board);
                    if replaces {
                        self.last = line.clone();
                    }
                    if line.pv.is_empty() {
                        continue;
                    }
                    if line.rank == 1 {
                        self.complete_lines();
                    }
                    self.newest.push(line.clone());
                    return Some(line);
                }
                SearchEvent::Finished(answer) => self.answer = answer,
            }
        }
    }
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        self.engine.stop();
    }
}

/// Stops one search of an [`Engine`] from another thread: the first one that begins after
/// [`Engine::stop_handle`], or that of [`Search::stop_handle`].
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
pub struct StopHandle {
    flag: Arc<AtomicBool>,
    /// If the search has begun.
    token: Option<Arc<StopToken>>,
}

impl StopHandle {
    /// Ends the search, whose result is then the best found so far. If it has not begun, it ends
    /// with its first iteration; if it is over, nothing happens. May be called more than once.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
        if let Some(token) = &self.token {
            token.stop();
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn result_has_the_last_complete_set_of_lines() {
        let mut engine = Engine::new();
        engine.set_multi_pv(3);
        let result = engine.search(Limits::depth(5));
        let ranks: Vec<usize> = result.lines.iter().map(|line| line.rank).collect();
        assert_eq!((ranks, result.lines[0].pv.first()), (vec![1, 2, 3], result.best.as_ref()));
        assert!(result.lines.iter().all(|line| line.depth == 5) && result.seldepth >= 5);
        engine.set_game("7k/8/8/8/8/8/8/K1q5 w - - 0 1".parse::<Board>().expect("a position"));
        assert_eq!(engine.search(Limits::depth(2)).lines.len(), 1);
    }

    #[test]
    fn search_that_ponders_answers_after_a_ponderhit_or_a_stop_of_another_thread() {
        let mut engine = Engine::new();
        let limits = Limits { ponder: true, ..Limits::depth(2) };
        let search = engine.begin(limits.clone());
        search.ponderhit();
        assert!(search.finish().best.is_some());
        let search = engine.begin(limits);
        let handle = search.stop_handle();
        let stopper = std::thread::spawn(move || handle.stop());
        assert!(search.finish().best.is_some() && stopper.join().is_ok());
    }

    #[test]
    fn handle_made_before_an_infinite_search_ends_its_wait_for_a_stop() {
        let mut engine = Engine::new();
        engine.set_game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse::<Board>().expect("a position"));
        let handle = engine.stop_handle();
        let search = engine.begin(Limits { infinite: true, ..Limits::default() });
        let stopper = std::thread::spawn(move || {
            // The search is over by then, and waits.
            std::thread::sleep(std::time::Duration::from_millis(20));
            handle.stop();
        });
        assert!(search.finish().best.is_none() && stopper.join().is_ok());
    }

    #[test]
    fn smallest_table_has_a_megabyte() {
        let mut engine = Engine::new();
        assert_eq!(engine.set_hash(0), Ok(()));
        assert!(engine.search(Limits::depth(3)).depth == 3 && engine.hash_mb() == 1);
    }
}
