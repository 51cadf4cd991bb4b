//! The threads that search: Lazy SMP.
//!
//! All threads deepen on their own from the same root and help each other only through
//! the transposition table and the correction history, which they share. The *main* thread, number 0, is the one that
//! [`search`](super::search()) was called on: it alone reports, and it decides when the
//! search is over. The others are *helpers*: they deepen until the search is called
//! off. Then a vote decides on the move.
//!
//! Helpers are started once and wait between searches, so that a search takes neither
//! threads nor much memory while its clock runs.
//!
//! Promises:
//!
//! * No helper outlives its crew, or goes on when its search has returned.
//! * A helper that there is no memory for is not started, and the search goes on
//!   without a helper that panics.
//! * While searching nodes, no thread writes to another's cache lines, those of what they
//!   share aside.
//! * With one thread, a search is the same on every run.
//!
//! Lazy SMP goes back to Daniel Homan (EXchess, 2013), the vote to Stockfish.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::host::{Actor, Receiver, Sender, channel};
use crate::score;
use crate::sys::large_pages::LargeBox;
use crate::sys::memory::has_room_for_threads;

use super::correction::Correction;
use super::searcher::{Memory, RootMove, Searcher, Task};

/// Stack of each search thread, in bytes; the deepest line needs about a quarter of it.
pub const STACK_BYTES: usize = 16 << 20;

/// The most threads that a search can have.
pub const MAX_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 1024 };

/// Memory of a search thread, in bytes: its stack, and ample room for its histories.
pub const THREAD_BYTES: usize = STACK_BYTES + (10 << 20);

/// Weight of the worst score in the vote, in centipawns; a better one weighs more by as
/// much as it is better.
const VOTE_OFFSET_CP: i64 = 10;

/// The threads that search, and what each keeps from search to search.
pub struct Crew {
    main: Memory,
    helpers: Vec<Actor<HelperOrder>>,
    correction: Arc<LargeBox<Correction>>,
    network: Arc<Network>,
}

impl Crew {
    /// The calling thread alone, with empty histories. All threads evaluate with `network`.
    pub fn new(network: Arc<Network>) -> Crew {
        let correction = Arc::new(LargeBox::zeroed());
        let main = Memory::new(&network, Arc::clone(&correction));
        Crew { main, helpers: Vec::new(), correction, network }
    }

    /// The network that all threads evaluate with.
    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Changes the number of threads (1 to [`MAX_THREADS`]), as far as there is memory
    /// for them. Those that stay keep their experience; new ones have taken all the
    /// memory they need when this returns.
    ///
    /// # Errors
    /// If not all threads could be started; the error says how many there are.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadsError> {
        let wanted = threads.clamp(1, MAX_THREADS);
        self.helpers.truncate(wanted - 1);
        while self.threads() < wanted {
            match start_helper(self.threads(), &self.network, &self.correction) {
                Some(helper) => self.helpers.push(helper),
                None => return Err(ThreadsError { wanted, started: self.threads() }),
            }
        }
        Ok(())
    }

    /// Forgets what earlier searches taught.
    pub fn clear(&mut self) {
        let (done, all_done) = channel::<()>();
        for helper in &self.helpers {
            helper.send(HelperOrder::Forget { _done: done.clone() });
        }
        drop(done);
        self.main.clear();
        self.correction.forget();
        // The last helper to finish drops the last sender.
        let _ = all_done.recv();
    }

    /// Replaces all memories, which a panic may have left in disorder.
    pub fn discard(&mut self) {
        let threads = self.threads();
        self.helpers.clear();
        self.correction.forget();
        self.main = Memory::new(&self.network, Arc::clone(&self.correction));
        if let Err(problem) = self.set_threads(threads) {
            log::error!("{problem}");
        }
    }

    /// The main thread's memory, and the helpers.
    pub(super) fn muster(&mut self) -> (&mut Memory, Helpers<'_>) {
        (&mut self.main, Helpers(&self.helpers))
    }
}

/// The helpers of a crew.
pub(super) struct Helpers<'a>(&'a [Actor<HelperOrder>]);

impl Helpers<'_> {
    /// Has as many helpers as the search has threads, less one, search until it is
    /// called off.
    pub(super) fn send(&self, task: &Task) -> Findings {
        let (findings, found) = channel();
        for (number, helper) in (1..task.shared.threads()).zip(self.0) {
            let (task, findings) = (Box::new(task.clone()), findings.clone());
            helper.send(HelperOrder::Search { number, task, findings });
        }
        Findings(found)
    }
}

