//! The order in which an epoch visits its samples: a permutation that is computed, not stored.

use carrybit_board::random::{STRIDE, scramble};

/// Enough rounds for an order without a visible pattern.
const ROUNDS: u64 = 6;

/// A permutation of the numbers below `len`: a Feistel network over as many bits as they need. It
/// is repeated until its result is below `len` (cycle walking; Black and Rogaway, 2002).
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    key: u64,
    len: u64,
    /// Bits of the lower and the upper half.
    bits: [u32; 2],
}

impl Permutation {
    /// One of the permutations of `len` numbers (at least 1), by its key.
    pub fn new(key: u64, len: usize) -> Permutation {
        let len = len as u64;
        let bits = (len - 1).checked_ilog2().map_or(0, |log| log + 1).max(2);
        Permutation { key, len, bits: [bits / 2, bits - bits / 2] }
    }

    /// The number at a place; both are below `len`.
    pub fn at(&self, place: usize) -> usize {
        let mut number = place as u64;
        loop {
            number = self.encrypt(number);
            if number < self.len {
                return number as usize;
            }
        }
    }

    fn encrypt(&self, number: u64) -> u64 {
        let [low, high] = self.bits;
        let mut halves = [number & ((1 << low) - 1), number >> low];
        for round in 0..ROUNDS {
            let changed = (round % 2) as usize;
            let other = halves[1 - changed];
            let noise = random_at(self.key ^ round, other);
            halves[changed] ^= noise >> (u64::BITS - self.bits[changed]);
        }
        debug_assert!(halves[0] >> low == 0 && halves[1] >> high == 0);
        halves[1] << low | halves[0]
    }
}

/// The random number at an index of a seed's sequence, so that a training can resume at any step.
#[inline]
pub fn random_at(seed: u64, index: u64) -> u64 {
    scramble(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STRIDE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_comes_once_in_an_order_by_key() {
        for len in [1, 2, 3, 5, 64, 1000, 65_537] {
            let orders = [1, 2].map(|key| {
                let permutation = Permutation::new(key, len);
                (0..len).map(|place| permutation.at(place)).collect::<Vec<_>>()
            });
            for order in &orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..len), "{len}");
            }
            assert!(len < 64 || orders[0] != orders[1], "{len}");
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        let permutation = Permutation::new(7, 1 << 20);
        let half = |place| u32::from(permutation.at(place) >= 1 << 19);
        let ones: u32 = (0..4096).map(half).sum();
        // Five standard deviations.
        assert!(ones.abs_diff(2048) < 160, "{ones}");
        let near =
            (0..4096).filter(|&at| permutation.at(at).abs_diff(permutation.at(at + 1)) < 4096);
        assert!(near.count() < 80);
    }
}
