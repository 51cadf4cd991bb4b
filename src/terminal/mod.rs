//! Everything for the person at a terminal: text to read, moves as people write them, a
//! prompt.
//!
//! The dialogue prints the text of `show` and `hints` on request, also to a GUI. The
//! prompt, the progress bar and colours are there only if input and output are terminals.
//! A build without the feature `terminal` has none of these.

mod completion;

pub(crate) mod hints;

pub(crate) mod show;

pub(crate) mod spelling;

pub(crate) mod typed;

#[cfg(all(feature = "terminal", any(unix, windows)))]
mod prompt;

#[cfg(all(feature = "terminal", any(unix, windows)))]
mod screen;

#[cfg(all(feature = "terminal", any(unix, windows)))]
mod status;

#[cfg(all(feature = "terminal", any(unix, windows)))]
mod tty;

#[cfg(not(all(feature = "terminal", any(unix, windows))))]
mod plain;

pub(crate) use completion::completions;

#[cfg(not(all(feature = "terminal", any(unix, windows))))]
pub use plain::{for_arguments, restore};
#[cfg(all(feature = "terminal", any(unix, windows)))]
pub use {prompt::Prompt, screen::for_arguments, status::Status, tty::restore};

/// Who sends the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A GUI or a script: lines that are no command are ignored, as UCI demands.
    #[default]
    Program,
    /// The arguments of the process: whatever cannot be run is an error.
    Arguments,
    /// A person who types: whatever cannot be run is explained, and moves are played.
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

/// Gets parts done and in all.
pub type OnProgress = Box<dyn FnMut(Option<(u64, u64)>) + Send>;

/// The other end of a dialogue; by default a GUI.
#[derive(Default)]
pub struct Terminal {
    /// Who sends the commands.
    pub mode: Mode,
    /// Whether it shows colours (ANSI escape sequences).
    pub has_colour: bool,
    /// Called with the activity after each line and after each change.
    pub on_activity: Option<Box<dyn Fn(Activity) + Send>>,
    /// Called with the progress of a tool, done and total; with `None` at its end.
    pub on_progress: Option<OnProgress>,
}
