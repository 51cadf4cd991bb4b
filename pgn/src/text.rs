//! The encodings of PGN files.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// Why a file is not text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It is in a format that is not read here.
    #[error("a {0} file, not PGN; unpack it first")]
    Packed(&'static str),
    /// Its encoding is not read here.
    #[error("UTF-32 text; save it as UTF-8")]
    Utf32,
    /// It is damaged.
    #[error("the gzip file is damaged: {0}")]
    Gzip(std::io::Error),
}

/// The first bytes of a file in gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// The first bytes of files in other formats, and their names.
const PACKED: [(&[u8], &str); 7] = [
    (GZIP, "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "rar"),
];

/// The byte order mark of UTF-32. (That of UTF-16 is its beginning.)
const UTF_32: &[u8] = b"\xff\xfe\x00\x00";

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a PGN file: gzip is unpacked; the encoding is UTF-16 with a byte order mark,
/// UTF-8, or Latin-1 as the standard has it, also line by line, for files that were put
/// together. Lines end with a newline, and do not begin with a byte order mark.
///
/// # Errors
/// If the file is packed otherwise, or damaged.
pub fn decode(mut bytes: Vec<u8>) -> Result<String, TextError> {
    // Once only: there are files that unpack to themselves.
    if bytes.starts_with(GZIP) {
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).map_err(TextError::Gzip)?;
        bytes = unpacked;
    }
    if bytes.starts_with(UTF_32) {
        return Err(TextError::Utf32);
    }
    if let Some(&(_, name)) = PACKED.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(TextError::Packed(name));
    }
    bytes = match bytes[..] {
        [0xff, 0xfe, ..] => from_utf16(&bytes, u16::from_le_bytes).into_bytes(),
        [0xfe, 0xff, ..] => from_utf16(&bytes, u16::from_be_bytes).into_bytes(),
        _ => bytes,
    };
    let mut is_after_return = false;
    bytes.retain_mut(|byte| {
        let is_second = is_after_return && *byte == b'\n';
        is_after_return = *byte == b'\r';
        if is_after_return {
            *byte = b'\n';
        }
        !is_second
    });
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => line_by_line(error.as_bytes()),
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    let within = format!("\n{BYTE_ORDER_MARK}");
    Ok(if text.contains(&within) { text.replace(&within, "\n") } else { text })
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Lines each in UTF-8 or Latin-1.
fn line_by_line(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                let line = line.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(line);
                text.extend(line.iter().map(|&byte| char::from(byte)));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).expect("text")
    }

    #[test]
    fn every_encoding_is_read() {
        assert_eq!(decoded(b"\xef\xbb\xbfa\r\nb\rc\n\r\n\r"), "a\nb\nc\n\n\n");
        assert_eq!(decoded("Ø\n".as_bytes()), "Ø\n");
        assert_eq!(decoded(b"Gr\xfcnfeld\nGr\xc3\xbcnfeld"), "Grünfeld\nGrünfeld");
        let text = "[White \"Ø ♘ 𝄞\"]\r\n";
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            let bytes: Vec<u8> = units.flat_map(unit).collect();
            assert_eq!(decoded(&bytes), text.replace('\r', ""));
        }
    }

    #[test]
    fn byte_order_marks_of_files_put_together_are_left_out() {
        assert_eq!(decoded(b"\xef\xbb\xbfa\n\xef\xbb\xbfb"), "a\nb");
        assert_eq!(decoded(b"a\n\xef\xbb\xbfGr\xfcn"), "a\nGrün");
        let games = decoded("1. e4 *\u{feff}[Event \"2\"]\n\n1. d4 *\n\u{feff}1. c4 *".as_bytes());
        assert!(crate::read(&games).iter().all(|entry| entry.game.is_ok()));
        assert_eq!(crate::read(&games).len(), 3);
    }

    #[test]
    fn packed_files_are_unpacked_or_named() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"1. e4 *\n").expect("memory");
        let packed = encoder.finish().expect("memory");
        assert_eq!(decoded(&packed), "1. e4 *\n");
        assert_eq!(decoded(&packed.repeat(2)), "1. e4 *\n1. e4 *\n");
        // There are files that unpack to themselves.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&packed).expect("memory");
        let twice = decode(encoder.finish().expect("memory")).expect_err("packed twice");
        assert!(matches!(twice, TextError::Packed("gzip")), "{twice}");
        let wide = decode(b"\xff\xfe\0\x001\0\0\0".to_vec()).expect_err("UTF-32");
        assert!(matches!(wide, TextError::Utf32), "{wide}");
        let damaged = decode(packed[..packed.len() - 9].to_vec()).expect_err("it is damaged");
        assert!(damaged.to_string().contains("gzip"), "{damaged}");
        for (start, name) in PACKED {
            let error = decode([start, b"1. e4"].concat()).expect_err("no text").to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
