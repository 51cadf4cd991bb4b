//! The dialogue on a thread of its own, which waits for one event after the other.

use std::io::{Read, Write};
use std::time::Duration;

use crate::host::Instant;

use super::audience::Audience;
use super::event::Event;
use super::failure::Failure;
use super::{Dialogue, reader};

/// How long a search stopped by the end of the dialogue has to give its move.
const FAREWELL: Duration = Duration::from_millis(50);

/// The same after an interrupt: whoever interrupts a search wants to know its move.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl<W: Write> Dialogue<W> {
    /// Talks to a person whose lines come as [events](Dialogue::events) until the dialogue
    /// is over.
    ///
    /// # Errors
    /// The dialogue ended early.
    pub fn serve_person(&mut self) -> Result<(), Failure> {
        self.audience = Audience::Person;
        self.output.address_person(self.terminal.has_colour);
        self.run()
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
        self.audience = Audience::Arguments;
        for line in lines {
            self.hear_line(line, Instant::now());
            while self.job.is_some() && !self.is_left() {
                self.attend();
            }
            if self.is_left() {
                break;
            }
            if !self.refusals.is_empty() {
                return Err(Failure::Refused(self.refusals.join("; ")));
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
        self.narrate();
    }
}
