//! Random numbers that are a function of a seed and an index, so that work can resume at any
//! point; they use the engine's generator ([`carrybit::internals::random`]).

use carrybit::internals::random::{STRIDE, scramble};

/// The random number at an index of a seed's sequence.
#[inline]
pub fn at(seed: u64, index: u64) -> u64 {
    scramble(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STRIDE)))
}

/// Maps a random number of 64 bits to `0..bound`.
#[inline]
pub fn below(number: u64, bound: usize) -> usize {
    ((u128::from(number) * bound as u128) >> 64) as usize
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    index: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        // Unscrambled, neighbouring seeds would share most of their sequences.
        Random { seed: scramble(seed), index: 0 }
    }

    /// The next number, of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.index += 1;
        at(self.seed, self.index)
    }

    /// The next number, from -1 to 1.
    pub fn symmetric(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
