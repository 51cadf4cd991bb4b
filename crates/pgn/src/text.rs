//! Decodes PGN files: gzip, UTF-16, UTF-8 and windows-1252.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::mem;
use std::path::Path;

use crate::gzip::Unpacker;

/// Why a file cannot be decoded.
#[derive(Debug)]
#[non_exhaustive]
pub enum TextError {
    /// The format is not supported.
    Format(&'static str),
    /// There are zero bytes among the first four, but it is not UTF-16.
    Binary,
    /// The file is damaged.
    Gzip(io::Error),
    /// The file has more than [`MAX_TEXT`] bytes of text, or, in a [`Reader`](crate::Reader), one of
    /// its games has.
    TooLong,
    /// The file cannot be read.
    Read(io::Error),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Format(name) => {
                write!(f, "the file is {name}: unpack it, or save the games as text in UTF-8")
            }
            TextError::Binary => f.write_str("the file is not text: save the games as PGN"),
            TextError::Gzip(error) => write!(f, "the gzip file is damaged: {error}"),
            TextError::TooLong => {
                let limit = MAX_TEXT >> 20;
                write!(f, "the file has more than {limit} MB of text; split it into smaller files")
            }
            TextError::Read(error) => error.fmt(f),
        }
    }
}

impl Error for TextError {}

/// A decoded file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Text {
    /// The text, with newlines as line ends.
    pub text: String,
    /// The first line, from 1, that is not UTF-8. It and others like it were read as windows-1252,
    /// which may be wrong.
    pub first_windows_1252: Option<usize>,
}

/// The maximum size of a text, in bytes; the page has the same. A small gzip file may have a
/// thousand times its size.
pub const MAX_TEXT: usize = 400 << 20;

/// The first bytes of a gzip file.
const GZIP: &[u8] = b"\x1f\x8b";

/// The name of the format in a build that does not unpack it.
const GZIP_NAME: &str = "compressed with gzip";

/// The first bytes of unsupported formats, and their names. gzip within gzip is one of them:
/// there are files that unpack to themselves.
const FORMATS: [(&[u8], &str); 10] = [
    (GZIP, if cfg!(feature = "gzip") { "compressed twice with gzip" } else { GZIP_NAME }),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"%PDF", "a PDF"),
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
];

/// The number of first bytes that decide the encoding.
const HEAD: usize = 8;

/// The size of the parts in which files are decoded: gzip expands each up to a thousandfold.
const PART: usize = 1 << 12;

