//! `worker.rs` for platforms without threads: a search is a fiber, which the host runs.

use std::io;
use std::sync::{Arc, Mutex};

use crate::host::{self, Sender};
use crate::search::SearchRequest;
use crate::search::threads::STACK_BYTES;

use super::resources::{Listener, Resources};
use super::search::lock;

/// No call may be made while a search is running.
pub(super) struct Worker(Arc<Mutex<Resources>>);

impl Worker {
    /// # Errors
    /// None. The native version fails if it cannot start a thread.
    pub(super) fn start(make: impl FnOnce() -> Resources) -> io::Result<Worker> {
        Ok(Worker(Arc::new(Mutex::new(make()))))
    }

    /// Runs `work` before this returns.
    pub(super) fn send(&self, work: impl FnOnce(&mut Resources)) {
        let mut resources = lock(&self.0);
        work(&mut resources);
        resources.touch();
    }

    /// Whether the search has not panicked: a panic would have ended the module.
    pub(super) fn is_alive(&self) -> bool {
        true
    }

    /// Spawns a search. `listener` gets its events, then `nodes` the number of nodes.
    pub(super) fn search(
        &self,
        request: Box<SearchRequest>,
        listener: Listener,
        nodes: Sender<u64>,
    ) {
        let resources = Arc::clone(&self.0);
        let spawned = host::spawn("search", STACK_BYTES, move || {
            let searched = lock(&resources).search(request, listener, |stop_token| {
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
