//! `worker.rs` for platforms without threads: a search is a fiber, which the host runs.

use std::io;
use std::sync::{Arc, Mutex};

use crate::eval::nnue::Network;
use crate::host::{self, Sender};
use crate::search::SearchRequest;
use crate::search::threads::{STACK_BYTES, ThreadPool};

use super::answer::{self, Listener};
use super::search::lock;

/// No call may be made while a search is running.
pub(super) struct Worker(Arc<Mutex<ThreadPool>>);

impl Worker {
    /// # Errors
    /// None. The native version fails if it cannot start a thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        Ok(Worker(Arc::new(Mutex::new(ThreadPool::new(network)))))
    }

    /// Runs `prepare` before this returns.
    pub(super) fn prepare(&self, prepare: impl FnOnce(&mut ThreadPool)) {
        prepare(&mut lock(&self.0));
    }

    /// Spawns a search. `listener` gets its events, then `nodes` the number of nodes.
    pub(super) fn search(
        &self,
        request: Box<SearchRequest>,
        listener: Listener,
        nodes: Sender<u64>,
    ) {
        let pool = Arc::clone(&self.0);
        let spawned = host::spawn("search", STACK_BYTES, move || {
            let searched = answer::search(&mut lock(&pool), request, listener, |stop_token| {
                while !stop_token.is_answer_due() {
                    host::wait_event();
                }
            });
            let _ = nodes.send(searched);
        });
        if let Err(error) = spawned {
            log::error!("cannot start a search: {error}");
        }
    }
}
