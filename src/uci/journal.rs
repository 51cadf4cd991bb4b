//! The file behind the option `Debug Log File`: every line that came in and went out,
//! with the time of day to the millisecond.
//!
//! It is what to ask for when somebody reports a problem with a GUI. It never gets in the
//! way of the game, however slow the disk is, as a thread of its own writes it. Lines
//! that it cannot keep up with are left out, and the log says how many; if it cannot be
//! written, a remark says so and it is closed.

#![expect(clippy::disallowed_methods, reason = "no move waits for the log")]

use std::fmt::{self, Display};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::host::Instant;
use crate::sys::{encoding, files};

/// The most bytes of text that wait to be written: a disk may stall for a long time
/// before a line is lost.
const MAX_WAITING: usize = 1 << 24;

/// How long to wait for the file to be opened, and for its last lines to be written.
/// What takes longer goes on in the background.
const PATIENCE: Duration = Duration::from_millis(250);

/// A log of the dialogue, closed at first.
#[derive(Debug, Default)]
pub struct Journal {
    scribe: Option<Scribe>,
}

/// Why a line is not in the log.
#[derive(Debug, thiserror::Error)]
pub(super) enum Omission {
    /// The file cannot be written any more; the log is closed now.
    #[error("the debug log is closed: {0}")]
    Closed(io::Error),
    /// The disk is too slow. This is said once for each file.
    #[error("the debug log cannot keep up, lines are left out")]
    TooSlow,
}

impl Journal {
    /// Appends to the file at `path` from now on, which is created if it does not exist;
    /// with an empty path nothing is logged.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file. A file that was open before
    /// is closed all the same.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        self.scribe = None;
        if !path.is_empty() {
            let path = encoding::path(path);
            self.scribe = Some(Scribe::start(move || files::append(&path))?);
        }
        Ok(())
    }

    /// Records a line from the GUI that was read at `at`.
    ///
    /// # Errors
    /// The line is left out, and that deserves a remark.
    pub(super) fn heard(&mut self, line: &str, at: Instant) -> Result<(), Omission> {
        self.write(">>", line, at.elapsed())
    }

    /// Records a line to the GUI.
    ///
    /// # Errors
    /// The line is left out, and that deserves a remark.
    pub(super) fn said(&mut self, line: &str) -> Result<(), Omission> {
        self.write("<<", line, Duration::ZERO)
    }

    fn write(&mut self, mark: &'static str, text: &str, ago: Duration) -> Result<(), Omission> {
        let Some(scribe) = &mut self.scribe else { return Ok(()) };
        let time = SystemTime::now().checked_sub(ago);
        let written = scribe.write(LogLine { time, mark, text: text.to_owned() });
        if matches!(written, Err(Omission::Closed(_))) {
            self.scribe = None;
        }
        written
    }
}

/// A line of the log.
#[derive(Debug)]
struct LogLine {
    time: Option<SystemTime>,
    /// What kind of line it is.
    mark: &'static str,
    text: String,
}

impl Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map_or_else(String::new, time_of_day);
        writeln!(f, "{time} {} {}", self.mark, self.text)
    }
}

/// The dialogue's end of the thread that writes.
#[derive(Debug)]
struct Scribe {
    /// `None` once there is nothing more to write.
    lines: Option<Sender<LogLine>>,
    /// The bytes of text that were sent and not yet written.
    waiting: Arc<AtomicUsize>,
    /// The number of lines left out since the last one was sent.
    missing: usize,
    /// Whether there was a remark that the disk is too slow.
    is_slow: bool,
    /// First that the file is open, then how the writing ended.
    news: Receiver<io::Result<()>>,
}

impl Scribe {
    /// Starts to write to what `open` opens.
    ///
    /// # Errors
    /// It cannot be opened, or the thread cannot be started.
    fn start<W: Write>(
        open: impl FnOnce() -> io::Result<W> + Send + 'static,
    ) -> io::Result<Scribe> {
        let (lines, to_write) = unbounded();
        let (tell, news) = bounded(2);
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let work = move || {
            let opened = open().and_then(|file| {
                let _ = tell.send(Ok(()));
                write_all(&to_write, BufWriter::new(file), &left)
            });
            let _ = tell.send(opened);
        };
        thread::Builder::new().name("debug log".to_owned()).spawn(work)?;
        // A file that is not open by now may be later.
        news.recv_timeout(PATIENCE).unwrap_or(Ok(()))?;
        Ok(Scribe { lines: Some(lines), waiting, missing: 0, is_slow: false, news })
    }

    /// Has an line written when its time comes, if there is room for it.
    fn write(&mut self, line: LogLine) -> Result<(), Omission> {
        for news in self.news.try_iter() {
            news.map_err(Omission::Closed)?;
        }
        let length = line.text.len();
        if self.waiting.load(Ordering::Relaxed) + length > MAX_WAITING {
            self.missing += 1;
            return if std::mem::replace(&mut self.is_slow, true) {
                Ok(())
            } else {
                Err(Omission::TooSlow)
            };
        }
        self.own_up();
        self.send(line);
        Ok(())
    }

