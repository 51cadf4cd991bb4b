//! Remembers evaluations by the position's key, for positions that the search
//! comes back to.

use carrybit::score::Score;

/// How many evaluations are remembered; a power of two.
const LEN: usize = 1 << 15;

/// The bits of an entry that hold the evaluation; the others hold the key's.
const SCORE_BITS: u64 = 0xffff;

/// A table of evaluations. What it returns is what was stored for that very
/// key, up to the 48 bits of it that an entry keeps and the 15 that index it,
/// most of which are others.
pub(super) struct EvalCache(Box<[u64]>);

impl EvalCache {
    pub(super) fn new() -> EvalCache {
        EvalCache(vec![0; LEN].into_boxed_slice())
    }

    /// The evaluation stored for `key`.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Score> {
        let entry = self.0[key as usize % LEN];
        let is_same = (entry ^ key) & !SCORE_BITS == 0;
        (is_same && entry != 0).then_some(Score::from(entry as i16))
    }

    /// Stores an evaluation, in place of another one.
    #[inline]
    pub(super) fn put(&mut self, key: u64, eval: Score) {
        self.0[key as usize % LEN] = key & !SCORE_BITS | eval as u64 & SCORE_BITS;
    }
}
