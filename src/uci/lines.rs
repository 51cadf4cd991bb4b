//! Cuts bytes into lines of text.
//!
//! GUIs end lines with `\n`, `\r\n` or a bare `\r`; some send Latin-1, a byte order mark or
//! zero bytes. All of this is accepted. Blank lines are dropped.

use crate::sys::encoding;

/// The maximum length of a line in bytes. Longer lines are dropped, so that a stream without
/// line ends cannot fill the memory. A game of 5,000 moves needs about 50,000 bytes.
pub const MAX_LINE: usize = 1 << 20;

/// Cuts a stream of bytes, in chunks of any size, into lines of text.
#[derive(Default)]
pub struct LineSplitter {
    /// The incomplete last line.
    line: Vec<u8>,
    /// Whether that line is too long: the rest of it is skipped.
    overlong: bool,
}

impl LineSplitter {
    /// The lines that `bytes` complete: decoded, trimmed and not blank; `None` for each that
    /// is too long.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Option<String>> {
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

    /// Ends the incomplete last line. `None` if it is blank, `Some(None)` if it is too long.
    pub fn finish(&mut self) -> Option<Option<String>> {
        let bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            return Some(None);
        }
        let mut text = encoding::decode(&bytes);
        text.retain(|c| c != '\u{feff}' && c != '\0');
        let text = text.trim();
        (!text.is_empty()).then(|| Some(text.to_owned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut lines: Vec<_> = chunks.iter().flat_map(|chunk| splitter.feed(chunk)).collect();
        lines.extend(splitter.finish());
        lines.into_iter().map(|line| line.expect("a short line")).collect()
    }

    #[test]
    fn lines_end_with_any_line_end_wherever_chunks_are_cut() {
        assert_eq!(lines(&[b"uci\nisready\r\nstop\rquit"]), ["uci", "isready", "stop", "quit"]);
        let input = b"\xef\xbb\xbfuci\r\n go  infinite \r\n\n\xe9\x00\nquit";
        let whole = lines(&[input]);
        assert_eq!(whole, ["uci", "go  infinite", "\u{efe9}", "quit"]);
        for at in 0..input.len() {
            let (head, tail) = input.split_at(at);
            assert_eq!(lines(&[head, tail]), whole);
        }
    }

    #[test]
    fn overlong_line_is_dropped_and_the_next_one_is_read() {
        let mut splitter = LineSplitter::default();
        for _ in 0..40 {
            assert!(splitter.feed(&[b'x'; 1 << 16]).is_empty());
        }
        assert!(splitter.line.len() <= MAX_LINE);
        let lines = splitter.feed(b"stop\nisready\n");
        assert_eq!(lines, [None, Some("isready".to_owned())]);
    }
}
