//! What the threads of one search share besides the transposition table: each says how
//! far it has come, and all may ask for the sums, as may whoever started the search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::board::Move;

use super::control::Control;
use super::limits::CurrentMove;

/// What the threads of one search share besides the transposition table.
pub struct Shared {
    counters: Box<[ThreadCounters]>,
}

/// What one thread says of itself; no other thread writes to it. It fills two cache
/// lines, since processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    nodes: AtomicU64,
    tablebase_hits: AtomicU64,
    /// The root move that it is searching, packed in one word; 0 before the first.
    current_move: AtomicU64,
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

    /// Publishes which root move this thread begins to search.
    pub(super) fn set_current_move(&self, current: CurrentMove) {
        let CurrentMove { mv, number, depth } = current;
        let word = u64::from(mv.to_bits()) | (number as u64) << 16 | (depth as u64) << 32;
        self.current_move.store(word, Relaxed);
    }

    fn current_move(&self) -> Option<CurrentMove> {
        let word = self.current_move.load(Relaxed);
        (word != 0).then(|| CurrentMove {
            mv: Move::from_bits(word as u16),
            number: usize::from((word >> 16) as u16),
            depth: (word >> 32) as i32,
        })
    }
}

impl Shared {
    /// For a search with this many threads, at least 1.
    #[must_use]
    pub fn new(threads: usize) -> Shared {
        Shared { counters: (0..threads.max(1)).map(|_| ThreadCounters::default()).collect() }
    }

    /// How many threads are to search.
    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    /// The counters of the thread with this number.
    pub(super) fn counters_of(&self, number: usize) -> &ThreadCounters {
        &self.counters[number]
    }

    /// The root move that the main thread is searching; `None` before the first.
    #[must_use]
    pub fn current_move(&self) -> Option<CurrentMove> {
        self.counters[0].current_move()
    }

    /// Nodes searched so far, by all threads.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions found in tablebases so far, by all threads.
    #[must_use]
    pub fn tablebase_hits(&self) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::score::MAX_DEPTH;

    #[test]
    fn the_current_move_is_that_of_the_main_thread() {
        let shared = Shared::new(2);
        let moves = Board::default().legal_moves();
        let last = CurrentMove { mv: moves[19], number: 218, depth: MAX_DEPTH };
        shared.counters_of(1).set_current_move(last);
        assert_eq!(shared.current_move(), None);
        for current in [last, CurrentMove { mv: moves[0], number: 1, depth: 1 }] {
            shared.counters_of(0).set_current_move(current);
            assert_eq!(shared.current_move(), Some(current));
        }
    }
}
