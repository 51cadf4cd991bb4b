//! The threads of one search: Lazy SMP.
//!
//! Every thread deepens on its own from the same root, and they help each other
//! through the shared table alone. The *main* thread, number 0, is the one that
//! [`search`](super::search) was called on: it alone reports, and it decides when
//! the search is over. The others are *helpers*: they deepen until the search is
//! called off. Then a vote decides on the move.
//!
//! What is promised:
//!
//! * No helper outlives its search.
//! * The search goes on without a helper that cannot be started or panics.
//! * Threads write to no cache line of another in their nodes, the table's apart.
//! * With one thread, a search is the same on every run.
//!
//! Lazy SMP goes back to Daniel Homan (EXchess, 2013), the vote to Stockfish.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, Scope};

use crate::board::Move;
use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::score;

use super::{Memory, RootMove, Searcher, Task};

/// Stack of each thread that searches, in bytes; the deepest line needs about a
/// fourth.
pub const STACK_BYTES: usize = 16 << 20;

/// The most threads that a search can have.
pub const MAX_THREADS: usize = 1024;

/// What the worst score counts in the vote, in centipawns; the others count so
/// much more than this as they are better.
const VOTE_OFFSET_CP: i64 = 10;

/// The threads that search, and what each keeps from search to search.
pub struct Crew<E> {
    /// Made by each thread on its own, when it is needed for the first time.
    memories: Vec<Option<Memory<E>>>,
    /// What they evaluate with, if they use one.
    network: Arc<Network>,
}

impl<E: Evaluator> Crew<E> {
    /// So many threads (1 to [`MAX_THREADS`]) without experience, that evaluate with
    /// this network.
    #[must_use]
    pub fn new(threads: usize, network: Arc<Network>) -> Crew<E> {
        let mut crew = Crew { memories: Vec::new(), network };
        crew.set_threads(threads);
        crew
    }

    /// Changes the number of threads (1 to [`MAX_THREADS`]). Those that stay keep
    /// their experience.
    pub fn set_threads(&mut self, threads: usize) {
        self.memories.resize_with(threads.clamp(1, MAX_THREADS), || None);
    }

    /// Forgets what earlier searches taught.
    pub fn clear(&mut self) {
        let (main, helpers) = self.memories.split_first_mut().expect("there is a main thread");
        if let Some(memory) = main {
            memory.clear();
        }
        // Helpers start anew, each on its own thread, sooner than they are cleared here.
        helpers.fill_with(|| None);
    }

    /// Starts anew even where a panic has left things half done.
    pub fn discard(&mut self) {
        self.memories.fill_with(|| None);
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.memories.len()
    }

    /// The main thread's memory, and the posts of the helpers, to be filled.
    pub(super) fn muster<'a>(
        &'a mut self,
        task: &Task<'a>,
    ) -> (&'a mut Memory<E>, Vec<Post<'a, E>>) {
        let (main, helpers) = self.memories.split_first_mut().expect("there is a main thread");
        let network = &self.network;
        let post = |(i, memory)| {
            let (number, task) = (i + 1, task.clone());
            Post { number, task, memory, network, finding: None }
        };
        let posts = helpers.iter_mut().enumerate().map(post).collect();
        (main.get_or_insert_with(|| Memory::new(E::with_network(network))), posts)
    }
}

/// What the threads of one search share besides the table.
pub(super) struct Shared {
    tallies: Box<[Tally]>,
    is_called_off: AtomicBool,
    /// How many helpers could not be started.
    missing: AtomicUsize,
}

/// What one thread counts; no other one writes to it. It has a cache line of its
/// own, and the next one too: processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Tally {
    nodes: AtomicU64,
    table_hits: AtomicU64,
}

impl Tally {
    /// Tells the others how many nodes this thread has searched.
    #[inline]
    pub(super) fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    /// Tells the others how often this thread has found a position in an endgame
    /// table.
    #[inline]
    pub(super) fn set_table_hits(&self, hits: u64) {
        self.table_hits.store(hits, Relaxed);
    }
}

impl Shared {
    /// For a search with so many threads, at least 1.
    pub(super) fn new(threads: usize) -> Shared {
        Shared {
            tallies: (0..threads).map(|_| Tally::default()).collect(),
            is_called_off: AtomicBool::new(false),
            missing: AtomicUsize::new(0),
        }
    }

    /// What the thread of this number counts.
    pub(super) fn tally(&self, number: usize) -> &Tally {
        &self.tallies[number]
    }

