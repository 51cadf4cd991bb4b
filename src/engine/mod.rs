//! The engine as the UCI dialogue, the tools and the tests see it.
//!
//! [`Engine`] owns the position, the settings, the transposition table and the search
//! threads. Nothing here blocks unless it says so. A search reports to a listener and
//! ends with exactly one [`SearchEvent::Finished`], come what may: even after a panic it
//! answers with the best move known.
//!
//! [`Engine::prepare`] takes memory and threads before the clock runs; a search that
//! begins without it takes them then.

mod answer;

mod preparation;

mod settings;

#[cfg(not(target_family = "wasm"))]
mod worker;

#[cfg(target_family = "wasm")]
#[path = "fiber.rs"]
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::{Game, Move};
use crate::eval::nnue::Network;
use crate::eval::{Nnue, endings};
use crate::host::{self, Instant, Receiver, channel};
use crate::score::Score;
use crate::search::Task;
use crate::search::clock::{Clock, NodePurse, Pace};
use crate::search::control::Control;
use crate::search::limits::{Limits, Outcome, SearchEvent, Snapshot};
use crate::search::shared::Shared;
use crate::search::threads::THREAD_BYTES;
use crate::search::transposition::{HashError, TranspositionTable};
use crate::sys::memory::has_room_for_threads;
use crate::tablebase::Tablebases;

use preparation::{Preparation, Prepared};
pub use settings::{DEFAULT_MOVE_OVERHEAD_MS, EngineSettings};
use worker::Worker;

/// Size of the transposition table at the start, in megabytes.
pub const DEFAULT_HASH_MB: usize = 16;

/// The evaluation that the engine uses unless told otherwise, in a few words.
#[must_use]
pub fn own_evaluation() -> String {
    Network::embedded().to_string()
}

/// A search under way.
struct Running {
    control: Arc<Control>,
    shared: Arc<Shared>,
    /// Receives the number of its nodes when it has ended.
    nodes: Receiver<u64>,
}

/// A preparation under way.
struct Preparing {
    abort: Arc<AtomicBool>,
    answer: Receiver<Prepared>,
}

/// The engine.
pub struct Engine {
    game: Game,
    settings: EngineSettings,
    table: Arc<TranspositionTable>,
    /// How many threads the next search has.
    threads: usize,
    /// What clocks count.
    pace: Pace,
    /// What is left of this game's clocks if they count nodes.
    purse: NodePurse,
    /// The main search thread, once it is needed.
    worker: Option<Worker>,
    /// Whether the next search has its memory and threads, and an empty table if it is
    /// to have one.
    is_prepared: bool,
    /// Whether the next preparation empties the table.
    clear_table: bool,
    /// Whether the next preparation empties the histories.
    clear_histories: bool,
    /// Whether there was no search since the last [`clear`](Engine::clear).
    is_fresh: bool,
    preparing: Option<Preparing>,
    /// Notes to the user that no [`prepare`](Engine::prepare) has returned yet.
    notes: Vec<String>,
    tablebases: Arc<Tablebases>,
    network: Arc<Network>,
    running: Option<Running>,
}

