//! The engine as programs and the UCI dialogue use it.
//!
//! [`Engine`] owns the position, the settings, the transposition table and the search threads. A
//! call that replaces or clears the table waits for a running search; no other call blocks unless
//! its documentation says so. A search ends with exactly one [`SearchEvent::Finished`]: after a
//! panic, with the best move found so far.

mod answer;
mod search;

#[cfg(not(target_family = "wasm"))]
mod worker;

#[cfg(target_family = "wasm")]
#[path = "worker_wasm.rs"]
mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::board::Game;
use crate::eval::nnue::Network;
use crate::eval::{Nnue, endings};
use crate::host::{self, Instant, Receiver, channel};
use crate::score;
use crate::search::SearchRequest;
use crate::search::clock::{Clock, NodesTime, TimeUnit};
use crate::search::counters::SharedCounters;
use crate::search::limits::{BestMove, Limits, SearchEvent, Snapshot};
use crate::search::settings::Settings;
use crate::search::stop_token::StopToken;
use crate::search::strength::{self, Strength};
use crate::search::threads::{MAX_THREADS, THREAD_BYTES, ThreadPool, ThreadsError};
use crate::search::transposition::{HashError, TranspositionTable};
use crate::sys::memory::has_room_for_threads;
use crate::tablebase::Tablebases;

use worker::Worker;

use search::{Current, lock};
pub use search::{Line, Score, SearchResult, StopHandle, evaluate};

/// Size of the transposition table at the start, in megabytes.
pub const DEFAULT_HASH_MB: usize = 16;

struct Running {
    stop_token: Arc<StopToken>,
    shared: Arc<SharedCounters>,
    /// Receives the number of nodes at the end.
    nodes: Receiver<u64>,
}

/// The result of a preparation: the table, whether it is ready for a search, and whether all
/// threads were started.
type Prepared = (TranspositionTable, bool, Result<(), ThreadsError>);

/// The engine: a game, the settings, the transposition table and the search threads.
///
/// ```
/// use carrybit::{Engine, Game, Limits};
///
/// let mut engine = Engine::new();
/// engine.set_threads(2);
/// engine.set_hash(32)?;
/// engine.set_elo(Some(1500));
/// let mut game = Game::default();
/// for _ in 0..4 {
///     engine.set_game(&game);
///     game.play(engine.best_move(Limits::depth(6)).expect("the game is not over"));
/// }
/// engine.clear(); // for another game
/// # Ok::<(), carrybit::HashError>(())
/// ```
pub struct Engine {
    game: Game,
    settings: Arc<Settings>,
    table: Arc<TranspositionTable>,
    threads: usize,
    time_unit: TimeUnit,
    nodes_time: NodesTime,
    /// Started by the first preparation.
    worker: Option<Worker>,
    is_prepared: bool,
    /// Whether the next preparation clears table and histories.
    clears: bool,
    /// Whether there was no search since the last [`clear`](Engine::clear).
    is_fresh: bool,
    /// A flag that aborts the running preparation, and its result.
    preparing: Option<(Arc<AtomicBool>, Receiver<Prepared>)>,
    /// Notes for the next [`prepare`](Engine::prepare) to return.
    notes: Vec<String>,
    tablebases: Arc<Tablebases>,
    network: Arc<Network>,
    running: Option<Running>,
    /// The last search, for [`StopHandle`].
    current: Arc<Mutex<Current>>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("board", self.game.board()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine at the start position.
    pub fn new() -> Engine {
        Engine {
            game: Game::default(),
            settings: Arc::default(),
            table: Arc::new(TranspositionTable::new(DEFAULT_HASH_MB).0),
            threads: 1,
            time_unit: TimeUnit::default(),
            nodes_time: NodesTime::default(),
            worker: None,
            is_prepared: false,
            clears: false,
            is_fresh: true,
            preparing: None,
            notes: Vec::new(),
            tablebases: Arc::default(),
            network: Network::embedded(),
            running: None,
            current: Arc::default(),
        }
    }

    /// The most threads of a search.
    pub const MAX_THREADS: usize = MAX_THREADS;

    /// The game whose position the next search is for.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the game, or a position without a history, for the next search.
    pub fn set_game(&mut self, game: impl Into<Game>) {
        self.game = game.into();
    }

    /// The range of [`set_elo`](Engine::set_elo).
    pub const MIN_ELO: i32 = strength::MIN_ELO;
    /// The range of [`set_elo`](Engine::set_elo).
    pub const MAX_ELO: i32 = strength::MAX_ELO;

    /// Sets the number of best lines that [`search_with`](Engine::search_with) reports at each
    /// depth, 1 or more.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.settings_mut().multi_pv = lines.max(1);
    }

