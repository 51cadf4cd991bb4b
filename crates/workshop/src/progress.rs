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

/// The progress of one task, shown on standard error.
pub struct Progress {
    bar: ProgressBar,
    label: &'static str,
    /// When the last plain line was written; `None` on a terminal.
    last_line: Option<Instant>,
}

impl Progress {
    /// Starts to show progress of `len` steps, if their number is known.
    pub fn new(label: &'static str, len: Option<u64>) -> Progress {
        let is_terminal = stderr().is_terminal();
        let target =
            if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = match len {
            Some(_) => "{prefix} {wide_bar} {pos}/{len} {elapsed}, {eta} left {msg}",
            None => "{prefix} {spinner} {pos} {elapsed} {msg}",
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(len, target).with_prefix(label).with_style(style);
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
                let left = HumanDuration(self.bar.eta());
                self.write_line(&format!("{message}, {left} left"));
            }
            Some(_) => {}
            None => self.bar.set_message(message),
        }
    }

    /// Prints a line above the bar.
    pub fn print(&self, line: &str) {
        self.bar.suspend(|| print_stderr(line));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows the final state; the bar stays.
    pub fn finish(&self, message: String) {
        match self.last_line {
            Some(_) => self.write_line(&message),
            None => self.bar.finish_with_message(message),
        }
    }

    fn write_line(&self, message: &str) {
        let (label, steps) = (self.label, self.bar.position());
        let of = self.bar.length().map_or_else(String::new, |len| format!("/{len}"));
        print_stderr(format_args!("{label} {steps}{of} {message}"));
    }
}