    /// Logs how many lines were left out, if any.
    fn own_up(&mut self) {
        let missing = std::mem::take(&mut self.missing);
        if missing > 0 {
            let text = format!("{missing} lines are missing here");
            self.send(LogLine { time: Some(SystemTime::now()), mark: "--", text });
        }
    }

    fn send(&self, line: LogLine) {
        if let Some(lines) = &self.lines {
            self.waiting.fetch_add(line.text.len(), Ordering::Relaxed);
            // If nobody listens, the news will tell why.
            let _ = lines.send(line);
        }
    }
}

impl Drop for Scribe {
    /// Waits, but not for long, until all waiting lines are written.
    fn drop(&mut self) {
        self.own_up();
        self.lines = None;
        let started = Instant::now();
        // When the thread has ended, the channel is closed.
        while self.news.recv_timeout(PATIENCE.saturating_sub(started.elapsed())).is_ok() {}
    }
}

/// Writes lines until there will be no more, and flushes whenever none waits.
fn write_all(
    lines: &Receiver<LogLine>,
    mut file: impl Write,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    for line in lines {
        write!(file, "{line}")?;
        if lines.is_empty() {
            file.flush()?;
        }
        waiting.fetch_sub(line.text.len(), Ordering::Relaxed);
    }
    file.flush()
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
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_time_of_day_has_milliseconds() {
        let time =
            UNIX_EPOCH + Duration::from_millis((2 * 86_400 + 3 * 3_600 + 4 * 60 + 5) * 1_000 + 67);
        assert_eq!(time_of_day(time), "03:04:05.067");
    }

    /// A disk that stalls until the gate is dropped, and what was written to it.
    #[derive(Clone)]
    struct Stalled {
        gate: Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.gate.recv();
            self.written.lock().expect("no panic").extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A journal on such a disk, its gate and its content.
    fn stalled() -> (Journal, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let (keeper, gate) = bounded(0);
        let disk = Stalled { gate, written: Arc::default() };
        let written = Arc::clone(&disk.written);
        let scribe = Scribe::start(move || Ok(disk)).expect("a thread");
        (Journal { scribe: Some(scribe) }, keeper, written)
    }

    #[test]
    fn a_disk_that_stalls_holds_nobody_up_and_the_log_says_what_is_missing() {
        let (mut journal, gate, written) = stalled();
        let started = Instant::now();
        let line = "x".repeat(MAX_WAITING / 4);
        let slow: Vec<bool> = (0..7).map(|_| journal.said(&line).is_err()).collect();
        assert_eq!(slow, [false, false, false, false, true, false, false]);
        // That is said once, and the disk is not waited for.
        assert!(started.elapsed() < 20 * PATIENCE, "{:?}", started.elapsed());
        drop(gate);
        let scribe = journal.scribe.as_ref().expect("it is open");
        while scribe.waiting.load(Ordering::Relaxed) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        journal.heard("quit", Instant::now()).expect("there is room");
        let news = journal.scribe.as_ref().expect("it is open").news.clone();
        drop(journal);
        while news.recv().is_ok() {}
        let text = String::from_utf8(written.lock().expect("no panic").clone()).expect("UTF-8");
        let ends: Vec<&str> = text.lines().skip(4).map(|line| &line[13..]).collect();
        assert_eq!(ends, ["-- 3 lines are missing here", ">> quit"]);
    }

    #[test]
    fn a_disk_that_never_wakes_up_does_not_keep_the_program_from_leaving() {
        let (mut journal, gate, written) = stalled();
        journal.said("uciok").expect("there is room");
        let closed = Instant::now();
        journal.open("").expect("it can be closed");
        assert!(closed.elapsed() < 20 * PATIENCE, "{:?}", closed.elapsed());
        assert!(written.lock().expect("no panic").is_empty());
        drop(gate);
    }

    #[test]
    fn what_cannot_be_opened_is_an_error_at_once_and_what_cannot_be_written_soon() {
        let error = Scribe::start(|| -> io::Result<Vec<u8>> { Err(io::Error::other("no")) });
        assert_eq!(error.expect_err("it was not opened").to_string(), "no");
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let scribe = Scribe::start(move || Ok(writer)).expect("a thread");
        let mut journal = Journal { scribe: Some(scribe) };
        let omission = loop {
            if let Err(omission) = journal.said("uciok") {
                break omission;
            }
            thread::sleep(Duration::from_millis(1));
        };
        assert!(matches!(omission, Omission::Closed(_)), "{omission}");
        assert!(journal.said("uciok").is_ok());
    }
}