impl Engine {
    /// An engine at the start position, with a transposition table of
    /// [`DEFAULT_HASH_MB`].
    #[must_use]
    pub fn new() -> Engine {
        let (table, _) = TranspositionTable::new(DEFAULT_HASH_MB);
        let network = Network::embedded();
        Engine {
            game: Game::default(),
            settings: EngineSettings::default(),
            table: Arc::new(table),
            threads: 1,
            pace: Pace::default(),
            purse: NodePurse::default(),
            worker: None,
            is_prepared: false,
            clear_table: false,
            clear_histories: false,
            is_fresh: true,
            preparing: None,
            notes: Vec::new(),
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
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The settings, to be changed; a search under way keeps its own.
    pub fn settings_mut(&mut self) -> &mut EngineSettings {
        &mut self.settings
    }

    /// Replaces the transposition table by an empty one of this size. Its memory comes
    /// with [`prepare`](Engine::prepare). Blocks until a search under way has ended.
    ///
    /// # Errors
    /// If there is not enough memory; the error says what is used instead.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.wait();
        self.is_prepared = false;
        if self.table.megabytes() == megabytes {
            self.clear_table = true;
            return Ok(());
        }
        // The old table goes first: both together may not fit.
        self.table = Arc::default();
        let (table, result) = TranspositionTable::new(megabytes);
        self.table = Arc::new(table);
        result
    }

    /// How many threads the next search has: 1 to
    /// [`MAX_THREADS`](crate::search::threads::MAX_THREADS). One under way keeps
    /// its own.
    pub fn set_threads(&mut self, threads: usize) {
        self.is_prepared &= threads == self.threads;
        self.threads = threads;
    }

    /// Takes all the memory and threads that the next search needs, and empties the table
    /// if it is to be empty, so that none of this costs time on the search's clock.
    /// Returns notes for the user, if fewer resources were available than requested.
    /// Blocks until a search under way has ended; takes next to no time if there is
    /// nothing to do.
    pub fn prepare(&mut self) -> Vec<String> {
        self.begin_preparing(|| ());
        self.finish_preparing()
    }

    /// Whether [`prepare`](Engine::prepare) has nothing to do.
    pub(crate) fn is_prepared(&self) -> bool {
        self.is_prepared
    }

    /// Begins what [`prepare`](Engine::prepare) does and calls `done` when it is done,
    /// perhaps before this returns. [`finish_preparing`](Engine::finish_preparing) has to
    /// follow.
    pub(crate) fn begin_preparing(&mut self, done: impl FnOnce() + Send + 'static) {
        self.wait();
        if self.is_prepared {
            return done();
        }
        endings::prepare();
        let wanted_mb = self.table.megabytes();
        // The search thread comes with one that keeps its time.
        let bytes = if self.worker.is_some() { 0 } else { 2 * THREAD_BYTES };
        while !has_room_for_threads(bytes) && self.table.megabytes() > 1 {
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
        let abort = Arc::new(AtomicBool::new(false));
        let megabytes = self.table.megabytes();
        let table = Arc::into_inner(std::mem::take(&mut self.table));
        let (answer, answered) = channel();
        worker.prepare(Preparation {
            // Another owner of the table keeps the old one.
            table: table.unwrap_or_else(|| TranspositionTable::new(megabytes).0),
            clear_table: self.clear_table,
            clear_histories: self.clear_histories,
            threads: self.threads,
            network: Arc::clone(&self.network),
            abort: Arc::clone(&abort),
            answer,
            done: Box::new(done),
        });
        self.preparing = Some(Preparing { abort, answer: answered });
    }

    /// Ends a preparation under way as soon as possible. The next search can do without.
    pub(crate) fn abort_preparing(&self) {
        if let Some(preparing) = &self.preparing {
            preparing.abort.store(true, Ordering::Relaxed);
        }
    }

    /// Blocks until a preparation under way has ended. Returns notes for the user, if
    /// fewer resources were available than requested.
    pub(crate) fn finish_preparing(&mut self) -> Vec<String> {
        if let Some(Preparing { answer, .. }) = self.preparing.take() {
            match answer.recv() {
                Some(Prepared { table, is_table_ready, threads }) => {
                    self.table = Arc::new(table);
                    self.notes.extend(threads.err().map(|error| error.to_string()));
                    self.clear_histories = false;
                    self.clear_table &= !is_table_ready;
                    self.is_prepared = is_table_ready;
                }
                None => {
                    self.lose_worker();
                    self.table = Arc::new(TranspositionTable::new(DEFAULT_HASH_MB).0);
                }
            }
        }
        std::mem::take(&mut self.notes)
    }

    /// Notes that the search thread has ended by itself.
    fn lose_worker(&mut self) {
        log::error!("the search thread has panicked");
        self.worker = None;
        self.is_prepared = false;
    }

    /// Uses the tablebases in the folders of `path` from the next search on; none if it
    /// is empty. Returns messages about files that cannot be used.
    pub fn set_tablebases(&mut self, path: &str) -> Vec<String> {
        let (tablebases, problems) = Tablebases::open(path);
        self.tablebases = Arc::new(tablebases);
        problems
    }

    /// The tablebases in use.
    #[must_use]
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// Evaluates with this network from now on, and forgets everything learnt with the
    /// previous one. Blocks until a search under way has ended.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.clear();
        self.network = network;
        self.is_prepared = false;
    }

    /// The network in use.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The evaluation in use, in a few words.
    #[must_use]
    pub fn describe_evaluation(&self) -> String {
        self.network.to_string()
    }

    /// Sets what the clocks of the next search count. For nodes, an account is kept from
    /// here, or from [`clear`](Engine::clear), to the end of the game; see
    /// [`NodePurse`]. Blocks until a search under way has ended.
    pub fn set_pace(&mut self, pace: Pace) {
        self.wait();
        self.pace = pace;
        self.purse = NodePurse::default();
    }

    /// Clears the transposition table and the histories before the next search, as for a
    /// new game; [`prepare`](Engine::prepare) does it beforehand. Blocks until a search
    /// under way has ended.
    pub fn clear(&mut self) {
        self.wait();
        if self.is_fresh {
            return;
        }
        self.purse = NodePurse::default();
        self.clear_table = true;
        self.clear_histories = true;
        self.is_prepared = false;
        self.is_fresh = true;
    }

    /// Starts a search. `started` is when the request came in, from which the clock runs.
    /// On the main search thread, `listener` gets reports and notes and then exactly one
    /// outcome; if `limits` say infinite or ponder, that comes only after
    /// [`stop`](Engine::stop) or [`ponderhit`](Engine::ponderhit). A search under way is
    /// stopped and waited for, and the new one is [prepared](Engine::prepare).
    pub fn go(
        &mut self,
        limits: Limits,
        started: Instant,
        mut listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        self.stop();
        for note in self.prepare() {
            listener(SearchEvent::Note(note));
        }
        self.go_prepared(limits, started, listener);
    }

    /// Like [`go`](Engine::go), but never blocks: the search does with the memory and the
    /// threads that are there, and none may be under way.
    pub(crate) fn go_prepared(
        &mut self,
        limits: Limits,
        started: Instant,
        listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        let control = Control::new(started, limits.infinite, limits.ponder);
        self.start(limits, control, listener);
    }

    /// Starts a search that `control` stops.
    fn start(
        &mut self,
        mut limits: Limits,
        control: Control,
        mut listener: impl FnMut(SearchEvent) + Send + 'static,
    ) {
        let table = self.table_for_search();
        self.is_fresh = false;
        if let Pace::Nodes(per_ms) = self.pace {
            let side = self.game.board().side();
            limits.clock = limits.clock.map(|clock| self.purse.open(side, clock, per_ms));
        }
        let handicap = self.settings.strength.handicap(&limits);
        if let Some(handicap) = handicap {
            limits = handicap.limited(limits);
        }
        let control = Arc::new(control);
        let threads = if handicap.is_some() { 1 } else { self.threads };
        let shared = Arc::new(Shared::new(threads));
        let overhead_ms = self.settings.move_overhead_ms;
        let task = Task {
            game: self.game.clone(),
            clock: Clock::new(
                &limits,
                self.game.board().fullmove(),
                overhead_ms,
                self.pace,
                Arc::clone(&control),
            ),
            limits,
            shared: Arc::clone(&shared),
            multi_pv: self.settings.multi_pv,
            handicap,
            table,
            tablebases: Arc::clone(&self.tablebases),
            probing: self.settings.probing,
            control: Arc::clone(&control),
        };
        match &self.worker {
            Some(worker) => {
                let (nodes, spent) = channel();
                worker.search(Box::new(task), Box::new(listener), nodes);
                self.running = Some(Running { control, shared, nodes: spent });
            }
            None => {
                // Without a thread to search, any legal move has to do.
                let best = self.game.board().legal_moves().first().copied();
                listener(SearchEvent::Finished(Outcome { best, ponder: None }));
            }
        }
    }

    /// The table for a new search. If its preparation was aborted, it has no memory yet,
    /// and each page would take milliseconds at its first use: then a small one stands in.
    fn table_for_search(&mut self) -> Arc<TranspositionTable> {
        if !self.table.is_there() {
            let (mut small, _) = TranspositionTable::new(1);
            small.clear(1);
            return Arc::new(small);
        }
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.new_search();
        }
        Arc::clone(&self.table)
    }

