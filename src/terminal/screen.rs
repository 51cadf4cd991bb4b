//! Prints lines above the line being edited, and above the progress bar on standard error.

use std::io::{self, IsTerminal, Write};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Mode, Terminal};

const TEMPLATE: &str = "{bar:40} {percent:>3} %, {elapsed} so far, {eta} to go";

pub(super) struct Screen {
    writer: Box<dyn Write + Send>,
    bar: ProgressBar,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let writer = &mut self.writer;
        self.bar.suspend(|| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A screen that prints through `writer`, and the terminal with its progress bar.
pub(super) fn screen(writer: impl Write + Send + 'static, mode: Mode) -> (Screen, Terminal) {
    let style = ProgressStyle::with_template(TEMPLATE).expect("the template is valid");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style);
    let screen = Screen { writer: Box::new(writer), bar: bar.clone() };
    let on_progress = move |progress| match progress {
        Some((done, total)) => {
            if bar.is_hidden() {
                bar.reset();
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_length(total);
            bar.set_position(done);
        }
        None if bar.is_hidden() => {}
        None => {
            bar.finish_and_clear();
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    };
    let terminal = Terminal {
        is_output_closed: None,
        mode,
        // `console` lets CLICOLOR_FORCE win over NO_COLOR.
        has_colour: console::colors_enabled() && std::env::var_os("NO_COLOR").is_none(),
        columns: io::stdout().is_terminal().then_some(columns),
        on_activity: None,
        on_progress: Some(Box::new(on_progress)),
    };
    (screen, terminal)
}

/// The number of columns, now: the window may change. A terminal that reports none has 80.
fn columns() -> usize {
    let size = Term::stdout().size_checked();
    size.map(|(_, columns)| columns.into()).filter(|&columns| columns > 0).unwrap_or(80)
}

/// Output and terminal for commands that are arguments of the process.
pub fn for_arguments() -> (impl Write + Send, Terminal) {
    screen(io::stdout(), Mode::Arguments)
}