/// What the helpers of a search will have found.
pub(super) struct Findings(Receiver<(usize, Finding)>);

impl Findings {
    /// Waits until all helpers have ended, which they do when the search is called off.
    /// Returns what they have found, in the order of their numbers.
    pub(super) fn wait(self) -> impl Iterator<Item = Finding> {
        let mut findings: Vec<_> = self.0.collect();
        findings.sort_by_key(|&(number, _)| number);
        findings.into_iter().map(|(_, finding)| finding)
    }
}

/// Not all threads asked for could be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only {started} of {wanted} threads could be started")]
pub struct ThreadsError {
    /// Threads asked for.
    pub wanted: usize,
    /// Threads there are, including the main thread.
    pub started: usize,
}

/// What a helper can be told to do.
enum HelperOrder {
    /// Search as the thread of this number until the search is called off.
    Search { number: usize, task: Box<Task>, findings: Sender<(usize, Finding)> },
    /// Forget what earlier searches taught, then drop the sender.
    Forget { _done: Sender<()> },
}

/// Starts the helper with this number, if there is a thread and memory for it.
fn start_helper(
    number: usize,
    network: &Arc<Network>,
    correction: &Arc<LargeBox<Correction>>,
) -> Option<Actor<HelperOrder>> {
    if !has_room_for_threads(THREAD_BYTES) {
        return None;
    }
    let (network, correction) = (Arc::clone(network), Arc::clone(correction));
    let start = move || {
        let make_memory = move || Memory::new(&network, Arc::clone(&correction));
        let mut memory = make_memory();
        move |order| serve(order, &mut memory, &make_memory)
    };
    let helper = Actor::spawn(&format!("helper {number}"), STACK_BYTES, start);
    helper.inspect_err(|error| log::error!("cannot start a helper thread: {error}")).ok()
}

/// Handles one order to a helper.
fn serve(order: HelperOrder, memory: &mut Memory, make_memory: &impl Fn() -> Memory) {
    let HelperOrder::Search { number, task, findings } = order else { return memory.clear() };
    let searched = catch_unwind(AssertUnwindSafe(|| {
        let mut searcher = Searcher::new(&task, number, memory);
        searcher.deepen(&mut |_| {});
        searcher.finding()
    }));
    // When the findings arrive, this thread must no longer hold it.
    drop(task);
    match searched {
        Ok(finding) if finding.completed > 0 => {
            let _ = findings.send((number, finding));
        }
        Ok(_) => {}
        Err(_) => {
            log::error!("helper {number} panicked");
            *memory = make_memory();
        }
    }
}

/// What a thread has found by the end of the search.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// The best move, with its score and its line.
    pub(super) best: RootMove,
    /// The last iteration completed, 0 for none.
    pub(super) completed: i32,
}

impl Searcher<'_> {
    /// What this thread would play.
    pub(super) fn finding(&self) -> Finding {
        Finding { best: self.root_moves[0].clone(), completed: self.completed }
    }
}

