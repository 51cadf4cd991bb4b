//! SplitMix64, a generator of random numbers (Steele, Lea and Flood, 2014; its constants are
//! in the public domain).
//!
//! Zobrist keys, play at limited strength and the seeds of games use it: their numbers must
//! be equal on every run.

/// The step of a sequence: 2⁶⁴ divided by the golden ratio.
pub const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scrambles a number. Different numbers have different results.
#[inline]
pub const fn scramble(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The random number of a seed. Neighbouring seeds have unrelated numbers.
#[inline]
pub const fn splitmix64(seed: u64) -> u64 {
    scramble(seed.wrapping_mul(STRIDE))
}
