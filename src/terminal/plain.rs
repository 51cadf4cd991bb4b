//! Replaces the progress bar and the prompt in a build without them.

use std::io::{self, Write};

use super::{Mode, Terminal};

/// Output and terminal for commands that are arguments of the process.
pub fn for_arguments() -> (impl Write + Send, Terminal) {
    (io::stdout(), Terminal { mode: Mode::Arguments, ..Terminal::default() })
}

/// Nothing has changed the settings of the terminal.
pub fn restore() {}
