//! The dialogue with a GUI: the Universal Chess Interface, text in, text out.
//!
//! Three threads take turns with the [`Dialogue`], which one lock guards. The reader obeys
//! each line at once; the search thread prints its `bestmove`; the main thread prints what
//! the search reports, what was held back and how far the search has come. None of them
//! waits for another one while it has the lock. So `isready` and `stop` are answered at
//! once and in order, and where the processor is busy, a line or a move does not wait until
//! one more thread gets its turn.
//!
//! Promises:
//!
//! * One `bestmove` for each `go`, and for `go infinite` and `go ponder` not before
//!   `stop` or `ponderhit`.
//! * A `position` during a search is for the next `go`; an option set during a search is
//!   applied when it has ended.
//! * A command that needs an idle engine (`go`, `ucinewgame`, `perft`, `bench`) stops a
//!   search that is running, lets it report, and is then obeyed before all lines that
//!   follow. A tool (`perft`, `bench`), which ends by itself, is waited for until `stop`.
//! * `wait` holds back what follows it, except for `stop` and `ponderhit`: these act at
//!   once, and also on each search requested before them when its turn comes. So nothing
//!   waits for ever after a `stop`.
//! * No input makes it panic, and bad input changes nothing: an `info string` says what
//!   was ignored.
//! * A search that takes long says at least once a second how far it has come.
//! * It ends at `quit`, at the end of input, at an interrupt, and when its output is
//!   closed. `quit` stops a search, but waits for the tools requested before it; the end of
//!   input, and a `quit` behind a `wait`, first let everything finish that ends by itself.
//!   An interrupt ends it at once. A problem with input or output is a [`Failure`].
//!
//! To a person at a terminal ([`Dialogue::serve_person`]) it explains what it cannot obey
//! instead of ignoring it, plays the moves that are typed, and answers them on request
//! (`play`). The next command stops a tool, and `quit` ends it at once. A GUI sees none of
//! this.
//!
//! The way through this module: `reader` -> lines -> [`command`] (with [`position`] and
//! [`go`]) -> [`Dialogue`] -> `report` -> `output`. The crate `vampirc-uci` is used in
//! `wire` only, on behalf of [`command`] and `report`.

#[cfg(not(target_family = "wasm"))]
mod reader;

#[cfg(not(target_family = "wasm"))]
mod waiting;

#[cfg(target_family = "wasm")]
mod hosted;

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

mod schedule;

mod wire;

pub mod wdl;

mod output;

mod help;

mod audience;

mod completion;

mod failure;

mod game;

mod hints;

mod opponent;

mod paint;

mod person;

pub mod record;

mod show;

mod spelling;

mod tools;

pub mod journal;

pub use audience::{Activity, Progress, ShowActivity, ShowProgress, Terminal};
pub use completion::completions;
pub use event::Event;
pub use failure::Failure;
pub use lines::{LineSplitter, LineTooLong, MAX_LINE};

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;
use crossbeam_utils::sync::Parker;

use crate::engine::Engine;
use crate::host::{Instant, Sender, channel};
use crate::search::limits::SearchEvent;
use crate::sys::cpu;
use crate::sys::encoding;

use audience::Audience;
use backlog::Backlog;
use command::{Command, CommandError};
use job::{Job, Work};
use opponent::Opponent;
use options::{OPTIONS, Remark, Target};
use output::Output;
use record::Record;

/// How often the main thread looks at the dialogue while searches come and go.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// For how long after a search the main thread looks for the next one.
const LOOK_FOR: Duration = Duration::from_secs(5);

/// Reacts to an event on the thread that calls it.
type FinishSearch = Arc<dyn Fn(Event) + Send + Sync>;

/// The state of a dialogue; `W` is where the answers go.
pub struct Dialogue<W: Write> {
    engine: Engine,
    audience: Audience,
    terminal: Terminal,
    output: Output<W>,
    outbox: Sender<Event>,
    inbox: Receiver<Event>,
    /// Sleeps until there is an event. Taken by the thread that waits for events.
    parker: Option<Parker>,
    /// Reacts to the end of a search on the search thread, if that may.
    finish_search: Option<FinishSearch>,
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
    /// The game that the engine's position is from.
    record: Record,
    /// Whether the last position was refused, so that the engine has the one before.
    is_outdated: bool,
    /// The engine as the one who answers each move of a person, if it does.
    opponent: Option<Opponent>,
    /// What a GUI is told when the next search begins.
    news: Option<String>,
    /// Why arguments were ignored, entirely or in part.
    refusals: Vec<String>,
    input_ended: bool,
    input_error: Option<io::Error>,
    quit: bool,
    interrupted: bool,
    /// Whether the next command does without a preparation, as one has just ended.
    goes_ahead: bool,
    /// Until when the main thread looks for a search that has begun. To wake it for one
    /// would take the processor from the search.
    looks_until: Instant,
    /// Whether the main thread sleeps until it is woken.
    sleeps: bool,
    /// Whether lines are ignored, as the dialogue is about to end.
    has_ended: bool,
}

