//! Prints all output of the UCI dialogue, and writes the file of the option `Debug Log File`: every
//! line of input and output, with the time of day (UTC) to the millisecond.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anstyle::Style;

use crate::sys::{encoding, files};
use crate::terminal::table::wrap;
use crate::terminal::{Mode, Terminal, show};

/// The time between attempts to read or write if that would block. (A program at the other
/// end of a pipe or terminal may have made it non-blocking.)
const RETRY_AFTER: Duration = Duration::from_millis(1);

/// Messages are cut to this number of characters, because they may quote input.
const MAX_MESSAGE: usize = 200;

/// Writes whole lines, and waits for a slow reader. Copies each line to the debug log after
/// printing it, because a disk may be slow. A write error closes the output.
pub(super) struct Output {
    writer: Box<dyn Write + Send>,
    pub(super) is_closed: bool,
    /// The error that closed the output. `None` if the other side has closed the pipe.
    pub(super) error: Option<io::Error>,
    /// Printed before and after a message.
    around_message: [String; 2],
    /// The columns of a person's terminal.
    columns: Option<fn() -> usize>,
    debug_log: Option<File>,
}

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static, terminal: &Terminal) -> Output {
        let around_message = if terminal.mode == Mode::Person {
            let style = if terminal.has_colour { show::MESSAGE } else { Style::new() };
            [style.render().to_string(), style.render_reset().to_string()]
        } else {
            ["info string ".to_owned(), String::new()]
        };
        Output {
            writer: Box::new(writer),
            is_closed: false,
            error: None,
            around_message,
            columns: terminal.columns.filter(|_| terminal.mode == Mode::Person),
            debug_log: None,
        }
    }

    /// Closes the debug log. Unless `path` is empty, opens that file for appending.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file.
    pub(super) fn open_log(&mut self, path: &str) -> io::Result<()> {
        self.debug_log = None;
        if !path.is_empty() {
            self.debug_log = Some(files::append(&encoding::path(path))?);
        }
        Ok(())
    }

    /// Logs a line that was read (`>>`) or printed (`<<`) `age` ago.
    pub(super) fn log(&mut self, mark: &str, line: &str, age: Duration) {
        log::debug!("{mark} {line}");
        let Some(file) = &mut self.debug_log else { return };
        let entry = format!("{} {mark} {line}\n", time_of_day(SystemTime::now() - age));
        if let Err(error) = file.write_all(entry.as_bytes()) {
            self.debug_log = None;
            self.message(&format!("the debug log is closed: {error}"));
        }
    }

    pub(super) fn print(&mut self, line: &str) {
        if self.is_closed {
            return;
        }
        if let Err(error) = self.write(format!("{line}\n").as_bytes()) {
            log::debug!("the output is closed: {error}");
            self.is_closed = true;
            let is_pipe_closed = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
            self.error = (!is_pipe_closed.contains(&error.kind())).then_some(error);
        }
        self.log("<<", line, Duration::ZERO);
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match retry(|| self.writer.write(bytes))? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => bytes = &bytes[written..],
            }
        }
        retry(|| self.writer.flush())
    }

    pub(super) fn print_all(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        for line in lines {
            self.print(line.as_ref());
        }
    }

    /// Prints a message in one line: an `info string`, or plain text for a person, which is broken
    /// between words.
    pub(super) fn message(&mut self, text: &str) {
        let clean: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE).collect();
        let width = self.columns.map_or(usize::MAX, |columns| columns() - 1);
        let [before, after] = &self.around_message;
        let lines = wrap(&clean, width).into_iter().map(|line| format!("{before}{line}{after}"));
        self.print_all(lines.collect::<Vec<_>>());
    }
}

fn time_of_day(time: SystemTime) -> String {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since_epoch.as_secs(), since_epoch.subsec_millis());
    let [hours, minutes] = [seconds / 3600 % 24, seconds / 60 % 60];
    format!("{hours:02}:{minutes:02}:{:02}.{millis:03}", seconds % 60)
}

/// Repeats an operation while it would block or is interrupted.
pub(super) fn retry<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
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
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A writer that panics unless the debug log in this file is still empty.
    struct RequiresEmptyLog(PathBuf);

    impl Write for RequiresEmptyLog {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert_eq!(fs::read_to_string(&self.0)?, "");
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn line_is_printed_before_it_is_logged() {
        let path = std::env::temp_dir().join(format!("carrybit-output-{}", std::process::id()));
        // From an aborted run with the same number.
        let _ = fs::remove_file(&path);
        let mut output = Output::new(RequiresEmptyLog(path.clone()), &Terminal::default());
        output.open_log(&path.display().to_string()).expect("a temporary file");
        output.print("bestmove e2e4");
        assert!(!output.is_closed);
        let log = fs::read_to_string(&path).expect("the log is there");
        fs::remove_file(&path).expect("it can be removed");
        assert!(log.ends_with(" << bestmove e2e4\n"), "{log}");
    }

    #[test]
    fn time_of_day_has_milliseconds() {
        let seconds = 2 * 86_400 + 3 * 3_600 + 4 * 60 + 5;
        let time = UNIX_EPOCH + Duration::from_millis(seconds * 1_000 + 67);
        assert_eq!(time_of_day(time), "03:04:05.067");
    }
}
