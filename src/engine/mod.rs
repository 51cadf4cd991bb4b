//! The engine as its users see it: the UCI dialogue, the tools and the tests.
//!
//! [`Engine`] owns the position, the settings, the transposition table and the
//! threads that search. Nothing here blocks, except what says so. A search
//! reports through a listener and ends with exactly one
//! [`SearchEvent::Finished`], come what may: even a panic in the search is
//! answered with the best move known.
//!
//! Memory and threads are taken by [`Engine::prepare`], before the clock runs; a
//! search that begins without it takes them then.

mod worker;

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Receiver;

use crate::board::Game;
use crate::eval::Nnue;
use crate::eval::nnue::Network;
use crate::memory::has_room_for_threads;
use crate::search::Task;
use crate::search::clock::{Clock, NodePurse, Pace};
use crate::search::control::Control;
use crate::search::handicap::Strength;
use crate::search::limits::{Limits, Outcome, SearchEvent};
use crate::search::table::{HashError, Table};
use crate::search::tablebase::Probing;
use crate::search::threads::THREAD_BYTES;
use crate::tablebase::Tablebases;

use worker::Worker;

/// Size of the transposition table at the start, in megabytes.
pub const DEFAULT_HASH_MB: usize = 16;

/// Time lost between clock and engine that is allowed for at the start, in
/// milliseconds for each move.
pub const DEFAULT_MOVE_OVERHEAD_MS: u64 = 10;

/// What the engine evaluates with unless told otherwise, in a few words.
#[must_use]
pub fn own_evaluation() -> String {
    Network::embedded().to_string()
}

/// What can be set between searches; read when a search starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many lines to report, 1 or more.
    pub multi_pv: usize,
    /// Time lost on the way to and from the clock at each move, in milliseconds.
    pub move_overhead_ms: u64,
    /// Whether castling is read and written as king takes rook.
    pub chess960: bool,
    /// When the endgame tables are asked.
    pub probing: Probing,
    /// How well to play.
    pub strength: Strength,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            multi_pv: 1,
            move_overhead_ms: DEFAULT_MOVE_OVERHEAD_MS,
            chess960: false,
            probing: Probing::default(),
            strength: Strength::default(),
        }
    }
}

/// A search under way.
struct Running {
    control: Arc<Control>,
    /// Tells its nodes when it has ended.
    nodes: Receiver<u64>,
}

/// The engine.
pub struct Engine {
    game: Game,
    settings: Settings,
    table: Arc<Table>,
    /// How many threads the next search has.
    threads: usize,
    /// What clocks count.
    pace: Pace,
    /// What is left of this game's clocks if that is nodes.
    purse: NodePurse,
    /// The thread that searches, once it is needed.
    worker: Option<Worker>,
    /// Whether the next search finds all memory and threads that it is to have.
    is_prepared: bool,
    /// Whether nothing has been searched since everything was forgotten.
    is_fresh: bool,
    tablebases: Arc<Tablebases>,
    network: Arc<Network>,
    running: Option<Running>,
}

impl Engine {
    /// An engine at the start position, with a table of [`DEFAULT_HASH_MB`].
    #[must_use]
    pub fn new() -> Engine {
        let (table, _) = Table::new(DEFAULT_HASH_MB);
        let network = Network::embedded();
        Engine {
            game: Game::default(),
            settings: Settings::default(),
            table: Arc::new(table),
            threads: 1,
            pace: Pace::default(),
            purse: NodePurse::default(),
            worker: None,
            is_prepared: false,
            is_fresh: true,
            tablebases: Arc::default(),
            network,
            running: None,
        }
    }

