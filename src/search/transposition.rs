//! The transposition table (TT), shared by all search threads. Clusters and ageing: Stockfish.
//!
//! A cluster fills half a cache line: one word for each of three entries, and a fourth with 16
//! bits of each key. All are relaxed atomics, so a key may come with the data of another position.
//! Moves must therefore be tested for legality; a wrong score is as rare as a key collision.
//!
//! The index is the high word of the key times the number of clusters, so the size need not
//! be a power of two. The system provides zeroed memory lazily, on large pages if it has them. A
//! table can be used at once, but the first access to each page costs a page fault (some 0.2 ms
//! for a large page). [`TranspositionTable::touch`] takes the page faults before they cost time on
//! a clock.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::score::{self, Score};
use crate::sys::large_pages::{LARGE_PAGE, ask_for_large_pages};
use crate::sys::memory::{Promise, has_room};
use carrybit_board::Move;
use carrybit_board::cpu::prefetch;
use carrybit_board::draw::FIFTY_MOVES_PLIES;

use super::report::Bound;

const ENTRIES: usize = 3;
/// The word of a cluster that holds the keys.
const KEYS: usize = ENTRIES;
const WORDS: usize = ENTRIES + 1;
/// Extra words, so that the first cluster can begin on a large page, and none straddles two
/// cache lines.
const SLACK: usize = LARGE_PAGE / size_of::<u64>();

/// Words that one call of [`TranspositionTable::touch`] covers: a page fault in a virtual machine
/// can take 0.2 ms.
const TOUCHED_AT_ONCE: usize = (1 << 20) / size_of::<u64>();
/// Words in the smallest page of any system.
const WORDS_PER_PAGE: usize = (4 << 10) / size_of::<u64>();

type Cluster = [AtomicU64; WORDS];

/// Generations are counted modulo this.
const GENERATIONS: u8 = 32;
/// One generation of age counts as this much less depth.
const PLIES_PER_GENERATION: i32 = 4;
/// An entry of the same position is kept if it is this much deeper than the new one.
const SAME_POSITION_MARGIN: i32 = 4;
/// In this comparison, a new entry of a principal variation counts as this much deeper.
const SAME_POSITION_PV_PLIES: i32 = 2;

/// The table's data on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The TT move, or [`Move::NONE`]; to be tested for legality before use.
    pub mv: Move,
    /// The score; the distance of a forced win is counted from the root.
    pub score: Score,
    /// The static evaluation before any correction; [`score::NO_EVAL`] in check.
    pub raw_eval: Score,
    /// How deep the position was searched; 0 for quiescence search.
    pub depth: i32,
    /// `None` if the score is invalid: no search has returned yet, or the fifty-move rule
    /// prevents its mate.
    pub bound: Option<Bound>,
    /// Whether the position was part of a principal variation.
    pub pv: bool,
}

impl TtEntry {
    /// Whether the score decides a zero-window search below `beta`.
    #[inline]
    pub(super) fn cuts(&self, beta: Score) -> bool {
        self.bound.is_some_and(|bound| bound.cuts(self.score, beta - 1, beta))
    }

    /// Whether the score is a better estimate than the static evaluation `eval`.
    #[inline]
    pub fn improves_on(&self, eval: Score) -> bool {
        self.bound.is_some_and(|bound| bound.cuts(self.score, eval - 1, eval + 1))
    }

    /// The entry as a word. From bit 0: move 16, score 16, evaluation 16, depth 8,
    /// generation 5, pv 1, bound 2 bits.
    fn pack(&self, ply: usize, generation: u8) -> u64 {
        let bound = self.bound.map_or(0, |bound| bound as u64 + 1);
        u64::from(self.mv.to_bits())
            | u64::from(score_to_tt(self.score, ply) as i16 as u16) << 16
            | u64::from(self.raw_eval as i16 as u16) << 32
            | (self.depth.clamp(0, 0xff) as u64) << 48
            | u64::from(generation) << 56
            | u64::from(self.pv) << 61
            | bound << 62
    }

    fn unpack(word: u64, ply: usize, halfmove: u16) -> TtEntry {
        const BOUNDS: [Option<Bound>; 4] =
            [None, Some(Bound::Exact), Some(Bound::Lower), Some(Bound::Upper)];
        let score = score_from_tt(Score::from((word >> 16) as i16), ply, halfmove);
        TtEntry {
            mv: Move::from_bits(word as u16),
            score: score.unwrap_or(score::DRAW),
            raw_eval: Score::from((word >> 32) as i16),
            depth: depth_of(word),
            bound: BOUNDS[(word >> 62) as usize].filter(|_| score.is_some()),
            pv: word >> 61 & 1 != 0,
        }
    }
}

