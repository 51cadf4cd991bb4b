//! Random numbers that are a function of a seed and a place in the sequence, so
//! that work can be taken up again anywhere; by the engine's own generator
//! ([`carrybit::random`]).

use carrybit::random::{STRIDE, scramble};

/// The random number at a place of a seed's sequence.
#[inline]
pub fn at(seed: u64, place: u64) -> u64 {
    scramble(seed.wrapping_add(place.wrapping_add(1).wrapping_mul(STRIDE)))
}

/// A random number below `bound`, made of one of 64 bits.
#[inline]
pub fn below(number: u64, bound: usize) -> usize {
    ((u128::from(number) * bound as u128) >> 64) as usize
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    place: u64,
}

impl Random {
    /// The sequence of a seed, from its beginning.
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds would share most of their sequences.
        Random { seed: scramble(seed), place: 0 }
    }

    /// The next number, of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.place += 1;
        at(self.seed, self.place)
    }

    /// The next number as one from -1 to 1.
    pub fn symmetric(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
