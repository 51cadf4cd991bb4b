//! What the threads of one search share besides the transposition table: each counts
//! for itself, and all may ask for the sums.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::control::Control;

/// What the threads of one search share besides the transposition table.
pub(super) struct Shared {
    counters: Box<[ThreadCounters]>,
}

/// What one thread counts; no other thread writes to it. It fills two cache lines, since
/// processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    nodes: AtomicU64,
    tablebase_hits: AtomicU64,
}

impl ThreadCounters {
    /// Publishes how many nodes this thread has searched.
    #[inline]
    pub(super) fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    /// Publishes how often this thread has found a position in a tablebase.
    #[inline]
    pub(super) fn set_tablebase_hits(&self, hits: u64) {
        self.tablebase_hits.store(hits, Relaxed);
    }
}

impl Shared {
    /// For a search with this many threads, at least 1.
    pub(super) fn new(threads: usize) -> Shared {
        Shared { counters: (0..threads).map(|_| ThreadCounters::default()).collect() }
    }

    /// How many threads search.
    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    /// The counters of the thread with this number.
    pub(super) fn counters_of(&self, number: usize) -> &ThreadCounters {
        &self.counters[number]
    }

    /// Nodes searched so far, by all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions found in tablebases so far, by all threads.
    pub(super) fn tablebase_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tablebase_hits.load(Relaxed)).sum()
    }

    /// How many of the nodes left under `limit` one thread may search before it
    /// asks again.
    pub(super) fn share_of_nodes_left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.nodes()) / self.counters.len() as u64
    }
}

/// Calls a search off when it goes out of scope, even by a panic.
pub(super) struct CallOff<'a>(pub(super) &'a Control);

impl Drop for CallOff<'_> {
    fn drop(&mut self) {
        self.0.call_off();
    }
}
