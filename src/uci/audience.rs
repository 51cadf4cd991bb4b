//! Who is at the other end of a dialogue, and what their terminal can do.

/// Who gives the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Audience {
    /// A GUI or a script, in the manner of UCI: lines that are no command are ignored.
    #[default]
    Program,
    /// The arguments of the process: whatever cannot be obeyed is an error.
    Arguments,
    /// A person who types: what cannot be obeyed is explained, and moves are played.
    Person,
}

/// What a dialogue is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Idle,
    /// A search.
    Searching,
    /// A tool such as `bench`.
    Working,
}

/// How much of a tool's work is done, and how much there is; the unit is the tool's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done.
    pub done: u64,
    /// All of it.
    pub total: u64,
}

/// Takes what the dialogue is busy with: after each line that was dealt with, and whenever
/// that changes.
pub type ShowActivity = Box<dyn Fn(Activity) + Send>;

/// Shows the progress of a tool; `None` when there is none any more.
pub type ShowProgress = Box<dyn FnMut(Option<Progress>) + Send>;

/// What the terminal at the other end can do; nothing by default.
#[derive(Default)]
pub struct Terminal {
    /// Whether it shows colours (ANSI escape sequences).
    pub has_colour: bool,
    /// Takes what the dialogue is busy with.
    pub activity: Option<ShowActivity>,
    /// Who shows the progress of tools.
    pub progress: Option<ShowProgress>,
}

impl Terminal {
    /// Tells what the dialogue is busy with now.
    pub(super) fn tell(&self, activity: Activity) {
        if let Some(show) = &self.activity {
            show(activity);
        }
    }

    /// Shows the progress of a tool.
    pub(super) fn show(&mut self, progress: Option<Progress>) {
        if let Some(show) = &mut self.progress {
            show(progress);
        }
    }
}
