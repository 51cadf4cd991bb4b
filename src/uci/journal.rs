//! The file behind the option `Debug Log File`: every line that came in and
//! went out, with the time of day to the millisecond.
//!
//! It is what to ask for when somebody reports a problem with a GUI. It never
//! gets in the way of the game: if it cannot be written, it says so and is closed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A log of the dialogue, closed at first.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<File>,
}

impl Journal {
    /// Goes on at the end of the file at `path`, which is made if it is not
    /// there; with an empty path nothing is logged from now on.
    ///
    /// # Errors
    /// The file cannot be opened. A file that was open before is closed then.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        self.file = None;
        if !path.is_empty() {
            self.file = Some(OpenOptions::new().create(true).append(true).open(path)?);
        }
        Ok(())
    }

    /// Records a line of the GUI that was read at `at`.
    ///
    /// # Errors
    /// The file cannot be written any more; it is closed now.
    pub(super) fn heard(&mut self, line: &str, at: Instant) -> io::Result<()> {
        self.write(">>", line, at.elapsed())
    }

    /// Records a line to the GUI.
    ///
    /// # Errors
    /// The file cannot be written any more; it is closed now.
    pub(super) fn said(&mut self, line: &str) -> io::Result<()> {
        self.write("<<", line, Duration::ZERO)
    }

    fn write(&mut self, direction: &str, line: &str, ago: Duration) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let time = SystemTime::now().checked_sub(ago).map_or_else(String::new, time_of_day);
        let written = file.write_all(format!("{time} {direction} {line}\n").as_bytes());
        if written.is_err() {
            self.file = None;
        }
        written
    }
}

/// Hours, minutes, seconds and milliseconds, UTC.
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
    fn the_time_of_day_has_milliseconds() {
        let time =
            UNIX_EPOCH + Duration::from_millis((2 * 86_400 + 3 * 3_600 + 4 * 60 + 5) * 1_000 + 67);
        assert_eq!(time_of_day(time), "03:04:05.067");
    }
}
