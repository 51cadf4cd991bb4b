//! The program without the feature `terminal`: no terminal is anything special.

use std::io::{self, Write};

use carrybit::host::Sender;
use carrybit::uci::{Event, Failure, Terminal};

/// Nobody is served in a special way.
pub(crate) fn converse(
    _: impl FnOnce(Box<dyn FnMut() + Send>),
    _: fn(&Sender<Event>),
) -> Option<Result<(), Failure>> {
    None
}

/// Where the answers to arguments go, and what the terminal there can do: nothing.
pub(crate) fn standard() -> (impl Write, Terminal) {
    (io::stdout(), Terminal::default())
}

/// There is nothing to restore.
pub(crate) fn restore() {}
