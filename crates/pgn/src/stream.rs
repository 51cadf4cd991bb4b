//! Reads games from a stream, one at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::Entry;
use crate::reader::Parser;
use crate::text::{Decoder, MAX_TEXT, TextError};

/// Iterates over the games of a stream. It decodes the stream as [`decode`](crate::text::decode)
/// does and returns the entries that [`entries`](crate::entries) returns for the whole text, but
/// keeps little more than the text of one game in memory, whatever the size of the file.
///
/// A game that cannot be read is an [`Entry`] with an error, and the next game follows. A file that
/// cannot be read or decoded is an `Err`, after which the iterator ends.
///
/// ```
/// use carrybit_pgn::Reader;
///
/// let file = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 d5 *\n";
/// let mut whites = Vec::new();
/// for entry in Reader::new(file.as_bytes()) {
///     let game = entry?.game?;
///     whites.extend(game.tag("White").map(str::to_owned));
/// }
/// assert_eq!(whites, ["A", "B"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader<R> {
    /// `None` after the end of the stream, or after an error.
    source: Option<R>,
    decoder: Option<Decoder>,
    /// The text from the game being read to the last line that has arrived whole.
    text: String,
    parser: Parser,
    /// The number of bytes removed from the beginning of the text.
    removed: usize,
    /// The number of bytes that the parser waits for.
    missing: usize,
    first_windows_1252: Option<usize>,
    /// The size, in bytes, beyond which a game or a line is an error.
    limit: usize,
}

