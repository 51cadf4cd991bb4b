//! Progress of long work: a bar on a terminal; otherwise a plain line every half minute.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

const LINE_EVERY: Duration = Duration::from_secs(30);

/// Writes a line to standard error. Ignores errors: standard error may be closed.
pub fn print_stderr(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}

/// The progress of one task, shown on standard error until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    label: &'static str,
    /// When the last plain line was written; `None` on a terminal.
    last_line: Option<Instant>,
}

impl Progress {
    /// Starts to show progress of `len` steps.
    pub fn new(label: &'static str, len: u64) -> Progress {
        let is_terminal = stderr().is_terminal();
        let target =
            if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = "{prefix} {wide_bar} {pos}/{len} {elapsed}, {eta} left {msg}";
        let style = ProgressStyle::with_template(style).expect("a valid template");
        let bar = ProgressBar::with_draw_target(Some(len), target);
        let bar = bar.with_prefix(label).with_style(style);
        Progress { bar, label, last_line: (!is_terminal).then(Instant::now) }
    }

    /// Sets the steps done by an earlier run; the estimate of the time left ignores them.
    pub fn start_at(&mut self, steps: u64) {
        self.bar.set_position(steps);
        self.bar.reset_eta();
    }

    pub fn set(&mut self, steps: u64, message: String) {
        self.bar.set_position(steps);
        match &mut self.last_line {
            Some(last) if last.elapsed() >= LINE_EVERY => {
                *last = Instant::now();
                let (len, left) = (self.bar.length().unwrap_or(0), HumanDuration(self.bar.eta()));
                print_stderr(format_args!("{} {steps}/{len} {message}, {left} left", self.label));
            }
            Some(_) => {}
            None => self.bar.set_message(message),
        }
    }

    /// Prints a line above the bar.
    pub fn print(&self, line: &str) {
        self.bar.suspend(|| print_stderr(line));
    }
}
