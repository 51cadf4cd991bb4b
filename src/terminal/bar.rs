//! The progress of a tool, as a bar on standard error, if that is a terminal.

use carrybit::uci::ShowProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What the bar shows.
const TEMPLATE: &str = "{bar:40} {percent:>3} %, {elapsed} so far, {eta} to go";

/// A bar that is there while a tool runs. Clones are the same bar.
#[derive(Clone)]
pub(crate) struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Bar {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is sound");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Bar(bar.with_style(style))
    }
}

impl Bar {
    /// Shows the progress that it is told of.
    pub(crate) fn show(&self) -> ShowProgress {
        let bar = self.0.clone();
        Box::new(move |progress| match progress {
            Some(progress) => {
                if bar.is_hidden() {
                    bar.reset();
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_length(progress.total);
                bar.set_position(progress.done);
            }
            None if bar.is_hidden() => {}
            None => {
                bar.finish_and_clear();
                bar.set_draw_target(ProgressDrawTarget::hidden());
            }
        })
    }

    /// Does something while the bar is out of the way.
    pub(crate) fn step_aside<T>(&self, act: impl FnOnce() -> T) -> T {
        self.0.suspend(act)
    }
}
