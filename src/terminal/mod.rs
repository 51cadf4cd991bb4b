//! Everything for a person at a terminal: text, hints, typed moves, and a prompt.
//!
//! The dialogue prints the text of `show` also to a GUI. Prompt, progress bar and colours
//! appear only if input and output are terminals. A build without the feature `terminal` has
//! none of these three.

pub(crate) mod hints;
#[cfg(all(feature = "terminal", any(unix, windows)))]
mod prompt;
#[cfg(all(feature = "terminal", any(unix, windows)))]
mod screen;
pub(crate) mod show;
pub(crate) mod spelling;
#[cfg(all(feature = "terminal", any(unix, windows)))]
mod status;
pub(crate) mod table;
#[cfg(all(feature = "terminal", any(unix, windows)))]
mod tty;

#[cfg(not(all(feature = "terminal", any(unix, windows))))]
pub use plain::{for_arguments, for_program, restore};
#[cfg(all(feature = "terminal", any(unix, windows)))]
pub use {prompt::Prompt, screen::for_arguments, status::Status, tty::for_program, tty::restore};

/// Replaces the progress bar and the prompt in a build without them.
#[cfg(not(all(feature = "terminal", any(unix, windows))))]
mod plain {
    use std::io::{self, Write};

    use super::{Mode, Terminal};

    /// Output and terminal for commands that are arguments of the process.
    pub fn for_arguments() -> (impl Write + Send, Terminal) {
        (io::stdout(), Terminal { mode: Mode::Arguments, ..Terminal::default() })
    }

    /// The other end of a dialogue on standard output.
    pub fn for_program() -> Terminal {
        Terminal::default()
    }

    /// Does nothing: the settings of the terminal are unchanged.
    pub fn restore() {}
}

/// The kind of client that sends the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A GUI or a script: lines without a command are ignored, as UCI demands.
    #[default]
    Program,
    /// The arguments of the process: a line that cannot be run is an error.
    Arguments,
    /// A person who types: a line that cannot be run is explained, and moves are played.
    Person,
}

/// The current activity of a dialogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// It waits for commands.
    #[default]
    Idle,
    /// A search is running.
    Searching,
    /// A tool such as `bench` is running.
    Working,
    /// The dialogue has ended.
    Over,
}

/// Shows the progress of a tool: done and total; `None` at its end.
pub type OnProgress = Box<dyn FnMut(Option<(u64, u64)>) + Send>;

/// The other end of a dialogue; by default a GUI.
#[derive(Default)]
pub struct Terminal {
    /// The kind of client.
    pub mode: Mode,
    /// Whether it shows colours (ANSI escape sequences).
    pub has_colour: bool,
    /// The number of columns, if a person reads the output: `go` then prints a table.
    pub columns: Option<fn() -> usize>,
    /// Called with the activity after each line and after each change.
    pub on_activity: Option<Box<dyn Fn(Activity) + Send>>,
    /// Called with the progress of a tool.
    pub on_progress: Option<OnProgress>,
    /// Whether the client has closed the output, which a dialogue without lines would not notice.
    pub is_output_closed: Option<fn() -> bool>,
}
