//! The threads that search: Lazy SMP (Daniel Homan, EXchess, 2013).
//!
//! All threads deepen on their own from the same root and share the transposition table and
//! the correction history. The *main* thread, number 0, called [`search`](super::search()). Only
//! it reports, and only it decides after an iteration that the search is done. The *workers*
//! wait between searches, and deepen until the search is aborted. Then a vote decides on the
//! move (Stockfish).
//!
//! * No worker continues after its search has returned. When the pool is dropped, the workers end
//!   on their own.
//! * A search starts with the workers that are ready. A worker that is still being started, or busy
//!   with [`ThreadPool::clear`], joins it, and the search does not wait for it.
//! * A worker is not started without memory for it. The search survives a worker's panic.
//! * No false sharing outside the shared tables.
//! * With one thread, a search is the same on every run.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::eval::nnue::Network;
use crate::host::{Actor, Receiver, Sender, channel};
use crate::score;
use crate::sys::large_pages::LargeBox;
use crate::sys::memory::{Promise, room_for};
use carrybit_board::Move;

use super::corrhist::CorrectionHistory;
use super::request::SearchRequest;
use super::root_move::RootMove;
use super::searcher::{Searcher, ThreadData};
use super::stop_token::StopToken;

/// Stack of each search thread, in bytes; the deepest line needs about a quarter of it.
pub const STACK_BYTES: usize = 16 << 20;

/// The most threads that a search can have.
pub const MAX_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 1024 };

/// Memory of a search thread, in bytes: its stack, and more than its histories need.
pub const THREAD_BYTES: usize = STACK_BYTES + (10 << 20);

/// Weight of the worst score in the vote, in centipawns. The weight of a better score is greater
/// by the difference of the scores.
const VOTE_OFFSET_CP: i64 = 10;

/// The threads that search, and the data that each keeps from search to search.
pub struct ThreadPool {
    pub(super) main: ThreadData,
    pub(super) workers: Vec<Worker>,
    corrhist: Arc<LargeBox<CorrectionHistory>>,
    network: Arc<Network>,
}

impl ThreadPool {
    /// The calling thread alone. All threads will evaluate with `network`.
    pub fn new(network: Arc<Network>) -> ThreadPool {
        let corrhist = Arc::new(LargeBox::zeroed());
        let main = ThreadData::new(&network, Arc::clone(&corrhist));
        ThreadPool { main, workers: Vec::new(), corrhist, network }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        1 + self.workers.len()
    }

    /// Changes the number of threads (1 to [`MAX_THREADS`]), as far as there is memory for
    /// them. Threads that stay keep their data. Waits neither for new threads, which still have to
    /// allocate theirs, nor for the end of others.
    ///
    /// # Errors
    /// Not all threads could be started; says how many there are.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let wanted = threads.clamp(1, MAX_THREADS);
        self.workers.truncate(wanted - 1);
        let missing = wanted - self.threads();
        for _ in 0..room_for(missing, THREAD_BYTES) {
            match self.start_worker() {
                Ok(worker) => self.workers.push(worker),
                Err(error) => {
                    log::error!("cannot start a search thread: {error}");
                    break;
                }
            }
        }
        let started = self.threads();
        if started < wanted {
            return Err(format!("only {started} of {wanted} threads could be started"));
        }
        Ok(())
    }

    fn start_worker(&self) -> io::Result<Worker> {
        let promise = Promise::new(THREAD_BYTES);
        let (network, corrhist) = (Arc::clone(&self.network), Arc::clone(&self.corrhist));
        let make_data = move || ThreadData::new(&network, Arc::clone(&corrhist));
        let run_all = move |jobs: Receiver<Job>| {
            let mut data = make_data();
            drop(promise);
            jobs.for_each(|job| run(job, &mut data, &make_data));
        };
        Actor::spawn(&format!("search {}", self.threads()), STACK_BYTES, run_all)
    }

    /// Clears the histories of all threads. Does not wait for the workers: each clears its own
    /// before its next search.
    pub fn clear(&mut self) {
        for worker in &self.workers {
            worker.send(Box::new(ThreadData::clear));
        }
        self.main.clear();
        self.corrhist.reset();
    }

    /// Gives a clone of `token` to each worker, which drops it when it has allocated and cleared
    /// its data.
    pub fn pass(&self, token: &(impl Clone + Send + 'static)) {
        for worker in &self.workers {
            let token = token.clone();
            worker.send(Box::new(move |_| drop(token)));
        }
    }

    /// Replaces all data, which a panic may have left inconsistent.
    pub fn discard(&mut self) {
        let threads = self.threads();
        *self = ThreadPool::new(Arc::clone(&self.network));
        if let Err(problem) = self.set_threads(threads) {
            log::error!("{problem}");
        }
    }
}

