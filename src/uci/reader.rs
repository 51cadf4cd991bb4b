//! The thread that reads the input, line by line.

use std::io::{self, ErrorKind, Read};
use std::thread;

use crate::host::Instant;

use super::event::{Event, RETRY_AFTER};
use super::lines::{LineSplitter, LineTooLong};

/// How many bytes are read at once.
const CHUNK: usize = 1 << 16;

/// Starts the thread that reads `input` to its end. It calls `react` with each line and
/// the time of its arrival, then with [`Event::EndOfInput`], or with
/// [`Event::InputFailed`] if reading fails. It ends early if `react` returns `false`.
///
/// # Errors
/// The system cannot start the thread.
pub(super) fn spawn(
    mut input: impl Read + Send + 'static,
    mut react: impl FnMut(Event) -> bool + Send + 'static,
) -> io::Result<()> {
    let read_all = move || {
        let mut splitter = LineSplitter::default();
        let mut chunk = vec![0; CHUNK];
        let end = loop {
            let length = match input.read(&mut chunk) {
                Ok(0) => break Event::EndOfInput,
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(RETRY_AFTER);
                    continue;
                }
                Err(error) => break Event::InputFailed(error),
            };
            let now = Instant::now();
            for line in splitter.feed(&chunk[..length]) {
                if !react(event(line, now)) {
                    return;
                }
            }
        };
        let last = splitter.finish().is_none_or(|line| react(event(line, Instant::now())));
        if last {
            react(end);
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read_all)?;
    Ok(())
}

/// The event for a line read at `at`.
fn event(line: Result<String, LineTooLong>, at: Instant) -> Event {
    match line {
        Ok(line) => Event::Line(line, at),
        Err(problem) => Event::Overlong(problem),
    }
}
