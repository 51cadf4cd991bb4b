//! The thread that searches: it waits for one job after the other.
//!
//! It lives as long as the engine, and has all it needs before it is asked for a
//! move: its stack, its crew, and a clock of its own. What a search allocates while
//! its time runs is next to nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::board::Move;
use crate::eval::Nnue;
use crate::eval::nnue::Network;
use crate::search::control::Control;
use crate::search::limits::{Outcome, SearchEvent};
use crate::search::threads::{Crew, STACK_BYTES, ThreadsError};
use crate::search::{self, Task};

/// Who hears what a search says.
pub(super) type Listener = Box<dyn FnMut(SearchEvent) + Send>;

/// What the search thread can be told to do.
enum Order {
    /// Have so many threads, and say how that went.
    SetThreads(usize, Sender<Result<(), ThreadsError>>),
    /// Evaluate with this network, without experience.
    SetNetwork(Arc<Network>),
    /// Forget what earlier searches taught, and drop the sender then.
    Forget { _done: Sender<()> },
    /// Search, and say how many nodes it took.
    Search(Box<Task>, Listener, Sender<u64>),
}

/// The search thread. It ends when it is dropped, which waits for that: a search
/// under way must have been stopped.
pub(super) struct Worker {
    /// Taken when it is to end.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread; it has taken all it needs for a search when this returns.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub(super) fn start(network: Arc<Network>) -> std::io::Result<Worker> {
        let (orders, to_do) = unbounded();
        let (ready, is_ready) = bounded::<()>(0);
        let thread =
            Builder::new().name("search".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                let (timekeeper, crew) = (Timekeeper::start(), crew_with(network));
                drop(ready);
                serve(&to_do, &timekeeper, crew);
            })?;
        // The channel is closed when it is ready.
        let _ = is_ready.recv();
        Ok(Worker { orders: Some(orders), thread: Some(thread) })
    }

    /// Has a search take so many threads.
    ///
    /// # Errors
    /// With as many threads as could be had, an error that tells their number.
    pub(super) fn set_threads(&self, threads: usize) -> Result<(), ThreadsError> {
        let (answer, answered) = bounded(1);
        self.order(Order::SetThreads(threads, answer));
        answered.recv().unwrap_or(Ok(()))
    }

    /// Has the searches evaluate with this network, and forgets everything learnt.
    pub(super) fn set_network(&self, network: Arc<Network>) {
        self.order(Order::SetNetwork(network));
    }

    /// Forgets everything learnt.
    pub(super) fn forget(&self) {
        let (done, is_done) = bounded(0);
        self.order(Order::Forget { _done: done });
        // The channel is closed when it is done.
        let _ = is_done.recv();
    }

    /// Starts a search. What it says is heard by `listener`, and its nodes come out
    /// of the channel when it has said everything.
    pub(super) fn search(&self, task: Box<Task>, listener: Listener) -> Receiver<u64> {
        let (nodes, ended) = bounded(1);
        self.order(Order::Search(task, listener, nodes));
        ended
    }

    fn order(&self, order: Order) {
        let orders = self.orders.as_ref().expect("taken only when it is dropped");
        if orders.send(order).is_err() {
            log::error!("the search thread has died");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was told when it happened.
            let _ = thread.join();
        }
    }
}

/// The search thread alone, to evaluate with this network.
fn crew_with(network: Arc<Network>) -> Crew<Nnue> {
    Crew::new(move || Nnue::new(Arc::clone(&network)))
}

/// What the search thread does: one order after the other, until there will be no
/// more.
fn serve(orders: &Receiver<Order>, timekeeper: &Timekeeper, mut crew: Crew<Nnue>) {
    for order in orders {
        match order {
            Order::SetThreads(threads, answer) => {
                let _ = answer.send(crew.set_threads(threads));
            }
            Order::SetNetwork(network) => {
                let threads = crew.threads();
                crew = crew_with(network);
                if let Err(problem) = crew.set_threads(threads) {
                    log::error!("{problem}");
                }
            }
            Order::Forget { .. } => crew.clear(),
            Order::Search(task, listener, nodes) => {
                timekeeper.keep(&task);
                let spent = run(task, listener, &mut crew);
                let _ = nodes.send(spent);
            }
        }
    }
}

/// Searches, waits until an answer is due and answers: exactly once, even if the
/// search panics. The table is let go before. Returns the nodes it took.
fn run(task: Box<Task>, mut listener: Listener, crew: &mut Crew<Nnue>) -> u64 {
    let mut nodes = 0;
    let mut last_line: Vec<Move> = Vec::new();
    let searched = catch_unwind(AssertUnwindSafe(|| {
        search::search(&task, crew, &mut |event| {
            if let SearchEvent::Report(report) = &event {
                nodes = report.nodes;
                if report.multi_pv == 1 {
                    last_line.clone_from(&report.pv);
                }
            }
            listener(event);
        })
    }));
    let outcome = searched.unwrap_or_else(|_| {
        let board = task.game.board();
        log::error!("the search panicked at {}", board.fen(true));
        crew.discard();
        let first = || board.legal_moves().first().copied();
        Outcome { best: last_line.first().copied().or_else(first), ponder: None }
    });
    let control = Arc::clone(&task.control);
    drop(task);
    control.wait_until_answer_is_due();
    listener(SearchEvent::Finished(outcome));
    nodes
}

/// A thread that calls searches off when their time is over, whatever their own
/// threads are busy with.
struct Timekeeper(Option<Sender<(Arc<Control>, Duration)>>);

impl Timekeeper {
    fn start() -> Timekeeper {
        let (searches, to_watch) = unbounded::<(Arc<Control>, Duration)>();
        let watch = move || {
            for (control, deadline) in to_watch {
                control.keep_time(deadline);
            }
        };
        match Builder::new().name("clock".to_owned()).spawn(watch) {
            Ok(_) => Timekeeper(Some(searches)),
            Err(error) => {
                // The search looks at the clock itself, too.
                log::error!("no thread to keep the time: {error}");
                Timekeeper(None)
            }
        }
    }

    /// Keeps the time of a search, if it has a deadline.
    fn keep(&self, task: &Task) {
        if let (Some(searches), Some(deadline)) = (&self.0, task.clock.deadline()) {
            // It listens as long as this end of the channel is there.
            let _ = searches.send((Arc::clone(&task.control), deadline));
        }
    }
}
