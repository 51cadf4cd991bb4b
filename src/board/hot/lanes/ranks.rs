//! The whole board as eight words of eight bytes, a rank to each word.
//!
//! This is the 0x88 board without its spare half. What that half is there for, to show
//! who has left the board, words do by themselves: a byte that is moved past the end of
//! its word is gone, and so is a word that is moved past the last rank.

/// A byte for each square. Holding a value proves that the processor has the
/// instructions for it.
pub(super) trait Ranks: Copy {
    /// This byte on every square.
    fn every(self, byte: u8) -> Self;
    /// The bits that both have.
    fn and(self, other: Self) -> Self;
    /// The bits that either has.
    fn or(self, other: Self) -> Self;
    /// The bits that `other` does not have.
    fn without(self, other: Self) -> Self;
    /// 0xff on the squares whose byte has one of `bits`, else 0.
    fn having(self, bits: u8) -> Self;
    /// Each byte shifted by that many bits, -7 to 7, to the left if it is positive. What
    /// leaves a byte comes into the next one.
    fn shifted<const BITS: i32>(self) -> Self;
    /// Each byte that many times so many ranks up and files to the right: together at
    /// most four of each, and of the ranks not three.
    fn moved<const RANKS: i32, const FILES: i32>(self, times: i32) -> Self;
    /// The squares whose byte has the top bit set, a bit for each, by
    /// [`Square::to_64`](crate::board::square::Square::to_64).
    fn top_bits(self) -> u64;
}
