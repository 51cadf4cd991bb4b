//! Text from a GUI or a shell that may not be UTF-8, such as a path in the system's code page.
//!
//! [`decode`] turns each byte that is not part of valid UTF-8 into a character of the private
//! use area, and [`path`] turns it back.

use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The bytes 0x80 to 0xFF as characters, in the range that MirBSD's OPTU-8 uses.
const ESCAPES: RangeInclusive<char> = '\u{ef80}'..='\u{efff}';

/// The byte 0 would have this code point.
const ESCAPE_BASE: u32 = 0xef00;

/// The text of `bytes`. An escape character in the text itself counts as invalid, so different
/// bytes always give different texts.
pub fn decode(bytes: &[u8]) -> String {
    let escape = |byte: u8| {
        char::from_u32(ESCAPE_BASE + u32::from(byte)).expect("it is in the private use area")
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if ESCAPES.contains(&c) {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(escape));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(escape));
    }
    text
}

/// The inverse of [`decode`].
fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        if ESCAPES.contains(&c) {
            bytes.push((u32::from(c) - ESCAPE_BASE) as u8);
        } else {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
        }
    }
    bytes
}

/// The path of a [decoded](decode) text. On Unix it has the original bytes; on Windows, bytes
/// that are not UTF-8 are read in the ANSI code page.
pub fn path(text: &str) -> PathBuf {
    match String::from_utf8(encode(text)) {
        Ok(text) => text.into(),
        Err(error) => path_of_bytes(error.into_bytes()),
    }
}

/// Separators of folders in a path; a semicolon works on every system.
const SEPARATORS: &[char] = if cfg!(windows) { &[';'] } else { &[';', ':'] };

/// The folders that a [decoded](decode) text lists, separated by `;` (or, except on Windows, by
/// `:`), as `SyzygyPath` does.
pub fn folders(text: &str) -> Vec<PathBuf> {
    let folders = text.split(SEPARATORS).map(str::trim).filter(|folder| !folder.is_empty());
    folders.map(path).collect()
}

/// The text to print: U+FFFD replaces bytes that are not UTF-8.
pub fn shown(text: &str) -> String {
    String::from_utf8_lossy(&encode(text)).into_owned()
}

#[cfg(unix)]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(windows)]
#[allow(unsafe_code)]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt;

    use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar};

    // In no code page does a text need more UTF-16 units than bytes. A line has at most
    // `MAX_LINE` bytes.
    let mut wide = vec![0_u16; bytes.len()];
    let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    // SAFETY: both pointers are valid for `length` elements.
    let written = unsafe {
        MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, wide.as_mut_ptr(), length)
    };
    wide.truncate(usize::try_from(written).unwrap_or(0));
    std::ffi::OsString::from_wide(&wide).into()
}

#[cfg(not(any(unix, windows)))]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_restores_decoded_bytes() {
        let every_byte: Vec<u8> = (0..=u8::MAX).collect();
        // Valid, cut off, overlong, surrogates, and the escapes themselves.
        for bytes in [
            b"",
            "plain \u{e9}chec \u{1f451}".as_bytes(),
            b"/srv/\xc9checs/syzygy",
            b"\xe2\x82",
            b"\xc0\x80\xed\xa0\x80\xf5\xff",
            "\u{ef80}\u{efc9}\u{efff}".as_bytes(),
            b"\xee\xbf\x89\xc9",
            &every_byte,
        ] {
            let text = decode(bytes);
            assert_eq!(encode(&text), bytes, "{text:?}");
            #[cfg(unix)]
            assert_eq!(path(&text).as_os_str().as_encoded_bytes(), bytes);
        }
        assert_eq!(shown(&decode(b"/srv/\xc9checs")), "/srv/\u{fffd}checs");
    }
}
