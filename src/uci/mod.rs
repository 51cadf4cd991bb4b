//! The dialogue with a GUI: the Universal Chess Interface, text in, text out.
//!
//! A reader thread turns input into lines, the search turns its progress into events,
//! and both send them into one channel. At its other end the [`Dialogue`] takes one event
//! after the other and waits for nothing else, except for the time to print what was held
//! back or how far the search has come, so that `isready` and `stop` are answered at once
//! and in order.
//!
//! Promises:
//!
//! * One `bestmove` for each `go`, and for `go infinite` and `go ponder` not before
//!   `stop` or `ponderhit`.
//! * A `position` during a search is for the next `go`; an option set during a search is
//!   applied when it has ended.
//! * A command that needs an idle engine (`go`, `ucinewgame`, `perft`, `bench`) stops
//!   what is running, lets it report, and is then obeyed before all lines that follow.
//! * `wait` holds back what follows it, except for `stop` and `ponderhit`: these act at
//!   once, and also on each search requested before them when its turn comes. So nothing
//!   waits for ever after a `stop`.
//! * No input makes it panic, and bad input changes nothing: an `info string` says what
//!   was ignored.
//! * A search that takes long says at least once a second how far it has come.
//! * It ends at `quit`, at the end of input, at an interrupt, and when its output is
//!   closed. `quit` and an interrupt end it at once; the end of input, and a `quit` behind
//!   a `wait`, first let everything finish that ends by itself. A problem with input or
//!   output is a [`Failure`].
//!
//! The way through this module: `reader` -> lines -> [`command`] (with [`position`] and
//! [`go`]) -> [`Dialogue`] -> `report` -> `output`. The crate `vampirc-uci` is used in
//! `wire` only, on behalf of [`command`] and `report`.

mod reader;

mod backlog;

pub mod command;

mod event;

mod lines;

pub mod parser;

pub mod position;

pub mod go;

pub mod arguments;

pub mod options;

mod job;

mod throttle;

mod report;

mod wire;

pub mod wdl;

mod output;

mod help;

pub mod journal;

pub use event::Event;
pub use lines::{LineSplitter, LineTooLong, MAX_LINE};

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::engine::Engine;
use crate::processor;
use crate::search::limits::SearchEvent;
use crate::search::params::{self, Param};
use crate::tools::{bench, genfens, perft};

use backlog::Backlog;
use command::{Command, CommandError};
use go::Go;
use job::{Job, ToolOutput, Work};
use options::{OPTIONS, Remark, Target};
use output::Output;
use position::Setup;
use report::Narrator;

/// How long a search stopped by the end of the dialogue has to give its move.
const FAREWELL: Duration = Duration::from_millis(50);

/// The same after an interrupt: whoever interrupts a search wants to know its move.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Why a dialogue ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user has interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// A line could not be obeyed, where none may be ignored.
    #[error("{0}")]
    Refused(String),
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    /// The output cannot be written, though it is not closed.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The thread that reads the input cannot be started.
    #[error("cannot start to read the input: {0}")]
    Reader(io::Error),
}

/// The state of a dialogue; `W` is where the answers go.
pub struct Dialogue<W: Write> {
    engine: Engine,
    output: Output<W>,
    outbox: Sender<Event>,
    inbox: Receiver<Event>,
    /// What is running.
    job: Option<Job>,
    /// Commands that have to wait until the job ends: the first one because it needs an
    /// idle engine, the others because they come after it.
    backlog: Backlog,
    /// Options set while the job runs, name and value.
    postponed: Vec<(String, String)>,
    show_wdl: bool,
    /// Whether unknown commands get a remark.
    debug: bool,
    /// The remark on the last input that was ignored, entirely or in part.
    refusal: Option<String>,
    input_ended: bool,
    input_error: Option<io::Error>,
    quit: bool,
    interrupted: bool,
}

impl<W: Write> Dialogue<W> {
    /// A dialogue that has not begun yet.
    pub fn new(output: W) -> Dialogue<W> {
        let (outbox, inbox) = unbounded();
        Dialogue {
            engine: Engine::new(),
            output: Output::new(output),
            outbox,
            inbox,
            job: None,
            backlog: Backlog::default(),
            postponed: Vec::new(),
            show_wdl: false,
            debug: false,
            refusal: None,
            input_ended: false,
            input_error: None,
            quit: false,
            interrupted: false,
        }
    }

