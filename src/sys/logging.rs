//! The log of the program, on standard error if `RUST_LOG` sets a level.
//!
//! A thread of its own writes it: a client that does not read standard error must not block the
//! dialogue. Lines for which there is no room are dropped and counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use env_logger::fmt::Formatter;

/// Lines that may wait to be written.
const MAX_LINES: usize = 4096;

/// How long the program waits at its end for lines to be written.
const GRACE: Duration = Duration::from_millis(100);

/// A log that has begun. When it is dropped, it waits a little for the lines to be written.
pub struct Log(Arc<AtomicUsize>);

/// Starts the log and its thread.
pub fn begin() -> Log {
    let waiting = Arc::new(AtomicUsize::new(0));
    if std::env::var_os(env_logger::DEFAULT_FILTER_ENV).is_some() {
        let (lines, to_write) = bounded::<Vec<u8>>(MAX_LINES);
        let written = Arc::clone(&waiting);
        let write = move || {
            for line in to_write {
                // Ignore the error: there is no other place to report it.
                let _ = io::stderr().write_all(&line);
                written.fetch_sub(1, SeqCst);
            }
        };
        let lines = Lines { lines, waiting: Arc::clone(&waiting), dropped: 0 };
        if thread::Builder::new().name("log".to_owned()).spawn(write).is_ok() {
            let target = env_logger::Target::Pipe(Box::new(lines));
            env_logger::Builder::from_default_env().target(target).format(write_record).init();
        }
    }
    Log(waiting)
}

fn write_record(line: &mut Formatter, record: &log::Record<'_>) -> io::Result<()> {
    let now = chrono::Utc::now().format("%FT%T%.3fZ");
    writeln!(line, "[{now} {} {}] {}", record.level(), record.target(), record.args())
}

struct Lines {
    lines: Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    dropped: usize,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut line = bytes.to_vec();
        if self.dropped > 0 {
            line =
                [format!("{} log lines were dropped\n", self.dropped).as_bytes(), bytes].concat();
        }
        self.waiting.fetch_add(1, SeqCst);
        if self.lines.try_send(line).is_ok() {
            self.dropped = 0;
        } else {
            self.waiting.fetch_sub(1, SeqCst);
            self.dropped += 1;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let end = Instant::now() + GRACE;
        while self.0.load(SeqCst) > 0 && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
