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
/// cannot be read or decoded is an `Err` after its last whole game, and then the iterator ends.
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
    /// The error, until the games before it are read.
    error: Option<TextError>,
    decoder: Decoder,
    /// The text from the game being read to the last line that has arrived whole.
    text: String,
    parser: Parser,
    /// The number of bytes removed from the beginning of the text.
    removed: usize,
    /// The number of bytes that the parser waits for.
    missing: usize,
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
            error: None,
            decoder: Decoder::default(),
            text: String::new(),
            parser: Parser::new("", 0, 1),
            removed: 0,
            missing: 0,
            limit: MAX_TEXT,
        }
    }

    /// The first line so far, from 1, that is not UTF-8. It and others like it were read as
    /// windows-1252, which may be wrong.
    pub fn first_windows_1252(&self) -> Option<usize> {
        self.decoder.first_windows_1252()
    }

    /// Reads and decodes the next part of the stream.
    fn fill(&mut self) -> Result<(), TextError> {
        self.remove_front();
        let wanted = self.text.len() + self.missing.max(1);
        while self.text.len() < wanted
            && let Some(source) = &mut self.source
        {
            let part = match source.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(TextError::Read(error)),
            };
            let len = part.len();
            let decoded = if len > 0 {
                let decoded = self.decoder.push(part);
                source.consume(len);
                decoded
            } else {
                self.source = None;
                self.decoder.end()
            };
            self.decoder.take_lines(&mut self.text);
            decoded?;
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
            let is_whole = self.source.is_none() && self.error.is_none();
            if let Some(mut entry) = self.parser.next(&self.text, usize::MAX, is_whole, true) {
                entry.start += self.removed;
                return Some(Ok(entry));
            }
            if is_whole {
                return None;
            }
            if let Some(error) = self.error.take() {
                // The rest of the text is not read.
                self.text.clear();
                self.parser = Parser::new("", 0, 1);
                return Some(Err(error));
            }
            // The parser reads this part again: as much new text keeps the time linear.
            self.missing = self.text.len() - self.parser.at();
            if let Err(error) = self.fill() {
                self.source = None;
                self.error = Some(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn first_line_that_is_not_utf_8_is_reported() {
        let mut latin = Reader::new(&b"1. e4\n{\xfc}\n*\n"[..]);
        assert_eq!((latin.by_ref().count(), latin.first_windows_1252()), (1, Some(2)));
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

    #[cfg(feature = "gzip")]
    #[test]
    fn games_before_damage_and_before_padding_are_read() {
        use std::io::Write;

        let pack = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            encoder.write_all(text.as_bytes()).expect("memory");
            encoder.finish().expect("memory")
        };
        let results = |bytes: &[u8]| -> Vec<bool> {
            Reader::new(BufReader::new(bytes)).map(|entry| entry.is_ok()).collect()
        };
        let mut members = pack("1. e4 *\n\n1. d4 *\n");
        members.extend([0; 700]);
        members.extend(pack("\n1. c4 *\n"));
        let mut padded = members.clone();
        padded.extend([0; 5000]);
        assert_eq!(results(&padded), [true; 3]);
        assert_eq!(crate::text::decode(padded).expect("a text").matches('*').count(), 3);
        members.extend(b"more");
        assert_eq!(results(&members), [true, true, false]);
    }

    #[test]
    fn long_stream_is_read_in_the_memory_of_its_longest_game() {
        const BUFFER: usize = 1 << 13;
        let short = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 {a comment\nin two lines} Nc6 1-0\n\n";
        let long = format!("[Event \"b\"]\n\n1. e4 {{{}}} *\n\n", "words \n".repeat(10_000));
        let games = format!("{}{long}", short.repeat(5000)).repeat(2);
        let mut reader = Reader::new(BufReader::with_capacity(BUFFER, games.as_bytes()));
        let mut max = 0;
        let mut count = 0;
        while let Some(entry) = reader.next() {
            entry.expect("text").game.expect("a game");
            count += 1;
            max = max.max(reader.text.capacity());
        }
        assert_eq!(count, 2 * 5001);
        assert!(max < 4 * (long.len() + BUFFER), "{max}");
        assert!(max > long.len(), "{max}");
    }
}
