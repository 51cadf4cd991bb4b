//! The main search thread, which serves one request after the other.
//!
//! It lives as long as the engine and has everything before it is asked for a move: its
//! stack, its crew, and a thread that keeps the time. A search allocates next to nothing
//! while its clock runs.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::eval::Nnue;
use crate::eval::nnue::Network;
use crate::search::Task;
use crate::search::control::Control;
use crate::search::threads::{Crew, STACK_BYTES, ThreadsError};

use super::answer::{self, Listener};

/// What the search thread can be told to do.
enum Request {
    /// Use this many threads, and say how that went.
    SetThreads(usize, Sender<Result<(), ThreadsError>>),
    /// Evaluate with this network, without experience.
    SetNetwork(Arc<Network>),
    /// Forget what earlier searches taught, then drop the sender.
    Forget { _done: Sender<()> },
    /// Search, and say how many nodes it took.
    Search(Box<Task>, Listener, Sender<u64>),
}

/// The main search thread. Dropping it ends the thread, and waits for that; a search
/// under way must have been stopped.
pub(super) struct Worker {
    /// Taken when the thread is to end.
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread; it has all it needs for a search when this returns.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub(super) fn start(network: Arc<Network>) -> std::io::Result<Worker> {
        let (requests, to_do) = unbounded();
        let (ready, is_ready) = bounded::<()>(0);
        let thread =
            Builder::new().name("search".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                let (timekeeper, crew) = (Timekeeper::start(), crew_with(network));
                drop(ready);
                serve(&to_do, &timekeeper, crew);
            })?;
        // The thread closes the channel when it is ready.
        let _ = is_ready.recv();
        Ok(Worker { requests: Some(requests), thread: Some(thread) })
    }

    /// Sets how many threads a search uses.
    ///
    /// # Errors
    /// If not all of them could be started; the error says how many there are.
    pub(super) fn set_threads(&self, threads: usize) -> Result<(), ThreadsError> {
        let (answer, answered) = bounded(1);
        self.request(Request::SetThreads(threads, answer));
        answered.recv().unwrap_or(Ok(()))
    }

    /// Sets the network that searches evaluate with, and forgets everything learnt.
    pub(super) fn set_network(&self, network: Arc<Network>) {
        self.request(Request::SetNetwork(network));
    }

    /// Forgets everything learnt.
    pub(super) fn forget(&self) {
        let (done, is_done) = bounded(0);
        self.request(Request::Forget { _done: done });
        // The thread closes the channel when it is done.
        let _ = is_done.recv();
    }

    /// Starts a search. `listener` gets what it says; when it has said everything, the
    /// number of its nodes comes out of the channel.
    pub(super) fn search(&self, task: Box<Task>, listener: Listener) -> Receiver<u64> {
        let (nodes, ended) = bounded(1);
        self.request(Request::Search(task, listener, nodes));
        ended
    }

    fn request(&self, request: Request) {
        let requests = self.requests.as_ref().expect("taken only when it is dropped");
        if requests.send(request).is_err() {
            log::error!("the search thread has died");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// The search thread alone, to evaluate with this network.
fn crew_with(network: Arc<Network>) -> Crew<Nnue> {
    Crew::new(move || Nnue::new(Arc::clone(&network)))
}

/// The work of the thread: one request after the other, until the channel is closed.
fn serve(requests: &Receiver<Request>, timekeeper: &Timekeeper, mut crew: Crew<Nnue>) {
    for request in requests {
        match request {
            Request::SetThreads(threads, answer) => {
                let _ = answer.send(crew.set_threads(threads));
            }
            Request::SetNetwork(network) => {
                let threads = crew.threads();
                crew = crew_with(network);
                if let Err(problem) = crew.set_threads(threads) {
                    log::error!("{problem}");
                }
            }
            Request::Forget { .. } => crew.clear(),
            Request::Search(task, listener, nodes) => {
                timekeeper.keep(&task);
                let due = Control::wait_until_answer_is_due;
                let spent = answer::run(task, listener, &mut crew, due);
                let _ = nodes.send(spent);
            }
        }
    }
}

/// A thread that calls searches off when their time is up, whatever their own threads
/// are busy with. Dropping it ends the thread, and waits for that.
struct Timekeeper {
    /// Taken when the thread is to end.
    searches: Option<Sender<(Arc<Control>, Duration)>>,
    thread: Option<JoinHandle<()>>,
}

impl Timekeeper {
    fn start() -> Timekeeper {
        let (searches, to_watch) = unbounded::<(Arc<Control>, Duration)>();
        let watch = move || {
            for (control, deadline) in to_watch {
                control.keep_time(deadline);
            }
        };
        let thread = Builder::new().name("clock".to_owned()).spawn(watch);
        if let Err(error) = &thread {
            // The search checks the clock itself, too.
            log::error!("no thread to keep the time: {error}");
        }
        Timekeeper { searches: Some(searches), thread: thread.ok() }
    }

    /// Keeps the time of a search, if it has a deadline.
    fn keep(&self, task: &Task) {
        if let (Some(searches), Some(deadline)) = (&self.searches, task.clock.deadline()) {
            // Without a thread nobody listens.
            let _ = searches.send((Arc::clone(&task.control), deadline));
        }
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.searches = None;
        if let Some(thread) = self.thread.take() {
            // Every search has been called off, so it is not waiting for a deadline.
            let _ = thread.join();
        }
    }
}
