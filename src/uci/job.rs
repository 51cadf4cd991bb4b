//! The job that runs beside the dialogue: a search, or a tool such as `perft`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::search::limits::Limits;
use crate::search::report::Report;

use super::command::Command;
use super::report::InfoPrinter;

pub(super) enum JobKind {
    /// An `isready` waits until the engine is ready.
    IsReady,
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

    /// Whether the command has to wait until this job has ended. All of these commands
    /// except `wait` stop a search.
    pub(super) fn delays(&self, command: &Command) -> bool {
        match command {
            _ if matches!(self.kind, JobKind::IsReady) => true,
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
}
