//! Commands that were read but not yet obeyed: what is running has to end first.
//!
//! They are obeyed in the order in which they came. The queue knows, without being
//! searched, which of the commands that `wait` does not hold back are in it.

use std::collections::VecDeque;

use crate::host::Instant;

use super::command::Command;

/// The queue of commands, and when each of them was read.
#[derive(Default)]
pub(super) struct Backlog {
    queue: VecDeque<(Command, Instant)>,
    waits: usize,
    stops: usize,
    ponder_hits: usize,
    quits: usize,
}

impl Backlog {
    /// Puts a command at the end.
    pub(super) fn push(&mut self, command: Command, at: Instant) {
        if let Some(count) = self.count(&command) {
            *count += 1;
        }
        self.queue.push_back((command, at));
    }

    /// The next command.
    pub(super) fn next(&self) -> Option<&Command> {
        self.queue.front().map(|(command, _)| command)
    }

    /// Takes the next command out.
    pub(super) fn pop(&mut self) -> Option<(Command, Instant)> {
        let (command, at) = self.queue.pop_front()?;
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

    /// Counts all commands as read now: whoever makes a search wait does not want its
    /// clock to run in the meantime.
    pub(super) fn take_as_new(&mut self) {
        let now = Instant::now();
        for (_, at) in &mut self.queue {
            *at = now;
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
            _ => None,
        }
    }
}
