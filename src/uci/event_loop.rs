//! The threads of a dialogue: they wait for input and events, and share the dialogue.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::Duration;

use crossbeam_utils::sync::Parker;

use crate::host::{Instant, Sender};

use super::event::{Event, Failure};
use super::{Dialogue, reader};

/// At the end of the dialogue, a stopped search may take this long to give its move.
const STOP_GRACE: Duration = Duration::from_millis(50);

/// Like [`STOP_GRACE`], after an interrupt: the user waits for the move.
const INTERRUPT_GRACE: Duration = Duration::from_secs(1);

/// The time between checks for events by the main thread, while searches come and go.
const POLL_EVERY: Duration = Duration::from_millis(250);

/// For how long after a search the main thread polls for the next one.
const POLL_FOR: Duration = Duration::from_secs(5);

/// All threads end if one panics, so the lock is never poisoned.
const NO_PANIC: &str = "no other thread has panicked";

struct Shared {
    dialogue: Mutex<Dialogue>,
    /// Signals that the backlog may have room.
    has_room: Condvar,
}

impl Dialogue {
    /// Answers the lines of `input` until the dialogue is over. A search that is still
    /// running is then stopped and may give its move.
    ///
    /// # Errors
    /// The dialogue failed.
    pub fn converse(mut self, input: impl Read + Send + 'static) -> Result<(), Failure> {
        let main = self.events();
        // If the reader panics, the drop of this sender wakes the main thread.
        let reader_to_main = main.clone();
        let shared = Arc::new_cyclic(|shared: &Weak<Shared>| {
            let shared = shared.clone();
            self.finish_search = Some(Arc::new(move |event| {
                if let Some(shared) = shared.upgrade() {
                    shared.finish_search(event, &main);
                }
            }));
            Shared { dialogue: Mutex::new(self), has_room: Condvar::new() }
        });
        let for_reader = Arc::downgrade(&shared);
        let handle = move |event| {
            for_reader.upgrade().is_some_and(|shared| shared.handle(event, &reader_to_main))
        };
        reader::spawn(input, handle).map_err(Failure::Reader)?;
        shared.run()
    }

    /// Runs `lines` one after the other, each to its end. (A search without a limit ends
    /// only by an interrupt.)
    ///
    /// # Errors
    /// The dialogue failed, perhaps because a line was refused.
    pub fn run_lines(mut self, lines: &[String]) -> Result<(), Failure> {
        for line in lines {
            self.handle(Event::Line(Some(line.clone()), Instant::now()));
        }
        self.handle(Event::EndOfInput(None));
        self.serve()
    }

    /// Handles [events](Dialogue::events) until the dialogue is over.
    ///
    /// # Errors
    /// The dialogue failed.
    pub fn serve(self) -> Result<(), Failure> {
        Shared { dialogue: Mutex::new(self), has_room: Condvar::new() }.run()
    }

    /// The next time at which there is something to do without an event.
    fn due(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let search_due = self.printer().map(|printer| printer.due(now));
        let polls = search_due.is_some() || self.polls_until.is_some_and(|until| now < until);
        let poll_due = polls.then(|| now + POLL_EVERY);
        let dues = [search_due.flatten(), poll_due, self.preparation_due()];
        let due = dues.into_iter().flatten().min();
        self.sleeps = due.is_none();
        due
    }

    /// Stops the job. Returns the deadline for its answer.
    fn begin_shut_down(&mut self) -> Instant {
        self.is_shutting_down = true;
        self.show_activity();
        self.drop_commands();
        let is_interrupted = matches!(self.failure, Some(Failure::Interrupted));
        Instant::now() + if is_interrupted { INTERRUPT_GRACE } else { STOP_GRACE }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Dialogue> {
        self.dialogue.lock().expect(NO_PANIC)
    }

    /// Runs the dialogue on the main thread, to its end.
    fn run(&self) -> Result<(), Failure> {
        let mut dialogue = self.lock();
        let parker = dialogue.parker.take().expect("one thread waits for events");
        loop {
            dialogue.handle_events();
            self.has_room.notify_all();
            if dialogue.is_over() {
                break;
            }
            let due = dialogue.due();
            drop(dialogue);
            sleep(&parker, due);
            dialogue = self.lock();
        }
        let deadline = dialogue.begin_shut_down();
        while dialogue.job.is_some() && !dialogue.output.is_closed && Instant::now() < deadline {
            drop(dialogue);
            sleep(&parker, Some(deadline));
            dialogue = self.lock();
            dialogue.handle_events();
        }
        match dialogue.output.error.take().map(Failure::Output).or(dialogue.failure.take()) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Handles a line on the reader thread, and waits while the backlog is full. Returns
    /// whether the dialogue goes on.
    fn handle(&self, event: Event, main: &Sender<Event>) -> bool {
        let mut dialogue = self.lock();
        dialogue.handle(event);
        while dialogue.backlog.is_full() && !dialogue.is_over() {
            dialogue = self.has_room.wait(dialogue).expect(NO_PANIC);
        }
        let goes_on = !dialogue.is_over();
        self.hand_over(dialogue, main);
        goes_on
    }

    /// Handles the last event of a search on the search thread, after all earlier events.
    fn finish_search(&self, event: Event, main: &Sender<Event>) {
        let mut dialogue = self.lock();
        dialogue.handle_events();
        dialogue.handle(event);
        dialogue.polls_until = Some(Instant::now() + POLL_FOR);
        self.hand_over(dialogue, main);
    }

    /// Unlocks the dialogue on the reader or search thread. Wakes the main thread at the end
    /// of the dialogue, if a `go` waits for a preparation, and at a search if it sleeps without a
    /// deadline. (To wake it for each search would take the processor from the search.)
    fn hand_over(&self, mut dialogue: MutexGuard<'_, Dialogue>, main: &Sender<Event>) {
        self.has_room.notify_all();
        let begins_search = dialogue.sleeps && dialogue.printer().is_some();
        dialogue.sleeps &= !begins_search;
        let wakes = dialogue.is_over() || begins_search || dialogue.preparation_due().is_some();
        drop(dialogue);
        if wakes {
            main.wake();
        }
    }
}

fn sleep(parker: &Parker, due: Option<Instant>) {
    match due {
        Some(due) => parker.park_deadline(due),
        None => parker.park(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor};

    use super::*;
    use crate::terminal::Terminal;

    #[test]
    fn search_without_a_search_thread_is_answered() {
        let (mut output, writer) = io::pipe().expect("a pipe");
        let mut dialogue = Dialogue::new(writer, Terminal::default());
        // As after a preparation that could not start the thread.
        dialogue.was_preparing = true;
        dialogue.converse(Cursor::new("go depth 1\n")).expect("no failure");
        let mut text = String::new();
        output.read_to_string(&mut text).expect("UTF-8");
        assert!(text.starts_with("bestmove "), "{text}");
    }
}
