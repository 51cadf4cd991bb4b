//! The Universal Chess Interface: a dialogue with a GUI, text in, text out.
//!
//! Three threads take turns with the [`Dialogue`], which one lock guards. The reader runs
//! each line when it comes; the search thread prints its `bestmove`; the main thread prints the
//! reports of the search, pending lines and statistics. No thread waits for another one
//! while it has the lock, so a GUI that reads slowly does not stop the search. `isready`
//! and `stop` are answered in order. Neither a line nor a move has to
//! wait until another thread is scheduled, which takes time on a busy processor.
//!
//! Promises:
//!
//! * One `bestmove` for each `go`, and for `go infinite` and `go ponder` not before
//!   `stop` or `ponderhit`.
//! * A `position` during a search is for the next `go`. If a position was refused, `go` prints
//!   `bestmove (none)` until a `position` is accepted or a new game begins.
//! * An option set during a search is applied when it has ended, but `UCI_Chess960` at once, because
//!   `position` depends on it.
//! * `readyok` comes when the next search costs no page faults, but before a `go`, `stop`, `quit` or
//!   the end of the input is obeyed. A `go` never waits.
//! * A command that needs an idle engine (`go`, `ucinewgame`, `perft`, `bench`) stops a
//!   running search. It runs after the `bestmove` of that search and before all later
//!   commands. A tool (`perft`, `bench`) runs to its end unless there is a `stop`.
//! * `wait` delays the commands after it, except for `stop` and `ponderhit`: these act at
//!   once on the running search, and on each queued search as soon as it starts. So nothing
//!   waits forever after a `stop`.
//! * No input makes it panic, and bad input changes nothing: an `info string` names the
//!   ignored words.
//! * A long search prints nodes and speed at least once a second.
//! * It ends at `quit`, at the end of input, at an interrupt, and when its output is
//!   closed. `quit` stops a search, but the commands before it run first, tools to their end. The
//!   end of input, and a `quit` after a `wait`, first wait for everything that ends by itself.
//!   An interrupt ends it at once. A problem with input or output is a [`Failure`].
//!
//! The arguments of the process form lines, each of which runs to its end (see
//! [`arguments`]). For a person (see [`terminal`](crate::terminal)) the dialogue explains lines
//! that cannot be run, plays moves, and replies to them on request (`play`). A person's next
//! command stops a tool, and `quit` ends it at once.
//!
//! The way through this module: `event_loop` (it has the threads) -> `lines` -> [`parser`] (with
//! [`position`] and [`go`]) -> [`Dialogue`] -> `report` -> `output`.

pub mod arguments;
#[cfg(not(target_family = "wasm"))]
mod event_loop;
mod format;
mod game;
pub mod go;
mod lines;
pub mod options;
mod output;
pub mod parser;
pub mod position;
mod report;
mod schedule;
mod tools;

pub use lines::{LineSplitter, MAX_LINE};
pub use parser::{command_meanings, completions};

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;
use crossbeam_utils::sync::Parker;

use crate::engine::Engine;
use crate::host::{Instant, Sender, channel};
use crate::search::report::SearchEvent;
use crate::sys::encoding;
use crate::terminal::{Activity, Mode, Terminal, show};
use carrybit_board::{CastlingMode, Color};

use go::Go;
use options::OPTIONS;
use output::Output;
use parser::{Command, CommandError};
use report::InfoPrinter;
use schedule::{Backlog, Job, JobKind};

/// An event that the dialogue handles.
#[derive(Debug)]
pub enum Event {
    /// A line of input, and when it was read; `None` if it was too long.
    Line(Option<String>, Instant),
    /// There will be no more lines, perhaps because they cannot be read.
    EndOfInput(Option<io::Error>),
    /// The user interrupts the program.
    Interrupt,
    /// A problem of the engine, in words for the user.
    Problem(String),
    /// An event of the search.
    Search(SearchEvent),
    /// A line of a tool's output.
    ToolLine(String),
    /// Progress of a tool: done and total.
    ToolProgress(u64, u64),
    /// A tool has ended, perhaps with an error.
    ToolFinished(Option<String>),
}

/// How far a dialogue is, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Lines may come.
    Open,
    /// The input has ended; what was requested goes on.
    InputEnded,
    /// It ends without waiting for a job.
    Quit,
    /// The job is stopped, and lines are ignored.
    ShuttingDown,
}

/// The reason for which a dialogue failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum Failure {
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Refused(String),
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    #[error("cannot start the thread that reads the input: {0}")]
    Reader(io::Error),
}

