//! The engine as its users see it: the UCI dialogue, the tools and the tests.
//!
//! [`Engine`] owns the position, the settings, the transposition table and the
//! threads that search. Nothing here blocks, except what says so. A search
//! reports through a listener and ends with exactly one
//! [`SearchEvent::Finished`], come what may: even a panic in the search is
//! answered with the best move known.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::board::{Game, Move};
use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::search::clock::{NodePurse, Pace};
use crate::search::control::Control;
use crate::search::handicap::{Handicap, Strength};
use crate::search::limits::{Limits, Outcome, SearchEvent};
use crate::search::table::{HashError, Table};
use crate::search::tablebase::Probing;
use crate::search::threads::{Crew, STACK_BYTES};
use crate::search::{self, Task};
use crate::tablebase::Tablebases;

/// What evaluates for the engine.
#[cfg(not(feature = "hce"))]
pub type OwnEvaluator = crate::eval::Nnue;

/// What evaluates for the engine: by hand, for matches against the network.
#[cfg(feature = "hce")]
pub type OwnEvaluator = crate::eval::Hce;

/// Size of the transposition table at the start, in megabytes.
pub const DEFAULT_HASH_MB: usize = 16;

/// Time lost between clock and engine that is allowed for at the start, in
/// milliseconds for each move.
pub const DEFAULT_MOVE_OVERHEAD_MS: u64 = 10;

/// What the engine evaluates with unless told otherwise, in a few words.
#[must_use]
pub fn own_evaluation() -> String {
    OwnEvaluator::describe(&Network::embedded())
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
    thread: JoinHandle<Option<Remains>>,
}

/// What is left of a search that has ended.
struct Remains {
    crew: Crew<OwnEvaluator>,
    /// The nodes that it has taken.
    nodes: u64,
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
    /// What the search threads keep; with the search while it runs.
    crew: Crew<OwnEvaluator>,
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
            crew: Crew::new(1, Arc::clone(&network)),
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

    /// Makes the table `megabytes` large and empty. Blocks until a search under
    /// way has ended.
    ///
    /// # Errors
    /// If there is not so much memory; the error says what is used instead.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.wait();
        // The old table goes first: both together may not fit.
        self.table = Arc::new(Table::new(1).0);
        let (table, result) = Table::new(megabytes);
        self.table = Arc::new(table);
        result
    }

    /// How many threads the next search has: 1 to
    /// [`MAX_THREADS`](crate::search::threads::MAX_THREADS). One under way keeps
    /// its own.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
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
        self.crew = self.new_crew();
    }

    /// The network in use.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the engine evaluates with, in a few words.
    #[must_use]
    pub fn describe_evaluation(&self) -> String {
        OwnEvaluator::describe(&self.network)
    }

    /// Search threads without experience.
    fn new_crew(&self) -> Crew<OwnEvaluator> {
        Crew::new(1, Arc::clone(&self.network))
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
        self.crew.clear();
        self.purse = NodePurse::default();
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(self.threads),
            // Whoever may still hold it keeps it.
            None => self.table = Arc::new(Table::new(self.table.megabytes()).0),
        }
        self.is_fresh = true;
    }

    /// Starts to search. `started` is when the request came in: clocks run from
    /// there. `listener` hears, on the main search thread, reports and notes and then
    /// exactly one outcome; if `limits` say infinite or ponder, that comes only
    /// after [`stop`](Engine::stop) or [`ponderhit`](Engine::ponderhit). A search
    /// under way is stopped and waited for.
    pub fn go(
        &mut self,
        mut limits: Limits,
        started: Instant,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        self.stop();
        self.wait();
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
        let crew = self.new_crew();
        let mut crew = std::mem::replace(&mut self.crew, crew);
        crew.set_threads(if handicap.is_some() { 1 } else { self.threads });
        let control = Arc::new(Control::new(started, limits.infinite, limits.ponder));
        let job = Job {
            game: self.game.clone(),
            limits,
            settings: self.settings.clone(),
            pace: self.pace,
            handicap,
            table: Arc::clone(&self.table),
            tablebases: Arc::clone(&self.tablebases),
            control: Arc::clone(&control),
            crew,
            listener: Box::new(listener),
        };
        // The job is handed over in a slot, so that it is not lost with a thread
        // that could not be started.
        let slot = Arc::new(Mutex::new(Some(job)));
        let handed_over = Arc::clone(&slot);
        let spawned = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || take(&handed_over).map(Job::run));
        match spawned {
            Ok(thread) => self.running = Some(Running { control, thread }),
            Err(error) => {
                log::error!("no thread to search with: {error}");
                if let Some(job) = take(&slot) {
                    self.crew = job.answer_unsearched();
                }
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
        if let Some(running) = self.running.take() {
            let mut nodes = 0;
            if let Ok(Some(remains)) = running.thread.join() {
                self.crew = remains.crew;
                nodes = remains.nodes;
            }
            // Only a move that is not played is never on the clock.
            self.purse.settle(running.control.on_clock().map(|_| nodes));
        }
    }

    /// The static evaluation of the position, explained over several lines.
    #[must_use]
    pub fn evaluate_text(&self) -> String {
        OwnEvaluator::with_network(&self.network).explain(self.game.board())
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

/// One search, with all that its threads need.
struct Job {
    game: Game,
    limits: Limits,
    settings: Settings,
    pace: Pace,
    handicap: Option<Handicap>,
    table: Arc<Table>,
    tablebases: Arc<Tablebases>,
    control: Arc<Control>,
    crew: Crew<OwnEvaluator>,
    listener: Box<dyn FnMut(SearchEvent) + Send>,
}

fn take(slot: &Mutex<Option<Job>>) -> Option<Job> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Job {
    /// Answers with any legal move, for want of a thread.
    fn answer_unsearched(mut self) -> Crew<OwnEvaluator> {
        let best = self.game.board().legal_moves().first().copied();
        (self.listener)(SearchEvent::Finished(Outcome { best, ponder: None }));
        self.crew
    }

    /// Searches, waits until an answer is due, answers, and gives the crew back.
    fn run(self) -> Remains {
        let Job { game, limits, settings, pace, handicap, table, tablebases, control, .. } = self;
        let (mut crew, mut listener) = (self.crew, self.listener);
        let mut nodes = 0;
        let mut last_line: Vec<Move> = Vec::new();
        let task = Task {
            game,
            limits: &limits,
            multi_pv: settings.multi_pv,
            move_overhead_ms: settings.move_overhead_ms,
            pace,
            handicap,
            table: &table,
            tablebases: &tablebases,
            probing: settings.probing,
            control: Arc::clone(&control),
        };
        let searched = catch_unwind(AssertUnwindSafe(|| {
            search::search(&task, &mut crew, &mut |event| {
                if let SearchEvent::Report(report) = &event {
                    nodes = report.nodes;
                    if report.multi_pv == 1 {
                        last_line.clone_from(&report.pv);
                    }
                }
                listener(event);
            })
        }));
        let outcome = searched.unwrap_or_else(|_| {
            let board = task.game.board();
            log::error!("the search panicked at {}", board.fen(true));
            crew.discard();
            let first = || board.legal_moves().first().copied();
            Outcome { best: last_line.first().copied().or_else(first), ponder: None }
        });
        control.wait_until_answer_is_due();
        listener(SearchEvent::Finished(outcome));
        Remains { crew, nodes }
    }
}
