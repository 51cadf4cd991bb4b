//! The prompt: a line to edit, with history and completion (by the Tab key).
//!
//! The lines of a search appear above the line being edited. While a tool such as `bench`
//! runs, its progress bar replaces the prompt; typed lines are still read.

use std::cell::Cell;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, ExternalPrinter, Helper};

use crate::VERSION;
use crate::eval::nnue::Network;
use carrybit_board::cpu;

use super::screen::screen;
use super::status::Status;
use super::{Activity, Mode, Terminal, spelling, tty};

const PROMPT: &str = "carrybit> ";

/// The next prompt waits this long for the answer to a line. A later answer appears above it.
const ANSWER_TIME: Duration = Duration::from_millis(200);

/// The time between reads of typed lines while a tool runs.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// The time that the editor, on its own thread, may take to show the last lines.
const LAST_LINES_TIME: Duration = Duration::from_millis(50);

/// Finds the start of the last word, and the words that complete it.
type Complete = fn(&str) -> (usize, Vec<&'static str>);

/// A prompt, which [`spawn`](Prompt::spawn) runs on a new thread.
pub struct Prompt {
    editor: Editor<Words, DefaultHistory>,
    status: Arc<Status>,
}

impl Prompt {
    /// Whether input and output are terminals.
    pub fn is_wanted() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Prints the greeting. Returns the prompt, the output, which appears above it, and the
    /// terminal. `complete` finds the words for the Tab key.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub fn open(complete: Complete) -> io::Result<(Prompt, impl Write + Send, Terminal)> {
        tty::save();
        let config =
            Config::builder().auto_add_history(true).completion_type(CompletionType::List).build();
        let mut editor = Editor::with_config(config).map_err(io_error)?;
        editor.set_helper(Some(Words { complete, has_text: Cell::new(false) }));
        let printer: Box<dyn Write + Send> = match editor.create_external_printer() {
            Ok(printer) => Box::new(Printer(printer)),
            // A terminal without external printing has no line editing either.
            Err(_) => Box::new(io::stdout()),
        };
        let (mut screen, mut terminal) = screen(printer, Mode::Person);
        let greeting = format!(
            "Carrybit {VERSION}, a chess engine ({}, {})\n\
             Type a move to begin a game, play for the engine's reply, help for all commands.\n",
            cpu::level(),
            Network::embedded()
        );
        screen.write_all(greeting.as_bytes())?;
        let prompt = Prompt { editor, status: Arc::default() };
        let status = prompt.status();
        terminal.on_activity = Some(Box::new(move |activity| status.update(activity)));
        Ok((prompt, screen, terminal))
    }

    /// The activity of the dialogue, shared with it.
    pub fn status(&self) -> Arc<Status> {
        Arc::clone(&self.status)
    }

    /// Reads lines on a new thread and passes them to `send`; `None` is the end of input.
    /// `send` returns whether the dialogue goes on. Ctrl-C sends `stop`; if there is nothing
    /// to stop, it clears the line; the next one calls `interrupt` and ends the thread, unless a
    /// key was typed in between.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub fn spawn(
        mut self,
        send: impl Fn(io::Result<Option<String>>) -> bool + Send + 'static,
        interrupt: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let read_all = move || {
            // Whether the last line ended with Ctrl-C, with nothing to stop.
            let mut leaves = false;
            let end = loop {
                match self.editor.readline(PROMPT) {
                    Ok(lines) => {
                        leaves = false;
                        for line in commands(&lines) {
                            let updates = self.status.updates();
                            if !send(Ok(Some(line))) || !self.wait(updates, &send) {
                                return;
                            }
                        }
                    }
                    Err(ReadlineError::Interrupted) if self.status.take_interrupt() => {
                        send(Ok(Some("stop".to_owned())));
                        // The last lines of the search or tool appear above the next prompt.
                        self.status.wait(ANSWER_TIME, 0, |activity| activity == Activity::Idle);
                    }
                    Err(ReadlineError::Interrupted) if !leaves || self.has_text() => {
                        leaves = true;
                        let _ = io::stdout().write_all(b"quit or Ctrl-C again leaves\r\n");
                    }
                    Err(ReadlineError::Interrupted) => {
                        // Drop the editor so that pending prints return.
                        drop(self);
                        return interrupt();
                    }
                    Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                        // The line is lost; later lines are read.
                        let _ = io::stdout().write_all(b"line ignored: it is not UTF-8\r\n");
                    }
                    Err(ReadlineError::Signal(_)) => {}
                    Err(ReadlineError::Eof) => break Ok(None),
                    Err(error) => break Err(io_error(error)),
                }
            };
            send(end);
        };
        thread::Builder::new().name("reader".to_owned()).spawn(read_all).map(|_| ())
    }

    /// Whether there is text in the line being edited, or was when its editing ended.
    fn has_text(&self) -> bool {
        self.editor.helper().is_some_and(|words| words.has_text.get())
    }

    /// Waits for the answer to a line, and for the end of the tool that the line starts.
    /// Returns whether the dialogue goes on.
    fn wait(&self, updates: u64, send: impl Fn(io::Result<Option<String>>) -> bool) -> bool {
        let mut activity = self.status.wait(ANSWER_TIME, updates, |_| true);
        let mut has_input = true;
        // Without an update the dialogue may be waiting for the editor to show a line, and only an
        // editor that reads shows it.
        let is_answered = self.status.updates() > updates;
        while is_answered && activity == Activity::Working {
            has_input = has_input && pass_on_typed(&send);
            activity = self.status.wait(POLL_EVERY, 0, |activity| activity != Activity::Working);
        }
        activity != Activity::Over
    }

    /// Restores the terminal after the dialogue has ended.
    pub fn close() {
        thread::sleep(LAST_LINES_TIME);
        tty::restore();
    }
}

