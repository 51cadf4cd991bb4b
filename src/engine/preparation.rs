//! All that a search needs before its clock runs: memory, threads, an empty table.
//!
//! To clear a table of many gigabytes takes seconds. The search thread does it, so that
//! the dialogue reads `stop` and `quit` meanwhile; these abort it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::eval::nnue::Network;
use crate::host::Sender;
use crate::search::threads::{Crew, ThreadsError};
use crate::search::transposition::TranspositionTable;

/// Describes the state that the next search begins from.
pub(super) struct Preparation {
    pub(super) table: TranspositionTable,
    /// Whether the table is emptied; a new one always gets its memory.
    pub(super) clear_table: bool,
    /// Whether the histories are emptied.
    pub(super) clear_histories: bool,
    pub(super) threads: usize,
    pub(super) network: Arc<Network>,
    /// Ends the preparation early when it is set.
    pub(super) abort: Arc<AtomicBool>,
    pub(super) answer: Sender<Prepared>,
    /// Called when the answer has been sent.
    pub(super) done: Box<dyn FnOnce() + Send>,
}

/// The answer to a [`Preparation`].
pub(super) struct Prepared {
    pub(super) table: TranspositionTable,
    /// Whether the table is ready; otherwise the preparation was aborted.
    pub(super) is_table_ready: bool,
    pub(super) threads: Result<(), ThreadsError>,
}

impl Preparation {
    pub(super) fn run(self, crew: &mut Crew) {
        let Preparation { mut table, clear_table, threads, abort, .. } = self;
        if !Arc::ptr_eq(&self.network, crew.network()) {
            *crew = Crew::new(self.network);
        } else if self.clear_histories {
            crew.clear();
        }
        let is_needed = clear_table || !table.is_there();
        let is_table_ready = !is_needed || table.clear_unless(threads, &abort);
        let threads = crew.set_threads(threads);
        // The engine may have been dropped meanwhile.
        let _ = self.answer.send(Prepared { table, is_table_ready, threads });
        (self.done)();
    }
}
