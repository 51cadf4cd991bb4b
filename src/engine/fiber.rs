//! Stands in for `worker.rs` where there are no threads: a search is a fiber, which the
//! host runs.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::eval::nnue::Network;
use crate::host::{self, Receiver, channel};
use crate::search::Task;
use crate::search::control::Control;
use crate::search::threads::STACK_BYTES;

use super::answer::{self, Listener};
use super::preparation::{Preparation, Prepared, SearchMemory};

/// The memory of searches. No call may be made while a search is under way.
pub(super) struct Worker(Arc<Mutex<SearchMemory>>);

impl Worker {
    /// Allocates the memory.
    ///
    /// # Errors
    /// None; natively, the system may be unable to start a thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        Ok(Worker(Arc::new(Mutex::new(SearchMemory::new(network)))))
    }

    /// Prepares a search before this returns. The answer is in the channel; `done` has
    /// been called.
    pub(super) fn prepare(
        &self,
        preparation: Preparation,
        done: impl FnOnce() + Send + 'static,
    ) -> Receiver<Prepared> {
        let (answer, answered) = channel();
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = answer.send(memory.prepare(preparation));
        done();
        answered
    }

    /// Spawns a search. `listener` gets its events; after the last one, the number of
    /// nodes comes out of the channel.
    pub(super) fn search(&self, task: Box<Task>, listener: Listener) -> Receiver<u64> {
        let (nodes, ended) = channel();
        let memory = Arc::clone(&self.0);
        let spawned = host::spawn("search", STACK_BYTES, move || {
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = nodes.send(answer::run(task, listener, memory.crew(), rest_until_due));
        });
        if let Err(error) = spawned {
            log::error!("cannot start a search: {error}");
        }
        ended
    }
}

fn rest_until_due(control: &Control) {
    while !control.is_answer_due() {
        host::rest();
    }
}
