//! Decides which commands run at once, and which wait until the current job has ended.

use crate::host::Instant;
use crate::terminal::{Activity, Mode};

use super::Dialogue;
use super::command::{Command, Tool};
use super::event::{Event, Failure, Phase};
use super::go::Go;
use super::job::{Job, JobKind};

impl Dialogue {
    /// Whether `quit` waits for its turn. It waits for a `wait` and an `isready`; in
    /// [`Mode::Program`] also for tools, in [`Mode::Arguments`] for any job.
    pub(super) fn quit_must_wait(&self) -> bool {
        let waits = self.backlog.has(&Command::Wait) || self.awaits_ready();
        match self.terminal.mode {
            Mode::Arguments => self.job.is_some(),
            Mode::Person => waits,
            Mode::Program => {
                // Any tool: `has` compares kinds of commands.
                let has_tool = self.backlog.has(&Command::Tool(Tool::Doctor));
                waits || has_tool || self.lets_finish()
            }
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
        if self.job.is_some() || self.engine.is_ready() || !self.engine.start_thread() {
            return self.output.print("readyok");
        }
        self.job = Some(Job::new(JobKind::IsReady));
        let events = self.events();
        self.engine.call_when_ready(move || {
            // Ignore the error: the dialogue may be over.
            let _ = events.send(Event::Ready);
        });
    }

    /// Prints the `readyok` that is due, if the engine is ready or must not be waited for.
    pub(super) fn check_ready(&mut self) {
        // A further `isready` may be next in the backlog.
        while self.awaits_ready() && (self.engine.is_ready() || self.is_urgent()) {
            self.output.print("readyok");
            self.end_job();
        }
    }

    pub(super) fn awaits_ready(&self) -> bool {
        matches!(self.job, Some(Job { kind: JobKind::IsReady, .. }))
    }

    /// Whether a command waits that needs the engine now or ends the dialogue.
    fn is_urgent(&self) -> bool {
        let is_next = |command: &Command| self.backlog.has(command);
        self.terminal.mode != Mode::Arguments
            && (self.phase >= Phase::InputEnded
                || is_next(&Command::Go(Go::default()))
                || is_next(&Command::Stop)
                || is_next(&Command::Quit)
                || is_next(&Command::Tool(Tool::Doctor))
                || is_next(&Command::Play(None))
                || is_next(&Command::Moves(Vec::new())))
    }

    /// Sets the postponed options and runs the backlog.
    pub(super) fn end_job(&mut self) {
        self.job = None;
        self.show_progress(None);
        if self.terminal.mode == Mode::Arguments {
            self.backlog.resume();
        }
        for (name, value) in std::mem::take(&mut self.postponed_options) {
            self.set_option(&name, &value);
        }
        self.run_backlog();
    }
}
