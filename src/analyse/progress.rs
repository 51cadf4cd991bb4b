//! Reports progress on standard error: a bar on a terminal, otherwise a line every 30 seconds.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

const LINE_EVERY: Duration = Duration::from_secs(30);

/// Writes a line to standard error. Ignores errors: it may be closed.
pub fn tell(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}

/// The progress of all threads.
pub struct Progress {
    bar: ProgressBar,
    /// The time of the last plain line; `None` on a terminal.
    last_line: Option<Mutex<Instant>>,
}

impl Progress {
    /// Starts with 0 of `len` positions.
    pub fn new(len: usize) -> Progress {
        let is_terminal = stderr().is_terminal();
        let target =
            if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(len as u64), target).with_style(style);
        Progress { bar, last_line: (!is_terminal).then(|| Mutex::new(Instant::now())) }
    }

    /// Counts a position.
    pub fn tick(&self) {
        self.bar.inc(1);
        let Some(last) = &self.last_line else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= LINE_EVERY {
            *last = Instant::now();
            let (done, len) = (self.bar.position(), self.bar.length().unwrap_or_default());
            tell(format_args!("{done}/{len} positions, {} left", HumanDuration(self.bar.eta())));
        }
    }

    /// Prints a line above the bar.
    pub fn note(&self, line: impl Display) {
        self.bar.suspend(|| tell(line));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
