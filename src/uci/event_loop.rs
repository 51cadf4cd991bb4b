//! The threads of a dialogue: they wait for input and events, and share the dialogue.

use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::Duration;

use crossbeam_utils::sync::Parker;

use crate::host::{Instant, Sender};

use super::lines::LineSplitter;
use super::output::retry;
use super::{Dialogue, Event, Failure, Phase};

/// The number of bytes to read at once.
const CHUNK: usize = 1 << 16;

/// At the end of the dialogue, a stopped search may take this long to give its move. Usually the
/// move comes within some milliseconds, on a busy machine later.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// The time between checks for events by the main thread, while searches come and go.
const POLL_EVERY: Duration = Duration::from_millis(250);

/// For how long after a search the main thread polls for the next one.
const POLL_FOR: Duration = Duration::from_secs(5);

/// All threads end if one panics, so the lock is never poisoned.
const NO_PANIC: &str = "no other thread has panicked";

struct Shared {
    state: Mutex<State>,
    /// Signals that the backlog may have room.
    has_room: Condvar,
}

struct State {
    dialogue: Dialogue,
    /// Until this time the main thread polls, so a new search need not wake it.
    polls_until: Option<Instant>,
    /// Whether the main thread sleeps without a deadline.
    sleeps: bool,
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
            Shared::new(self)
        });
        let for_reader = Arc::downgrade(&shared);
        let handle = move |event| {
            for_reader.upgrade().is_some_and(|shared| shared.handle(event, &reader_to_main))
        };
        spawn_reader(input, handle).map_err(Failure::Reader)?;
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
        Shared::new(self).run()
    }

    /// Whether the job may still print.
    fn awaits_answer(&self) -> bool {
        self.job.is_some() && !self.output.is_closed
    }

    /// Stops the job. Returns the deadline for its answer.
    fn begin_shut_down(&mut self) -> Instant {
        self.phase = Phase::ShuttingDown;
        self.show_activity();
        self.drop_commands();
        Instant::now() + STOP_GRACE
    }
}

impl State {
    /// The next time at which there is something to do without an event.
    fn due(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let search_due = self.dialogue.printer().map(|printer| printer.due(now));
        let polls = search_due.is_some()
            || self.dialogue.awaits_ready()
            || self.polls_until.is_some_and(|until| now < until);
        let poll_due = polls.then(|| now + POLL_EVERY);
        let due = [search_due.flatten(), poll_due].into_iter().flatten().min();
        self.sleeps = due.is_none();
        due
    }
}

impl Shared {
    fn new(dialogue: Dialogue) -> Shared {
        let state = State { dialogue, polls_until: None, sleeps: false };
        Shared { state: Mutex::new(state), has_room: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }

    /// Runs the dialogue on the main thread, to its end.
    fn run(&self) -> Result<(), Failure> {
        let mut state = self.lock();
        let parker = state.dialogue.parker.take().expect("one thread waits for events");
        loop {
            state.dialogue.handle_events();
            self.has_room.notify_all();
            if state.dialogue.is_over() {
                break;
            }
            let due = state.due();
            drop(state);
            sleep(&parker, due);
            state = self.lock();
        }
        let deadline = state.dialogue.begin_shut_down();
        while state.dialogue.awaits_answer() && Instant::now() < deadline {
            drop(state);
            sleep(&parker, Some(deadline));
            state = self.lock();
            state.dialogue.handle_events();
        }
        let Dialogue { output, failure, .. } = &mut state.dialogue;
        match output.error.take().map(Failure::Output).or(failure.take()) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Handles a line on the reader thread, and waits while the backlog is full. Returns
    /// whether the dialogue goes on.
    fn handle(&self, event: Event, main: &Sender<Event>) -> bool {
        let mut state = self.lock();
        state.dialogue.handle(event);
        while state.dialogue.backlog.is_full() && !state.dialogue.is_over() {
            state = self.has_room.wait(state).expect(NO_PANIC);
        }
        let goes_on = !state.dialogue.is_over();
        self.hand_over(state, main);
        goes_on
    }

    /// Handles the last event of a search on the search thread, after all earlier events.
    fn finish_search(&self, event: Event, main: &Sender<Event>) {
        let mut state = self.lock();
        state.dialogue.handle_events();
        state.dialogue.handle(event);
        state.polls_until = Some(Instant::now() + POLL_FOR);
        self.hand_over(state, main);
    }

    /// Unlocks the state on the reader or search thread. Wakes the main thread at the end of the
    /// dialogue, and at a search or a waiting `isready` if it sleeps without a deadline. (To wake it
    /// for each search would take the processor from the search.)
    fn hand_over(&self, mut state: MutexGuard<'_, State>, main: &Sender<Event>) {
        self.has_room.notify_all();
        let begins =
            state.sleeps && (state.dialogue.printer().is_some() || state.dialogue.awaits_ready());
        state.sleeps &= !begins;
        let wakes = begins || state.dialogue.is_over();
        drop(state);
        if wakes {
            main.wake();
        }
    }
}

/// Starts the thread that reads `input` to its end. It calls `handle` with each line and
/// with [`Event::EndOfInput`], and ends early if that returns false.
///
/// # Errors
/// The system cannot start the thread.
fn spawn_reader(
    mut input: impl Read + Send + 'static,
    mut handle: impl FnMut(Event) -> bool + Send + 'static,
) -> io::Result<()> {
    let read_all = move || {
        let mut splitter = LineSplitter::default();
        let mut chunk = vec![0; CHUNK];
        let error = loop {
            let length = match retry(|| input.read(&mut chunk)) {
                Ok(0) => break None,
                Ok(length) => length,
                Err(error) => break Some(error),
            };
            let now = Instant::now();
            let mut lines = splitter.feed(&chunk[..length]).into_iter();
            if !lines.all(|line| handle(Event::Line(line, now))) {
                return;
            }
        };
        let last = splitter.finish();
        if last.is_none_or(|line| handle(Event::Line(line, Instant::now()))) {
            handle(Event::EndOfInput(error));
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read_all).map(|_| ())
}

fn sleep(parker: &Parker, due: Option<Instant>) {
    match due {
        Some(due) => parker.park_deadline(due),
        None => parker.park(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::terminal::Terminal;

    #[test]
    fn closed_output_ends_a_dialogue_that_waits_for_memory() {
        let terminal = Terminal { is_output_closed: Some(|| true), ..Terminal::default() };
        let (input, mut lines) = io::pipe().expect("a pipe");
        // Once it will wait long enough.
        let ask = move || {
            (0..).all(|n| {
                let hash_mb = 64 + n % 2;
                writeln!(lines, "setoption name Hash value {hash_mb}\nisready").is_ok()
            })
        };
        let asking = thread::spawn(ask);
        Dialogue::new(io::sink(), terminal).converse(input).expect("no failure");
        assert!(!asking.join().expect("no panic"));
    }

    #[test]
    fn search_without_a_search_thread_is_answered() {
        let (mut output, writer) = io::pipe().expect("a pipe");
        let mut dialogue = Dialogue::new(writer, Terminal::default());
        dialogue.engine.lacks_thread = true;
        dialogue.converse(Cursor::new("isready\ngo depth 1\n")).expect("no failure");
        let mut text = String::new();
        output.read_to_string(&mut text).expect("UTF-8");
        assert!(text.starts_with("readyok\nbestmove "), "{text}");
    }
}
