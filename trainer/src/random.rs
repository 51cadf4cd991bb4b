//! Random numbers that are a function of a seed and a place in the sequence, so
//! that training can be taken up again anywhere (Sebastiano Vigna's SplitMix64).

/// The distance between two places, for SplitMix64: 2⁶⁴ divided by the golden
/// ratio.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random number at a place of a seed's sequence.
#[inline]
#[must_use]
pub fn at(seed: u64, place: u64) -> u64 {
    mix(seed.wrapping_add(place.wrapping_add(1).wrapping_mul(STRIDE)))
}

/// Scrambles a number, one to one.
#[inline]
#[must_use]
pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A random number below `bound`, made of one of 64 bits.
#[inline]
#[must_use]
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
    #[must_use]
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds would share most of their sequences.
        Random { seed: mix(seed), place: 0 }
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
