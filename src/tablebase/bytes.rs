//! Reading numbers from a file that may be damaged, never beyond its end.

use std::ops::Deref;

use super::mapping::Mapping;

/// The bytes of a file.
pub(super) enum FileBytes {
    /// On disk, read when accessed.
    Mapped(Mapping),
    /// In memory.
    Held(Box<[u8]>),
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Mapped(mapping) => mapping,
            FileBytes::Held(bytes) => bytes,
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Damage(pub(super) &'static str);

/// The file is shorter than it says.
pub(super) const TOO_SHORT: Damage = Damage("the file is too short");

/// The 16 bits at `at`, low byte first.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The 32 bits at `at`, low byte first.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads a header from front to back.
pub(super) struct HeaderReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HeaderReader<'a> {
    /// Starts at `at`.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> HeaderReader<'a> {
        HeaderReader { bytes, at }
    }

    /// The position of the next byte.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let end = self.at.checked_add(count).ok_or(TOO_SHORT)?;
        let taken = self.bytes.get(self.at..end).ok_or(TOO_SHORT)?;
        self.at = end;
        Ok(taken)
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// The next 16 bits, low byte first.
    pub(super) fn word(&mut self) -> Result<u16, Damage> {
        u16_at(self.take(2)?, 0).ok_or(TOO_SHORT)
    }

    /// The next 32 bits, low byte first.
    pub(super) fn double_word(&mut self) -> Result<u32, Damage> {
        u32_at(self.take(4)?, 0).ok_or(TOO_SHORT)
    }

    /// Skips to the next multiple of `alignment`.
    pub(super) fn align(&mut self, alignment: usize) {
        self.at = self.at.next_multiple_of(alignment);
    }
}
