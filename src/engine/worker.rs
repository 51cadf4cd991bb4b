//! The main search thread, and a thread that keeps the time. They live as long as the engine,
//! so that a search allocates hardly anything while its clock runs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::host::{Actor, Sender};
use crate::search::SearchRequest;
use crate::search::stop_token::StopToken;
use crate::search::threads::{STACK_BYTES, ThreadPool};

use super::answer::{self, Listener};

const CLOCK_STACK_BYTES: usize = 1 << 18;

type Work = Box<dyn FnOnce(&mut ThreadPool) + Send>;

/// A running search must have been stopped before this is dropped.
pub(super) struct Worker {
    search: Actor<Work>,
    /// Aborts searches at their deadline, even while a slow disk or slow memory delays the
    /// search threads. Optional, because the search threads check the clock as well.
    clock: Option<Actor<(Arc<StopToken>, Duration)>>,
}

impl Worker {
    /// Starts the threads. Their memory is allocated when this returns.
    ///
    /// # Errors
    /// The system cannot start the search thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        let start = move || {
            let mut pool = ThreadPool::new(network);
            move |work: Work| work(&mut pool)
        };
        let search = Actor::spawn("search", STACK_BYTES, start)?;
        let keep_time =
            || |(stop_token, deadline): (Arc<StopToken>, _)| stop_token.keep_time(deadline);
        let clock = Actor::spawn("clock", CLOCK_STACK_BYTES, keep_time);
        let clock = clock.inspect_err(|error| log::error!("cannot start a clock thread: {error}"));
        Ok(Worker { search, clock: clock.ok() })
    }

    /// Runs `prepare` on the search thread.
    pub(super) fn prepare(&self, prepare: impl FnOnce(&mut ThreadPool) + Send + 'static) {
        self.search.send(Box::new(prepare));
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
        self.search.send(Box::new(move |pool| {
            let wait = StopToken::wait_until_answer_is_due;
            let _ = nodes.send(answer::search(pool, request, listener, wait));
        }));
    }
}
