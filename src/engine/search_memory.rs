//! The memory of the search threads, and one search from its start to its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::search::limits::{Outcome, SearchEvent};
use crate::search::stop_token::StopToken;
use crate::search::threads::{ThreadPool, ThreadsError};
use crate::search::transposition::TranspositionTable;
use crate::search::{self, SearchRequest};

/// Called with the events of a search.
pub(super) type Listener = Box<dyn FnMut(SearchEvent) + Send>;

/// The memory that searches keep from one to the next, apart from the table.
pub(super) struct SearchMemory {
    pool: ThreadPool,
}

impl SearchMemory {
    pub(super) fn new(network: Arc<Network>) -> SearchMemory {
        SearchMemory { pool: ThreadPool::new(network) }
    }

    /// Allocates all that a search needs before its clock runs: memory, threads, a table. If
    /// `clears`, table and histories are cleared. That takes seconds for many gigabytes, and
    /// `abort` ends it early. Returns whether the table is ready.
    pub(super) fn prepare(
        &mut self,
        network: Arc<Network>,
        table: &mut TranspositionTable,
        threads: usize,
        clears: bool,
        abort: &AtomicBool,
    ) -> (bool, Result<(), ThreadsError>) {
        if !Arc::ptr_eq(&network, self.pool.network()) {
            *self = SearchMemory::new(network);
        } else if clears {
            self.pool.clear();
        }
        let is_ready = table.is_allocated() && !clears || table.clear_unless(threads, abort);
        (is_ready, self.pool.set_threads(threads))
    }

    /// Searches, calls `wait_until_due` until an answer is due, and answers: exactly once,
    /// even if the search panics. By then the transposition table is released. Returns the
    /// number of nodes.
    pub(super) fn search(
        &mut self,
        request: Box<SearchRequest>,
        mut listener: Listener,
        wait_until_due: impl FnOnce(&StopToken),
    ) -> u64 {
        let mut last_line: Vec<Move> = Vec::new();
        let searched = catch_unwind(AssertUnwindSafe(|| {
            search::search(&request, &mut self.pool, &mut |event| {
                if let SearchEvent::Report(report) = &event
                    && report.multi_pv == 1
                {
                    last_line.clone_from(&report.pv);
                }
                listener(event);
            })
        }));
        let outcome = searched.unwrap_or_else(|_| {
            let board = request.game.board();
            log::error!("the search panicked at {}", board.fen(true));
            self.pool.discard();
            let first = || board.legal_moves().first().copied();
            Outcome { best: last_line.first().copied().or_else(first), ponder: None }
        });
        let stop_token = Arc::clone(&request.stop_token);
        let nodes = request.shared.nodes();
        drop(request);
        wait_until_due(&stop_token);
        listener(SearchEvent::Finished(outcome));
        nodes
    }
}
