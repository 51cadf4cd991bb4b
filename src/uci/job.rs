//! What runs alongside the dialogue, one at a time: a search, or a tool such as `perft`
//! that takes as long as it takes.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::host::{self, Sender};
use crate::search::limits::Limits;
use crate::search::threads::{STACK_BYTES, THREAD_BYTES};
use crate::sys::memory::has_room_for_threads;
use crate::tools::ToolOutput;

use super::audience::Progress;
use super::command::Command;
use super::event::Event;
use super::go;
use super::opponent::Reply;
use super::report::Narrator;

/// What is being done.
pub(super) enum Work {
    /// The engine gets ready for a search.
    Preparation,
    /// A search, and its narrator.
    Search(Box<Narrator>),
    /// A search for the answer to a person's move.
    Reply(Reply),
    /// A tool, and the flag that tells it to stop.
    Tool(Arc<AtomicBool>),
}

/// The work under way, and whether it will end.
pub(super) struct Job {
    pub(super) work: Work,
    /// Whether it ends by itself, once it need not wait for a ponderhit.
    is_limited: bool,
    is_pondering: bool,
    is_stopping: bool,
}

impl Job {
    /// A search, which `work` is, within `limits`.
    pub(super) fn search(work: Work, limits: &Limits) -> Job {
        Job {
            work,
            is_limited: go::have_end(limits) && !limits.infinite,
            is_pondering: limits.ponder,
            is_stopping: false,
        }
    }

    /// The preparation of a search.
    pub(super) fn preparation() -> Job {
        let work = Work::Preparation;
        Job { work, is_limited: true, is_pondering: false, is_stopping: false }
    }

    /// Starts `tool` on a thread of its own; it is to end soon after the flag is set.
    /// Each line that it writes becomes an event, and so does its failure; at the end,
    /// even after a panic, there is an [`Event::ToolFinished`].
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
            // Made here, as a tool that never began must not say that it has ended.
            let mut output = EventWriter { events, line: Vec::new() };
            if let Err(error) = tool(&flag, &mut output) {
                // If nobody listens, that is why it failed.
                let _ = output.events.send(Event::ToolFailed(error.to_string()));
            }
        };
        // A tool may search with an engine of its own, whose allocations would abort.
        if !has_room_for_threads(2 * THREAD_BYTES) {
            return Err(io::Error::new(ErrorKind::OutOfMemory, "not enough memory"));
        }
        host::spawn(name, STACK_BYTES, run)?;
        Ok(Job {
            work: Work::Tool(stop),
            is_limited: true,
            is_pondering: false,
            is_stopping: false,
        })
    }

    /// Whether a command has to wait until this has ended. All of these but `wait` stop a
    /// search or a tool.
    pub(super) fn delays(&self, command: &Command) -> bool {
        match command {
            _ if matches!(self.work, Work::Preparation) => true,
            Command::Go(_)
            | Command::NewGame
            | Command::Perft(_)
            | Command::Genfens(_)
            | Command::Bench { .. }
            | Command::Speedtest { .. }
            | Command::Doctor
            | Command::Play(_)
            | Command::Restart
            | Command::Wait => true,
            Command::Quit => matches!(self.work, Work::Tool(_)),
            // The move being thought about comes first.
            Command::Position(_) | Command::Moves(_) | Command::Undo | Command::Flip => {
                matches!(self.work, Work::Reply(_))
            }
            _ => false,
        }
    }

    /// Whether it will end by itself, without any further command.
    pub(super) fn will_end(&self) -> bool {
        self.is_stopping || (self.is_limited && !self.is_pondering)
    }

    /// Whether it was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Notes that it was told to stop, and passes that on to a tool. (The engine tells
    /// a search.)
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
        if let Work::Tool(stop) = &self.work {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that the expected move was played.
    pub(super) fn ponder_hit(&mut self) {
        self.is_pondering = false;
    }
}

/// Whether a command starts a search, or asks if one can start.
pub(super) fn needs_preparation(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::IsReady | Command::Moves(_) | Command::Play(_))
}

/// Where a tool writes: each line becomes an event.
pub(super) struct EventWriter {
    events: Sender<Event>,
    line: Vec<u8>,
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
        // If nobody listens, the next line says so.
        let _ = self.events.send(Event::ToolProgress(Progress { done, total }));
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        // If nobody listens, nobody is waiting for it either.
        let _ = self.events.send(Event::ToolFinished);
    }
}
