//! Decides which commands run at once, and which wait until the current job has ended.

use std::collections::{HashMap, VecDeque};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::host::Instant;
use crate::search::limits::Limits;
use crate::search::report::Report;
use crate::terminal::{Activity, Mode};

use super::go::Go;
use super::parser::{Command, Tool};
use super::report::InfoPrinter;
use super::{Dialogue, Failure, Phase};

/// A search, or a tool such as `perft`.
pub(super) enum JobKind {
    /// An `isready` waits until the engine is ready.
    IsReady,
    Search(Box<InfoPrinter>),
    /// A search for the reply to a person's move, with its last report.
    Reply(Option<Report>),
    /// A search for the answer to `hint`, with its last report.
    Hint(Option<Report>),
    /// A tool; setting the flag stops it.
    Tool(Arc<AtomicBool>),
}

/// The job that runs beside the dialogue.
pub(super) struct Job {
    pub(super) kind: JobKind,
    /// Whether it ends by itself, unless it waits for a ponderhit.
    is_limited: bool,
    pub(super) is_pondering: bool,
    pub(super) is_stopping: bool,
}

impl Job {
    /// A job that ends by itself.
    pub(super) fn new(kind: JobKind) -> Job {
        Job { kind, is_limited: true, is_pondering: false, is_stopping: false }
    }

    pub(super) fn search(kind: JobKind, limits: &Limits) -> Job {
        let is_limited = limits.is_bounded() && !limits.infinite;
        Job { is_limited, is_pondering: limits.ponder, ..Job::new(kind) }
    }

    /// Whether the command has to wait until this job has ended. All of these commands
    /// except `wait` stop a search.
    fn delays(&self, command: &Command) -> bool {
        match command {
            _ if matches!(self.kind, JobKind::IsReady) => true,
            Command::Go(_)
            | Command::NewGame
            | Command::Tool(_)
            | Command::Play(_)
            | Command::Moves(_)
            | Command::Hint
            | Command::Level(_)
            | Command::Restart
            | Command::Wait => true,
            Command::Quit => matches!(self.kind, JobKind::Tool(_)),
            // The engine's own move comes first.
            Command::Position(_) | Command::Undo | Command::Mirror | Command::Resign => {
                matches!(self.kind, JobKind::Reply(_) | JobKind::Hint(_))
            }
            _ => false,
        }
    }

    /// Whether it will end without any further command.
    fn will_end(&self) -> bool {
        self.is_stopping || (self.is_limited && !self.is_pondering)
    }
}

/// With this many bytes of input the queue is full.
const FULL_BYTES: usize = 4 << 20;

/// Added to the length of each line, because short commands take memory, too.
const COMMAND_BYTES: usize = 100;

/// Commands that wait until the job has ended: the first one because it needs an idle engine, the
/// others because they come after it. Counts them by kind: a scan at each line would take quadratic
/// time.
#[derive(Default)]
pub(super) struct Backlog {
    /// Each command, when it was read, and its part of [`FULL_BYTES`].
    queue: VecDeque<(Command, Instant, usize)>,
    bytes: usize,
    counts: HashMap<Discriminant<Command>, usize>,
    resumed: Option<Instant>,
}

impl Backlog {
    /// Appends a command from a line of `length` bytes that was read `at`.
    pub(super) fn push(&mut self, command: Command, at: Instant, length: usize) {
        *self.counts.entry(discriminant(&command)).or_default() += 1;
        let bytes = length + COMMAND_BYTES;
        self.bytes += bytes;
        self.queue.push_back((command, at, bytes));
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BYTES
    }

    fn next(&self) -> Option<&Command> {
        self.queue.front().map(|(command, ..)| command)
    }

    pub(super) fn is_tool_next(&self) -> bool {
        matches!(self.next(), Some(Command::Tool(_)))
    }

    /// Removes the next command. Its time is at least that of the last
    /// [`resume`](Backlog::resume).
    fn pop(&mut self) -> Option<(Command, Instant)> {
        let (command, at, bytes) = self.queue.pop_front()?;
        self.bytes -= bytes;
        *self.counts.entry(discriminant(&command)).or_default() -= 1;
        Some((command, self.resumed.map_or(at, |resumed| at.max(resumed))))
    }

    /// Whether it contains a command of the same kind.
    fn has(&self, command: &Command) -> bool {
        self.counts.get(&discriminant(command)).is_some_and(|&count| count > 0)
    }

    /// Called at the end of a `wait`, of a tool, and of a job that an argument of the process started:
    /// the commands after it count as read now, so that waiting is not thinking time.
    pub(super) fn resume(&mut self) {
        self.resumed = Some(Instant::now());
    }
}