fn depth_of(word: u64) -> i32 {
    i32::from((word >> 48) as u8)
}

fn generation_of(word: u64) -> u8 {
    (word >> 56) as u8 % GENERATIONS
}

/// The table is smaller than requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no memory for a hash table of {wanted_mb} MB, using {used_mb} MB")]
#[non_exhaustive]
pub struct HashError {
    /// Megabytes requested, clamped to the largest table.
    pub wanted_mb: usize,
    /// Megabytes now in use.
    pub used_mb: usize,
}

/// The transposition table. The default one has no entries and is only a placeholder.
#[derive(Default)]
pub struct TranspositionTable {
    /// Single words, because the system could not zero a vector of aligned clusters lazily.
    words: Vec<AtomicU64>,
    /// The first word of the first cluster.
    first: usize,
    clusters: usize,
    generation: AtomicU8,
    /// The number of words whose pages are resident, from the first cluster on.
    touched: AtomicUsize,
    /// For the memory of all words that are not touched.
    promise: Promise,
}

impl TranspositionTable {
    /// The maximum size in megabytes: 32 TiB, or what a vector may have on a 32-bit processor, less
    /// 2 MB to align it.
    pub const MAX_MB: usize = if usize::BITS >= 64 { 33_554_432 } else { 2_045 };

    /// An empty table of `megabytes` (at least 1). If the system lacks the memory, the size is
    /// halved until it suffices.
    ///
    /// # Errors
    /// The table is smaller than requested; the error has its size.
    ///
    /// # Panics
    /// If there is no memory for 1 MB.
    pub fn new(megabytes: usize) -> (TranspositionTable, Result<(), HashError>) {
        let wanted_mb = megabytes.clamp(1, Self::MAX_MB);
        let mut used_mb = wanted_mb;
        let table = loop {
            if (used_mb == 1 || has_room(used_mb << 20))
                && let Some(table) = TranspositionTable::allocate(used_mb)
            {
                break table;
            }
            used_mb /= 2;
            assert!(used_mb > 0, "no memory for a hash table of 1 MB");
        };
        let is_smaller = (used_mb < wanted_mb).then_some(HashError { wanted_mb, used_mb });
        (table, is_smaller.map_or(Ok(()), Err))
    }

    fn allocate(megabytes: usize) -> Option<TranspositionTable> {
        let length = (megabytes << 20) / size_of::<u64>() + SLACK;
        let mut words: Vec<AtomicU64> = bytemuck::allocation::try_zeroed_vec(length).ok()?;
        let first = words.as_ptr().align_offset(LARGE_PAGE).min(SLACK);
        let clusters = (words.len() - SLACK) / WORDS;
        ask_for_large_pages(&mut words[first..][..clusters * WORDS]);
        let promise = Promise::new(megabytes << 20);
        Some(TranspositionTable { words, first, clusters, promise, ..Default::default() })
    }

    /// The size in megabytes.
    pub fn megabytes(&self) -> usize {
        (self.clusters * size_of::<Cluster>()) >> 20
    }

    /// The words of all clusters.
    fn entries(&self) -> &[AtomicU64] {
        &self.words[self.first..][..self.clusters * WORDS]
    }

    /// Makes the pages of the next megabyte resident. Returns whether others are left. It changes
    /// no entry, so a search may be running.
    pub fn touch(&self) -> bool {
        let words = self.entries();
        let from = self.touched.fetch_add(TOUCHED_AT_ONCE, Relaxed).min(words.len());
        let to = (from + TOUCHED_AT_ONCE).min(words.len());
        for word in words[from..to].iter().step_by(WORDS_PER_PAGE) {
            // An exchange writes even if it changes nothing; a read would get the system's page of
            // zeros.
            let _ = word.compare_exchange(0, 0, Relaxed, Relaxed);
        }
        self.promise.keep((to - from) * size_of::<u64>());
        to < words.len()
    }

    /// Records that a search has visited `nodes` nodes. Each makes about one small page resident, while
    /// most of the table is not.
    pub(crate) fn visit(&self, nodes: u64) {
        let pages = usize::try_from(nodes).unwrap_or(usize::MAX);
        self.promise.keep(pages.saturating_mul(WORDS_PER_PAGE * size_of::<u64>()));
    }

    /// Removes all entries. For a large table, a new one is faster.
    pub fn clear(&self) {
        self.entries().iter().for_each(|word| word.store(0, Relaxed));
        self.generation.store(0, Relaxed);
    }