impl Reader<BufReader<File>> {
    /// Opens a PGN file.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Reader<BufReader<File>>> {
        Ok(Reader::new(BufReader::with_capacity(1 << 16, File::open(path)?)))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads games from `source`, which may be compressed with gzip (with the feature `gzip`).
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source: Some(source),
            decoder: Some(Decoder::default()),
            text: String::new(),
            parser: Parser::new("", 0, 1),
            removed: 0,
            missing: 0,
            first_windows_1252: None,
            limit: MAX_TEXT,
        }
    }

    /// The first line so far, from 1, that is not UTF-8. It and others like it were read as
    /// windows-1252, which may be wrong.
    pub fn first_windows_1252(&self) -> Option<usize> {
        self.first_windows_1252
    }

    /// Reads and decodes the next part of the stream.
    fn fill(&mut self) -> Result<(), TextError> {
        self.remove_front();
        let wanted = self.text.len() + self.missing.max(1);
        while self.text.len() < wanted
            && let (Some(source), Some(decoder)) = (&mut self.source, &mut self.decoder)
        {
            let part = match source.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(TextError::Read(error)),
            };
            let len = part.len();
            if len > 0 {
                decoder.push(part)?;
                source.consume(len);
                decoder.take_lines(&mut self.text);
                self.first_windows_1252 = decoder.first_windows_1252();
            } else if let Some(decoder) = self.decoder.take() {
                self.source = None;
                let end = decoder.into_text()?;
                self.text.push_str(&end.text);
                self.first_windows_1252 = end.first_windows_1252;
            }
            if self.text.len() > self.limit {
                return Err(TextError::TooLong);
            }
        }
        Ok(())
    }

    /// Removes the text before the game being read, if it is most of the text.
    fn remove_front(&mut self) {
        // The parser needs the character before.
        let needed = self.parser.needed_from().saturating_sub(1);
        let len = self.text.floor_char_boundary(needed);
        if 2 * len > self.text.len() {
            self.text.drain(..len);
            self.parser.remove_front(len);
            self.removed += len;
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, TextError>;

    fn next(&mut self) -> Option<Result<Entry, TextError>> {
        loop {
            let is_whole = self.source.is_none();
            if let Some(mut entry) = self.parser.next(&self.text, usize::MAX, is_whole) {
                entry.start += self.removed;
                return Some(Ok(entry));
            }
            if is_whole {
                return None;
            }
            // The parser reads this part again: as much new text keeps the time linear.
            self.missing = self.text.len() - self.parser.at();
            if let Err(error) = self.fill() {
                // The rest of the text is not read.
                self.source = None;
                self.text.clear();
                self.parser = Parser::new("", 0, 1);
                return Some(Err(error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::entries;
    use crate::text::decode;

    /// Compares the games of a stream with those of the whole text.
    fn compare(bytes: &[u8], buffer: usize) {
        let text = decode(bytes.to_vec()).expect("text");
        let mut whole = entries(&text);
        for entry in Reader::new(BufReader::with_capacity(buffer, bytes)) {
            let entry = entry.expect("text");
            assert_eq!(Some(&entry), whole.next().as_ref(), "{buffer}");
        }
        assert_eq!(whole.next(), None, "{buffer}");
    }

    #[test]
    fn stream_has_the_games_of_its_text() {
        for text in [
            "",
            "\n\n",
            "1. e4",
            "; remark",
            "1. e4 *\n\n12.\n[Event \"a\"]\n\n1. d4\n*",
            "1. e4 {a\nb\n\nc} e5 1-0 {d\n}\n\n2.\n\n3...\n1. d4 {open\n\n[Event \"2\"]\n\n{\n*",
            "[A \"\\\"]\n[B \"x\n\"]\n\n(1. e4) ) ( 1. e4\r\n\r% a\n[Event \"a\"]\r\r\n*",
            "[A \"é\"]\n\n1. е4 ♘ é…\n{é\n}\n\u{feff}[A \"é\"]\n*",
            "1. e4 e8\n=Q 1/2\n-1/2 e.p\n. mate\n1.\n..\n*",
        ] {
            for buffer in 1..20 {
                compare(text.as_bytes(), buffer);
                let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
                compare(&[&[0xfe, 0xff], units.as_slice()].concat(), buffer);
            }
        }
        compare(b"[A \"Gr\xfcnfeld\"]\r\n\r\n1. e4 *\n[B \"Gr\xc3\xbcn\"]\n", 3);
        let mut latin = Reader::new(&b"1. e4\n{\xfc}\n*\n"[..]);
        assert_eq!((latin.by_ref().count(), latin.first_windows_1252()), (1, Some(2)));
    }

    #[cfg(feature = "gzip")]
    #[test]
    fn stream_has_the_games_of_the_shared_files() {
        for bytes in crate::shared::files() {
            for buffer in [7, 1000, 1 << 16] {
                compare(&bytes, buffer);
            }
        }
    }

    #[test]
    fn stream_has_the_games_of_random_text() {
        const PARTS: [&str; 16] = [
            "1. e4 ",
            "e5 ",
            "\n",
            "\n\n",
            "{",
            "}",
            "[Event \"a\"]\n",
            "1-0",
            "*\n",
            "(",
            ")",
            "2.",
            "...",
            "% x\n",
            "[",
            "\u{e9}",
        ];
        let mut state = 1_u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for _ in 0..5000 {
            let text: String = (0..random(30)).map(|_| PARTS[random(PARTS.len())]).collect();
            compare(text.as_bytes(), 1 + random(9));
        }
    }

    #[test]
    fn error_ends_the_stream() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let source = b"1. e4 *\n1. d4 *\n1. c4\n".chain(Broken);
        let mut reader = Reader::new(BufReader::new(source));
        assert!(reader.next().is_some_and(|entry| entry.is_ok()));
        assert!(reader.next().is_some_and(|entry| entry.is_ok()));
        assert!(matches!(reader.next(), Some(Err(TextError::Read(_)))));
        assert!(reader.next().is_none());
        let mut binary = Reader::new(&b"a\0\0b1. e4 *"[..]);
        assert!(matches!(binary.next(), Some(Err(TextError::Binary))));
        assert!(binary.next().is_none());
        let mut long = Reader { limit: 1000, ..Reader::new(&[b'\n'; 5000][..]) };
        assert!(matches!(long.next(), Some(Err(TextError::TooLong))));
    }

    /// The games repeated until they have this many bytes.
    struct Repeated<'a> {
        games: &'a [u8],
        at: usize,
        left: usize,
    }

    impl Read for Repeated<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let rest = &self.games[self.at..];
            let len = rest.len().min(buffer.len()).min(self.left);
            buffer[..len].copy_from_slice(&rest[..len]);
            self.at = (self.at + len) % self.games.len();
            self.left -= len;
            Ok(len)
        }
    }

    #[test]
    fn long_stream_is_read_in_the_memory_of_its_longest_game() {
        const BUFFER: usize = 1 << 13;
        let repeats = if cfg!(debug_assertions) { 2 } else { 80 };
        let short = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 {a comment\nin two lines} Nc6 1-0\n\n";
        let long = format!("[Event \"b\"]\n\n1. e4 {{{}}} *\n\n", "words \n".repeat(10_000));
        // In release builds 300 MB.
        let games = format!("{}{long}", short.repeat(if repeats > 2 { 50_000 } else { 5000 }));
        let source = Repeated { games: games.as_bytes(), at: 0, left: repeats * games.len() };
        let mut reader = Reader::new(BufReader::with_capacity(BUFFER, source));
        let mut max = 0;
        let mut count = 0;
        while let Some(entry) = reader.next() {
            entry.expect("text").game.expect("a game");
            count += 1;
            max = max.max(reader.text.capacity());
        }
        assert_eq!(count, repeats * (games.matches("[Event").count()));
        assert!(max < 4 * (long.len() + BUFFER), "{max}");
        assert!(max > long.len(), "{max}");
    }
}
