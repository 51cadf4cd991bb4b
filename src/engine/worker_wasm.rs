//! Replaces `worker.rs` where there are no threads: a search is a fiber, which the host
//! runs.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::eval::nnue::Network;
use crate::host::{self, Sender};
use crate::search::SearchRequest;
use crate::search::stop_token::StopToken;
use crate::search::threads::STACK_BYTES;

use super::search_memory::{Listener, SearchMemory};

/// The memory of searches. No call may be made while a search is running.
pub(super) struct Worker(Arc<Mutex<SearchMemory>>);

impl Worker {
    /// Allocates the memory.
    ///
    /// # Errors
    /// None; natively, the system may be unable to start a thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        Ok(Worker(Arc::new(Mutex::new(SearchMemory::new(network)))))
    }

    /// Prepares a search before this returns.
    pub(super) fn prepare(&self, prepare: impl FnOnce(&mut SearchMemory)) {
        prepare(&mut lock(&self.0));
    }

    /// Spawns a search. `listener` gets its events; after the last one, the number of
    /// nodes is sent.
    pub(super) fn search(
        &self,
        request: Box<SearchRequest>,
        listener: Listener,
        nodes: Sender<u64>,
    ) {
        let memory = Arc::clone(&self.0);
        let spawned = host::spawn("search", STACK_BYTES, move || {
            let _ = nodes.send(lock(&memory).search(request, listener, rest_until_due));
        });
        if let Err(error) = spawned {
            log::error!("cannot start a search: {error}");
        }
    }
}

fn lock(memory: &Mutex<SearchMemory>) -> MutexGuard<'_, SearchMemory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

fn rest_until_due(stop_token: &StopToken) {
    while !stop_token.is_answer_due() {
        host::rest();
    }
}