impl<W: Write> Dialogue<W> {
    /// A dialogue that has not begun yet.
    pub fn new(output: W) -> Dialogue<W> {
        let (outbox, inbox) = channel();
        let (inbox, parker) = inbox.split();
        Dialogue {
            engine: Engine::new(),
            audience: Audience::default(),
            terminal: Terminal::default(),
            output: Output::new(output),
            outbox,
            inbox,
            parker: Some(parker),
            finish_search: None,
            job: None,
            backlog: Backlog::default(),
            postponed: Vec::new(),
            show_wdl: false,
            debug: false,
            record: Record::default(),
            is_outdated: false,
            opponent: None,
            news: None,
            refusals: Vec::new(),
            input_ended: false,
            input_error: None,
            quit: false,
            interrupted: false,
            goes_ahead: false,
            looks_until: Instant::now(),
            sleeps: false,
            has_ended: false,
        }
    }

    /// Where to send events for [`Dialogue::run`] to react to.
    pub fn events(&self) -> Sender<Event> {
        self.outbox.clone()
    }

    /// Uses what the terminal at the other end can do.
    pub fn attach(&mut self, terminal: Terminal) {
        self.terminal = terminal;
    }

    /// What it is busy with.
    fn activity(&self) -> Activity {
        match self.job.as_ref().map(|job| &job.work) {
            None | Some(Work::Preparation) => Activity::Idle,
            Some(Work::Search(_) | Work::Reply(_)) => Activity::Searching,
            Some(Work::Tool(_)) => Activity::Working,
        }
    }

    /// The narrator of the search that is running, if any.
    fn narrator(&mut self) -> Option<&mut report::Narrator> {
        match &mut self.job {
            Some(Job { work: Work::Search(narrator), .. }) => Some(narrator),
            _ => None,
        }
    }

    /// When there is something to do without an event, if ever.
    fn due(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let search_due = self.narrator().map(|narrator| narrator.due(now));
        let looks = search_due.is_some() || now < self.looks_until;
        let look_due = looks.then(|| now + LOOK_EVERY);
        let due = [search_due.flatten(), look_due].into_iter().flatten().min();
        self.sleeps = due.is_none();
        due
    }

    /// Reacts to all events, and prints what is due of the search: lines that have been
    /// held back for long enough, or how far it has come.
    fn attend(&mut self) {
        while let Ok(event) = self.inbox.try_recv() {
            self.hear(event);
        }
        let now = Instant::now();
        if self.narrator().and_then(|narrator| narrator.due(now)).is_some_and(|due| due <= now) {
            self.narrate();
        }
    }

    /// Prints what is due of the search that is running.
    fn narrate(&mut self) {
        let snapshot = self.engine.snapshot();
        if let Some(narrator) = self.narrator() {
            let lines = narrator.go_on(snapshot, Instant::now());
            self.output.say_all(lines);
        }
    }