/// Longer lines, in bytes, are decoded in parts.
const MAX_LINE: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The characters of windows-1252 from 0x80 to 0x9f; from 0xa0 on it equals Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes a PGN file: unpacks gzip and converts UTF-16, UTF-8 or windows-1252 (a superset of the
/// Latin-1 of the PGN standard). Each line may be UTF-8 or windows-1252, as in concatenated files.
/// Line ends become newlines, and byte order marks at the beginning of lines are removed.
///
/// # Errors
/// If the file is compressed in another format, damaged, too long, or not text.
pub fn decode(bytes: Vec<u8>) -> Result<String, TextError> {
    let mut decoder = Decoder::new(bytes.len());
    decoder.push(&bytes)?;
    drop(bytes);
    Ok(decoder.into_text()?.text)
}

/// Reads and decodes a file in parts, like [`decode`]. It takes little more memory than the text.
///
/// # Errors
/// Like [`decode`], or if the file cannot be read.
pub fn load(path: &Path) -> Result<Text, TextError> {
    let file = File::open(path).map_err(TextError::Read)?;
    let size = file.metadata().map_or(0, |data| data.len());
    load_from(file, Decoder::new(usize::try_from(size).unwrap_or(0)))
}

fn load_from(mut file: impl Read, mut decoder: Decoder) -> Result<Text, TextError> {
    let mut part = [0; PART];
    loop {
        match file.read(&mut part) {
            Ok(0) => return decoder.into_text(),
            Ok(len) => decoder.push(&part[..len])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(TextError::Read(error)),
        }
    }
}

/// Like [`decode`], for a file that arrives in pieces.
pub struct Decoder {
    gzip: Option<Unpacker>,
    /// `None` until [`HEAD`] bytes have arrived.
    encoding: Option<Encoding>,
    /// Bytes not yet decoded: the first few, or a part of a UTF-16 character.
    pending: Vec<u8>,
    /// The last line, in UTF-8 or windows-1252.
    line: Vec<u8>,
    is_after_return: bool,
    /// The number of newlines in the file so far.
    newlines: usize,
    text: Text,
    /// The length of the text up to its last newline.
    lines_len: usize,
    /// The maximum size of the text.
    limit: usize,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new(0)
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    /// The function combines two bytes.
    Utf16(fn([u8; 2]) -> u16),
    Utf8OrWindows1252,
}

impl Decoder {
    /// `size` is a hint: the size of the file in bytes, or 0.
    pub fn new(size: usize) -> Decoder {
        let text = String::with_capacity(size.min(MAX_TEXT));
        Decoder {
            gzip: None,
            encoding: None,
            pending: Vec::new(),
            line: Vec::new(),
            is_after_return: false,
            newlines: 0,
            text: Text { text, first_windows_1252: None },
            lines_len: 0,
            limit: MAX_TEXT,
        }
    }

    /// Decodes the next piece of the file.
    ///
    /// # Errors
    /// See [`decode`].
    pub fn push(&mut self, piece: &[u8]) -> Result<(), TextError> {
        for part in piece.chunks(PART) {
            self.feed(part, false)?;
        }
        Ok(())
    }

    /// The length of the text so far, in bytes.
    pub fn text_len(&self) -> usize {
        self.text.text.len() + self.line.len()
    }

    /// Returns the text at the end of the file.
    ///
    /// # Errors
    /// See [`decode`].
    pub fn into_text(mut self) -> Result<Text, TextError> {
        self.end()?;
        Ok(self.text)
    }

    /// Decodes what is left at the end of the file.
    pub(crate) fn end(&mut self) -> Result<(), TextError> {
        self.feed(&[], true)?;
        self.end_line();
        self.lines_len = self.text.text.len();
        self.check_limit()
    }

    fn feed(&mut self, piece: &[u8], is_last: bool) -> Result<(), TextError> {
        let unpacked = if let Some(gzip) = &mut self.gzip {
            gzip.push(piece, is_last, &mut self.pending).map_err(TextError::Gzip)
        } else {
            self.pending.extend_from_slice(piece);
            Ok(())
        };
        // Also the bytes before an error.
        self.decode_pending(is_last).and(unpacked)
    }

    fn decode_pending(&mut self, is_last: bool) -> Result<(), TextError> {
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None if self.pending.len() < HEAD && !is_last => return Ok(()),
            None if self.gzip.is_none()
                && self.pending.starts_with(GZIP)
                && let Some(unpacker) = Unpacker::new() =>
            {
                self.gzip = Some(unpacker);
                let packed = mem::take(&mut self.pending);
                return self.feed(&packed, is_last);
            }
            None => *self.encoding.insert(encoding(&self.pending)?),
        };
        let bytes = mem::take(&mut self.pending);
        match encoding {
            Encoding::Utf16(unit) => self.add_utf16(&bytes, unit, is_last),
            Encoding::Utf8OrWindows1252 => self.add(&bytes),
        }
        self.check_limit()
    }

    fn check_limit(&self) -> Result<(), TextError> {
        if self.text_len() > self.limit { Err(TextError::TooLong) } else { Ok(()) }
    }

    fn add_utf16(&mut self, bytes: &[u8], unit: fn([u8; 2]) -> u16, is_last: bool) {
        let (pairs, _) = bytes.as_chunks();
        let mut units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
        // The second half of a surrogate pair may follow.
        if !is_last && units.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
            units.pop();
        }
        self.pending = bytes[2 * units.len()..].to_vec();
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.add(chars.collect::<String>().as_bytes());
    }

    fn add(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        let mut may_be_plain = true;
        while let Some((&byte, behind)) = rest.split_first() {
            if may_be_plain && self.line.is_empty() && !self.is_after_return {
                may_be_plain = false;
                rest = &rest[self.add_plain_lines(rest)..];
                continue;
            }
            if matches!(byte, b'\r' | b'\n') {
                let is_second = self.is_after_return && byte == b'\n';
                self.is_after_return = byte == b'\r';
                rest = behind;
                if !is_second {
                    self.end_line();
                    self.text.text.push('\n');
                    self.newlines += 1;
                    self.lines_len = self.text.text.len();
                }
                continue;
            }
            self.is_after_return = false;
            let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
            let len = rest.iter().position(is_end).unwrap_or(rest.len());
            let (run, behind) = rest.split_at(len);
            rest = behind;
            if self.line.len() + run.len() <= MAX_LINE {
                self.line.extend_from_slice(run);
                continue;
            }
            for &byte in run {
                // Cut a line only before the first byte of a character, which has at most three more.
                let is_first = byte & 0xc0 != 0x80 || self.line.len() >= MAX_LINE + 3;
                if self.line.len() >= MAX_LINE && is_first {
                    self.end_line();
                }
                self.line.push(byte);
            }
        }
    }

    /// Decodes the whole lines of UTF-8 at once, and returns their length. Returns 0 if there are
    /// other line ends than newlines, byte order marks, or long lines.
    fn add_plain_lines(&mut self, bytes: &[u8]) -> usize {
        let Some(last) = bytes.iter().rposition(|&byte| byte == b'\n') else { return 0 };
        let lines = &bytes[..=last];
        let is_plain = lines.len() <= MAX_LINE
            && !lines.contains(&b'\r')
            && !lines.contains(&BYTE_ORDER_MARK[0]);
        let Some(text) = str::from_utf8(lines).ok().filter(|_| is_plain) else { return 0 };
        self.text.text.push_str(text);
        self.newlines += lines.iter().filter(|&&byte| byte == b'\n').count();
        self.lines_len = self.text.text.len();
        lines.len()
    }

    /// Moves the lines that are complete, or at the end all, to the end of `lines`.
    pub(crate) fn take_lines(&mut self, lines: &mut String) {
        let text = &mut self.text.text;
        lines.push_str(&text[..self.lines_len]);
        text.drain(..self.lines_len);
        self.lines_len = 0;
    }

    /// The first line so far, from 1, that is not UTF-8.
    pub(crate) fn first_windows_1252(&self) -> Option<usize> {
        self.text.first_windows_1252
    }

    /// Decodes the last line.
    fn end_line(&mut self) {
        let text = &mut self.text.text;
        let is_start = text.is_empty() || text.ends_with('\n');
        let marked = self.line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_start);
        let line = marked.unwrap_or(&self.line);
        match str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                text.extend(line.iter().map(|&byte| match byte {
                    0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                    _ => char::from(byte),
                }));
                self.text.first_windows_1252.get_or_insert(self.newlines + 1);
            }
        }
        self.line.clear();
    }
}

