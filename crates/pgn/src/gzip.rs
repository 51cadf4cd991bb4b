//! Unpacks gzip, in builds with the feature `gzip`.

use std::io;

/// Unpacks a gzip file of one or more members, which zeros may follow.
#[cfg(feature = "gzip")]
pub(crate) struct Unpacker {
    member: flate2::write::GzDecoder<Vec<u8>>,
    /// Whether a byte of the member has arrived.
    has_begun: bool,
}

#[cfg(feature = "gzip")]
impl Unpacker {
    /// `None` in builds without gzip.
    pub(crate) fn new() -> Option<Unpacker> {
        let member = flate2::write::GzDecoder::new(Vec::new());
        Some(Unpacker { member, has_begun: true })
    }

    /// Unpacks a piece of the file, and moves all that is unpacked to `unpacked`, also before an
    /// error.
    pub(crate) fn push(
        &mut self,
        piece: &[u8],
        is_last: bool,
        unpacked: &mut Vec<u8>,
    ) -> io::Result<()> {
        let result = self.write(piece, is_last);
        unpacked.append(self.member.get_mut());
        result
    }

    fn write(&mut self, mut piece: &[u8], is_last: bool) -> io::Result<()> {
        loop {
            if !self.has_begun {
                let zeros = piece.iter().take_while(|&&byte| byte == 0).count();
                piece = &piece[zeros..];
            }
            if piece.is_empty() {
                break;
            }
            self.has_begun = true;
            match io::Write::write(&mut self.member, piece)? {
                // The end of the member.
                0 => {
                    self.member.try_finish()?;
                    let unpacked = std::mem::take(self.member.get_mut());
                    self.member = flate2::write::GzDecoder::new(unpacked);
                    self.has_begun = false;
                }
                length => piece = &piece[length..],
            }
        }
        if is_last && self.has_begun { self.member.try_finish() } else { Ok(()) }
    }
}

#[cfg(not(feature = "gzip"))]
pub(crate) enum Unpacker {}

#[cfg(not(feature = "gzip"))]
impl Unpacker {
    pub(crate) fn new() -> Option<Unpacker> {
        None
    }

    pub(crate) fn push(&mut self, _: &[u8], _: bool, _: &mut Vec<u8>) -> io::Result<()> {
        match *self {}
    }
}
