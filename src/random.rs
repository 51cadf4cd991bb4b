//! Numbers that look random and are a function of a seed: the generator of Steele,
//! Lea and Flood (SplitMix64, 2014; public domain constants).
//!
//! Used where a number must be equal on every run: the keys of positions, the play at
//! limited strength, the seeds of games.

/// The step of a sequence: 2⁶⁴ divided by the golden ratio.
pub const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scrambles a number, one to one.
#[inline]
pub const fn scramble(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The random number of a seed; neighbouring seeds have unlike numbers.
#[inline]
pub const fn splitmix64(seed: u64) -> u64 {
    scramble(seed.wrapping_mul(STRIDE))
}
