//! The engine as programs and the UCI dialogue use it.
//!
//! [`Engine`] owns the position and the settings. The search thread owns the transposition table and
//! the other threads, and gets each change to them as a message, so no call blocks unless its
//! documentation says so. When it is idle, it takes the page faults of a new table; a search begins
//! at once, however many are left. A search ends with exactly one [`SearchEvent::Finished`]: after a
//! panic, with the best move found so far.

mod resources;
mod result;
mod search;

#[cfg(not(target_family = "wasm"))]
mod worker;

#[cfg(target_family = "wasm")]
#[path = "worker_wasm.rs"]
mod worker;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::eval::{Nnue, endings};
use crate::host::{Instant, Receiver, channel};
use crate::score;
use crate::search::clock::{Clock, NodesTime, TimeUnit};
use crate::search::limits::Limits;
use crate::search::report::{SearchEvent, Snapshot};
use crate::search::settings::Settings;
use crate::search::stop_token::{STOP_POLL, StopToken};
use crate::search::strength::{self, Strength};
use crate::search::threads::MAX_THREADS;
use crate::search::transposition::{HashError, TranspositionTable};
use crate::search::{SearchRequest, SharedCounters};
use carrybit_board::Game;
use carrybit_syzygy::Tablebases;

use resources::{Listener, Reporter, Resources};
use search::lock;
use worker::Worker;

pub use result::{Line, Score, SearchResult};
pub use search::{Search, StopHandle, evaluate};

/// Size of the transposition table at the start, in megabytes.
pub const DEFAULT_HASH_MB: usize = 16;

struct Running {
    stop_token: Arc<StopToken>,
    shared: Arc<SharedCounters>,
    /// Receives the number of nodes at the end.
    nodes: Receiver<u64>,
}

