//! Random numbers that are a function of a seed and an index, so that work can resume at any
//! point; they use the engine's generator ([`carrybit::internals::random`]).

use carrybit::internals::random::{STRIDE, scramble};

/// The random number at an index of a seed's sequence.
#[inline]
pub fn at(seed: u64, index: u64) -> u64 {
    scramble(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STRIDE)))
}
