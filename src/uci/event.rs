//! The events that a dialogue handles, and how it may fail.

use std::io;

use crate::host::Instant;
use crate::search::report::SearchEvent;

/// An event that the dialogue handles.
#[derive(Debug)]
pub enum Event {
    /// A line of input, and when it was read; `None` if it was too long.
    Line(Option<String>, Instant),
    /// There will be no more lines, perhaps because they cannot be read.
    EndOfInput(Option<io::Error>),
    /// The user interrupts the program.
    Interrupt,
    /// The table may be resident and all threads idle.
    Ready,
    /// A problem of the engine, in words for the user.
    Problem(String),
    /// An event of the search.
    Search(SearchEvent),
    /// A line of a tool's output.
    ToolLine(String),
    /// Progress of a tool: done and total.
    ToolProgress(u64, u64),
    /// A tool has ended, perhaps with an error.
    ToolFinished(Option<String>),
}

/// How far a dialogue is, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Lines may come.
    Open,
    /// The input has ended; what was requested goes on.
    InputEnded,
    /// It ends without waiting for a job.
    Quit,
    /// The job is stopped, and lines are ignored.
    ShuttingDown,
}

/// The reason for which a dialogue failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum Failure {
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Refused(String),
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    #[error("cannot start the thread that reads the input: {0}")]
    Reader(io::Error),
}
