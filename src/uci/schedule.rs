//! The part of the dialogue that decides which command is obeyed now, and which has to
//! wait until a search, a tool or a preparation has ended.

use std::io::Write;

use super::Dialogue;
use super::audience::{Activity, Audience};
use super::command::Command;
use super::event::Event;
use super::job::{self, Job, Work};

impl<W: Write> Dialogue<W> {
    /// Whether `quit` takes its turn: behind a `wait`, a preparation, and a tool.
    pub(super) fn must_quit_wait(&self) -> bool {
        let is_person = self.audience == Audience::Person;
        self.backlog.has_wait()
            || self.is_preparing()
            || self.lets_finish()
            || (!is_person && self.backlog.has_tool())
    }

    /// Whether the job is a tool that runs to its end, as its result is wanted. (A person
    /// who types the next command does not wait for it.)
    pub(super) fn lets_finish(&self) -> bool {
        self.audience != Audience::Person
            && self.activity() == Activity::Working
            && self.job.as_ref().is_some_and(|job| !job.is_stopping())
    }

    /// Obeys the waiting commands in order, up to one that has to wait until the job has
    /// ended.
    pub(super) fn catch_up(&mut self) {
        while !self.quit
            && let Some(next) = self.backlog.next()
        {
            let goes_ahead = std::mem::take(&mut self.goes_ahead);
            if self.job.as_ref().is_some_and(|job| job.delays(next)) {
                self.hasten();
                return;
            }
            let needs_engine = job::needs_preparation(next) && self.job.is_none() && !goes_ahead;
            if needs_engine && !self.engine.is_prepared() {
                self.start_preparing();
                continue;
            }
            if let Some((command, at)) = self.backlog.pop() {
                self.obey(command, at);
            }
        }
    }

    /// Stops the job if the next command does not wait for it, or if there is a `stop`
    /// for it. A preparation is stopped by `stop` and `quit` only.
    pub(super) fn hasten(&mut self) {
        if self.is_preparing() {
            if self.backlog.has_stop() || self.backlog.has_quit() {
                self.stop();
            }
            return;
        }
        let waits = self.backlog.next() == Some(&Command::Wait);
        if waits && self.backlog.has_ponder_hit() {
            self.ponder_hit();
        }
        if !(waits || self.lets_finish()) || self.backlog.has_stop() {
            self.stop();
        }
    }

    /// Prepares the engine for the next search while this goes on reading.
    pub(super) fn start_preparing(&mut self) {
        if self.engine.is_prepared() {
            return;
        }
        self.job = Some(Job::preparation());
        let events = self.events();
        self.engine.begin_preparing(move || {
            // The dialogue may be over.
            let _ = events.send(Event::Prepared);
        });
    }

    pub(super) fn is_preparing(&self) -> bool {
        matches!(self.job, Some(Job { work: Work::Preparation, .. }))
    }

    pub(super) fn hear_prepared(&mut self) {
        for note in self.engine.finish_preparing() {
            self.output.remark(&note);
        }
        self.goes_ahead = true;
        self.end_job();
    }

    /// Sets the postponed options and obeys the waiting commands.
    pub(super) fn end_job(&mut self) {
        self.job = None;
        self.terminal.show(None);
        let postponed = std::mem::take(&mut self.postponed);
        if !postponed.is_empty() {
            for (name, value) in postponed {
                self.set_option(&name, &value);
            }
            // An `isready` may have been answered before that.
            self.start_preparing();
        }
        self.catch_up();
    }
}
