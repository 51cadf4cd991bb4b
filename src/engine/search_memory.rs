//! The memory of the search threads, and one search from its start to its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::search::control::Control;
use crate::search::limits::{Outcome, SearchEvent};
use crate::search::threads::{Crew, ThreadsError};
use crate::search::transposition::TranspositionTable;
use crate::search::{self, Task};

/// Called with the events of a search.
pub(super) type Listener = Box<dyn FnMut(SearchEvent) + Send>;

/// The memory that searches keep from one to the next, apart from the table.
pub(super) struct SearchMemory {
    crew: Crew,
}

impl SearchMemory {
    pub(super) fn new(network: Arc<Network>) -> SearchMemory {
        SearchMemory { crew: Crew::new(network) }
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
        if !Arc::ptr_eq(&network, self.crew.network()) {
            *self = SearchMemory::new(network);
        } else if clears {
            self.crew.clear();
        }
        let is_ready = table.is_there() && !clears || table.clear_unless(threads, abort);
        (is_ready, self.crew.set_threads(threads))
    }

    /// Searches, calls `wait_until_due` until an answer is due, and answers: exactly once,
    /// even if the search panics. By then the transposition table is released. Returns the
    /// number of nodes.
    pub(super) fn search(
        &mut self,
        task: Box<Task>,
        mut listener: Listener,
        wait_until_due: impl FnOnce(&Control),
    ) -> u64 {
        let mut last_line: Vec<Move> = Vec::new();
        let searched = catch_unwind(AssertUnwindSafe(|| {
            search::search(&task, &mut self.crew, &mut |event| {
                if let SearchEvent::Report(report) = &event
                    && report.multi_pv == 1
                {
                    last_line.clone_from(&report.pv);
                }
                listener(event);
            })
        }));
        let outcome = searched.unwrap_or_else(|_| {
            let board = task.game.board();
            log::error!("the search panicked at {}", board.fen(true));
            self.crew.discard();
            let first = || board.legal_moves().first().copied();
            Outcome { best: last_line.first().copied().or_else(first), ponder: None }
        });
        let control = Arc::clone(&task.control);
        let nodes = task.shared.nodes();
        drop(task);
        wait_until_due(&control);
        listener(SearchEvent::Finished(outcome));
        nodes
    }
}