    /// Reacts to one event.
    pub fn hear(&mut self, event: Event) {
        let before = self.activity();
        let is_line = matches!(event, Event::Line(..) | Event::Overlong(_));
        match event {
            Event::Line(..) | Event::Overlong(_) if self.has_ended => {}
            Event::Line(line, at) => self.hear_line(&line, at),
            Event::Overlong(problem) => self.refuse(problem.to_string()),
            Event::EndOfInput => self.input_ended = true,
            Event::InputFailed(error) => {
                self.input_ended = true;
                self.input_error = Some(error);
            }
            Event::Interrupt => self.interrupted = true,
            Event::Prepared => self.hear_prepared(),
            Event::Search(event) => self.hear_search(event),
            Event::ToolLine(line) => self.output.say(&line),
            Event::ToolFailed(problem) => self.refuse(problem),
            Event::ToolProgress(progress) => self.terminal.show(Some(progress)),
            Event::ToolFinished => {
                if self.job.as_ref().is_some_and(Job::is_stopping) {
                    self.output.remark("stopped");
                }
                self.end_job();
            }
        }
        let runs_on = self.job.as_ref().is_some_and(|job| !job.will_end());
        if runs_on && (self.input_ended || self.backlog.has_quit() || self.backlog.is_full()) {
            self.stop();
        }
        let now = self.activity();
        if (is_line || now != before) && !self.is_left() {
            self.terminal.tell(now);
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
        self.output.heard(&encoding::shown(line), at);
        let heard = match self.audience {
            Audience::Person => person::parse(line),
            _ => parser::parse(line),
        };
        match heard {
            Ok(Command::Quit) if !self.must_quit_wait() => self.quit = true,
            Ok(command) => {
                self.backlog.push(command, at, line.len());
                self.catch_up();
            }
            Err(CommandError::Unknown(_)) if !self.debug => {}
            Err(error) => self.refuse(error.to_string()),
        }
    }

    /// Obeys a command. The engine is idle if the command needs that.
    fn obey(&mut self, command: Command, at: Instant) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.say("readyok"),
            Command::Debug(on) => self.debug = on,
            Command::SetOption { name, value } if self.job.is_some() => {
                self.postponed.push((name, value));
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::NewGame => {
                self.engine.clear();
                self.start_preparing();
            }
            Command::Restart => self.restart(),
            Command::Position(setup) => self.set_up(&setup),
            Command::Moves(moves) => self.play_moves(&moves, at),
            Command::ListMoves => {
                let chess960 = self.engine.settings().chess960;
                self.output.say_all(show::moves(self.record.board(), chess960));
            }
            Command::Undo => self.undo(),
            Command::Flip => self.flip(),
            Command::Speedtest { threads, hash_mb, seconds } => {
                self.speedtest(threads, hash_mb, seconds);
            }
            Command::Doctor => self.doctor(),
            Command::Play(go) => {
                let go = go.unwrap_or_else(opponent::usual_limits);
                self.refuse_search_moves(&go);
                self.opponent = Some(Opponent { go, side: self.record.board().side() });
                self.reply(at);
            }
            Command::PlayOff => self.opponent = None,
            Command::Go(go) => self.go(&go, at),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => self.quit = true,
            Command::Perft(depth) => self.perft(depth),
            Command::Genfens(order) => self.genfens(order),
            Command::Bench { depth, threads, hash_mb } => self.bench(depth, threads, hash_mb),
            Command::Display => {
                self.output.say_all(show::position(&self.engine, self.terminal.has_colour));
            }
            Command::Evaluate => {
                self.output.say_all(show::evaluation(&self.engine, self.terminal.has_colour));
            }
            Command::Params => self.params(),
            Command::Help => self.output.say_all(help::text().lines()),
            Command::Wait => self.backlog.take_as_new(),
            Command::Register => {}
        }
    }

    /// Says who we are and what can be set.
    fn introduce(&mut self) {
        let instructions = format!("vector instructions: {}", cpu::level());
        let mut notes = vec![instructions, options::evaluation(&self.engine)];
        notes.extend(cpu::env_error());
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
        let Some(job) = &mut self.job else {
            log::error!("an event of a search that nobody started: {event:?}");
            return;
        };
        match (event, &mut job.work) {
            (SearchEvent::Note(text), _) => self.output.remark(&text),
            (SearchEvent::Report(report), Work::Search(narrator)) => {
                let lines = narrator.report(report, Instant::now());
                self.output.say_all(lines);
            }
            (SearchEvent::Report(report), Work::Reply(reply)) => reply.hear(report),
            (SearchEvent::Finished(outcome), Work::Search(narrator)) => {
                let lines = narrator.finish(&outcome, Instant::now());
                self.output.say_all(lines);
                self.looks_until = Instant::now() + LOOK_FOR;
                self.engine.conclude();
                self.end_job();
            }
            (SearchEvent::Finished(outcome), Work::Reply(reply)) => {
                if let Some(best) = outcome.best {
                    self.output.say(&reply.line(&self.record, best));
                    self.advance(best);
                    self.show_pieces();
                }
                self.engine.conclude();
                self.end_job();
            }
            (event, Work::Tool(_) | Work::Preparation) => {
                log::error!("no search is under way: {event:?}");
            }
        }
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
                Remark::Notes { problems, news } => {
                    problems.iter().for_each(|problem| self.output.remark(problem));
                    self.news = news;
                }
                Remark::Refusal(text) => self.refuse(text),
            }
        }
        if self.audience != Audience::Program {
            self.tell_news();
        }
    }

    /// Says that input is ignored, entirely or in part.
    fn refuse(&mut self, problem: String) {
        let problem = encoding::shown(&problem);
        match self.audience {
            Audience::Arguments => self.refusals.push(problem),
            Audience::Program | Audience::Person => self.output.remark(&problem),
        }
    }

    fn stop(&mut self) {
        if let Some(job) = &mut self.job {
            job.stop();
            self.engine.stop();
            self.engine.abort_preparing();
        }
    }

    fn ponder_hit(&mut self) {
        if let Some(job) = &mut self.job {
            job.ponder_hit();
            self.engine.ponderhit();
        }
    }
}
