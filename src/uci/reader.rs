//! The thread that reads the input, line by line.

use std::io::{self, Read};
use std::thread;

use crate::host::Instant;

use super::event::Event;
use super::lines::LineSplitter;
use super::output::retry;

const CHUNK: usize = 1 << 16;

/// Starts the thread that reads `input` to its end. It calls `handle` with each line and
/// with [`Event::EndOfInput`], and ends early if that returns false.
///
/// # Errors
/// The system cannot start the thread.
pub(super) fn spawn(
    mut input: impl Read + Send + 'static,
    mut handle: impl FnMut(Event) -> bool + Send + 'static,
) -> io::Result<()> {
    let read_all = move || {
        let mut splitter = LineSplitter::default();
        let mut chunk = vec![0; CHUNK];
        let error = loop {
            let length = match retry(|| input.read(&mut chunk)) {
                Ok(0) => break None,
                Ok(length) => length,
                Err(error) => break Some(error),
            };
            let now = Instant::now();
            let mut lines = splitter.feed(&chunk[..length]).into_iter();
            if !lines.all(|line| handle(Event::Line(line, now))) {
                return;
            }
        };
        let last = splitter.finish();
        if last.is_none_or(|line| handle(Event::Line(line, Instant::now()))) {
            handle(Event::EndOfInput(error));
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read_all).map(|_| ())
}