    /// Begins a new search: all entries age by one generation.
    pub fn new_search(&self) {
        self.generation.store((self.generation() + 1) % GENERATIONS, Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Relaxed)
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        self.words[self.first + index * WORDS..].first_chunk().expect("the last cluster is whole")
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The entry of the position with this key, met at `ply` with `halfmove` plies on the
    /// fifty-move clock.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize, halfmove: u16) -> Option<TtEntry> {
        let cluster = self.cluster(key);
        let keys = cluster[KEYS].load(Relaxed);
        let i = (0..ENTRIES).find(|i| (keys >> (16 * i)) as u16 == key as u16)?;
        let word = cluster[i].load(Relaxed);
        (word != 0).then(|| TtEntry::unpack(word, ply, halfmove))
    }

    /// Stores `entry` for the position with this key, met at `ply`. It replaces the entry of
    /// the same position, or else the one of least depth, where age counts as less depth. If
    /// `entry` has no move, it takes over that of the same position. A much deeper entry of the
    /// same position and search is kept, unless the new score is exact.
    pub fn store(&self, key: u64, ply: usize, mut entry: TtEntry) {
        let cluster = self.cluster(key);
        let keys = cluster[KEYS].load(Relaxed);
        let generation = self.generation();
        let mut victim = 0;
        let mut least = i32::MAX;
        for (i, word) in cluster[..ENTRIES].iter().enumerate() {
            let word = word.load(Relaxed);
            if (keys >> (16 * i)) as u16 == key as u16 && word != 0 {
                if entry.mv.is_null() {
                    entry.mv = Move::from_bits(word as u16);
                }
                let keeps = entry.bound != Some(Bound::Exact)
                    && generation_of(word) == generation
                    && entry.depth
                        + SAME_POSITION_MARGIN
                        + SAME_POSITION_PV_PLIES * i32::from(entry.pv)
                        <= depth_of(word);
                if keeps {
                    return;
                }
                victim = i;
                break;
            }
            let age = (GENERATIONS + generation - generation_of(word)) % GENERATIONS;
            let aged_depth = depth_of(word) - PLIES_PER_GENERATION * i32::from(age);
            let worth = if word == 0 { i32::MIN } else { aged_depth };
            if worth < least {
                (victim, least) = (i, worth);
            }
        }
        let shift = 16 * victim;
        let keys = keys & !(0xffff << shift) | (key & 0xffff) << shift;
        cluster[KEYS].store(keys, Relaxed);
        cluster[victim].store(entry.pack(ply, generation), Relaxed);
    }

    /// Permille of entries written by this search, estimated from the first thousand.
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 1000;
        let (clusters, _) = self.words[self.first..].as_chunks::<WORDS>();
        let sample = &clusters[..self.clusters.min(SAMPLE / ENTRIES)];
        let generation = self.generation();
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster[..ENTRIES])
            .map(|word| word.load(Relaxed))
            .filter(|&word| word != 0 && generation_of(word) == generation)
            .count();
        (used * 1000 / (sample.len() * ENTRIES).max(1)) as u32
    }
}

/// Forced wins are stored with their distance from the node instead of from the root.
fn score_to_tt(score: Score, ply: usize) -> Score {
    if score::is_decisive(score) { score + score.signum() * ply as Score } else { score }
}

/// The inverse of [`score_to_tt`], read at `ply` with `halfmove` plies on the fifty-move clock.
/// `None` if the mate or capture of a forced win comes too late for the fifty-move rule.
fn score_from_tt(score: Score, ply: usize, halfmove: u16) -> Option<Score> {
    if !score::is_decisive(score) {
        return Some(score);
    }
    let best = if score::is_mate(score) { score::MATE } else { score::TABLEBASE_WIN };
    if best - score.abs() > Score::from(FIFTY_MOVES_PLIES) - Score::from(halfmove) {
        return None;
    }
    Some(score - score.signum() * ply as Score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{mate_at, tablebase_win_at};

    #[test]
    fn forced_wins_are_stored_with_distance_from_node() {
        // Three plies below a node five plies from the root.
        let score = tablebase_win_at(8);
        assert_eq!(score_to_tt(score, 5), tablebase_win_at(3));
        assert_eq!(score_from_tt(score_to_tt(-score, 5), 7, 0), Some(-tablebase_win_at(10)));
        assert_eq!(score_from_tt(score_to_tt(score, 5), 5, 98), None);
        assert_eq!(score_from_tt(score_to_tt(mate_at(8), 5), 5, 98), None);
        assert_eq!(score_from_tt(score_to_tt(mate_at(8), 5), 5, 97), Some(mate_at(8)));
    }
}
