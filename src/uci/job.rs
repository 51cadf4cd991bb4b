//! The job that runs beside the dialogue: a search, or a tool such as `perft`.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::host::{self, Sender};
use crate::search::limits::{Limits, Report};
use crate::search::threads::{STACK_BYTES, THREAD_BYTES};
use crate::sys::memory::has_room_for_threads;
use crate::tools::ToolOutput;

use super::command::Command;
use super::event::Event;
use super::report::InfoPrinter;

pub(super) enum JobKind {
    /// The engine allocates memory and threads for a search.
    Preparation,
    Search(Box<InfoPrinter>),
    /// A search for the reply to a person's move, with its last report.
    Reply(Option<Report>),
    /// A tool; setting the flag stops it.
    Tool(Arc<AtomicBool>),
}

pub(super) struct Job {
    pub(super) kind: JobKind,
    /// Whether it ends by itself, unless it waits for a ponderhit.
    is_limited: bool,
    pub(super) is_pondering: bool,
    pub(super) is_stopping: bool,
}

impl Job {
    /// A job that ends by itself.
    pub(super) fn new(kind: JobKind) -> Job {
        Job { kind, is_limited: true, is_pondering: false, is_stopping: false }
    }

    pub(super) fn search(kind: JobKind, limits: &Limits) -> Job {
        let is_limited = limits.is_bounded() && !limits.infinite;
        Job { is_limited, is_pondering: limits.ponder, ..Job::new(kind) }
    }

    /// Starts `tool` on a new thread; it must end soon after the flag is set. Each line of
    /// its output becomes an event. Its end, even by a panic, sends [`Event::ToolFinished`].
    ///
    /// # Errors
    /// The system cannot start the thread, or memory is short.
    pub(super) fn tool<E: Display>(
        name: &str,
        events: Sender<Event>,
        tool: impl FnOnce(&Arc<AtomicBool>, &mut EventWriter) -> Result<(), E> + Send + 'static,
    ) -> io::Result<Job> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let run = move || {
            // Its drop reports the end of the tool.
            let mut output = EventWriter { events, line: Vec::new(), problem: None };
            output.problem = tool(&flag, &mut output).err().map(|error| error.to_string());
        };
        // A tool may search with an engine of its own, whose failed allocation would abort the
        // process.
        if !has_room_for_threads(2 * THREAD_BYTES) {
            return Err(io::Error::new(ErrorKind::OutOfMemory, "not enough memory"));
        }
        host::spawn(name, STACK_BYTES, run)?;
        Ok(Job::new(JobKind::Tool(stop)))
    }

    /// Whether the command has to wait until this job has ended. All of these commands
    /// except `wait` stop a search.
    pub(super) fn delays(&self, command: &Command) -> bool {
        match command {
            _ if matches!(self.kind, JobKind::Preparation) => true,
            Command::Go(_)
            | Command::NewGame
            | Command::Tool(_)
            | Command::Play(_)
            | Command::Moves(_)
            | Command::Restart
            | Command::Wait => true,
            Command::Quit => matches!(self.kind, JobKind::Tool(_)),
            // The engine's own move comes first.
            Command::Position(_) | Command::Undo | Command::Flip => {
                matches!(self.kind, JobKind::Reply(_))
            }
            _ => false,
        }
    }

    /// Whether it will end without any further command.
    pub(super) fn will_end(&self) -> bool {
        self.is_stopping || (self.is_limited && !self.is_pondering)
    }

    /// Marks it as stopping, and stops a tool. (The engine stops a search.)
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
        if let JobKind::Tool(stop) = &self.kind {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the engine must be prepared for a search before the command runs.
pub(super) fn needs_preparation(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::IsReady | Command::Moves(_) | Command::Play(_))
}

/// Turns the output of a tool into events. Ignores errors of sending: the dialogue may be
/// over.
pub(super) struct EventWriter {
    events: Sender<Event>,
    line: Vec<u8>,
    problem: Option<String>,
}

impl Write for EventWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.line).into_owned();
                self.line.clear();
                self.events.send(Event::ToolLine(line)).map_err(io::Error::other)?;
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ToolOutput for EventWriter {
    fn progress(&mut self, done: u64, total: u64) {
        let _ = self.events.send(Event::ToolProgress(done, total));
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        let _ = self.events.send(Event::ToolFinished(self.problem.take()));
    }
}
