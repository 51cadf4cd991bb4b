//! Commands that wait until the current job has ended: the first one because it needs an
//! idle engine, the others because they come after it.

use std::collections::{HashMap, VecDeque};
use std::mem::{Discriminant, discriminant};

use crate::host::Instant;

use super::command::Command;

/// With this many bytes of input the queue is full.
const FULL_BYTES: usize = 4 << 20;

/// Added to the length of each line, because short commands take memory, too.
const COMMAND_BYTES: usize = 100;

/// The queue of commands. It counts them by kind: a scan at each line would take quadratic
/// time.
#[derive(Default)]
pub(super) struct Backlog {
    /// Each command, when it was read, and its part of [`FULL_BYTES`].
    queue: VecDeque<(Command, Instant, usize)>,
    bytes: usize,
    counts: HashMap<Discriminant<Command>, usize>,
    resumed: Option<Instant>,
}

impl Backlog {
    /// Appends a command from a line of `length` bytes that was read `at`.
    pub(super) fn push(&mut self, command: Command, at: Instant, length: usize) {
        *self.counts.entry(discriminant(&command)).or_default() += 1;
        let bytes = length + COMMAND_BYTES;
        self.bytes += bytes;
        self.queue.push_back((command, at, bytes));
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BYTES
    }

    pub(super) fn next(&self) -> Option<&Command> {
        self.queue.front().map(|(command, ..)| command)
    }

    /// Removes the next command. Its time is at least that of the last
    /// [`resume`](Backlog::resume).
    pub(super) fn pop(&mut self) -> Option<(Command, Instant)> {
        let (command, at, bytes) = self.queue.pop_front()?;
        self.bytes -= bytes;
        *self.counts.entry(discriminant(&command)).or_default() -= 1;
        Some((command, self.time(at)))
    }

    fn time(&self, at: Instant) -> Instant {
        self.resumed.map_or(at, |resumed| at.max(resumed))
    }

    /// Whether it contains a command of the same kind.
    pub(super) fn has(&self, command: &Command) -> bool {
        self.counts.get(&discriminant(command)).is_some_and(|&count| count > 0)
    }

    /// Called at the end of a `wait`, and of a job that an argument of the process started: the
    /// commands after it count as read now, so that waiting is not thinking time.
    pub(super) fn resume(&mut self) {
        self.resumed = Some(Instant::now());
    }
}