/// The state of a dialogue.
pub struct Dialogue {
    engine: Engine,
    terminal: Terminal,
    output: Output,
    outbox: Sender<Event>,
    inbox: Receiver<Event>,
    /// Sleeps until there is an event. Taken by the thread that waits for events.
    parker: Option<Parker>,
    /// Prints `bestmove` on the search thread, which saves a context switch.
    finish_search: Option<Arc<dyn Fn(Event) + Send + Sync>>,
    job: Option<Job>,
    backlog: Backlog,
    /// The last value of each option set while the job runs, name and value.
    postponed_options: Vec<(String, String)>,
    /// Whether unknown commands are reported.
    debug: bool,
    /// How castling is printed.
    castling_mode: CastlingMode,
    /// Whether scores are printed with the chances of win, draw and loss.
    show_wdl: bool,
    /// Why the last position was refused, so that the engine has the one before.
    refused_position: Option<String>,
    /// The limits for replies to the moves of a person, and the engine's side.
    auto_reply: Option<(Go, Color)>,
    /// The side at the bottom of the board that a person sees.
    view: Color,
    /// The side that has resigned the game.
    resigned: Option<Color>,
    /// A message to be printed when the next search begins: some clients take any line between
    /// two searches for a problem.
    deferred_message: Option<String>,
    phase: Phase,
    failure: Option<Failure>,
}

impl Dialogue {
    /// A new dialogue, which writes its answers to `output`.
    pub fn new(output: impl Write + Send + 'static, terminal: Terminal) -> Dialogue {
        let (outbox, inbox) = channel();
        let (inbox, parker) = inbox.split();
        let problems = outbox.clone();
        Dialogue {
            engine: Engine::with_reporter(move |problem| {
                // Ignore the error: the dialogue may be over.
                let _ = problems.send(Event::Problem(problem));
            }),
            output: Output::new(output, &terminal),
            terminal,
            outbox,
            inbox,
            parker: Some(parker),
            finish_search: None,
            job: None,
            backlog: Backlog::default(),
            postponed_options: Vec::new(),
            debug: false,
            castling_mode: CastlingMode::Standard,
            show_wdl: false,
            refused_position: None,
            auto_reply: None,
            view: Color::White,
            resigned: None,
            deferred_message: None,
            phase: Phase::Open,
            failure: None,
        }
    }

    /// The sender of events.
    pub fn events(&self) -> Sender<Event> {
        self.outbox.clone()
    }

    fn activity(&self) -> Activity {
        match self.job.as_ref().map(|job| &job.kind) {
            _ if self.phase == Phase::ShuttingDown => Activity::Over,
            None | Some(JobKind::IsReady) => Activity::Idle,
            Some(JobKind::Search(_) | JobKind::Reply(_) | JobKind::Hint(_)) => Activity::Searching,
            Some(JobKind::Tool(_)) => Activity::Working,
        }
    }

    /// The activity for the prompt: a search that ends because a tool is next belongs to the tool, or
    /// the prompt would be shown when the tool begins.
    fn shown_activity(&self) -> Activity {
        match self.activity() {
            Activity::Searching if self.backlog.is_tool_next() => Activity::Working,
            activity => activity,
        }
    }

    fn show_activity(&self) {
        if let Some(show) = &self.terminal.on_activity {
            show(self.shown_activity());
        }
    }

    fn show_progress(&mut self, progress: Option<(u64, u64)>) {
        if let Some(show) = &mut self.terminal.on_progress {
            show(progress);
        }
    }

    fn printer(&mut self) -> Option<&mut InfoPrinter> {
        match &mut self.job {
            Some(Job { kind: JobKind::Search(printer), .. }) => Some(printer),
            _ => None,
        }
    }

    /// Handles all pending events, and ends the dialogue if it is over. Returns whether it
    /// goes on.
    #[cfg(target_family = "wasm")]
    pub fn poll(&mut self) -> bool {
        self.handle_events();
        if !self.is_over() {
            return true;
        }
        self.drop_commands();
        self.job.is_some()
    }

    /// Stops the job and drops the commands and options that wait for its end.
    fn drop_commands(&mut self) {
        self.backlog = Backlog::default();
        self.postponed_options.clear();
        self.stop();
    }