/// Detects the encoding from the first bytes of a file.
fn encoding(head: &[u8]) -> Result<Encoding, TextError> {
    if let Some(&(_, name)) = FORMATS.iter().find(|(start, _)| head.starts_with(start)) {
        return Err(TextError::Format(name));
    }
    // UTF-16 without a byte order mark has zeros in the first letters.
    match *head {
        [0xff, 0xfe, ..] | [1..=255, 0, 1..=255, 0, ..] => Ok(Encoding::Utf16(u16::from_le_bytes)),
        [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] => Ok(Encoding::Utf16(u16::from_be_bytes)),
        _ if head.iter().take(4).any(|&byte| byte == 0) => Err(TextError::Binary),
        _ => Ok(Encoding::Utf8OrWindows1252),
    }
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "gzip")]
    use std::io::Write;

    use super::*;
    use crate::tests::random;

    fn decoded(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).expect("text")
    }

    #[cfg(feature = "gzip")]
    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn every_encoding_is_read() {
        assert_eq!(decoded(b"\xef\xbb\xbfa\r\nb\rc\n\r\n\r"), "a\nb\nc\n\n\n");
        assert_eq!(decoded("Ø\n".as_bytes()), "Ø\n");
        assert_eq!(decoded(b"Gr\xfcnfeld\nGr\xc3\xbcnfeld"), "Grünfeld\nGrünfeld");
        assert_eq!(decoded(b"\x8aik \x96 \x84a\x93"), "Šik – „a“");
        let text = "[White \"Ø ♘ 𝄞\"]\r\n";
        for (unit, mark) in [
            (u16::to_le_bytes as fn(u16) -> [u8; 2], "\u{feff}"),
            (u16::to_le_bytes, ""),
            (u16::to_be_bytes, "\u{feff}"),
            (u16::to_be_bytes, ""),
        ] {
            let units = mark.encode_utf16().chain(text.encode_utf16());
            let bytes: Vec<u8> = units.flat_map(unit).collect();
            assert_eq!(decoded(&bytes), text.replace('\r', ""));
        }
    }

    /// Compares the text of a file that arrives in pieces with that of the whole file.
    fn compare(bytes: &[u8]) {
        let whole = load_from(bytes, Decoder::default()).expect("text");
        for size in [1, 7] {
            let mut decoder = Decoder::default();
            bytes.chunks(size).for_each(|piece| decoder.push(piece).expect("text"));
            assert_eq!(decoder.into_text().expect("text"), whole, "{bytes:?}");
        }
    }

    #[test]
    fn file_in_pieces_gives_the_same_text() {
        let text = "\u{feff}[White \"Ø ♘ 𝄞\"]\r\n\r\n1. e4 *\r";
        compare(text.as_bytes());
        compare(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
        #[cfg(feature = "gzip")]
        compare(&gzip(text.as_bytes()));
        compare("ü".repeat(MAX_LINE).as_bytes());
        const PARTS: [&[u8]; 9] =
            [b"a", b"bc", b"\n", b"\n\n", b"\r", b"\r\n", b"\xfc", b"\xc3\xbc", BYTE_ORDER_MARK];
        let mut random = random();
        for _ in 0..5000 {
            let parts: Vec<_> = (0..random(20)).map(|_| PARTS[random(PARTS.len())]).collect();
            compare(&[b"12345678", &parts.concat()[..]].concat());
        }
    }

    #[test]
    fn first_line_that_is_not_utf_8_is_reported() {
        let first =
            |bytes: &[u8]| load_from(bytes, Decoder::default()).expect("text").first_windows_1252;
        assert_eq!(first("Ø\nÜ".as_bytes()), None);
        assert_eq!(first(b"a\r\n\xc8\xe2\xe0\xed\r\n\xff"), Some(2));
        assert_eq!(first(b"a\n\nGr\xfcn"), Some(3));
        #[cfg(feature = "gzip")]
        assert_eq!(first(&gzip(b"Gr\xfcn")), Some(1));
    }

    #[cfg(feature = "gzip")]
    #[test]
    fn text_beyond_the_limit_is_refused_before_it_is_in_memory() {
        const LIMIT: usize = 1 << 20;
        let with_limit = || Decoder { limit: LIMIT, ..Decoder::default() };
        let packed = gzip(&vec![b' '; 64 * LIMIT]);
        let error = load_from(packed.as_slice(), with_limit()).expect_err("too long").to_string();
        assert!(error.contains("more than 400 MB of text; split it"), "{error}");
        let mut decoder = with_limit();
        assert!(decoder.push(&packed).is_err());
        // gzip expands a part a thousandfold.
        assert!(decoder.text_len() < LIMIT + 1100 * PART, "{}", decoder.text_len());
        let units = gzip(&b" \0".repeat(64 * LIMIT));
        assert!(load_from(units.as_slice(), with_limit()).is_err());
        // As windows-1252, each of these bytes is three of UTF-8.
        assert!(load_from([0x80; LIMIT].as_slice(), with_limit()).is_err());
        let text = load_from([b' '; LIMIT].as_slice(), with_limit()).expect("text");
        assert_eq!(text.text.len(), LIMIT);
    }

    #[test]
    fn byte_order_marks_of_concatenated_files_are_removed() {
        assert_eq!(decoded(b"\xef\xbb\xbfa\n\xef\xbb\xbfb"), "a\nb");
        assert_eq!(decoded(b"a\n\xef\xbb\xbfGr\xfcn"), "a\nGrün");
        let games = decoded("1. e4 *\u{feff}[Event \"2\"]\n\n1. d4 *\n\u{feff}1. c4 *".as_bytes());
        assert!(crate::read(&games).iter().all(|entry| entry.game.is_ok()));
        assert_eq!(crate::read(&games).len(), 3);
    }

    #[cfg(feature = "gzip")]
    #[test]
    fn gzip_is_unpacked() {
        let packed = gzip(b"1. e4 *\n");
        assert_eq!(decoded(&packed), "1. e4 *\n");
        assert_eq!(decoded(&packed.repeat(2)), "1. e4 *\n1. e4 *\n");
        let twice = decode(gzip(&packed)).expect_err("compressed twice");
        assert!(twice.to_string().contains("compressed twice with gzip"), "{twice}");
        let damaged = decode(packed[..packed.len() - 9].to_vec()).expect_err("a damaged file");
        assert!(damaged.to_string().contains("gzip"), "{damaged}");
    }

    #[test]
    fn unsupported_formats_are_named() {
        let unpacked = usize::from(cfg!(feature = "gzip"));
        let binary = [(b"a\0\0b".as_slice(), "not text")];
        for (start, name) in FORMATS.into_iter().skip(unpacked).chain(binary) {
            let error = decode([start, b"1. e4"].concat()).expect_err("no text").to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
