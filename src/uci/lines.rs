//! From bytes, however they are chopped, to lines of text.
//!
//! GUIs end lines with `\n`, `\r\n` or a bare `\r`; some send Latin-1, a byte order mark
//! or zero bytes. None of that may stop the engine, so lines are split here and decoded
//! leniently. Blank lines are dropped; what a line means is up to
//! [`command`](super::command).

use crate::sys::encoding;

/// The longest line that is read, in bytes. A game of 5,000 moves needs less than
/// 30,000. Longer lines are dropped as a whole, so that a stream without line ends cannot
/// fill the memory.
pub const MAX_LINE: usize = 1 << 20;

/// A line is longer than [`MAX_LINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {MAX_LINE} bytes is ignored")]
pub struct LineTooLong;

/// Cuts a stream of bytes, however it is chopped, into lines of text.
#[derive(Default)]
pub struct LineSplitter {
    /// The bytes of the line that is not yet complete.
    line: Vec<u8>,
    /// Whether that line has become too long, so that the rest of it is skipped.
    overlong: bool,
}

impl LineSplitter {
    /// Takes the next bytes and returns the lines that they complete: decoded and trimmed,
    /// none of them blank, and an error for each that is too long.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<String, LineTooLong>> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|&byte| byte == b'\n' || byte == b'\r');
        if let Some(first) = pieces.next() {
            self.append(first);
        }
        for piece in pieces {
            lines.extend(self.finish());
            self.append(piece);
        }
        lines
    }

    /// Returns the incomplete line, if there is one, as if it ended here.
    pub fn finish(&mut self) -> Option<Result<String, LineTooLong>> {
        let bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            return Some(Err(LineTooLong));
        }
        let text = decode(&bytes);
        (!text.is_empty()).then_some(Ok(text))
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.overlong || self.line.len() + bytes.len() > MAX_LINE {
            self.overlong = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }
}

/// The text of a line: invalid UTF-8 is kept as [`encoding`] does it, byte order marks and
/// zero bytes are removed, white space at both ends is cut off.
fn decode(bytes: &[u8]) -> String {
    let mut text = encoding::decode(bytes);
    text.retain(|c| c != '\u{feff}' && c != '\0');
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes are fed at once.
    const CHUNK: usize = 1 << 16;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut lines: Vec<_> = chunks.iter().flat_map(|chunk| splitter.feed(chunk)).collect();
        lines.extend(splitter.finish());
        lines.into_iter().map(|line| line.expect("a short line")).collect()
    }

    #[test]
    fn lines_end_with_any_line_end_and_at_the_end_of_input() {
        assert_eq!(lines(&[b"uci\nisready\r\nstop\rquit"]), ["uci", "isready", "stop", "quit"]);
    }

    #[test]
    fn chunks_may_cut_anywhere() {
        let input = b"\xef\xbb\xbfuci\r\n go  infinite \r\n\n\xe9\x00\nquit";
        let whole = lines(&[input]);
        assert_eq!(whole, ["uci", "go  infinite", "\u{efe9}", "quit"]);
        for at in 0..input.len() {
            let (head, tail) = input.split_at(at);
            assert_eq!(lines(&[head, tail]), whole);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_one_is_read() {
        let mut splitter = LineSplitter::default();
        for _ in 0..40 {
            assert!(splitter.feed(&[b'x'; CHUNK]).is_empty());
        }
        assert!(splitter.line.len() <= MAX_LINE);
        let lines = splitter.feed(b"stop\nisready\n");
        assert_eq!(lines, [Err(LineTooLong), Ok("isready".to_owned())]);
    }
}