impl Dialogue {
    /// Whether `quit` waits for its turn. It waits for a `wait` and an `isready`; in
    /// [`Mode::Program`] for a running tool and for all commands before it, in
    /// [`Mode::Arguments`] for any job.
    pub(super) fn quit_must_wait(&self) -> bool {
        let waits = self.backlog.has(&Command::Wait) || self.awaits_ready();
        match self.terminal.mode {
            Mode::Arguments => self.job.is_some(),
            Mode::Person => waits,
            Mode::Program => waits || self.backlog.next().is_some() || self.lets_finish(),
        }
    }

    /// Whether the job is a tool that runs to its end. (A person's next command stops it.)
    fn lets_finish(&self) -> bool {
        self.terminal.mode != Mode::Person
            && self.activity() == Activity::Working
            && self.job.as_ref().is_some_and(|job| !job.is_stopping)
    }

    /// Runs the commands of the backlog in order, up to one that has to wait for the job.
    pub(super) fn run_backlog(&mut self) {
        while self.phase < Phase::Quit
            && !matches!(self.failure, Some(Failure::Refused(_)))
            && let Some(next) = self.backlog.next()
        {
            if let Some(job) = &self.job {
                if self.terminal.mode == Mode::Arguments {
                    return;
                }
                if job.delays(next) {
                    return self.preempt();
                }
            }
            if let Some((command, at)) = self.backlog.pop() {
                self.run(command, at);
            }
        }
    }

    /// Stops the job if the next command does not wait for its end, or if there is a `stop`
    /// for it.
    fn preempt(&mut self) {
        let waits = self.backlog.next() == Some(&Command::Wait);
        if waits && self.backlog.has(&Command::PonderHit) {
            self.ponder_hit(Instant::now());
        }
        if self.backlog.has(&Command::Stop) || !(waits || self.lets_finish()) {
            self.stop();
        }
    }

    /// Stops an endless job that no further command can stop: at the end of the input, before a
    /// `quit`, or when the backlog is full.
    pub(super) fn stop_endless(&mut self) {
        let is_last = self.phase >= Phase::InputEnded
            || self.backlog.has(&Command::Quit)
            || self.backlog.is_full();
        let is_endless = self.job.as_ref().is_some_and(|job| !job.will_end());
        if is_last && is_endless && self.terminal.mode != Mode::Arguments {
            self.stop();
        }
    }

    /// Prints `readyok` as soon as the engine is ready, or when a command comes that does not wait
    /// for that.
    pub(super) fn answer_when_ready(&mut self) {
        if self.job.is_some() || self.is_ready() || !self.engine.start_thread() {
            return self.output.print("readyok");
        }
        self.job = Some(Job::new(JobKind::IsReady));
        // The drop of a sender wakes the main thread.
        self.engine.hold_until_ready(self.events());
    }

    /// Whether the engine is ready, and no message of its last change waits to be printed.
    fn is_ready(&self) -> bool {
        self.engine.is_ready() && self.inbox.is_empty()
    }

    /// Prints the `readyok` that is due, if the engine is ready or must not be waited for.
    pub(super) fn check_ready(&mut self) {
        // A further `isready` may be next in the backlog.
        while self.awaits_ready() && (self.is_ready() || self.is_urgent()) {
            self.output.print("readyok");
            self.end_job();
        }
    }

    pub(super) fn awaits_ready(&self) -> bool {
        matches!(self.job, Some(Job { kind: JobKind::IsReady, .. }))
    }

    /// Whether a command waits that needs the engine now or ends the dialogue.
    fn is_urgent(&self) -> bool {
        let [go, moves] = [Command::Go(Go::default()), Command::Moves(Vec::new())];
        let tool = Command::Tool(Tool::Doctor);
        let urgent = [go, Command::Stop, Command::Quit, tool, Command::Play(None), moves];
        self.terminal.mode != Mode::Arguments
            && (self.phase >= Phase::InputEnded
                || urgent.iter().any(|command| self.backlog.has(command)))
    }

    /// Sets the postponed options and runs the backlog.
    pub(super) fn end_job(&mut self) {
        let ended = self.job.take();
        let was_tool = ended.is_some_and(|job| matches!(job.kind, JobKind::Tool(_)));
        self.show_progress(None);
        if was_tool || self.terminal.mode == Mode::Arguments {
            self.backlog.resume();
        }
        for (name, value) in std::mem::take(&mut self.postponed_options) {
            self.set_option(&name, &value);
        }
        self.run_backlog();
    }
}
