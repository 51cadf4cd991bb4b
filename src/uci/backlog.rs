//! Commands that were read but not yet obeyed: what is running has to end first.
//!
//! They are obeyed in the order in which they came. The queue knows, without being
//! searched, which of the commands that `wait` does not hold back are in it.

use std::collections::VecDeque;

use crate::host::Instant;

use super::command::Command;

/// With commands from this many bytes of input the queue is full.
const FULL_BYTES: usize = 4 << 20;

/// A command of a few letters takes as much memory as this many bytes of a long one.
const COMMAND_BYTES: usize = 100;

/// A command in the queue.
struct Waiting {
    command: Command,
    /// When it was read.
    at: Instant,
    /// Its part of [`FULL_BYTES`].
    bytes: usize,
}

/// The queue of commands.
#[derive(Default)]
pub(super) struct Backlog {
    queue: VecDeque<Waiting>,
    bytes: usize,
    waits: usize,
    stops: usize,
    ponder_hits: usize,
    quits: usize,
    tools: usize,
}

impl Backlog {
    /// Puts a command from a line of `length` bytes at the end.
    pub(super) fn push(&mut self, command: Command, at: Instant, length: usize) {
        if let Some(count) = self.count(&command) {
            *count += 1;
        }
        let bytes = length + COMMAND_BYTES;
        self.bytes += bytes;
        self.queue.push_back(Waiting { command, at, bytes });
    }

    /// Whether no more input may be read before commands leave the queue.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BYTES
    }

    /// The next command.
    pub(super) fn next(&self) -> Option<&Command> {
        self.queue.front().map(|waiting| &waiting.command)
    }

    /// Takes the next command out.
    pub(super) fn pop(&mut self) -> Option<(Command, Instant)> {
        let Waiting { command, at, bytes } = self.queue.pop_front()?;
        self.bytes -= bytes;
        if let Some(count) = self.count(&command) {
            *count -= 1;
        }
        Some((command, at))
    }

    /// Whether there is a `wait` in it.
    pub(super) fn has_wait(&self) -> bool {
        self.waits > 0
    }

    /// Whether there is a `stop` in it.
    pub(super) fn has_stop(&self) -> bool {
        self.stops > 0
    }

    /// Whether there is a `ponderhit` in it.
    pub(super) fn has_ponder_hit(&self) -> bool {
        self.ponder_hits > 0
    }

    /// Whether there is a `quit` in it.
    pub(super) fn has_quit(&self) -> bool {
        self.quits > 0
    }

    /// Whether there is a command in it that starts a tool.
    pub(super) fn has_tool(&self) -> bool {
        self.tools > 0
    }

    /// Counts all commands as read now: whoever makes a search wait does not want its
    /// clock to run in the meantime.
    pub(super) fn take_as_new(&mut self) {
        let now = Instant::now();
        for waiting in &mut self.queue {
            waiting.at = now;
        }
    }

    /// Forgets all commands.
    pub(super) fn clear(&mut self) {
        *self = Backlog::default();
    }

    /// The counter of commands like this one, if they are counted.
    fn count(&mut self, command: &Command) -> Option<&mut usize> {
        match command {
            Command::Wait => Some(&mut self.waits),
            Command::Stop => Some(&mut self.stops),
            Command::PonderHit => Some(&mut self.ponder_hits),
            Command::Quit => Some(&mut self.quits),
            command if command.is_tool() => Some(&mut self.tools),
            _ => None,
        }
    }
}