    /// Stops the search under way, if any.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The expected move was played: the search under way, if any, goes on with its
    /// clock running.
    pub fn ponderhit(&self) {
        if let Some(running) = &self.running {
            running.control.ponderhit();
        }
    }

    /// How far the search under way has come; `None` if there is none, or if it has only
    /// its answer left to give. Costs the search nothing.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        let Running { control, shared, .. } = self.running.as_ref()?;
        (!control.is_called_off()).then(|| Snapshot {
            current_move: shared.current_move(),
            nodes: shared.nodes(),
            hashfull: self.table.hashfull(),
            tb_hits: shared.tablebase_hits(),
            time: control.elapsed(),
        })
    }

    /// Blocks until the search under way, if any, has ended. Once the listener has the
    /// outcome, that is at once.
    pub fn wait(&mut self) {
        self.wait_for_nodes();
        self.notes = self.finish_preparing();
    }

    /// Blocks until the search under way, if any, has ended. Returns its nodes.
    fn wait_for_nodes(&mut self) -> u64 {
        let ended = self.running.as_ref().map(|running| running.nodes.recv());
        if ended == Some(None) {
            self.lose_worker();
        }
        self.conclude();
        ended.flatten().unwrap_or(0)
    }

    /// Ends a search whose listener has its outcome. Unlike [`wait`](Engine::wait) it
    /// does not wait until the search thread, which may not get a processor, sleeps.
    pub(crate) fn conclude(&mut self) {
        if let Some(Running { control, shared, .. }) = self.running.take() {
            // A search that was never on the clock has no move to be played.
            self.purse.settle(control.on_clock().map(|_| shared.nodes()));
        }
    }

    /// Searches the position and waits for the answer: the best move, or `None` if there
    /// is no legal one. The limits are to set an end; [`Limits::infinite`] and
    /// [`Limits::ponder`] are ignored.
    ///
    /// ```
    /// use carrybit::board::Game;
    /// use carrybit::engine::Engine;
    /// use carrybit::search::limits::Limits;
    ///
    /// let mut engine = Engine::new();
    /// engine.set_game(Game::new("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse()?));
    /// let best = engine.best_move(Limits { depth: Some(3), ..Limits::default() });
    /// assert_eq!(best.map(|mv| mv.to_string()), Some("a1a8".to_owned()));
    /// # Ok::<(), carrybit::board::FenError>(())
    /// ```
    pub fn best_move(&mut self, limits: Limits) -> Option<Move> {
        let limits = Limits { infinite: false, ponder: false, ..limits };
        let (sender, outcomes) = channel();
        self.go(limits, Instant::now(), move |event| {
            if let SearchEvent::Finished(outcome) = event {
                // The receiver waits for exactly this.
                let _ = sender.send(outcome);
            }
        });
        host::work();
        self.wait();
        outcomes.try_recv().and_then(|outcome| outcome.best)
    }

    /// Searches the position until a limit is reached or `stop` is set, and returns the
    /// number of nodes. The limits are as for [`best_move`](Engine::best_move).
    pub fn count_nodes(&mut self, limits: Limits, stop: &Arc<AtomicBool>) -> u64 {
        let limits = Limits { infinite: false, ponder: false, ..limits };
        self.stop();
        self.prepare();
        self.start(limits, Control::shared(Arc::clone(stop)), |_| {});
        host::work();
        self.wait_for_nodes()
    }

    /// The static evaluation of the position, explained over several lines, with scores
    /// converted to the centipawns that `shown` makes of them.
    #[must_use]
    pub fn evaluate_text(&self, shown: impl Fn(Score) -> i32) -> String {
        let board = self.game.board();
        let mut text = Nnue::new(Arc::clone(&self.network)).explain(board, &shown);
        if let Some(known) = endings::known(board) {
            text += &format!(
                "The pieces left decide this ending: whatever the network says, a search takes it\n\
                 for {} cp for the side to move\n",
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
        self.abort_preparing();
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
        engine.abort_preparing();
        let _ = is_done.recv();
        assert_eq!(engine.finish_preparing(), [""; 0]);
        let (ended, outcome) = channel();
        let limits = Limits { depth: Some(2), ..Limits::default() };
        engine.go_prepared(limits, Instant::now(), move |event| {
            if let SearchEvent::Finished(outcome) = event {
                let _ = ended.send(outcome);
            }
        });
        assert!(outcome.recv().is_some_and(|outcome| outcome.best.is_some()));
        engine.wait();
        assert_eq!(engine.prepare(), [""; 0]);
        assert!(engine.is_prepared());
    }
}