/// The finding to play by; the first one is the main thread's. The fastest win is
/// elected, or the slowest loss if all threads see one. Otherwise each thread votes for
/// its move, with more weight the deeper it has searched and the further its score lies
/// above the worst. Among threads with the elected move, the main thread is preferred,
/// then the one with the most weight.
///
/// # Panics
/// If there is no finding.
pub(super) fn elect(findings: &[Finding]) -> usize {
    let score = |i: usize| findings[i].best.known;
    let indices = 0..findings.len();
    // Of equals `max_by_key` takes the last, in this order the first.
    let highest = indices.clone().rev().max_by_key(|&i| score(i)).expect("there is a finding");
    if score::is_decisive(score(highest)) {
        return highest;
    }
    let holding = indices.clone().filter(|&i| !score::is_loss(score(i)));
    let worst = holding.map(score).min().expect("the highest is among them");
    let weight = |i: usize| {
        let lead = i64::from(score(i) - worst) + VOTE_OFFSET_CP;
        if score::is_loss(score(i)) { 0 } else { lead * i64::from(findings[i].completed) }
    };
    let votes = |mv: Move| -> i64 {
        indices.clone().filter(|&i| findings[i].best.mv == mv).map(weight).sum()
    };
    let elected = indices
        .clone()
        .rev()
        .max_by_key(|&i| (votes(findings[i].best.mv), weight(i)))
        .expect("there is a finding");
    if findings[elected].best.mv == findings[0].best.mv { 0 } else { elected }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::board::Board;
    use crate::host::Instant;
    use crate::score::{Score, mate_at, mated_at};
    use crate::search::control::Control;
    use crate::search::deepening::tests::{memory, task};
    use crate::search::limits::Limits;
    use crate::search::shared::{CallOff, Shared};

    /// Findings from (number of the move, score, last completed iteration).
    fn findings(list: &[(usize, Score, i32)]) -> Vec<Finding> {
        let board = Board::default();
        let finding = |&(i, known, completed): &(usize, Score, i32)| {
            let best = RootMove { known, ..RootMove::new(board.legal_moves()[i]) };
            Finding { best, completed }
        };
        list.iter().map(finding).collect()
    }

    fn elected(list: &[(usize, Score, i32)]) -> usize {
        elect(&findings(list))
    }

    #[test]
    fn a_thread_alone_decides() {
        for score in [0, -500, mate_at(3), mated_at(4)] {
            assert_eq!(elected(&[(7, score, 0)]), 0);
        }
    }

    #[test]
    fn votes_for_the_same_move_add_up() {
        assert_eq!(elected(&[(0, 20, 10), (1, 20, 10), (1, 20, 10)]), 1);
        assert_eq!(elected(&[(0, 20, 10), (1, 20, 10), (0, 20, 10)]), 0);
    }

    #[test]
    fn depth_and_score_give_weight() {
        assert_eq!(elected(&[(0, 20, 10), (1, 20, 11)]), 1);
        assert_eq!(elected(&[(0, 20, 10), (1, 30, 10)]), 1);
        assert_eq!(elected(&[(0, 20, 0), (1, -30, 1)]), 1);
    }

    #[test]
    fn the_main_thread_is_preferred_among_equals() {
        assert_eq!(elected(&[(0, 20, 10), (1, 20, 10)]), 0);
        assert_eq!(elected(&[(0, 20, 10), (0, 25, 12)]), 0);
        assert_eq!(elected(&[(0, 20, 10), (1, 20, 10), (1, 25, 12)]), 2);
    }

    #[test]
    fn the_fastest_win_wins_against_any_votes() {
        let others = (1, 900, 40);
        assert_eq!(elected(&[others, others, (0, mate_at(9), 5)]), 2);
        assert_eq!(elected(&[(0, mate_at(9), 20), (1, mate_at(5), 5), others]), 1);
        assert_eq!(elected(&[(0, mate_at(5), 5), (1, mate_at(5), 20)]), 0);
    }

    #[test]
    fn a_loss_is_taken_only_if_all_lose_and_then_the_slowest() {
        assert_eq!(elected(&[(0, mated_at(6), 30), (0, mated_at(6), 30), (1, -800, 3)]), 2);
        assert_eq!(elected(&[(0, mated_at(6), 30), (1, mated_at(10), 20)]), 1);
    }

    #[test]
    fn nodes_are_summed_and_shared_out() {
        let shared = Shared::new(4);
        for number in 0..4 {
            shared.counters_of(number).set_nodes(10 * number as u64);
        }
        assert_eq!(shared.nodes(), 60);
        assert_eq!(shared.share_of_nodes_left(100), 10);
        assert_eq!(shared.share_of_nodes_left(50), 0);
    }

    #[test]
    fn a_search_is_called_off_even_by_a_panic() {
        let control = Control::new(Instant::now(), false, false);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _call_off = CallOff(&control);
            assert!(!control.is_called_off());
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err() && control.is_called_off());
    }

    #[test]
    fn helper_that_panics_starts_anew() {
        let task = Box::new(task(Limits { depth: Some(1), ..Limits::default() }));
        let (findings, found) = channel();
        let made = Cell::new(0);
        let make_memory = || {
            made.set(made.get() + 1);
            memory()
        };
        // The search has one thread: there are no counters of this number.
        serve(HelperOrder::Search { number: 9, task, findings }, &mut memory(), &make_memory);
        assert_eq!((found.count(), made.get()), (0, 1));
    }
}
