//! The main search thread, and a thread that keeps the time. They live as long as the engine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::host::{Actor, Receiver, Sender};
use crate::search::SearchRequest;
use crate::search::stop_token::StopToken;
use crate::search::threads::{STACK_BYTES, THREAD_BYTES};
use crate::sys::memory::Promise;

use super::resources::{Listener, Resources};

const CLOCK_STACK_BYTES: usize = 1 << 18;

type Work = Box<dyn FnOnce(&mut Resources) + Send>;

/// A running search must have been stopped before this is dropped.
pub(super) struct Worker {
    search: Actor<Work>,
    /// Aborts searches at their deadline, even while a slow disk or slow memory delays the
    /// search threads. Optional, because the search threads check the clock as well.
    clock: Option<Actor<(Arc<StopToken>, Duration)>>,
}

impl Worker {
    /// Starts the threads; `make` runs on the search thread.
    ///
    /// # Errors
    /// The system cannot start the search thread.
    pub(super) fn start(make: impl FnOnce() -> Resources + Send + 'static) -> io::Result<Worker> {
        let promise = Promise::new(THREAD_BYTES);
        let work_all = move |messages: Receiver<Work>| {
            let mut resources = make();
            drop(promise);
            while let Some(work) = messages.recv_or(|| resources.touch()) {
                work(&mut resources);
            }
        };
        let search = Actor::spawn("search", STACK_BYTES, work_all)?;
        let keep_time = |searches: Receiver<(Arc<StopToken>, Duration)>| {
            searches.for_each(|(stop_token, deadline)| stop_token.keep_time(deadline));
        };
        let clock = Actor::spawn("clock", CLOCK_STACK_BYTES, keep_time);
        let clock = clock.inspect_err(|error| log::error!("cannot start a clock thread: {error}"));
        Ok(Worker { search, clock: clock.ok() })
    }

    /// Runs `work` on the search thread, after a running search.
    pub(super) fn send(&self, work: impl FnOnce(&mut Resources) + Send + 'static) {
        self.search.send(Box::new(work));
    }

    /// Whether the search thread has not panicked.
    pub(super) fn is_alive(&self) -> bool {
        self.search.is_alive()
    }

    /// Starts a search. `listener` gets its events, then `nodes` the number of nodes.
    pub(super) fn search(
        &self,
        request: Box<SearchRequest>,
        listener: Listener,
        nodes: Sender<u64>,
    ) {
        if let (Some(clock), Some(deadline)) = (&self.clock, request.clock.deadline()) {
            clock.send((Arc::clone(&request.stop_token), deadline));
        }
        self.send(move |resources| {
            let wait = StopToken::wait_until_answer_is_due;
            let _ = nodes.send(resources.search(request, listener, wait));
        });
    }
}