    /// Handles all pending events, and prints the lines of the search that are due.
    fn handle_events(&mut self) {
        while let Ok(event) = self.inbox.try_recv() {
            self.handle(event);
        }
        self.check_ready();
        let is_closed = self.terminal.is_output_closed;
        if self.awaits_ready() && is_closed.is_some_and(|is_closed| is_closed()) {
            self.output.is_closed = true;
        }
        let now = Instant::now();
        if self.printer().and_then(|printer| printer.due(now)).is_some_and(|due| due <= now) {
            let snapshot = self.engine.snapshot();
            if let Some(printer) = self.printer() {
                let lines = printer.poll(snapshot, now);
                self.output.print_all(lines);
            }
        }
    }

    /// Handles one event.
    pub fn handle(&mut self, event: Event) {
        let before = self.shown_activity();
        let is_line = matches!(event, Event::Line(..));
        match event {
            Event::Line(..) if self.phase == Phase::ShuttingDown => {}
            Event::Line(Some(line), at) => self.handle_line(&line, at),
            Event::Line(None, _) => {
                self.refuse(&format!("a line of more than {MAX_LINE} bytes is ignored"));
            }
            Event::EndOfInput(error) => {
                self.phase = self.phase.max(Phase::InputEnded);
                self.failure = error.map(Failure::Input).or(self.failure.take());
            }
            Event::Interrupt => {
                self.quit();
                self.failure = Some(Failure::Interrupted);
            }
            Event::Problem(problem) => self.output.message(&problem),
            Event::Search(event) => self.handle_search(event),
            Event::ToolLine(line) => self.output.print(&line),
            Event::ToolProgress(done, total) => self.show_progress(Some((done, total))),
            Event::ToolFinished(problem) => {
                if let Some(problem) = problem {
                    self.refuse(&problem);
                }
                if self.job.as_ref().is_some_and(|job| job.is_stopping) {
                    self.output.message("stopped");
                }
                self.end_job();
            }
        }
        self.check_ready();
        self.stop_endless();
        if (is_line || self.shown_activity() != before) && !self.ends_at_once() {
            self.show_activity();
        }
    }

    fn is_over(&self) -> bool {
        self.ends_at_once() || (self.phase >= Phase::InputEnded && self.job.is_none())
    }

    /// Whether the dialogue ends without waiting for the job.
    fn ends_at_once(&self) -> bool {
        self.phase >= Phase::Quit || self.output.is_closed
    }

    fn quit(&mut self) {
        self.phase = self.phase.max(Phase::Quit);
    }

    fn handle_line(&mut self, line: &str, at: Instant) {
        self.output.log(">>", &encoding::shown(line), at.elapsed());
        let is_person = self.terminal.mode == Mode::Person;
        let command = if is_person { parser::parse_typed(line) } else { parser::parse(line) };
        match command {
            // WinBoard has commands of these names, and a GUI may try them.
            Ok(Command::Hint | Command::Level(_) | Command::Resign)
                if self.terminal.mode == Mode::Program => {}
            Ok(Command::Quit) if !self.quit_must_wait() => self.quit(),
            Ok(command) => {
                self.backlog.push(command, at, line.len());
                self.run_backlog();
            }
            Err(CommandError::Unknown) if !self.debug => {}
            Err(CommandError::Unknown) => self.refuse(&format!("unknown command: {line}")),
            Err(CommandError::Refused(problem)) => self.refuse(&problem),
        }
    }

