//! The dialogue on threads that wait for input and for events.

use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::Duration;

use crossbeam_utils::sync::Parker;

use crate::host::{Instant, Sender};

use super::audience::Audience;
use super::event::Event;
use super::failure::Failure;
use super::{Dialogue, reader};

/// How long a search stopped by the end of the dialogue has to give its move.
const FAREWELL: Duration = Duration::from_millis(50);

/// The same after an interrupt: whoever interrupts a search wants to know its move.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Why the lock is not poisoned. All threads end if one panics.
const NO_PANIC: &str = "no other thread has panicked";

/// A dialogue that several threads take turns with.
pub(super) struct Shared<W: Write> {
    dialogue: Mutex<Dialogue<W>>,
    /// Signals that the backlog may have room.
    has_room: Condvar,
}

impl<W: Write> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, Dialogue<W>> {
        self.dialogue.lock().expect(NO_PANIC)
    }

    /// Reacts to the last event of a search, after those that came before it.
    fn finish_search(&self, event: Event, main: &Sender<Event>) {
        let mut dialogue = self.lock();
        dialogue.attend();
        dialogue.hear(event);
        self.hand_over(dialogue, main);
    }

    /// Ends the turn of a thread other than the main thread, which it wakes if there is
    /// something to wait for, or nothing any more.
    fn hand_over(&self, mut dialogue: MutexGuard<'_, Dialogue<W>>, main: &Sender<Event>) {
        self.has_room.notify_all();
        let begins_search = dialogue.sleeps && dialogue.narrator().is_some();
        dialogue.sleeps &= !begins_search;
        let wakes = dialogue.is_over() || begins_search;
        drop(dialogue);
        if wakes {
            main.wake();
        }
    }
}

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

    /// Answers the lines of `input` until the dialogue is over.
    ///
    /// # Errors
    /// The dialogue ended early.
    pub fn converse(mut self, input: impl Read + Send + 'static) -> Result<(), Failure>
    where
        W: Send + 'static,
    {
        let parker = self.take_parker();
        let main = self.events();
        // Wakes this thread also when it is dropped, even by a panic of the reader.
        let reader_to_main = main.clone();
        let shared = Arc::new_cyclic(|shared: &Weak<Shared<W>>| {
            let shared = shared.clone();
            self.finish_search = Some(Arc::new(move |event| {
                if let Some(shared) = shared.upgrade() {
                    shared.finish_search(event, &main);
                }
            }));
            Shared { dialogue: Mutex::new(self), has_room: Condvar::new() }
        });
        let for_reader = Arc::downgrade(&shared);
        let react = move |event| {
            let Some(shared) = for_reader.upgrade() else { return false };
            let mut dialogue = shared.lock();
            dialogue.hear(event);
            while dialogue.backlog.is_full() && !dialogue.is_over() {
                dialogue = shared.has_room.wait(dialogue).expect(NO_PANIC);
            }
            let goes_on = !dialogue.is_over();
            shared.hand_over(dialogue, &reader_to_main);
            goes_on
        };
        reader::spawn(input, react).map_err(Failure::Reader)?;
        let mut dialogue = shared.lock();
        loop {
            dialogue.attend();
            shared.has_room.notify_all();
            if dialogue.is_over() {
                break;
            }
            let due = dialogue.due();
            drop(dialogue);
            sleep(&parker, due);
            dialogue = shared.lock();
        }
        let deadline = dialogue.begin_to_leave();
        while dialogue.has_something_to_say() && Instant::now() < deadline {
            drop(dialogue);
            sleep(&parker, Some(deadline));
            dialogue = shared.lock();
            dialogue.attend();
        }
        dialogue.leave()
    }

    /// Obeys the lines one after the other, waiting for each to be done. (A search
    /// without a limit ends only by an interrupt.)
    ///
    /// # Errors
    /// The dialogue ended early, at the latest at the first refusal.
    pub fn obey_all(&mut self, lines: &[String]) -> Result<(), Failure> {
        self.audience = Audience::Arguments;
        let parker = self.take_parker();
        for line in lines {
            self.hear_line(line, Instant::now());
            self.attend_until(&parker, |dialogue| dialogue.job.is_none() || dialogue.is_left());
            if self.is_left() {
                break;
            }
            if !self.refusals.is_empty() {
                return Err(Failure::Refused(self.refusals.join("; ")));
            }
        }
        self.finish(&parker)
    }

    /// Reacts to events until the dialogue is over. A search that is still running is
    /// then stopped and may give its move.
    ///
    /// # Errors
    /// The dialogue ended early.
    pub fn run(&mut self) -> Result<(), Failure> {
        let parker = self.take_parker();
        self.attend_until(&parker, Dialogue::is_over);
        self.finish(&parker)
    }

    fn attend_until(&mut self, parker: &Parker, is_done: impl Fn(&Dialogue<W>) -> bool) {
        while !is_done(self) {
            self.attend();
            if !is_done(self) {
                sleep(parker, self.due());
            }
        }
    }

    fn finish(&mut self, parker: &Parker) -> Result<(), Failure> {
        let deadline = self.begin_to_leave();
        while self.has_something_to_say() && Instant::now() < deadline {
            sleep(parker, Some(deadline));
            self.attend();
        }
        self.leave()
    }

    /// Stops what is running. Returns until when it may have its say.
    fn begin_to_leave(&mut self) -> Instant {
        self.has_ended = true;
        self.backlog.clear();
        self.postponed.clear();
        self.stop();
        Instant::now() + if self.interrupted { LAST_WORDS } else { FAREWELL }
    }

    fn has_something_to_say(&self) -> bool {
        self.job.is_some() && !self.output.is_closed()
    }

    /// How the dialogue has ended.
    fn leave(&mut self) -> Result<(), Failure> {
        if let Some(error) = self.output.take_error() {
            return Err(Failure::Output(error));
        }
        if let Some(error) = self.input_error.take() {
            return Err(Failure::Input(error));
        }
        if self.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }

    fn take_parker(&mut self) -> Parker {
        self.parker.take().expect("one thread waits for events")
    }
}

/// Sleeps until there is an event, but not beyond `due`.
fn sleep(parker: &Parker, due: Option<Instant>) {
    match due {
        Some(due) => parker.park_deadline(due),
        None => parker.park(),
    }
}