    /// Where to send events for [`Dialogue::run`] to react to.
    pub fn events(&self) -> Sender<Event> {
        self.outbox.clone()
    }

    /// Talks to whoever writes `input` until the dialogue is over.
    ///
    /// # Errors
    /// The dialogue ended early.
    pub fn converse(&mut self, input: impl Read + Send + 'static) -> Result<(), Failure> {
        reader::spawn(input, self.events()).map_err(Failure::Reader)?;
        self.run()
    }

    /// Obeys the lines one after the other, waiting for each to be done. (A search
    /// without a limit ends only by an interrupt.)
    ///
    /// # Errors
    /// The dialogue ended early, at the latest at the first refusal.
    pub fn obey_all(&mut self, lines: &[String]) -> Result<(), Failure> {
        for line in lines {
            self.hear_line(line, Instant::now());
            while self.job.is_some() && !self.is_left() {
                self.attend();
            }
            if self.is_left() {
                break;
            }
            if let Some(refusal) = self.refusal.take() {
                return Err(Failure::Refused(refusal));
            }
        }
        self.leave()
    }

    /// Reacts to events until the dialogue is over. A search that is still running is
    /// then stopped and may give its move.
    ///
    /// # Errors
    /// The dialogue ended early.
    pub fn run(&mut self) -> Result<(), Failure> {
        while !self.is_over() {
            self.attend();
        }
        self.leave()
    }

