//! A buffer for short texts. Formatting through `core::fmt` and intermediate strings takes several
//! times as long as the moves and positions themselves.

use super::Square;

/// ASCII text of at most `N` bytes.
pub(super) struct AsciiBuffer<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> AsciiBuffer<N> {
    #[inline]
    pub(super) const fn new() -> Self {
        AsciiBuffer { bytes: [0; N], len: 0 }
    }

    /// Appends an ASCII character.
    ///
    /// # Panics
    /// If the buffer is full.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    #[inline]
    pub(super) fn push_all(&mut self, text: &[u8]) {
        text.iter().for_each(|&byte| self.push(byte));
    }

    /// Appends the name of a square of the board.
    #[inline]
    pub(super) fn push_square(&mut self, sq: Square) {
        self.push(b'a' + sq.file());
        self.push(b'1' + sq.rank());
    }

    /// Appends a number in decimal.
    pub(super) fn push_number(&mut self, number: u16) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.push(b'0' + (number % 10) as u8);
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).expect("only ASCII is appended")
    }
}