/// A thread with [`ThreadData`] of its own.
pub(super) type Worker = Actor<Job>;
type Job = Box<dyn FnOnce(&mut ThreadData) + Send>;

/// Runs a job on a worker's thread, and replaces its data after a panic.
fn run(job: Job, data: &mut ThreadData, make_data: &impl Fn() -> ThreadData) {
    if catch_unwind(AssertUnwindSafe(|| job(data))).is_err() {
        log::error!("a search thread panicked");
        *data = make_data();
    }
}

/// A search and the sender of its results. The request is dropped first: the table must not be shared
/// any more when the channel ends.
pub(super) type WorkersSearch = Arc<(SearchRequest, Sender<ThreadResult>)>;

/// Starts the search on the workers. A worker joins only while the [`WorkersSearch`] exists. The
/// channel ends when the search is aborted and all workers that have joined have ended.
pub(super) fn start_search(
    workers: &[Worker],
    request: &SearchRequest,
) -> (WorkersSearch, Receiver<ThreadResult>) {
    let (sender, results) = channel();
    let search = Arc::new((request.clone(), sender));
    for (number, worker) in (1..request.shared.0.len()).zip(workers) {
        let search = Arc::downgrade(&search);
        worker.send(Box::new(move |data| {
            let Some(search) = search.upgrade() else { return };
            let (request, results) = &*search;
            let mut searcher = Searcher::new(request, number, data);
            searcher.deepen(&mut |_| {});
            if searcher.completed_depth > 0 {
                let _ = results.send(searcher.result());
            }
        }));
    }
    (search, results)
}

/// Aborts a search when it goes out of scope, even by a panic.
pub(super) struct AbortOnDrop<'a>(pub(super) &'a StopToken);

impl Drop for AbortOnDrop<'_> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Clone, Debug)]
pub(super) struct ThreadResult {
    pub(super) number: usize,
    pub(super) best: RootMove,
    /// The last completed iteration, 0 for none.
    pub(super) completed_depth: i32,
}

impl Searcher<'_> {
    pub(super) fn result(&self) -> ThreadResult {
        let best = self.root_moves[0].clone();
        ThreadResult { number: self.number, best, completed_depth: self.completed_depth }
    }
}