/// The commands of a pasted text: its lines, but a comment or variation of a game that goes over
/// several lines stays in one piece.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match commands.last_mut() {
            Some(last) if is_open => *last += &format!("\n{line}"),
            _ => commands.push(line.to_owned()),
        }
        is_open = commands.last().is_some_and(|last| is_open_game(last));
    }
    commands
}

/// Whether the text is the begin of a game in which a comment in braces or a variation is open.
fn is_open_game(text: &str) -> bool {
    let (rest, is_open) = spelling::without_remarks(text);
    let words: Vec<&str> = rest.split_whitespace().collect();
    is_open && (words.is_empty() || spelling::moves(&words).is_ok())
}

/// Passes on lines that were typed without a prompt. Returns false at the end of input.
#[cfg(unix)]
fn pass_on_typed(send: impl Fn(io::Result<Option<String>>) -> bool) -> bool {
    use std::io::Read;
    use std::os::fd::AsFd;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// More than the buffer of standard input, so that the buffer stays empty, and more than the
    /// longest line of a terminal.
    const CHUNK: usize = 1 << 16;

    let stdin = io::stdin();
    let mut wanted = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    if !poll(&mut wanted, PollTimeout::ZERO).is_ok_and(|ready| ready > 0) {
        return true;
    }
    let mut chunk = vec![0; CHUNK];
    let length = stdin.lock().read(&mut chunk).unwrap_or_default();
    let text = crate::sys::encoding::decode(&chunk[..length]);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        send(Ok(Some(line.to_owned())));
    }
    if length == 0 {
        send(Ok(None));
    }
    length > 0
}

/// On Windows, lines typed without a prompt wait for the next prompt.
#[cfg(not(unix))]
fn pass_on_typed(_: impl Fn(io::Result<Option<String>>) -> bool) -> bool {
    true
}

struct Printer<P>(P);

impl<P: ExternalPrinter> Write for Printer<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        // The editor may have ended before it printed the text.
        if self.0.print(text).is_err() {
            io::stdout().write_all(bytes)?;
            io::stdout().flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Words {
    complete: Complete,
    /// Whether there is text in the line.
    has_text: Cell<bool>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let (start, words) = (self.complete)(&line[..position]);
        Ok((start, words.into_iter().map(|word| format!("{word} ")).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;

    /// No hint. The editor calls it at each change of the line.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        self.has_text.set(!line.is_empty());
        None
    }
}

impl Highlighter for Words {}

impl Validator for Words {
    /// A game that is typed or pasted line by line goes on until its comment or variation ends.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let is_open = is_open_game(context.input());
        Ok(if is_open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Helper for Words {}

fn io_error(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_a_pasted_game_may_go_over_several_lines() {
        let game =
            "[Event \"(\"]\n\n1. e4 {White could\n quit here} e5 (1... c5\n2. c3) 2. Nf3\nNc6 *";
        let expected =
            ["[Event \"(\"]", "1. e4 {White could\nquit here} e5 (1... c5\n2. c3) 2. Nf3", "Nc6 *"];
        assert_eq!(commands(game), expected);
    }

    #[test]
    fn only_a_game_is_open() {
        for (text, is_open) in [
            ("1. e4 {White could", true),
            ("{White could\nplay", true),
            ("1. e4 e5 (1... c5", true),
            ("1. e4 (1. d4) e5", false),
            ("[Event \"(\"]", false),
            ("setoption name SyzygyPath value /games (old", false),
        ] {
            assert_eq!(is_open_game(text), is_open, "{text}");
        }
    }
}
