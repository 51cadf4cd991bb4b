//! Files as text, and text as files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::arguments::with_suffix;

/// The text of a PGN file: UTF-8, or Latin-1 as the standard has it, also line by line,
/// for files that were put together. Lines end with a newline, and there is no byte order
/// mark.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut text = String::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => text.extend(line.iter().map(|&byte| char::from(byte))),
        }
    }
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Writes a file so that nobody ever finds a part of it: what was there before stays until
/// all of it is written.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let draft = with_suffix(path, ".part");
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        // Half a file is of no use; if it cannot be removed, the first error says why.
        let _ = fs::remove_file(&draft);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode(b"\xef\xbb\xbfa\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(decode("Ø\n".as_bytes()), "Ø\n");
        assert_eq!(decode(b"Gr\xfcnfeld\nGr\xc3\xbcnfeld"), "Grünfeld\nGrünfeld");
    }
}
