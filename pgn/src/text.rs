//! The encodings of PGN files.

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
