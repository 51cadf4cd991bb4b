//! What a dialogue reacts to, whichever thread it comes from.

use std::io;
use std::time::Duration;

use crate::host::Instant;
use crate::search::limits::SearchEvent;

use super::audience::Progress;
use super::lines::LineTooLong;

/// The time after which an input or output that is not ready is tried again. (A pipe or
/// terminal may be non-blocking because a program at its other end has made it so.)
pub(super) const RETRY_AFTER: Duration = Duration::from_millis(1);

/// Something that the dialogue reacts to.
#[derive(Debug)]
pub enum Event {
    /// A line of input, and when it was read.
    Line(String, Instant),
    /// A line of input was too long to be read.
    Overlong(LineTooLong),
    /// There will be no more lines.
    EndOfInput,
    /// There will be no more lines, because they cannot be read.
    InputFailed(io::Error),
    /// The user wants everything to end.
    Interrupt,
    /// The engine is prepared for a search.
    Prepared,
    /// The search has something to say.
    Search(SearchEvent),
    /// A tool (`perft`, `bench`, `genfens`) has something to say.
    ToolLine(String),
    /// A tool cannot do what was asked, or no more of it; why.
    ToolFailed(String),
    /// A tool has done a part of its work.
    ToolProgress(Progress),
    /// A tool has ended.
    ToolFinished,
}
