//! What searches where there are no threads: a fiber, which the host runs.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, bounded};

use crate::eval::Nnue;
use crate::eval::nnue::Network;
use crate::host;
use crate::search::Task;
use crate::search::control::Control;
use crate::search::threads::{Crew, STACK_BYTES, ThreadsError};

use super::answer::{self, Listener};

/// What searches keep from one to the next. No call may be made while a search is under
/// way.
pub(super) struct Worker {
    crew: Arc<Mutex<Crew<Nnue>>>,
}

impl Worker {
    /// Has all it needs for a search when this returns.
    ///
    /// # Errors
    /// None; natively, there may be no thread.
    pub(super) fn start(network: Arc<Network>) -> io::Result<Worker> {
        Ok(Worker { crew: Arc::new(Mutex::new(crew_with(network))) })
    }

    /// Sets how many threads a search uses.
    ///
    /// # Errors
    /// If it is more than one.
    pub(super) fn set_threads(&self, threads: usize) -> Result<(), ThreadsError> {
        self.crew().set_threads(threads)
    }

    /// Sets the network that searches evaluate with, and forgets everything learnt.
    pub(super) fn set_network(&self, network: Arc<Network>) {
        *self.crew() = crew_with(network);
    }

    /// Forgets everything learnt.
    pub(super) fn forget(&self) {
        self.crew().clear();
    }

    /// Spawns a search. `listener` gets what it says; when it has said everything, the
    /// number of its nodes comes out of the channel.
    pub(super) fn search(&self, task: Box<Task>, listener: Listener) -> Receiver<u64> {
        let (nodes, ended) = bounded(1);
        let crew = Arc::clone(&self.crew);
        let spawned = host::spawn("search", STACK_BYTES, move || {
            let spent = answer::run(task, listener, &mut lock(&crew), rest_until_due);
            let _ = nodes.send(spent);
        });
        if let Err(error) = spawned {
            log::error!("no search: {error}");
        }
        ended
    }

    fn crew(&self) -> MutexGuard<'_, Crew<Nnue>> {
        lock(&self.crew)
    }
}

fn lock(crew: &Mutex<Crew<Nnue>>) -> MutexGuard<'_, Crew<Nnue>> {
    crew.lock().unwrap_or_else(PoisonError::into_inner)
}

fn crew_with(network: Arc<Network>) -> Crew<Nnue> {
    Crew::new(move || Nnue::new(Arc::clone(&network)))
}

fn rest_until_due(control: &Control) {
    while !control.is_answer_due() {
        host::rest();
    }
}
