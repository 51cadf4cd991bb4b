//! Text that a GUI or a shell sends in bytes that need not be UTF-8.
//!
//! Some GUIs send paths in the code page of the system. [`decode`] keeps each byte that is
//! not part of valid UTF-8 as a character of the private use area, so that [`path`] can
//! return it to the system. For people [`shown`] replaces such bytes.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The bytes 0x80 to 0xFF as characters, in the range that MirBSD's OPTU-8 uses.
const ESCAPES: RangeInclusive<char> = '\u{ef80}'..='\u{efff}';

/// The byte 0 would have this code point.
const ESCAPE_BASE: u32 = 0xef00;

/// The text of `bytes`. An escape character that is itself in the text counts as invalid,
/// so that different bytes never lead to the same text.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_escape(c) {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(escape));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| escape(byte)));
    }
    text
}

/// The text of an argument of the process.
#[must_use]
pub fn from_os(text: &OsStr) -> String {
    decode(text.as_encoded_bytes())
}

/// The path that a [decoded](decode) text names: on Unix the bytes as they were sent, on
/// Windows bytes that are not UTF-8 read in the ANSI code page.
#[must_use]
pub fn path(text: &str) -> PathBuf {
    match String::from_utf8(encode(text)) {
        Ok(text) => text.into(),
        Err(error) => system::path(error.into_bytes()),
    }
}

/// The text for people, with U+FFFD instead of bytes that are not UTF-8.
#[must_use]
pub fn shown(text: &str) -> String {
    String::from_utf8_lossy(&encode(text)).into_owned()
}

fn is_escape(c: char) -> bool {
    ESCAPES.contains(&c)
}

/// The character for a byte of 0x80 or more.
fn escape(byte: u8) -> char {
    char::from_u32(ESCAPE_BASE + u32::from(byte)).expect("it is in the private use area")
}

/// The bytes of which `text` was made.
fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        if is_escape(c) {
            bytes.push((u32::from(c) - ESCAPE_BASE) as u8);
        } else {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
        }
    }
    bytes
}

#[cfg(unix)]
mod system {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    pub(super) fn path(bytes: Vec<u8>) -> PathBuf {
        OsString::from_vec(bytes).into()
    }
}

#[cfg(windows)]
#[allow(unsafe_code)]
mod system {
    use std::ffi::OsString;
    use std::os::windows::ffi::OsStringExt;
    use std::path::PathBuf;

    use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar};

    pub(super) fn path(bytes: Vec<u8>) -> PathBuf {
        // No code page has more UTF-16 units than bytes, and a line has at most `MAX_LINE`.
        let mut wide = vec![0_u16; bytes.len()];
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        // SAFETY: both pointers are valid for `length` elements.
        let written = unsafe {
            MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, wide.as_mut_ptr(), length)
        };
        wide.truncate(usize::try_from(written).unwrap_or(0));
        OsString::from_wide(&wide).into()
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use std::path::PathBuf;

    pub(super) fn path(bytes: Vec<u8>) -> PathBuf {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Valid, cut off, overlong, surrogates, and the escapes themselves.
    const INPUTS: [&[u8]; 7] = [
        b"",
        "plain \u{e9}chec \u{1f451}".as_bytes(),
        b"/srv/\xc9checs/syzygy",
        b"\xe2\x82",
        b"\xc0\x80\xed\xa0\x80\xf5\xff",
        "\u{ef80}\u{efc9}\u{efff}".as_bytes(),
        b"\xee\xbf\x89\xc9",
    ];

    #[test]
    fn decoded_bytes_are_encoded_as_they_were() {
        for bytes in INPUTS {
            let text = decode(bytes);
            assert_eq!(encode(&text), bytes, "{text:?}");
        }
        assert_eq!(shown(&decode(b"/srv/\xc9checs")), "/srv/\u{fffd}checs");
        let every_byte: Vec<u8> = (0..=u8::MAX).collect();
        assert_eq!(encode(&decode(&every_byte)), every_byte);
    }

    #[cfg(unix)]
    #[test]
    fn on_unix_a_path_has_the_bytes_that_were_sent() {
        use std::os::unix::ffi::OsStrExt;

        for bytes in INPUTS {
            assert_eq!(path(&decode(bytes)).as_os_str().as_bytes(), bytes);
        }
    }
}
