//! The resources of searches: the threads with their histories, and the transposition table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Weak};

use crate::eval::endings;
use crate::eval::nnue::Network;
use crate::search::report::{BestMove, Report, SearchEvent};
use crate::search::stop_token::StopToken;
use crate::search::threads::ThreadPool;
use crate::search::transposition::{HashError, TranspositionTable};
use crate::search::{self, SearchRequest};
use carrybit_board::Move;

use super::search::lock;

/// Receives problems in words for the user.
pub(super) type Reporter = Arc<dyn Fn(String) + Send + Sync>;

/// The resources of one engine, on its search thread. Each change is complete when its method
/// returns, but costs the next search time until [`touch`](Resources::touch) has returned false and
/// the workers are done.
pub(super) struct Resources {
    pool: ThreadPool,
    table: Arc<TranspositionTable>,
    /// The table, for other threads.
    current_table: Arc<Mutex<Weak<TranspositionTable>>>,
    /// The size requested; with little memory, the table is smaller.
    hash_mb: usize,
    /// The number requested; with little memory, there are fewer.
    threads: usize,
    /// Whether there was no search since the last [`clear`](Resources::clear).
    is_fresh: bool,
    /// Dropped as soon as all pages of the table are resident.
    tokens: Vec<Box<dyn Send>>,
    report: Reporter,
}

/// Gets the events of a search. The drop sends the answer, so each search has exactly one, even if
/// it panics or never begins.
pub(super) struct Listener {
    listen: Box<dyn FnMut(SearchEvent) + Send>,
    answer: BestMove,
}

impl Listener {
    /// The answer of a search that reports nothing is `fallback`.
    pub(super) fn new(
        listen: impl FnMut(SearchEvent) + Send + 'static,
        fallback: Option<Move>,
    ) -> Listener {
        Listener { listen: Box::new(listen), answer: BestMove { best: fallback, ponder: None } }
    }

    fn report(&mut self, report: Report) {
        if report.multi_pv == 1 {
            self.answer.best = report.pv.first().copied().or(self.answer.best);
        }
        (self.listen)(SearchEvent::Report(report));
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        (self.listen)(SearchEvent::Finished(self.answer.clone()));
    }
}

impl Resources {
    pub(super) fn new(
        network: Arc<Network>,
        current_table: Arc<Mutex<Weak<TranspositionTable>>>,
        report: Reporter,
    ) -> Resources {
        endings::prepare();
        Resources {
            pool: ThreadPool::new(network),
            table: Arc::default(),
            current_table,
            hash_mb: 0,
            threads: 1,
            is_fresh: true,
            tokens: Vec::new(),
            report,
        }
    }

    /// Replaces the table by an empty one, unless it has this size.
    pub(super) fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.hash_mb = megabytes;
        if self.table.megabytes() == megabytes { Ok(()) } else { self.replace_table() }
    }

    fn replace_table(&mut self) -> Result<(), HashError> {
        if cfg!(target_family = "wasm") && self.table.megabytes() == self.hash_mb {
            // Memory that was freed could be too fragmented for a new table.
            self.table.clear();
            return Ok(());
        }
        // The old table goes first: both together may not fit.
        self.table = Arc::default();
        let (table, result) = TranspositionTable::new(self.hash_mb);
        self.table = Arc::new(table);
        *lock(&self.current_table) = Arc::downgrade(&self.table);
        result
    }

    pub(super) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.start_threads();
    }

    fn start_threads(&mut self) {
        let threads = self.threads;
        if let Err(problem) = self.pool.set_threads(threads) {
            (self.report)(problem);
        }
    }

    /// Empties the table and clears the histories.
    pub(super) fn clear(&mut self) {
        if std::mem::replace(&mut self.is_fresh, true) {
            return;
        }
        self.pool.clear();
        if let Err(problem) = self.replace_table() {
            (self.report)(problem.to_string());
        }
        if self.pool.threads() < self.threads {
            self.start_threads();
        }
    }

    /// Replaces the network, clears the table and starts other threads.
    pub(super) fn set_network(&mut self, network: Arc<Network>) {
        self.pool = ThreadPool::new(network);
        self.start_threads();
        self.clear();
    }

    /// Does a part of the work that would cost the next search time. Returns whether there is more.
    pub(super) fn touch(&mut self) -> bool {
        // WebAssembly's memory is resident.
        let is_more = cfg!(not(target_family = "wasm")) && self.table.touch();
        if !is_more {
            self.tokens.clear();
        }
        is_more
    }

    /// Drops the last clone of `token` when the table is resident and the workers are idle.
    pub(super) fn hold_until_ready(&mut self, token: impl Clone + Send + 'static) {
        self.pool.pass(&token);
        self.tokens.push(Box::new(token));
    }

    /// Searches with the resources there are, releases the table, calls `wait_until_due`, and drops
    /// `listener`. Returns the number of nodes.
    pub(super) fn search(
        &mut self,
        mut request: Box<SearchRequest>,
        mut listener: Listener,
        wait_until_due: impl FnOnce(&StopToken),
    ) -> u64 {
        self.is_fresh = false;
        self.table.new_search();
        request.table = Arc::clone(&self.table);
        let searched = catch_unwind(AssertUnwindSafe(|| {
            search::search(&request, &mut self.pool, &mut |report| listener.report(report))
        }));
        match searched {
            Ok(answer) => listener.answer = answer,
            Err(_) => {
                log::error!("the search panicked at {}", request.game.board().shredder_fen());
                self.pool.discard();
            }
        }
        let stop_token = Arc::clone(&request.stop_token);
        let nodes = request.shared.nodes();
        drop(request);
        wait_until_due(&stop_token);
        drop(listener);
        self.table.visit(nodes);
        nodes
    }
}
