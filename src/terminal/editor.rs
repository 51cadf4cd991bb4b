//! The line that a person edits, with history and completion (by the Tab key).
//!
//! While a search runs, its lines appear above the line being edited. While a tool such
//! as `bench` runs, there is no line to edit, as its progress bar is there; what is typed
//! then is read all the same.

use std::io::{self, ErrorKind, Write};
use std::thread;
use std::time::{Duration, Instant};

use carrybit::host::Sender;
use carrybit::uci::{self, Activity, Event};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, ExternalPrinter, Helper};

use super::interrupts::Interrupts;

/// What stands before the line.
const PROMPT: &str = "carrybit> ";

/// How long the prompt waits for the answer to a line: one that comes later appears
/// above it.
const ANSWER_TIME: Duration = Duration::from_millis(200);

/// How often it is looked for what was typed while a tool runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The editor of lines.
pub(crate) struct Editor(rustyline::Editor<Words, DefaultHistory>);

impl Editor {
    /// # Errors
    /// The terminal cannot be used.
    pub(crate) fn new() -> io::Result<Editor> {
        let config =
            Config::builder().auto_add_history(true).completion_type(CompletionType::List).build();
        let mut editor = rustyline::Editor::with_config(config).map_err(io_error)?;
        editor.set_helper(Some(Words));
        Ok(Editor(editor))
    }

    /// A writer whose lines appear above the line being edited.
    pub(crate) fn printer(&mut self) -> Box<dyn Write> {
        match self.0.create_external_printer() {
            Ok(printer) => Box::new(Printer(printer)),
            // A terminal that cannot do it has no line to be edited either.
            Err(_) => Box::new(io::stdout()),
        }
    }

    /// Reads lines on a thread of its own and sends them to a dialogue, which tells what it
    /// is busy with. Ctrl-C stops that; if nothing is to be stopped, `interrupt` is called,
    /// and that is the end.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub(crate) fn spawn(
        mut self,
        events: Sender<Event>,
        activity: Receiver<Activity>,
        interrupts: Interrupts,
        interrupt: fn(&Sender<Event>),
    ) -> io::Result<()> {
        let read_all = move || {
            let end = loop {
                match self.0.readline(PROMPT) {
                    Ok(lines) => {
                        // Old news.
                        while activity.try_recv().is_ok() {}
                        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
                            let line = Event::Line(line.to_owned(), Instant::now());
                            if events.send(line).is_err() || !wait(&activity, &events) {
                                return;
                            }
                        }
                    }
                    Err(ReadlineError::Interrupted) if interrupts.stop() => wait_for_end(&activity),
                    Err(ReadlineError::Interrupted) => {
                        // Whoever waits for it to take what is to be printed waits no more.
                        drop(self);
                        return interrupt(&events);
                    }
                    Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                        // The line is lost; the bytes behind these are read on.
                        let _ = io::stdout().write_all(b"line ignored: it is not UTF-8\r\n");
                    }
                    Err(ReadlineError::Eof) => break Event::EndOfInput,
                    Err(ReadlineError::Signal(_)) => {}
                    Err(error) => break Event::InputFailed(io_error(error)),
                }
            };
            // If nobody listens, it is over already.
            let _ = events.send(end);
        };
        thread::Builder::new().name("reader".to_owned()).spawn(read_all)?;
        Ok(())
    }
}

/// Waits until the stopped work has ended, at most [`ANSWER_TIME`]: its last lines then
/// appear above the next prompt.
fn wait_for_end(activity: &Receiver<Activity>) {
    let end = Instant::now() + ANSWER_TIME;
    while activity.recv_deadline(end).is_ok_and(|now| now != Activity::Idle) {}
}

/// Waits until the last line is answered, and if it has started a tool, for the end of
/// that. Returns whether the dialogue goes on.
fn wait(activity: &Receiver<Activity>, events: &Sender<Event>) -> bool {
    let mut now = match activity.recv_timeout(ANSWER_TIME) {
        Ok(now) => now,
        Err(error) => return error == RecvTimeoutError::Timeout,
    };
    let mut typed = typed::Typed::default();
    while now == Activity::Working {
        match activity.recv_timeout(LOOK_EVERY) {
            Ok(news) => now = news,
            Err(RecvTimeoutError::Timeout) => typed.pass_on(events),
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

#[cfg(unix)]
mod typed {
    use std::io::{self, Read};
    use std::os::fd::AsFd;
    use std::time::Instant;

    use carrybit::host::Sender;
    use carrybit::uci::{Event, LineSplitter};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// More than the buffer of standard input, which is thus not used.
    const CHUNK: usize = 1 << 16;

    /// What is typed while no line is edited.
    #[derive(Default)]
    pub(super) struct Typed {
        splitter: LineSplitter,
        has_ended: bool,
    }

    impl Typed {
        /// Sends on the lines that were typed, if there are any.
        pub(super) fn pass_on(&mut self, events: &Sender<Event>) {
            let stdin = io::stdin();
            let mut wanted = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
            if self.has_ended || !poll(&mut wanted, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
            {
                return;
            }
            let mut chunk = vec![0; CHUNK];
            let length = stdin.lock().read(&mut chunk).unwrap_or_default();
            for line in self.splitter.feed(&chunk[..length]).into_iter().flatten() {
                // If nobody listens, it is over.
                let _ = events.send(Event::Line(line, Instant::now()));
            }
            if length == 0 {
                self.has_ended = true;
                let _ = events.send(Event::EndOfInput);
            }
        }
    }
}

#[cfg(not(unix))]
mod typed {
    use carrybit::host::Sender;
    use carrybit::uci::Event;

    /// What is typed while no line is edited waits for the next line.
    #[derive(Default)]
    pub(super) struct Typed;

    impl Typed {
        pub(super) fn pass_on(&mut self, _: &Sender<Event>) {}
    }
}

/// Writes lines above the line being edited.
struct Printer<P>(P);

impl<P: ExternalPrinter> Write for Printer<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        // The editor may have ended while it was to take the text.
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

/// What the Tab key completes.
struct Words;

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let (start, words) = uci::completions(&line[..position]);
        Ok((start, words.into_iter().map(|word| format!("{word} ")).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}

/// The same as an error of input or output.
fn io_error(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    }
}
