//! The main search thread.
//!
//! It lives as long as the engine and has everything before it is asked for a move: its
//! stack, its crew, and a thread that keeps the time. A search allocates next to nothing
//! while its clock runs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::host::{Actor, Sender};
use crate::search::Task;
use crate::search::control::Control;
use crate::search::threads::{Crew, STACK_BYTES};

use super::answer::{self, Listener};
use super::preparation::Preparation;

/// Stack of the thread that keeps the time, in bytes.
const CLOCK_STACK_BYTES: usize = 1 << 18;

enum Request {
    Prepare(Box<Preparation>),
    /// Search, then send the number of nodes.
    Search(Box<Task>, Listener, Sender<u64>),
}

/// The main search thread. A search under way must have been stopped before this is
/// dropped.
pub(super) struct Worker(Actor<Request>);

impl Worker {
    /// Starts the thread; it has its memory when this returns.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        let start = move || {
            let clock = start_clock();
            let mut crew = Crew::new(network);
            move |request| match request {
                Request::Prepare(preparation) => preparation.run(&mut crew),
                Request::Search(task, listener, nodes) => {
                    if let (Some(clock), Some(deadline)) = (&clock, task.clock.deadline()) {
                        clock.send((Arc::clone(&task.control), deadline));
                    }
                    let wait = Control::wait_until_answer_is_due;
                    let _ = nodes.send(answer::run(task, listener, &mut crew, wait));
                }
            }
        };
        Actor::spawn("search", STACK_BYTES, start).map(Worker)
    }

    /// Prepares a search.
    pub(super) fn prepare(&self, preparation: Preparation) {
        self.0.send(Request::Prepare(Box::new(preparation)));
    }

    /// Starts a search. `listener` gets its events; after the last one, the number of
    /// nodes is sent.
    pub(super) fn search(&self, task: Box<Task>, listener: Listener, nodes: Sender<u64>) {
        self.0.send(Request::Search(task, listener, nodes));
    }
}

/// Starts a thread that calls searches off when their time is up, even while the search
/// threads wait for a slow disk or for memory. The search checks the clock as well, so it
/// can do without.
fn start_clock() -> Option<Actor<(Arc<Control>, Duration)>> {
    let start = || |(control, deadline): (Arc<Control>, Duration)| control.keep_time(deadline);
    let clock = Actor::spawn("clock", CLOCK_STACK_BYTES, start);
    clock.inspect_err(|error| log::error!("cannot start a thread to keep the time: {error}")).ok()
}