    /// Stops what is running and lets it have its say. Returns how the dialogue ended.
    fn leave(&mut self) -> Result<(), Failure> {
        self.backlog.clear();
        self.postponed.clear();
        self.stop();
        let deadline = Instant::now() + if self.interrupted { LAST_WORDS } else { FAREWELL };
        while self.job.is_some() && !self.output.is_closed() {
            match self.inbox.recv_deadline(deadline) {
                Ok(
                    event @ (Event::Search(_)
                    | Event::ToolLine(_)
                    | Event::ToolFailed(_)
                    | Event::ToolFinished),
                ) => self.hear(event),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if let Some(error) = self.output.take_error() {
            return Err(Failure::Output(error));
        }
        if let Some(error) = self.input_error.take() {
            return Err(Failure::Input(error));
        }
        if self.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// Waits for an event and reacts to it, or prints what is due of the search: lines that
    /// have been held back for long enough, or how far it has come.
    fn attend(&mut self) {
        let due = self.narrator().and_then(|narrator| narrator.due(Instant::now()));
        // No event can only mean that the time has come, as the dialogue itself holds a
        // sender.
        let event = match due {
            Some(due) => self.inbox.recv_deadline(due).ok(),
            None => self.inbox.recv().ok(),
        };
        if let Some(event) = event {
            self.hear(event);
            return;
        }
        let progress = self.engine.progress();
        if let Some(narrator) = self.narrator() {
            let lines = narrator.go_on(progress, Instant::now());
            self.output.say_all(lines);
        }
    }

    /// The narrator of the search that is running, if any.
    fn narrator(&mut self) -> Option<&mut Narrator> {
        match &mut self.job {
            Some(Job { work: Work::Search(narrator), .. }) => Some(narrator),
            _ => None,
        }
    }

    /// Reacts to one event.
    pub fn hear(&mut self, event: Event) {
        match event {
            Event::Line(line, at) => self.hear_line(&line, at),
            Event::Overlong(problem) => self.refuse(problem.to_string()),
            Event::EndOfInput => self.input_ended = true,
            Event::InputFailed(error) => {
                self.input_ended = true;
                self.input_error = Some(error);
            }
            Event::Interrupt => self.interrupted = true,
            Event::Search(event) => self.hear_search(event),
            Event::ToolLine(line) => self.output.say(&line),
            Event::ToolFailed(problem) => self.refuse(problem),
            Event::ToolFinished => {
                if self.job.as_ref().is_some_and(Job::is_stopping) {
                    self.output.remark("stopped");
                }
                self.end_job();
            }
        }
        let runs_on = self.job.as_ref().is_some_and(|job| !job.will_end());
        if runs_on && (self.input_ended || self.backlog.has_quit()) {
            self.stop();
        }
    }

    /// Whether there is nothing left to do.
    fn is_over(&self) -> bool {
        self.is_left() || (self.input_ended && self.job.is_none())
    }

    /// Whether one side has left: by `quit`, by an interrupt, or by closing the output.
    fn is_left(&self) -> bool {
        self.quit || self.interrupted || self.output.is_closed()
    }

    fn hear_line(&mut self, line: &str, at: Instant) {
        self.output.heard(line, at);
        match parser::parse(line) {
            // Behind a `wait` it takes its turn.
            Ok(Command::Quit) if !self.backlog.has_wait() => self.quit = true,
            Ok(command) => {
                self.backlog.push(command, at);
                self.catch_up();
            }
            Err(CommandError::Unknown(_)) if !self.debug => {}
            Err(error) => self.refuse(error.to_string()),
        }
    }

    /// Obeys the waiting commands in order, up to one that has to wait until the job has
    /// ended.
    fn catch_up(&mut self) {
        while !self.quit
            && let Some(next) = self.backlog.next()
        {
            if self.job.is_some() && needs_idle_engine(next) {
                self.hasten();
                return;
            }
            if let Some((command, at)) = self.backlog.pop() {
                self.obey(command, at);
            }
        }
    }

    /// Stops the job if the next command does not wait for it, or if there is a `stop`
    /// for it.
    fn hasten(&mut self) {
        let waits = self.backlog.next() == Some(&Command::Wait);
        if waits && self.backlog.has_ponder_hit() {
            self.ponder_hit();
        }
        if !waits || self.backlog.has_stop() {
            self.stop();
        }
    }

    /// Obeys a command. The engine is idle if the command needs that.
    fn obey(&mut self, command: Command, at: Instant) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.ready(),
            Command::Debug(on) => self.debug = on,
            Command::SetOption { name, value } if self.job.is_some() => {
                self.postponed.push((name, value));
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::NewGame => {
                self.engine.clear();
                self.prepare();
            }
            Command::Position(setup) => self.set_up(&setup),
            Command::Go(go) => self.go(&go, at),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => self.quit = true,
            Command::Perft(depth) => self.perft(depth),
            Command::Genfens(order) => self.genfens(order),
            Command::Bench { depth, threads, hash_mb } => self.bench(depth, threads, hash_mb),
            Command::Display => self.display(),
            Command::Evaluate => self.evaluate(),
            Command::Params => self.params(),
            Command::Help => self.output.say_all(help::text().lines()),
            Command::Wait => self.backlog.take_as_new(),
            Command::Register => {}
        }
    }

    /// Takes what the next search needs before its clock runs.
    fn prepare(&mut self) {
        for note in self.engine.prepare() {
            self.output.remark(&note);
        }
    }

    /// Answers once the engine is ready to search. A search under way goes on.
    fn ready(&mut self) {
        if self.narrator().is_none() {
            self.prepare();
        }
        self.output.say("readyok");
    }

    /// Says who we are and what can be set.
    fn introduce(&mut self) {
        let instructions = format!("vector instructions: {}", processor::level());
        let mut notes = vec![instructions, options::evaluation(&self.engine)];
        notes.extend(processor::refusal());
        #[cfg_attr(
            not(feature = "spsa"),
            expect(unused_mut, reason = "a tuning build has more to say")
        )]
        let mut lines = wire::introduction(&OPTIONS, &notes);
        #[cfg(feature = "spsa")]
        {
            let first_note = lines.len() - 1 - notes.len();
            lines.splice(first_note..first_note, options::tuning::declarations());
        }
        self.output.say_all(lines);
    }

    fn hear_search(&mut self, event: SearchEvent) {
        let Some(narrator) = self.narrator() else {
            log::error!("an event of a search that nobody started: {event:?}");
            return;
        };
        match event {
            SearchEvent::Report(report) => {
                let lines = narrator.report(report, Instant::now());
                self.output.say_all(lines);
            }
            SearchEvent::Note(text) => self.output.remark(&text),
            SearchEvent::Finished(outcome) => {
                let lines = narrator.finish(&outcome, Instant::now());
                self.output.say_all(lines);
                self.engine.wait();
                self.end_job();
            }
        }
    }

    /// Does what had to wait until the engine is idle.
    fn end_job(&mut self) {
        self.job = None;
        for (name, value) in std::mem::take(&mut self.postponed) {
            self.set_option(&name, &value);
        }
        self.catch_up();
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let mut target = Target {
            engine: &mut self.engine,
            show_wdl: &mut self.show_wdl,
            journal: &mut self.output.journal,
        };
        for remark in options::set(name, value, &mut target) {
            match remark {
                Remark::Note(text) => self.output.remark(&text),
                Remark::Notes(lines) => lines.iter().for_each(|line| self.output.remark(line)),
                Remark::Refusal(text) => self.refuse(text),
            }
        }
    }