    /// Sets the strength to play at, from [`Engine::MIN_ELO`] to [`Engine::MAX_ELO`] (other numbers
    /// are clamped); `None` is full strength. A limited search ends after the nodes that belong to
    /// its strength, whatever the limits allow, and chooses among good moves at random. A search
    /// for a mate ([`Limits::mate`]) has full strength.
    pub fn set_elo(&mut self, elo: Option<i32>) {
        let (is_limited, elo) = (elo.is_some(), elo.unwrap_or(strength::DEFAULT_ELO));
        self.settings_mut().strength = Strength { is_limited, elo, ..Strength::default() };
    }

    /// Replaces the transposition table by an empty one of this size, from 1 MB on, unless it has
    /// that size already. The next search allocates it before its clock starts, which takes seconds
    /// for many gigabytes; if memory is short by then, it halves the table and logs that.
    ///
    /// # Errors
    /// There is not enough memory, or no table is that large; the error has the size used instead.
    ///
    /// # Panics
    /// If there is no memory for 1 MB.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.wait();
        if self.table.megabytes() == megabytes {
            return Ok(());
        }
        self.is_prepared = false;
        // The old table goes first: both together may not fit.
        self.table = Arc::default();
        let (table, result) = TranspositionTable::new(megabytes);
        self.table = Arc::new(table);
        result
    }

    /// Sets the number of threads of the next search, 1 to [`Engine::MAX_THREADS`].
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.clamp(1, MAX_THREADS);
        self.is_prepared &= threads == self.threads;
        self.threads = threads;
    }

    /// Whether [`prepare`](Engine::prepare) has nothing to do.
    pub(crate) fn is_prepared(&self) -> bool {
        self.is_prepared
    }

    /// Whether there is a search thread. Without it [`go_prepared`](Engine::go_prepared) answers
    /// before it returns.
    pub(crate) fn has_worker(&self) -> bool {
        self.worker.is_some()
    }

    /// Begins to [`prepare`](Engine::prepare) and calls `done` at the end, perhaps before this
    /// returns. Call [`finish_preparing`](Engine::finish_preparing) next.
    pub(crate) fn begin_preparing(&mut self, done: impl FnOnce() + Send + 'static) {
        self.wait();
        if self.is_prepared {
            return done();
        }
        endings::prepare();
        let wanted_mb = self.table.megabytes();
        // For the main search thread and the clock thread.
        let bytes = if self.worker.is_some() { 0 } else { 2 * THREAD_BYTES };
        let allocates = bytes > 0 || !self.table.is_allocated();
        while allocates && !has_room_for_threads(bytes) && self.table.megabytes() > 1 {
            let less = self.table.megabytes() / 2;
            self.table = Arc::default();
            self.table = Arc::new(TranspositionTable::new(less).0);
        }
        let used_mb = self.table.megabytes();
        if used_mb < wanted_mb {
            self.notes.push(HashError { wanted_mb, used_mb }.to_string());
        }
        if self.worker.is_none() {
            match Worker::start(Arc::clone(&self.network)) {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => self.notes.push(format!("cannot start a search thread: {error}")),
            }
        }
        let Some(worker) = &self.worker else { return done() };
        // If the table has another owner, make a new one.
        let table = Arc::into_inner(std::mem::take(&mut self.table));
        let mut table = table.unwrap_or_else(|| TranspositionTable::new(used_mb).0);
        let abort = Arc::new(AtomicBool::new(false));
        let (sender, prepared) = channel();
        self.preparing = Some((Arc::clone(&abort), prepared));
        let (network, threads, clears) = (Arc::clone(&self.network), self.threads, self.clears);
        worker.prepare(move |pool| {
            if !Arc::ptr_eq(&network, pool.network()) {
                *pool = ThreadPool::new(network);
            } else if clears {
                pool.clear();
            }
            // Many gigabytes or threads take seconds.
            let is_cleared = table.is_allocated() && !clears || table.clear_unless(threads, &abort);
            let started = pool.set_threads(threads, &abort);
            let is_ready = is_cleared && !abort.load(Ordering::Relaxed);
            // Ignore errors: the engine was dropped.
            let _ = sender.send((table, is_ready, started));
            done();
        });
    }

    /// Blocks until a running preparation has ended. Returns its notes for the user.
    pub(crate) fn finish_preparing(&mut self) -> Vec<String> {
        if let Some((_, prepared)) = self.preparing.take() {
            match prepared.recv() {
                Some((table, is_ready, started)) => {
                    self.table = Arc::new(table);
                    self.notes.extend(started.err().map(|error| error.to_string()));
                    self.clears &= !is_ready;
                    self.is_prepared = is_ready;
                }
                None => {
                    self.lose_worker();
                    self.table = Arc::new(TranspositionTable::new(DEFAULT_HASH_MB).0);
                }
            }
        }
        std::mem::take(&mut self.notes)
    }

    fn lose_worker(&mut self) {
        log::error!("the search thread has panicked");
        self.worker = None;
        self.is_prepared = false;
    }

    /// Sets the folders of Syzygy tablebases for the next search. Returns messages about unusable
    /// folders and files. The files are mapped into memory: do not shorten them while the engine
    /// exists.
    #[must_use = "messages about unusable folders and files"]
    pub fn set_tablebases(&mut self, folders: &[PathBuf]) -> Vec<String> {
        let (tablebases, problems) = Tablebases::open(folders);
        self.tablebases = Arc::new(tablebases);
        problems
    }

    /// Makes the next search clear the transposition table and the histories, as for a new game.
    pub fn clear(&mut self) {
        self.wait();
        if self.is_fresh {
            return;
        }
        self.nodes_time = NodesTime::default();
        self.clears = true;
        self.is_prepared = false;
        self.is_fresh = true;
    }

    /// Like [`go`](Engine::go), but never blocks: it uses the memory and threads that exist.
    /// No other search may be running.
    pub(crate) fn go_prepared(
        &mut self,
        limits: Limits,
        started: Instant,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        let stop_token = StopToken::new(started, limits.infinite, limits.ponder);
        self.start(limits, stop_token, listener);
    }

    fn start(
        &mut self,
        mut limits: Limits,
        stop_token: StopToken,
        mut listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        let table = self.table_for_search();
        self.is_fresh = false;
        let board = self.game.board();
        if let TimeUnit::Nodes(per_ms) = self.time_unit {
            let side = board.side();
            limits.clock = limits.clock.map(|clock| self.nodes_time.open(side, clock, per_ms));
        }
        let strength = self.settings.strength.limited(&limits);
        if let Some(strength) = strength {
            limits = strength.limits(limits);
        }
        let Some(worker) = &self.worker else {
            // Without a search thread, answer any move.
            let best = limits.first_move(board);
            return listener(SearchEvent::Finished(BestMove { best, ponder: None }));
        };
        let mut request = SearchRequest::new(self.game.clone(), limits, table, stop_token);
        let stop_token = Arc::clone(&request.stop_token);
        lock(&self.current).stop_token = Arc::downgrade(&stop_token);
        let (number, overhead) = (board.fullmove(), self.settings.move_overhead);
        request.clock = Clock::new(&request.limits, number, overhead, self.time_unit);
        request.settings = Arc::clone(&self.settings);
        request.tablebases = Arc::clone(&self.tablebases);
        request.strength = strength;
        if strength.is_none() {
            request.shared = Arc::new(SharedCounters::new(self.threads));
        }
        let shared = Arc::clone(&request.shared);
        let (sender, nodes) = channel();
        worker.search(Box::new(request), Box::new(listener), sender);
        self.running = Some(Running { stop_token, shared, nodes });
    }

    /// The table for a new search. If the preparation of the real one was aborted, this is a
    /// small one: page faults in a large one would cost milliseconds.
    fn table_for_search(&mut self) -> Arc<TranspositionTable> {
        if !self.table.is_allocated() {
            let (mut small, _) = TranspositionTable::new(1);
            small.clear(1);
            return Arc::new(small);
        }
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.new_search();
        }
        Arc::clone(&self.table)
    }

    /// Blocks until a running search has ended. Returns its nodes.
    fn wait_for_nodes(&mut self) -> u64 {
        let ended = self.running.as_ref().map(|running| running.nodes.recv());
        if ended == Some(None) {
            self.lose_worker();
        }
        self.conclude();
        ended.flatten().unwrap_or(0)
    }

    /// Ends a search whose listener has its answer. Unlike [`wait`](Engine::wait) it does not
    /// wait for the search thread, which may not get a processor.
    pub(crate) fn conclude(&mut self) {
        if let Some(Running { stop_token, shared, .. }) = self.running.take() {
            // A search that was stopped while pondering used no time on the clock.
            self.nodes_time.charge(stop_token.on_clock().map(|_| shared.nodes()));
        }
    }
}

