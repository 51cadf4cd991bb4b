//! Decides which commands run at once, and which wait until the current job has ended.

use crate::host::Instant;
use crate::terminal::{Activity, Mode};

use super::Dialogue;
use super::command::{Command, Tool};
use super::event::{Event, Failure};
use super::go::Go;
use super::job::{self, Job, JobKind};

const UNPREPARED: &str =
    "the hash table is not ready: this search uses a small one, and perhaps fewer threads";

impl Dialogue {
    /// Whether `quit` waits for its turn. It waits for a `wait` and for a preparation; in
    /// [`Mode::Program`] also for tools, in [`Mode::Arguments`] for any job.
    pub(super) fn quit_must_wait(&self) -> bool {
        let waits = self.backlog.has(&Command::Wait) || self.is_preparing();
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
        while !self.quit
            && !matches!(self.failure, Some(Failure::Refused(_)))
            && let Some(next) = self.backlog.next()
        {
            let is_prepared = std::mem::take(&mut self.was_preparing) || self.engine.is_prepared();
            if let Some(job) = &self.job {
                if self.terminal.mode == Mode::Arguments {
                    return;
                }
                if job.delays(next) {
                    return self.preempt();
                }
            } else if job::needs_preparation(next) && !is_prepared && !self.is_go_due() {
                self.start_preparing();
                continue;
            }
            if let Some((command, at)) = self.backlog.pop() {
                self.run(command, at);
            }
        }
    }

    /// When to stop a preparation, so that the `go` that waits for it does not lose on time.
    pub(super) fn preparation_due(&self) -> Option<Instant> {
        let job = self.job.as_ref().filter(|job| !job.is_stopping)?;
        matches!(job.kind, JobKind::Preparation).then(|| self.go_due())?
    }

    /// When the next search has to start. While it ponders, its clock does not run.
    fn go_due(&self) -> Option<Instant> {
        let mut commands = self.backlog.first();
        let is_first = |command: &Command| matches!(command, Command::Go(_) | Command::Wait);
        let (first, mut start) = commands.find(|(command, _)| is_first(command))?;
        let Command::Go(go) = first else { return None };
        if go.other.ponder {
            (_, start) = commands.find(|(command, _)| **command == Command::PonderHit)?;
        }
        Some(start + go.patience()?)
    }

    fn is_go_due(&self) -> bool {
        self.go_due().is_some_and(|due| due <= Instant::now())
    }

    /// Stops the job if the next command does not wait for its end, or if there is a `stop`
    /// for it. Only `quit` without `wait`, a `stop` for a waiting `go`, and its clock stop a
    /// preparation.
    fn preempt(&mut self) {
        let has_stop = self.backlog.has(&Command::Stop);
        if self.is_preparing() {
            let stops_search = has_stop && self.backlog.has(&Command::Go(Go::default()));
            let quits = self.backlog.has(&Command::Quit) && !self.backlog.has(&Command::Wait);
            if stops_search || quits {
                self.stop();
            }
            return;
        }
        let waits = self.backlog.next() == Some(&Command::Wait);
        if waits && self.backlog.has(&Command::PonderHit) {
            self.ponder_hit(Instant::now());
        }
        if has_stop || !(waits || self.lets_finish()) {
            self.stop();
        }
    }

    /// Stops an endless job that no further command can stop: at the end of the input, before a
    /// `quit`, or when the backlog is full.
    pub(super) fn stop_endless(&mut self) {
        let is_last =
            self.input_ended || self.backlog.has(&Command::Quit) || self.backlog.is_full();
        let is_endless = self.job.as_ref().is_some_and(|job| !job.will_end());
        if is_last && is_endless && self.terminal.mode != Mode::Arguments {
            self.stop();
        }
    }

    /// Prepares the engine for the next search, in the background.
    pub(super) fn start_preparing(&mut self) {
        if self.engine.is_prepared() {
            return;
        }
        self.job = Some(Job::new(JobKind::Preparation));
        let events = self.events();
        self.engine.begin_preparing(move || {
            // The dialogue may be over.
            let _ = events.send(Event::Prepared);
        });
    }

    fn is_preparing(&self) -> bool {
        matches!(self.job, Some(Job { kind: JobKind::Preparation, .. }))
    }

    pub(super) fn finish_preparing(&mut self) {
        for note in self.engine.finish_preparing() {
            self.output.message(&note);
        }
        if !self.engine.is_prepared() && self.backlog.has(&Command::Go(Go::default())) {
            self.output.message(UNPREPARED);
        }
        self.was_preparing = true;
        self.end_job();
    }

    /// Sets the postponed options and runs the backlog.
    pub(super) fn end_job(&mut self) {
        self.job = None;
        self.show_progress(None);
        if self.terminal.mode == Mode::Arguments {
            self.backlog.resume();
        }
        let postponed = std::mem::take(&mut self.postponed_options);
        if !postponed.is_empty() {
            for (name, value) in postponed {
                self.set_option(&name, &value);
            }
            // An `isready` may have been answered before the options were set.
            self.start_preparing();
        }
        self.run_backlog();
    }
}