    /// Says that input is ignored, entirely or in part.
    fn refuse(&mut self, problem: String) {
        self.output.remark(&problem);
        self.refusal = Some(problem);
    }

    fn set_up(&mut self, setup: &Setup) {
        match setup.game() {
            Ok((game, problems)) => {
                self.engine.set_game(game);
                problems.into_iter().for_each(|problem| self.refuse(problem));
            }
            Err(problem) => self.refuse(problem),
        }
    }

    fn go(&mut self, go: &Go, at: Instant) {
        if !go.ignored.is_empty() {
            let ignored = go.ignored.join(", ");
            self.refuse(format!("not understood in go: {ignored}"));
        }
        let root = self.engine.game().board().clone();
        let illegal = go.illegal_search_moves(&root);
        if !illegal.is_empty() {
            self.refuse(format!("illegal searchmoves: {}", illegal.join(", ")));
        }
        let limits = go.limits(&root);
        let chess960 = self.engine.settings().chess960;
        let narrator = Narrator::new(root, chess960, self.show_wdl, Instant::now());
        self.job = Some(Job::search(narrator, &limits));
        let events = self.events();
        self.engine.go(limits, at, move |event| {
            // If the dialogue is over, nobody is waiting for it.
            let _ = events.send(Event::Search(event));
        });
    }

    fn stop(&mut self) {
        if let Some(job) = &mut self.job {
            job.stop();
            self.engine.stop();
        }
    }

    fn ponder_hit(&mut self) {
        if let Some(job) = &mut self.job {
            job.ponder_hit();
            self.engine.ponderhit();
        }
    }

    fn perft(&mut self, depth: u32) {
        let board = self.engine.game().board().clone();
        let chess960 = self.engine.settings().chess960;
        self.start_tool("perft", move |stop, output| {
            perft::run(&board, depth, chess960, stop, output)
        });
    }

    fn genfens(&mut self, order: genfens::Order) {
        let network = Arc::clone(self.engine.network());
        self.start_tool("genfens", move |stop, output| genfens::run(&order, network, stop, output));
    }

    fn bench(&mut self, depth: Option<i32>, threads: Option<usize>, hash_mb: Option<usize>) {
        let depth = depth.unwrap_or(bench::DEPTH);
        let hash_mb = hash_mb.unwrap_or(bench::HASH_MB);
        let threads = threads.unwrap_or(bench::THREADS);
        self.start_tool("bench", move |stop, output| {
            bench::run(depth, threads, hash_mb, stop, output)
        });
    }

    /// Lists the search parameters, if this build can set them: whoever tuned another one
    /// would have the engine play against its equal.
    fn params(&mut self) {
        if cfg!(feature = "spsa") {
            self.output.say_all(params::ALL.iter().map(Param::spsa_line));
        } else {
            self.refuse(
                "params ignored: this build cannot set any; build it with `make SPSA=1` or \
                 `--features spsa`"
                    .to_owned(),
            );
        }
    }

    fn start_tool<E: Display>(
        &mut self,
        name: &'static str,
        tool: impl FnOnce(&Arc<AtomicBool>, &mut ToolOutput) -> Result<(), E> + Send + 'static,
    ) {
        match Job::tool(name, self.events(), tool) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.refuse(format!("cannot start {name}: {error}")),
        }
    }

    fn evaluate(&mut self) {
        self.output.say_all(self.engine.evaluate_text().lines());
        let shown = wdl::shown_cp(100, wdl::material(self.engine.game().board()));
        self.output.say(&format!("A search from here shows 100 cp of the evaluation as {shown}"));
        if self.engine.game().board().in_check() {
            self.output
                .say("The side to move is in check: a search looks further before it evaluates");
        }
    }

    fn display(&mut self) {
        let board = self.engine.game().board().clone();
        self.output.say_all(board.to_string().lines());
        self.output.say(&format!("Key: {:016x}", board.key()));
        let checkers: String = board.checkers().map(|sq| format!(" {sq}")).collect();
        self.output.say(&format!("Checkers:{checkers}"));
    }
}

/// Whether a command cannot be obeyed while something is running. All of these but `wait`
/// stop it.
fn needs_idle_engine(command: &Command) -> bool {
    matches!(
        command,
        Command::Go(_)
            | Command::NewGame
            | Command::Perft(_)
            | Command::Genfens(_)
            | Command::Bench { .. }
            | Command::Wait
    )
}