    /// The position that the next [`go`](Engine::go) is about.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the position for the next [`go`](Engine::go); a search under way
    /// keeps its own.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to be changed; a search under way keeps its own.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Makes the table `megabytes` large and empty. Its memory comes with
    /// [`prepare`](Engine::prepare). Blocks until a search under way has ended.
    ///
    /// # Errors
    /// If there is not so much memory; the error says what is used instead.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.wait();
        if self.table.megabytes() == megabytes {
            self.clear_table();
            return Ok(());
        }
        // The old table goes first: both together may not fit.
        self.table = Arc::new(Table::new(1).0);
        let (table, result) = Table::new(megabytes);
        self.table = Arc::new(table);
        self.is_prepared = false;
        result
    }

    /// How many threads the next search has: 1 to
    /// [`MAX_THREADS`](crate::search::threads::MAX_THREADS). One under way keeps
    /// its own.
    pub fn set_threads(&mut self, threads: usize) {
        self.is_prepared &= threads == self.threads;
        self.threads = threads;
    }

    /// Takes all memory and threads that the next search needs, so that it need not
    /// ask the system for any while its clock runs. Returns what the user should
    /// know: where there was less to be had than was asked for. Blocks until a
    /// search under way has ended; takes next to no time if all is there.
    pub fn prepare(&mut self) -> Vec<String> {
        self.wait();
        if self.is_prepared {
            return Vec::new();
        }
        let mut notes = Vec::new();
        let wanted_mb = self.table.megabytes();
        // The thread that searches comes with one that keeps its time.
        let bytes = if self.worker.is_some() { 0 } else { 2 * THREAD_BYTES };
        while !has_room_for_threads(bytes) && self.table.megabytes() > 1 {
            let less = self.table.megabytes() / 2;
            self.table = Arc::new(Table::new(1).0);
            self.table = Arc::new(Table::new(less).0);
        }
        let used_mb = self.table.megabytes();
        if used_mb < wanted_mb {
            notes.push(HashError { wanted_mb, used_mb }.to_string());
        }
        if self.worker.is_none() {
            match Worker::start(Arc::clone(&self.network)) {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => notes.push(format!("there is no thread to search with: {error}")),
            }
        }
        // What a search has left in the table stays: only a new one is not there yet.
        if let Some(table) = Arc::get_mut(&mut self.table)
            && !table.is_there()
        {
            table.clear(self.threads);
        }
        if let Some(worker) = &self.worker
            && let Err(problem) = worker.set_threads(self.threads)
        {
            notes.push(problem.to_string());
        }
        self.is_prepared = self.worker.is_some();
        notes
    }

    /// Uses the endgame tables in the folders of `path` from the next search on;
    /// none if it is empty. Returns messages about what cannot be used.
    pub fn set_tablebases(&mut self, path: &str) -> Vec<String> {
        let (tablebases, problems) = Tablebases::open(path);
        self.tablebases = Arc::new(tablebases);
        problems
    }

    /// The endgame tables in use.
    #[must_use]
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// Evaluates with this network from now on, and forgets everything learnt with
    /// the one before. Blocks until a search under way has ended.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.clear();
        self.network = network;
        if let Some(worker) = &self.worker {
            worker.set_network(Arc::clone(&self.network));
            self.is_prepared = false;
        }
    }

    /// The network in use.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the engine evaluates with, in a few words.
    #[must_use]
    pub fn describe_evaluation(&self) -> String {
        self.network.to_string()
    }

    /// What the clocks of the next search count. If that is nodes, what is left of
    /// them is kept from here, or from [`clear`](Engine::clear), to the end of the
    /// game; see [`NodePurse`]. Blocks until a search under way has ended.
    pub fn set_pace(&mut self, pace: Pace) {
        self.wait();
        self.pace = pace;
        self.purse = NodePurse::default();
    }

    /// Forgets everything learnt, as for a new game. Blocks until a search under
    /// way has ended.
    pub fn clear(&mut self) {
        self.wait();
        if self.is_fresh {
            return;
        }
        if let Some(worker) = &self.worker {
            worker.forget();
        }
        self.purse = NodePurse::default();
        self.clear_table();
        self.is_fresh = true;
    }

    fn clear_table(&mut self) {
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(self.threads),
            // Whoever may still hold it keeps it.
            None => {
                self.table = Arc::new(Table::new(self.table.megabytes()).0);
                self.is_prepared = false;
            }
        }
    }

    /// Starts to search. `started` is when the request came in: clocks run from
    /// there. `listener` hears, on the main search thread, reports and notes and then
    /// exactly one outcome; if `limits` say infinite or ponder, that comes only
    /// after [`stop`](Engine::stop) or [`ponderhit`](Engine::ponderhit). A search
    /// under way is stopped and waited for, and what the search needs is
    /// [prepared](Engine::prepare).
    pub fn go(
        &mut self,
        mut limits: Limits,
        started: Instant,
        mut listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        self.stop();
        for note in self.prepare() {
            listener(SearchEvent::Note(note));
        }
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.new_search();
        }
        self.is_fresh = false;
        if let Pace::Nodes(per_ms) = self.pace {
            let side = self.game.board().side();
            limits.clock = limits.clock.map(|clock| self.purse.open(side, clock, per_ms));
        }
        let handicap = self.settings.strength.handicap(&limits);
        if let Some(handicap) = handicap {
            limits = handicap.limited(limits);
        }
        let control = Arc::new(Control::new(started, limits.infinite, limits.ponder));
        let overhead_ms = self.settings.move_overhead_ms;
        let task = Task {
            game: self.game.clone(),
            clock: Clock::new(&limits, overhead_ms, self.pace, Arc::clone(&control)),
            limits,
            threads: if handicap.is_some() { 1 } else { self.threads },
            multi_pv: self.settings.multi_pv,
            handicap,
            table: Arc::clone(&self.table),
            tablebases: Arc::clone(&self.tablebases),
            probing: self.settings.probing,
            control: Arc::clone(&control),
        };
        match &self.worker {
            Some(worker) => {
                let nodes = worker.search(Box::new(task), Box::new(listener));
                self.running = Some(Running { control, nodes });
            }
            None => {
                // For want of a thread, any legal move has to do.
                let best = self.game.board().legal_moves().first().copied();
                listener(SearchEvent::Finished(Outcome { best, ponder: None }));
            }
        }
    }

    /// Tells the search under way, if any, to end now.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The move pondered on was played: the search under way, if any, goes on
    /// with its clock running.
    pub fn ponderhit(&self) {
        if let Some(running) = &self.running {
            running.control.ponderhit();
        }
    }

    /// Blocks until the search under way, if any, has ended: when the listener
    /// has heard the outcome, that is at once.
    pub fn wait(&mut self) {
        if let Some(Running { control, nodes }) = self.running.take() {
            let nodes = nodes.recv().unwrap_or_else(|_| {
                log::error!("the search thread has died");
                self.worker = None;
                self.is_prepared = false;
                0
            });
            // Only a move that is not played is never on the clock.
            self.purse.settle(control.on_clock().map(|_| nodes));
        }
    }

    /// The static evaluation of the position, explained over several lines.
    #[must_use]
    pub fn evaluate_text(&self) -> String {
        Nnue::new(Arc::clone(&self.network)).explain(self.game.board())
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