#[doc(hidden)]
impl Engine {
    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings for the next search; a running one keeps its own.
    pub fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Allocates memory and threads for the next search, and clears the table if necessary, so
    /// that none of this costs time on the clock. Returns notes for the user if fewer resources
    /// were available. Blocks until a running search has ended.
    pub fn prepare(&mut self) -> Vec<String> {
        self.begin_preparing(|| ());
        self.finish_preparing()
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// Replaces the network and clears table and histories. Blocks until a running search has
    /// ended.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.clear();
        self.network = network;
        self.is_prepared = false;
    }

    /// The network in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Sets the unit of the clocks; see [`NodesTime`]. Blocks until a running search has ended.
    pub fn set_time_unit(&mut self, time_unit: TimeUnit) {
        self.wait();
        self.time_unit = time_unit;
        self.nodes_time = NodesTime::default();
    }

    /// Stops a running search, [prepares](Engine::prepare) and starts a new one. The clock runs
    /// from `started`. `listener` gets reports and then exactly one answer; with infinite or ponder
    /// in `limits`, only after [`stop`](Engine::stop) or [`ponderhit`](Engine::ponderhit). It is
    /// called on the main search thread if there is one.
    pub fn go(
        &mut self,
        limits: Limits,
        started: Instant,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        self.stop();
        self.prepare().iter().for_each(|note| log::warn!("{note}"));
        self.go_prepared(limits, started, listener);
    }