    /// Runs a command. The engine is idle if the command needs that.
    fn run(&mut self, command: Command, at: Instant) {
        let has_colour = self.terminal.has_colour;
        match command {
            Command::Uci => self.print_id(),
            Command::IsReady => self.answer_when_ready(),
            Command::Debug(on) => self.debug = on,
            // It applies to the next `position`; a running job has its own copy.
            Command::SetOption { name, value }
                if self.job.is_some()
                    && !name.eq_ignore_ascii_case("UCI_Chess960")
                    && options::accepts(&name, &value) =>
            {
                self.postponed_options.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                self.postponed_options.push((name, value));
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Register => {}
            Command::NewGame => self.begin_game(),
            Command::Position(setup) => self.set_position(setup.as_ref()),
            Command::Go(go) => self.go(&go, at),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(at),
            Command::Quit => self.quit(),
            Command::Wait => self.backlog.resume(),
            Command::Tool(tool) => self.run_tool(tool),
            Command::Params => self.list_params(),
            Command::Play(go) => self.play(go, at),
            Command::PlayOff => self.auto_reply = None,
            Command::Moves(moves) => self.play_moves(&moves, at),
            Command::Undo => self.undo(),
            Command::Flip => self.flip(),
            Command::Mirror => self.mirror(),
            Command::Level(level) => self.set_level(level),
            Command::Hint => self.hint(at),
            Command::Resign => self.resign(),
            Command::Pgn(path) => self.save_game(&path),
            Command::Restart => self.restart(),
            Command::ListMoves => {
                self.output.print_all(show::moves(self.board(), self.castling_mode));
            }
            Command::Display => {
                self.output.print_all(show::position(&self.engine, self.view, has_colour));
            }
            Command::Evaluate => self.output.print_all(show::evaluation(&self.engine, has_colour)),
            Command::Help { options: true } => {
                let options = OPTIONS.iter().map(|option| (option.usage(), option.meaning));
                let introduction = "Options, set by setoption name <name> value <value>:";
                self.output.print_all(show::help(introduction, options));
            }
            Command::Help { .. } => {
                let commands = parser::COMMANDS.iter().filter_map(|command| {
                    let (arguments, meaning) = command.help?;
                    Some((format!("{} {arguments}", command.word), meaning))
                });
                let introduction = "At a terminal, type e4 to play a move, play for the engine's \
                    reply, or a FEN to set a position. To analyse, type go, or go movetime 5000, and \
                    stop when you have seen enough; quit to leave. Commands besides those of UCI:";
                self.output.print_all(show::help(introduction, commands));
            }
        }
    }

    fn print_id(&mut self) {
        let mut notes = vec![
            format!("vector instructions: {}", carrybit_board::cpu::level()),
            format!("evaluation: {}", self.engine.network()),
        ];
        notes.extend(carrybit_board::cpu::env_error());
        let params = cfg!(feature = "spsa").then(options::tuning::declarations);
        self.output.print_all(format::id_lines(params.into_iter().flatten(), &notes));
    }

    fn handle_search(&mut self, event: SearchEvent) {
        match (event, self.job.as_mut().map(|job| &mut job.kind)) {
            (SearchEvent::Report(report), Some(JobKind::Search(printer))) => {
                let lines = printer.report(report, Instant::now());
                self.output.print_all(lines);
            }
            (SearchEvent::Report(report), Some(JobKind::Reply(last) | JobKind::Hint(last))) => {
                if report.replaces(last.as_ref().map_or(&[], |last| &last.pv)) {
                    *last = Some(report);
                }
            }
            (SearchEvent::Finished(answer), Some(JobKind::Search(printer))) => {
                // `tests/uci/hammer.rs` reads it.
                log::debug!(target: "carrybit::hash", "{} MB", self.engine.hash_mb());
                let lines = printer.finish(&answer, Instant::now());
                self.output.print_all(lines);
                self.engine.conclude();
                self.end_job();
            }
            (SearchEvent::Finished(answer), Some(JobKind::Reply(last))) => {
                if let Some(best) = answer.best {
                    let text = show::reply(self.engine.game().board(), best, last.as_ref());
                    self.finish_reply(best, &text);
                }
                self.engine.conclude();
                self.end_job();
            }
            (SearchEvent::Finished(answer), Some(JobKind::Hint(last))) => {
                if let Some(best) = answer.best {
                    let text = show::reply(self.engine.game().board(), best, last.as_ref());
                    self.output.print(&format!("Hint: {text}"));
                }
                self.engine.conclude();
                self.end_job();
            }
            (event, _) => log::error!("event without a search: {event:?}"),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        options::set(self, name, value);
        if self.terminal.mode != Mode::Program {
            self.print_deferred_message();
        }
    }

    /// Reports ignored input. In an argument it is a failure, and no further argument runs.
    fn refuse(&mut self, problem: &str) {
        let problem = encoding::shown(problem);
        if self.terminal.mode != Mode::Arguments {
            return self.output.message(&problem);
        }
        self.failure = Some(Failure::Refused(match self.failure.take() {
            Some(Failure::Refused(before)) => format!("{before}; {problem}"),
            _ => problem,
        }));
    }

    fn stop(&mut self) {
        if let Some(job) = &mut self.job {
            job.is_stopping = true;
            if let JobKind::Tool(stop) = &job.kind {
                stop.store(true, Ordering::Relaxed);
            }
            self.engine.stop();
        }
    }

    fn ponder_hit(&mut self, at: Instant) {
        if let Some(job) = &mut self.job {
            job.is_pondering = false;
            self.engine.ponderhit(at);
        }
    }
}