/// The index of the result to use; the first one is the main thread's. The fastest win is
/// chosen, or the slowest loss if all threads lose. Otherwise each thread votes for its move,
/// weighted by depth and by score above the worst. Among threads with the chosen move the main
/// thread is preferred, then the one with the most weight.
pub(super) fn best_thread(results: &[ThreadResult]) -> usize {
    let score = |i: usize| results[i].best.result.score;
    let indices = 0..results.len();
    // `max_by_key` returns the last of equals: in this order the first thread.
    let highest = indices.clone().rev().max_by_key(|&i| score(i)).expect("there is a result");
    if score::is_decisive(score(highest)) {
        return highest;
    }
    let undecided = indices.clone().filter(|&i| !score::is_loss(score(i)));
    let worst = undecided.map(score).min().expect("the highest is among them");
    let weight = |i: usize| {
        let lead = i64::from(score(i) - worst) + VOTE_OFFSET_CP;
        if score::is_loss(score(i)) { 0 } else { lead * i64::from(results[i].completed_depth) }
    };
    let votes = |mv: Move| -> i64 {
        indices.clone().filter(|&i| results[i].best.mv == mv).map(weight).sum()
    };
    let by_votes = |&i: &usize| (votes(results[i].best.mv), weight(i));
    let chosen = indices.clone().rev().max_by_key(by_votes).expect("there is a result");
    if results[chosen].best.mv == results[0].best.mv { 0 } else { chosen }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::host::Instant;
    use crate::score::{Score, mate_at, mated_at};
    use crate::search::deepening::tests::thread_data;
    use carrybit_board::Board;

    /// The best thread of (index of the move, score, last completed iteration).
    fn chosen(list: &[(usize, Score, i32)]) -> usize {
        let board = Board::default();
        let result = |&(i, score, completed_depth): &(usize, Score, i32)| {
            let mut best = RootMove::new(board.legal_moves()[i]);
            best.result.score = score;
            ThreadResult { number: 0, best, completed_depth }
        };
        best_thread(&list.iter().map(result).collect::<Vec<_>>())
    }

    #[test]
    fn threads_vote_by_depth_and_score_but_a_win_is_decisive() {
        for score in [0, -500, mate_at(3), mated_at(4)] {
            assert_eq!(chosen(&[(7, score, 0)]), 0);
        }
        // Votes for the same move add up.
        assert_eq!(chosen(&[(0, 20, 10), (1, 20, 10), (1, 20, 10)]), 1);
        assert_eq!(chosen(&[(0, 20, 10), (1, 20, 10), (0, 20, 10)]), 0);
        // Depth and score give weight.
        assert_eq!(chosen(&[(0, 20, 10), (1, 20, 11)]), 1);
        assert_eq!(chosen(&[(0, 20, 10), (1, 30, 10)]), 1);
        assert_eq!(chosen(&[(0, 20, 0), (1, -30, 1)]), 1);
        // The main thread is preferred.
        assert_eq!(chosen(&[(0, 20, 10), (1, 20, 10)]), 0);
        assert_eq!(chosen(&[(0, 20, 10), (0, 25, 12)]), 0);
        assert_eq!(chosen(&[(0, 20, 10), (1, 20, 10), (1, 25, 12)]), 2);
        // The fastest win.
        let others = (1, 900, 40);
        assert_eq!(chosen(&[others, others, (0, mate_at(9), 5)]), 2);
        assert_eq!(chosen(&[(0, mate_at(9), 20), (1, mate_at(5), 5), others]), 1);
        assert_eq!(chosen(&[(0, mate_at(5), 5), (1, mate_at(5), 20)]), 0);
        // The slowest loss, if all threads lose.
        assert_eq!(chosen(&[(0, mated_at(6), 30), (0, mated_at(6), 30), (1, -800, 3)]), 2);
        assert_eq!(chosen(&[(0, mated_at(6), 30), (1, mated_at(10), 20)]), 1);
    }

    #[test]
    fn panic_aborts_the_search() {
        let stop_token = StopToken::new(Instant::now(), false, false);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _abort = AbortOnDrop(&stop_token);
            assert!(!stop_token.is_aborted());
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err() && stop_token.is_aborted());
    }

    #[test]
    fn worker_that_panics_starts_anew() {
        let made = Cell::new(0);
        let make_data = || {
            made.set(made.get() + 1);
            thread_data()
        };
        run(Box::new(ThreadData::clear), &mut thread_data(), &make_data);
        assert_eq!(made.get(), 0);
        run(Box::new(|_| panic!("on purpose")), &mut thread_data(), &make_data);
        assert_eq!(made.get(), 1);
    }
}
