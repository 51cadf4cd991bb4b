//! Counters that the threads of one search publish.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::board::Move;

use super::limits::CurrentMove;

/// The counters of the threads of one search.
pub struct SharedCounters {
    counters: Box<[ThreadCounters]>,
}

/// Only its own thread writes to it. Two cache lines, since processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    nodes: AtomicU64,
    tablebase_hits: AtomicU64,
    /// The root move being searched, packed in one word; 0 before the first.
    current_move: AtomicU64,
}

impl ThreadCounters {
    #[inline]
    pub(super) fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    #[inline]
    pub(super) fn set_tablebase_hits(&self, hits: u64) {
        self.tablebase_hits.store(hits, Relaxed);
    }

    pub(super) fn set_current_move(&self, current: CurrentMove) {
        let CurrentMove { mv, number, depth } = current;
        let word = u64::from(mv.to_bits()) | (number as u64) << 16 | (depth as u64) << 32;
        self.current_move.store(word, Relaxed);
    }
}

impl SharedCounters {
    /// For a search with this many threads, at least 1.
    pub fn new(threads: usize) -> SharedCounters {
        SharedCounters {
            counters: (0..threads.max(1)).map(|_| ThreadCounters::default()).collect(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    pub(super) fn counters_of(&self, number: usize) -> &ThreadCounters {
        &self.counters[number]
    }

    /// The root move that the main thread is searching; `None` before the first.
    pub fn current_move(&self) -> Option<CurrentMove> {
        let word = self.counters[0].current_move.load(Relaxed);
        (word != 0).then(|| CurrentMove {
            mv: Move::from_bits(word as u16),
            number: usize::from((word >> 16) as u16),
            depth: (word >> 32) as i32,
        })
    }

    /// Nodes searched so far, by all threads.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions found in tablebases so far, by all threads.
    pub fn tablebase_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tablebase_hits.load(Relaxed)).sum()
    }

    /// How many of the nodes left under `limit` one thread may search before it checks
    /// again.
    pub(super) fn share_of_nodes_left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.nodes()) / self.counters.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::score::MAX_DEPTH;

    #[test]
    fn counters_are_summed_and_the_current_move_is_that_of_the_main_thread() {
        let shared = SharedCounters::new(4);
        for number in 0..4 {
            shared.counters_of(number).set_nodes(10 * number as u64);
        }
        assert_eq!(shared.nodes(), 60);
        assert_eq!([100, 50].map(|limit| shared.share_of_nodes_left(limit)), [10, 0]);
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
