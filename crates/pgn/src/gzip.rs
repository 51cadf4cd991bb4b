//! Unpacks gzip, in builds with the feature `gzip`.

use std::io;

/// Unpacks a gzip file of one or more members.
#[cfg(feature = "gzip")]
pub(crate) struct Unpacker(flate2::write::MultiGzDecoder<Vec<u8>>);

#[cfg(feature = "gzip")]
impl Unpacker {
    /// `None` in builds without gzip.
    pub(crate) fn new() -> Option<Unpacker> {
        Some(Unpacker(flate2::write::MultiGzDecoder::new(Vec::new())))
    }

    /// Unpacks a piece of the file, and returns all that is unpacked so far and not yet taken.
    pub(crate) fn push(&mut self, piece: &[u8], is_last: bool) -> io::Result<&mut Vec<u8>> {
        io::Write::write_all(&mut self.0, piece)?;
        if is_last {
            self.0.try_finish()?;
        }
        Ok(self.0.get_mut())
    }
}

#[cfg(not(feature = "gzip"))]
pub(crate) enum Unpacker {}

#[cfg(not(feature = "gzip"))]
impl Unpacker {
    pub(crate) fn new() -> Option<Unpacker> {
        None
    }

    pub(crate) fn push(&mut self, _piece: &[u8], _is_last: bool) -> io::Result<&mut Vec<u8>> {
        match *self {}
    }
}
