//! Counters that the threads of one search publish.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use carrybit_board::Move;

use super::report::CurrentMove;

/// The counters of the threads of one search, the main thread first.
pub struct SharedCounters(pub(super) Box<[ThreadCounters]>);

/// Written only by its own thread. Two cache lines, since processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    pub(super) nodes: AtomicU64,
    pub(super) tb_hits: AtomicU64,
    /// The root move being searched, packed in one word; 0 before the first.
    current_move: AtomicU64,
}

impl ThreadCounters {
    pub(super) fn set_current_move(&self, current: CurrentMove) {
        let CurrentMove { mv, number, depth } = current;
        let word = u64::from(mv.to_bits()) | (number as u64) << 16 | (depth as u64) << 32;
        self.current_move.store(word, Relaxed);
    }
}

impl SharedCounters {
    /// For a search with this many threads, at least 1.
    pub fn new(threads: usize) -> SharedCounters {
        SharedCounters((0..threads.max(1)).map(|_| ThreadCounters::default()).collect())
    }

    /// The root move that the main thread is searching; `None` before the first.
    pub fn current_move(&self) -> Option<CurrentMove> {
        let word = self.0[0].current_move.load(Relaxed);
        (word != 0).then(|| CurrentMove {
            mv: Move::from_bits(word as u16),
            number: usize::from((word >> 16) as u16),
            depth: (word >> 32) as i32,
        })
    }

    /// Nodes searched so far, by all threads.
    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions found in tablebases so far, by all threads.
    pub fn tablebase_hits(&self) -> u64 {
        self.0.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }

    /// How many of the nodes left under `limit` one thread may search before its next check.
    pub(super) fn share_of_nodes_left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.nodes()) / self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::MAX_DEPTH;

    #[test]
    fn nodes_are_summed_and_the_current_move_is_the_main_threads() {
        let shared = SharedCounters::new(4);
        for (counters, nodes) in shared.0.iter().zip([0, 10, 20, 30]) {
            counters.nodes.store(nodes, Relaxed);
        }
        assert_eq!(shared.nodes(), 60);
        assert_eq!([100, 50].map(|limit| shared.share_of_nodes_left(limit)), [10, 0]);
        let current = CurrentMove { mv: Move::from_bits(!0), number: 218, depth: MAX_DEPTH };
        shared.0[1].set_current_move(current);
        assert_eq!(shared.current_move(), None);
        shared.0[0].set_current_move(current);
        assert_eq!(shared.current_move(), Some(current));
    }
}
