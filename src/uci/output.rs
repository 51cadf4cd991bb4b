//! The one place from which text goes to the GUI.

use std::io::Write;
use std::time::Instant;

use super::journal::Journal;

/// Remarks to the user are cut to this many characters: they may quote input.
const MAX_REMARK: usize = 200;

/// Whole lines to a writer, copied to the journal. When the other side has
/// closed the pipe, everything further is dropped silently and
/// [`Output::is_closed`] tells; nothing panics.
pub(super) struct Output<W> {
    writer: W,
    closed: bool,
    pub(super) journal: Journal,
}

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Output<W> {
        Output { writer, closed: false, journal: Journal::default() }
    }

    /// Notes a line that came in.
    pub(super) fn heard(&mut self, line: &str, at: Instant) {
        log::debug!(">> {line}");
        if let Err(omission) = self.journal.heard(line, at) {
            self.remark(&omission.to_string());
        }
    }

    /// Says one line: one write, one flush.
    pub(super) fn say(&mut self, line: &str) {
        if self.closed {
            return;
        }
        log::debug!("<< {line}");
        if let Err(omission) = self.journal.said(line) {
            self.remark(&omission.to_string());
        }
        let bytes = format!("{line}\n");
        let written = self.writer.write_all(bytes.as_bytes());
        if let Err(error) = written.and_then(|()| self.writer.flush()) {
            log::debug!("the output is closed: {error}");
            self.closed = true;
        }
    }

    /// Says several lines.
    pub(super) fn say_all(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        for line in lines {
            self.say(line.as_ref());
        }
    }

    /// Says something to the user, as one `info string` whatever is in it.
    pub(super) fn remark(&mut self, text: &str) {
        let clean: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REMARK).collect();
        self.say(&format!("info string {clean}"));
    }

    /// Whether the other side does not listen any more.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }
}
