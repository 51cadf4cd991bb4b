//! How far a long piece of work has come: a bar on a terminal, and a plain line
//! now and then where standard error is something else.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a plain line is written.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Writes a line to standard error. Ignores errors: it may be closed.
pub fn tell(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}

/// The progress of one piece of work, shown on standard error.
pub struct Progress {
    bar: ProgressBar,
    what: &'static str,
    /// When the last plain line was written; `None` on a terminal.
    last_line: Option<Instant>,
}

impl Progress {
    /// The progress towards `len` steps, if that is known, of `what`.
    pub fn new(what: &'static str, len: Option<u64>) -> Progress {
        let is_terminal = stderr().is_terminal();
        let target =
            if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = match len {
            Some(_) => "{prefix} {wide_bar} {pos}/{len} {elapsed}, {eta} left {msg}",
            None => "{prefix} {spinner} {pos} {elapsed} {msg}",
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(len, target).with_prefix(what).with_style(style);
        Progress { bar, what, last_line: (!is_terminal).then(Instant::now) }
    }

    /// `steps` were done before; they say nothing about the time left.
    pub fn start_at(&mut self, steps: u64) {
        self.bar.set_position(steps);
        self.bar.reset_eta();
    }

    /// `steps` are done; `message` says more about it.
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

    /// Says something that is to stay in sight.
    pub fn note(&self, line: &str) {
        self.bar.suspend(|| tell(line));
    }

    /// The work is done, and nothing is left to be said.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// The work is done.
    pub fn finish(&self, message: String) {
        match self.last_line {
            Some(_) => self.write_line(&message),
            None => self.bar.finish_with_message(message),
        }
    }

    fn write_line(&self, message: &str) {
        let (what, steps) = (self.what, self.bar.position());
        let of = self.bar.length().map_or_else(String::new, |len| format!("/{len}"));
        tell(format_args!("{what} {steps}{of} {message}"));
    }
}