    /// Nodes searched so far, by all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.nodes.load(Relaxed)).sum()
    }

    /// Positions found in endgame tables so far, by all threads.
    pub(super) fn table_hits(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.table_hits.load(Relaxed)).sum()
    }

    /// How many of the nodes left under `limit` one thread may search before it
    /// asks again.
    pub(super) fn share_of_nodes_left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.nodes()) / self.tallies.len() as u64
    }

    /// All threads shall end now.
    pub(super) fn call_off(&self) {
        self.is_called_off.store(true, Relaxed);
    }

    /// Whether all threads shall end.
    #[inline]
    pub(super) fn is_called_off(&self) -> bool {
        self.is_called_off.load(Relaxed)
    }

    /// What to tell the user if helpers could not be started.
    pub(super) fn note_on_missing(&self) -> Option<String> {
        let all = self.tallies.len();
        let missing = self.missing.load(Relaxed);
        (missing > 0).then(|| format!("only {} of {all} threads could be started", all - missing))
    }
}

/// Calls a search off when it goes out of scope, even by a panic.
pub(super) struct CallOff<'a>(pub(super) &'a Shared);

impl Drop for CallOff<'_> {
    fn drop(&mut self) {
        self.0.call_off();
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

/// A helper's place in the search.
pub(super) struct Post<'a, E> {
    number: usize,
    task: Task<'a>,
    memory: &'a mut Option<Memory<E>>,
    network: &'a Arc<Network>,
    /// What it has found, once it has ended.
    pub(super) finding: Option<Finding>,
}

impl<E: Evaluator> Post<'_, E> {
    /// Searches until the search is called off.
    fn fill(&mut self, shared: &Shared) {
        if shared.is_called_off() {
            return;
        }
        let (memory, network) = (&mut *self.memory, self.network);
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let memory = memory.get_or_insert_with(|| Memory::new(E::with_network(network)));
            let mut searcher = Searcher::new(&self.task, shared, self.number, memory);
            searcher.deepen(&mut |_| {});
            searcher.finding()
        }));
        match searched {
            Ok(finding) => self.finding = (finding.completed > 0).then_some(finding),
            Err(_) => {
                log::error!("helper {} panicked", self.number);
                *self.memory = None;
            }
        }
    }
}

/// Starts a helper for each post. The first starts those of one half of the rest,
/// the second those of the other half, and so on: so the main thread is soon at
/// its own work, however many there are.
pub(super) fn start_helpers<'scope, 'env, E: Evaluator>(
    scope: &'scope Scope<'scope, 'env>,
    posts: &'scope mut [Post<'_, E>],
    shared: &'scope Shared,
) {
    let (near, far) = posts.split_at_mut(posts.len().div_ceil(2));
    for half in [near, far] {
        let count = half.len();
        let Some((first, rest)) = half.split_first_mut() else { continue };
        if shared.is_called_off() {
            return;
        }
        let started = Builder::new()
            .name(format!("helper {}", first.number))
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || {
                start_helpers(scope, rest, shared);
                first.fill(shared);
            });
        if let Err(error) = started {
            log::error!("{count} helpers could not be started: {error}");
            shared.missing.fetch_add(count, Relaxed);
        }
    }
}

/// Which finding to play by; the first is the main thread's. The fastest win
/// wins; if all lose, the slowest loss. Otherwise each thread votes for its move,
/// with more weight the deeper it has searched and the higher its score lies
/// above the worst. Of threads that found the same move the main thread is
/// preferred, then the one with the most weight.
///
/// # Panics
/// If there is no finding.
pub(super) fn elect(findings: &[Finding]) -> usize {
    let score = |i: usize| findings[i].best.known;
    let indices = 0..findings.len();
    // Of equal ones the last is taken, which is the first in this order.
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
    use super::*;
    use crate::board::Board;
    use crate::score::{Score, mate_at, mated_at};

    /// Findings from (number of the move, score, iterations completed).
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
            shared.tally(number).set_nodes(10 * number as u64);
        }
        assert_eq!(shared.nodes(), 60);
        assert_eq!(shared.share_of_nodes_left(100), 10);
        assert_eq!(shared.share_of_nodes_left(50), 0);
    }

    #[test]
    fn missing_helpers_are_told_of() {
        let shared = Shared::new(4);
        assert_eq!(shared.note_on_missing(), None);
        shared.missing.fetch_add(3, Relaxed);
        let note = shared.note_on_missing();
        assert_eq!(note.as_deref(), Some("only 1 of 4 threads could be started"));
    }

    #[test]
    fn a_search_is_called_off_even_by_a_panic() {
        let shared = Shared::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _call_off = CallOff(&shared);
            assert!(!shared.is_called_off());
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err() && shared.is_called_off());
    }
}
