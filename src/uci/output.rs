//! The one place from which text goes to the GUI.

use std::io::{self, ErrorKind, Write};
use std::thread;

use anstyle::Style;

use crate::host::Instant;

use super::event::RETRY_AFTER;
use super::journal::Journal;
use super::paint;

/// Remarks to the user are cut to this many characters, as they may quote input.
const MAX_REMARK: usize = 200;

/// Writes whole lines, and copies them to the journal. Once the other side has closed
/// the pipe, [`Output::is_closed`] is true and everything else is silently dropped;
/// nothing panics. If writing fails for another reason, [`Output::take_error`] has it. A
/// slow reader is waited for.
pub(super) struct Output<W> {
    writer: W,
    closed: bool,
    error: Option<io::Error>,
    /// What stands before and behind a remark.
    remark: [String; 2],
    pub(super) journal: Journal,
}

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Output<W> {
        let remark = ["info string ".to_owned(), String::new()];
        Output { writer, closed: false, error: None, remark, journal: Journal::default() }
    }

    /// Makes remarks to a person: as plain text, in colour if there is any.
    pub(super) fn address_person(&mut self, has_colour: bool) {
        let style = if has_colour { paint::REMARK } else { Style::new() };
        self.remark = [style.render().to_string(), style.render_reset().to_string()];
    }

    /// Records a line that came in.
    pub(super) fn heard(&mut self, line: &str, at: Instant) {
        log::debug!(">> {line}");
        if let Err(omission) = self.journal.heard(line, at) {
            self.remark(&omission.to_string());
        }
    }

    /// Writes one line, and flushes.
    pub(super) fn say(&mut self, line: &str) {
        if self.closed {
            return;
        }
        log::debug!("<< {line}");
        if let Err(omission) = self.journal.said(line) {
            self.remark(&omission.to_string());
        }
        if let Err(error) = self.write(format!("{line}\n").as_bytes()) {
            log::debug!("the output is closed: {error}");
            self.closed = true;
            let has_left = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
            self.error = (!has_left.contains(&error.kind())).then_some(error);
        }
    }

    /// Writes all the bytes and flushes, however long the other side takes.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match patiently(|| self.writer.write(bytes))? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => bytes = &bytes[written..],
            }
        }
        patiently(|| self.writer.flush())
    }

    /// Writes several lines.
    pub(super) fn say_all(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        for line in lines {
            self.say(line.as_ref());
        }
    }

    /// Tells the user something in a single line, to a program an `info string`, whatever
    /// the text contains.
    pub(super) fn remark(&mut self, text: &str) {
        let clean: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REMARK).collect();
        let [before, behind] = &self.remark;
        let line = format!("{before}{clean}{behind}");
        self.say(&line);
    }

    /// Whether nothing more can be written.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Why it is closed, unless the other side has closed it.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

/// Repeats an attempt while the other side is not ready.
fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY_AFTER),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a few bytes at a time, and often none.
    #[derive(Default)]
    struct Slow {
        taken: Vec<u8>,
        /// Taken, but not flushed.
        kept: Vec<u8>,
        calls: usize,
    }

    impl Slow {
        fn is_ready(&mut self) -> io::Result<()> {
            self.calls += 1;
            match self.calls % 3 {
                0 => Ok(()),
                1 => Err(ErrorKind::WouldBlock.into()),
                _ => Err(ErrorKind::Interrupted.into()),
            }
        }
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.is_ready()?;
            let taken = &bytes[..bytes.len().min(3)];
            self.kept.extend(taken);
            Ok(taken.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.is_ready()?;
            self.taken.append(&mut self.kept);
            Ok(())
        }
    }

    #[test]
    fn a_slow_reader_gets_every_byte_once() {
        let mut output = Output::new(Slow::default());
        output.say_all(["uciok", "", "readyok"]);
        assert!(!output.is_closed() && output.take_error().is_none());
        assert_eq!(output.writer.taken, b"uciok\n\nreadyok\n");
    }

    /// Fails with one kind of error.
    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_output_is_no_error_and_any_other_failure_is_one() {
        for (kind, is_error) in [
            (ErrorKind::BrokenPipe, false),
            (ErrorKind::ConnectionReset, false),
            (ErrorKind::StorageFull, true),
            (ErrorKind::WriteZero, true),
        ] {
            let mut output = Output::new(Failing(kind));
            output.say("uciok");
            assert!(output.is_closed());
            assert_eq!(output.take_error().is_some(), is_error, "{kind}");
        }
    }
}