    /// Stops a running search, or a preparation: if the table is then not ready, the next search
    /// uses a small one.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop_token.stop();
        }
        if let Some((abort, _)) = &self.preparing {
            abort.store(true, Ordering::Relaxed);
        }
    }

    /// Starts the clock of a running search: at `at` the program read that the opponent had played
    /// the expected move.
    pub fn ponderhit(&self, at: Instant) {
        if let Some(running) = &self.running {
            running.stop_token.ponderhit(at);
        }
    }

    /// The progress of the running search; `None` without one, or if it was aborted and only has
    /// to answer.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let Running { stop_token, shared, .. } = self.running.as_ref()?;
        (!stop_token.is_aborted()).then(|| Snapshot {
            current_move: shared.current_move(),
            nodes: shared.nodes(),
            hashfull: self.table.hashfull(),
            tb_hits: shared.tablebase_hits(),
            time: stop_token.elapsed(),
        })
    }

    /// Blocks until a running search has ended.
    pub fn wait(&mut self) {
        self.wait_for_nodes();
        self.notes = self.finish_preparing();
    }

    /// Searches the position until a limit is reached or `stop` is set, and returns the
    /// number of nodes. The limits are as for [`best_move`](Engine::best_move).
    pub fn count_nodes(&mut self, limits: Limits, stop: &Arc<AtomicBool>) -> u64 {
        let limits = Limits { infinite: false, ponder: false, ..limits };
        self.stop();
        self.prepare();
        self.start(limits, StopToken::shared(Arc::clone(stop)), |_| {});
        host::run_spawned();
        self.wait_for_nodes()
    }

    /// Explains the static evaluation of the position; `shown` converts scores to centipawns.
    pub fn evaluate_text(&self, shown: impl Fn(score::Score) -> i32) -> String {
        let board = self.game.board();
        let mut text = Nnue::new(Arc::clone(&self.network)).explain(board, &shown);
        if let Some(known) = endings::score(board) {
            text += &format!(
                "The pieces left decide this ending: the search ignores the network and scores it\n\
                 {} cp for the side to move\n",
                shown(known)
            );
        }
        text
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aborted_preparation_leaves_an_engine_that_searches_and_prepares_later() {
        let mut engine = Engine::new();
        let (done, is_done) = channel::<()>();
        engine.begin_preparing(move || drop(done));
        engine.stop();
        let _ = is_done.recv();
        assert_eq!(engine.finish_preparing(), [""; 0]);
        let (ended, answer) = channel();
        engine.go_prepared(Limits::depth(2), Instant::now(), move |event| {
            if let SearchEvent::Finished(answer) = event {
                let _ = ended.send(answer);
            }
        });
        assert!(answer.recv().is_some_and(|answer| answer.best.is_some()));
        engine.wait();
        assert_eq!(engine.prepare(), [""; 0]);
        assert!(engine.is_prepared());
    }

    #[test]
    fn number_of_threads_is_clamped() {
        let mut engine = Engine::new();
        for (threads, used) in [(0, 1), (2, 2), (usize::MAX, MAX_THREADS)] {
            engine.set_threads(threads);
            assert_eq!(engine.threads, used);
        }
    }

    #[test]
    fn hash_of_the_same_size_keeps_the_table() {
        let mut engine = Engine::new();
        engine.prepare();
        let table = Arc::as_ptr(&engine.table);
        assert_eq!(engine.set_hash(DEFAULT_HASH_MB), Ok(()));
        assert!(engine.is_prepared() && Arc::as_ptr(&engine.table) == table);
        assert_eq!(engine.set_hash(1), Ok(()));
        assert!(!engine.is_prepared());
    }
}
