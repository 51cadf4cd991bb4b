//! The file of the option `Debug Log File`: every line of input and output, with the time
//! of day (UTC) to the millisecond.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::sys::{encoding, files};

/// A log of the dialogue. It is closed until [`open`](DebugLog::open).
#[derive(Debug, Default)]
pub(super) struct DebugLog(Option<BufWriter<File>>);

impl DebugLog {
    /// Closes the current file. Unless `path` is empty, opens that file for appending.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file.
    pub(super) fn open(&mut self, path: &str) -> io::Result<()> {
        self.0 = None;
        if !path.is_empty() {
            self.0 = Some(BufWriter::new(files::append(&encoding::path(path))?));
        }
        Ok(())
    }

    /// Writes a line that was read or printed `age` ago, and flushes.
    ///
    /// # Errors
    /// The line cannot be written. The log is then closed.
    pub(super) fn write(&mut self, mark: &str, text: &str, age: Duration) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let time = time_of_day(SystemTime::now() - age);
        let written = writeln!(file, "{time} {mark} {text}").and_then(|()| file.flush());
        if written.is_err() {
            self.0 = None;
        }
        written
    }
}

fn time_of_day(time: SystemTime) -> String {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since_epoch.as_secs();
    format!(
        "{:02}:{:02}:{:02}.{:03}",
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
        since_epoch.subsec_millis()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_day_has_milliseconds() {
        let time =
            UNIX_EPOCH + Duration::from_millis((2 * 86_400 + 3 * 3_600 + 4 * 60 + 5) * 1_000 + 67);
        assert_eq!(time_of_day(time), "03:04:05.067");
    }
}