/// The search thread as the engine sees it.
struct Started {
    worker: Worker,
    table: Arc<Mutex<Weak<TranspositionTable>>>,
    /// Ends when the resources are ready after the last change.
    ready: Receiver<()>,
}

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
    hash_mb: usize,
    threads: usize,
    time_unit: TimeUnit,
    nodes_time: NodesTime,
    /// Started when it is first needed.
    started: Option<Started>,
    tablebases: Arc<Tablebases>,
    network: Arc<Network>,
    running: Option<Running>,
    /// Stops the next search, for [`StopHandle`].
    stop: Arc<AtomicBool>,
    report: Reporter,
    /// Whether the search thread cannot be started.
    #[cfg(test)]
    pub(crate) lacks_thread: bool,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("board", self.game.board()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine at the start position.
    pub fn new() -> Engine {
        Engine::with_reporter(|problem| log::warn!("{problem}"))
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

    /// Sets the number of best lines that [`search_with`](Engine::search_with) and
    /// [`begin`](Engine::begin) report at each depth, 1 or more.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.settings_mut().multi_pv = lines.max(1);
    }

    /// Sets the strength to play at, from [`Engine::MIN_ELO`] to [`Engine::MAX_ELO`] (other numbers
    /// are clamped); `None` is full strength. A limited search ends after the nodes that belong to
    /// its strength, whatever the limits allow, overlooks moves, and chooses among good moves at
    /// random, except against a bare king that it knows how to mate. A search for a mate
    /// ([`Limits::mate`]) and an [infinite](Limits::infinite) one have full strength.
    pub fn set_elo(&mut self, elo: Option<i32>) {
        let (is_limited, elo) = (elo.is_some(), elo.unwrap_or(strength::DEFAULT_ELO));
        let strength = &mut self.settings_mut().strength;
        *strength = Strength { is_limited, elo, seed: strength.seed, ..Strength::default() };
    }

    /// Sets the seed of play at [limited strength](Engine::set_elo). With a seed, the moves depend on
    /// the seed, the game and the searches since [`clear`](Engine::clear) alone; `None`, the default,
    /// is another seed for each move.
    pub fn set_strength_seed(&mut self, seed: Option<u64>) {
        self.settings_mut().strength.seed = seed;
    }

    /// Replaces the transposition table by an empty one of this size, from 1 MB on, unless it has
    /// that size already. Waits for a running search. (A table of many gigabytes is fast only after
    /// some seconds; [`search`](Engine::search) waits for that before its clock starts.)
    ///
    /// # Errors
    /// There is not enough memory; the error has the size used instead. A size above that of the
    /// largest table is clamped.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        // Once more with a new search thread, if this one has panicked.
        for _ in 0..2 {
            let (sender, result) = channel();
            self.change_hash(megabytes, move |result| {
                // Ignore the error: the receiver waits.
                let _ = sender.send(result);
            });
            if let Some(result) = result.recv() {
                return result;
            }
            if self.started.is_some() {
                self.lose_thread();
            }
        }
        // Without a search thread there is no table.
        Err(HashError { wanted_mb: megabytes, used_mb: 0 })
    }

    /// Like [`set_hash`](Engine::set_hash), but does not wait. The reporter gets an error.
    pub(crate) fn request_hash(&mut self, megabytes: usize) {
        let report = Arc::clone(&self.report);
        self.change_hash(megabytes, move |result| {
            if let Err(problem) = result {
                report(problem.to_string());
            }
        });
    }

    /// Calls `done` with the result on the search thread, if there is one.
    fn change_hash(
        &mut self,
        megabytes: usize,
        done: impl FnOnce(Result<(), HashError>) + Send + 'static,
    ) {
        let megabytes = megabytes.max(1);
        self.hash_mb = megabytes;
        let is_new = self.started.is_none() && self.spawn();
        self.send(move |resources| done(resources.set_hash(megabytes)));
        if is_new {
            self.set_threads(self.threads);
        }
    }

    /// Sets the number of threads of the next search, 1 to [`Engine::MAX_THREADS`].
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, MAX_THREADS);
        let threads = self.threads;
        self.send(move |resources| resources.set_threads(threads));
    }

    /// Starts the search thread, unless it runs. Returns whether it does. Without it
    /// [`go`](Engine::go) answers before it returns.
    pub(crate) fn start_thread(&mut self) -> bool {
        if self.started.as_ref().is_some_and(|started| !started.worker.is_alive()) {
            self.lose_thread();
        }
        if self.started.is_none() {
            self.request_hash(self.hash_mb);
        }
        self.started.is_some()
    }

    /// Starts the search thread, without a table. Returns whether that was possible.
    fn spawn(&mut self) -> bool {
        #[cfg(test)]
        if self.lacks_thread {
            return false;
        }
        let table: Arc<Mutex<Weak<TranspositionTable>>> = Arc::default();
        let (network, current_table) = (Arc::clone(&self.network), Arc::clone(&table));
        let report = Arc::clone(&self.report);
        match Worker::start(move || Resources::new(network, current_table, report)) {
            Ok(worker) => {
                self.started = Some(Started { worker, table, ready: channel().1 });
                true
            }
            Err(error) => {
                (self.report)(format!("cannot start a search thread: {error}"));
                false
            }
        }
    }

    /// Changes the resources on the search thread, if there is one.
    fn send(&mut self, change: impl FnOnce(&mut Resources) + Send + 'static) {
        if let Some(started) = &mut self.started {
            let (token, ready) = channel::<()>();
            started.ready = ready;
            started.worker.send(move |resources| {
                change(resources);
                resources.hold_until_ready(token);
            });
        }
    }

    /// Whether the table is resident and all threads are idle.
    pub(crate) fn is_ready(&self) -> bool {
        self.started.as_ref().is_some_and(|started| started.ready.ends_within(Duration::ZERO))
    }

    /// Drops the last clone of `token` when the engine [is ready](Engine::is_ready), if it has a
    /// search thread. Searches in between delay it.
    pub(crate) fn hold_until_ready(&self, token: impl Clone + Send + 'static) {
        if let Some(Started { worker, .. }) = &self.started {
            worker.send(move |resources| resources.hold_until_ready(token));
        }
    }

    fn lose_thread(&mut self) {
        log::error!("the search thread has panicked");
        self.started = None;
    }

    /// The size of the transposition table in megabytes; 0 before it is allocated.
    pub(crate) fn hash_mb(&self) -> usize {
        self.table().map_or(0, |table| table.megabytes())
    }

    fn table(&self) -> Option<Arc<TranspositionTable>> {
        lock(&self.started.as_ref()?.table).upgrade()
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

    /// Evaluates with the network in a file of the engine's shape from now on, and clears table and
    /// histories. Waits for a running search.
    ///
    /// # Errors
    /// The file cannot be read, or has no such network; the old one stays in use.
    pub fn load_network(&mut self, path: &Path) -> io::Result<()> {
        self.set_network(Arc::new(Network::load(path)?));
        Ok(())
    }

    /// Clears the transposition table and the histories, as for a new game. Waits for a running
    /// search.
    pub fn clear(&mut self) {
        self.wait();
        self.nodes_time = NodesTime::default();
        self.send(Resources::clear);
    }

    fn start(
        &mut self,
        mut limits: Limits,
        stop_token: StopToken,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        self.start_thread();
        let board = self.game.board();
        let listener = Listener::new(listener, limits.first_move(board));
        // Without a search thread, the drop of the listener answers.
        let Some(Started { worker, .. }) = &self.started else { return };
        if let TimeUnit::Nodes(per_ms) = self.time_unit {
            let side = board.side();
            limits.clock = limits.clock.map(|clock| self.nodes_time.open(side, clock, per_ms));
        }
        let strength = self.settings.strength.limited(&limits, board);
        if let Some(strength) = strength {
            limits = strength.limits(limits);
        }
        let (number, overhead) = (board.fullmove(), self.settings.move_overhead);
        let threads = if strength.is_some() { 1 } else { self.threads };
        let request = SearchRequest {
            clock: Clock::new(&limits, number, overhead, self.time_unit),
            settings: Arc::clone(&self.settings),
            tablebases: Arc::clone(&self.tablebases),
            strength,
            shared: Arc::new(SharedCounters::new(threads)),
            ..SearchRequest::new(self.game.clone(), limits, Arc::default(), stop_token)
        };
        let (stop_token, shared) = (Arc::clone(&request.stop_token), Arc::clone(&request.shared));
        let (sender, nodes) = channel();
        worker.search(Box::new(request), listener, sender);
        self.running = Some(Running { stop_token, shared, nodes });
    }

    /// Blocks until a running search has ended. Returns its nodes.
    fn wait_for_nodes(&mut self) -> u64 {
        let ended = self.running.as_ref().map(|running| running.nodes.recv());
        if ended == Some(None) {
            self.lose_thread();
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

/// For the program and other crates of the workspace, with types of the feature `internals`.
impl Engine {
    /// An engine at the start position. `report` gets problems in words for the user, such as a lack
    /// of memory; it is called on any thread.
    pub fn with_reporter(report: impl Fn(String) + Send + Sync + 'static) -> Engine {
        Engine {
            game: Game::default(),
            settings: Arc::default(),
            hash_mb: DEFAULT_HASH_MB,
            threads: 1,
            time_unit: TimeUnit::default(),
            nodes_time: NodesTime::default(),
            started: None,
            tablebases: Arc::default(),
            network: Network::embedded(),
            running: None,
            stop: Arc::default(),
            report: Arc::new(report),
            #[cfg(test)]
            lacks_thread: false,
        }
    }

    /// The settings for the next search; a running one keeps its own.
    pub fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Blocks until the table is resident and all threads are idle.
    pub fn wait_until_ready(&mut self) {
        self.wait_until_ready_unless(&AtomicBool::new(false));
    }

    /// Like [`wait_until_ready`](Engine::wait_until_ready), but ends early when `stop` is set.
    pub(crate) fn wait_until_ready_unless(&mut self, stop: &AtomicBool) {
        if self.start_thread()
            && let Some(Started { ready, .. }) = &self.started
        {
            while !stop.load(Ordering::Relaxed) && !ready.ends_within(STOP_POLL) {}
        }
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// Replaces the network and clears table and histories. Blocks until a running search has
    /// ended.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.clear();
        self.network = Arc::clone(&network);
        self.send(move |resources| resources.set_network(network));
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

    /// Starts a search with the memory and the threads that there are. No other search may be
    /// running. The clock runs from `started`. `listener` gets reports and then exactly one answer;
    /// with infinite or ponder in `limits`, only after [`stop`](Engine::stop) or
    /// [`ponderhit`](Engine::ponderhit). It is called on the main search thread if there is one.
    pub fn go(
        &mut self,
        limits: Limits,
        started: Instant,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        let stop_token = StopToken::new(started, limits.infinite, limits.ponder);
        self.start(limits, stop_token, listener);
    }

    /// Stops a running search.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop_token.stop();
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
            hashfull: self.table().map_or(0, |table| table.hashfull()),
            tb_hits: shared.tablebase_hits(),
            time: stop_token.elapsed(),
        })
    }

    /// Blocks until a running search has ended.
    pub fn wait(&mut self) {
        self.wait_for_nodes();
    }

    /// Like [`search`](Engine::search), but ends early when `stop` is set.
    pub(crate) fn search_unless(&mut self, limits: Limits, stop: &Arc<AtomicBool>) -> SearchResult {
        self.stop = Arc::clone(stop);
        self.search(limits)
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_is_ready_until_a_change_and_after_it() {
        let mut engine = Engine::new();
        assert!(!engine.is_ready());
        let changes: [fn(&mut Engine); 3] = [|_| (), |engine| engine.set_threads(3), Engine::clear];
        for change in changes {
            change(&mut engine);
            engine.wait_until_ready();
            assert!(engine.is_ready());
            engine.best_move(Limits::depth(1));
            assert!(engine.is_ready());
        }
        let (sender, gate) = std::sync::mpsc::channel::<()>();
        engine.send(move |_| _ = gate.recv());
        assert!(!engine.is_ready());
        drop(sender);
    }

    #[test]
    fn engine_survives_a_panic_of_its_search_thread() {
        let mut engine = Engine::new();
        engine.set_hash(2).expect("so much memory is available");
        engine.send(|_| panic!("on purpose"));
        engine.wait_until_ready();
        assert!(engine.best_move(Limits::depth(1)).is_some());
        // The thread may take a moment to end.
        while engine.search(Limits::depth(3)).depth < 3 {}
        assert_eq!(engine.hash_mb(), 2);
        engine.send(|_| panic!("on purpose"));
        assert_eq!(engine.set_hash(3), Ok(()));
        assert_eq!(engine.hash_mb(), 3);
    }

    #[test]
    fn hash_of_the_same_size_keeps_the_table() {
        let mut engine = Engine::new();
        engine.wait_until_ready();
        let table = |engine: &Engine| engine.table().map(|table| Arc::as_ptr(&table));
        let before = table(&engine);
        assert_eq!(engine.set_hash(DEFAULT_HASH_MB), Ok(()));
        assert!(before.is_some() && table(&engine) == before);
        assert_eq!(engine.set_hash(1), Ok(()));
        assert_eq!(engine.hash_mb(), 1);
    }
}
