//! The connection between a running search and whoever started it: stop, ponderhit,
//! the deadline, and waiting for any of them.
//!
//! Each search has a [`Control`] of its own, so a late `stop` cannot reach the next
//! one. Every call is harmless at any time and any number of times. A search that is
//! *called off* ends as soon as its threads can; a stop calls it off, and so does the
//! first thread that notices that a limit has been reached.

use std::time::Duration;

use super::sync::{Arc, AtomicBool, AtomicU64, Condvar, Instant, Mutex, Ordering, PoisonError};

/// The clock is not running yet: the search is pondering.
const NOT_RUNNING: u64 = u64::MAX;

/// Shared by a search and whoever started it.
#[derive(Debug)]
pub struct Control {
    started: Instant,
    stopped: Arc<AtomicBool>,
    /// Whether all threads of this search are to stop.
    called_off: AtomicBool,
    /// When the clock started, in microseconds after `started`.
    clock_began_us: AtomicU64,
    infinite: bool,
    gate: Mutex<()>,
    opened: Condvar,
}

impl Control {
    /// For a search whose `go` was read at `started`. An `infinite` search answers only
    /// when stopped; with `ponder` its clock starts at the ponderhit.
    #[must_use]
    pub fn new(started: Instant, infinite: bool, ponder: bool) -> Control {
        Control {
            started,
            stopped: Arc::default(),
            called_off: AtomicBool::new(false),
            clock_began_us: AtomicU64::new(if ponder { NOT_RUNNING } else { 0 }),
            infinite,
            gate: Mutex::new(()),
            opened: Condvar::new(),
        }
    }

    /// For one of many searches that all end, within a poll, once `stopped` is set.
    #[must_use]
    pub fn shared(stopped: Arc<AtomicBool>) -> Control {
        Control { stopped, ..Control::new(Instant::now(), false, false) }
    }

    /// Ends the search now; it may answer.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.called_off.store(true, Ordering::Release);
        self.open();
    }

    /// Ends all threads of the search now; whether it may answer is another question.
    pub fn call_off(&self) {
        if !self.called_off.swap(true, Ordering::AcqRel) {
            self.open();
        }
    }

    /// Whether all threads of the search are to stop.
    #[inline]
    #[must_use]
    pub fn is_called_off(&self) -> bool {
        self.called_off.load(Ordering::Relaxed)
    }

    /// Blocks until the search is called off, and calls it off itself when `deadline` has
    /// passed on the clock: a thread that does nothing else keeps the time even while a
    /// node takes long because of a slow disk or slow memory.
    pub fn keep_time(&self, deadline: Duration) {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_called_off() {
            gate = match self.on_clock().map(|on_clock| deadline.saturating_sub(on_clock)) {
                None => self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => break,
                Some(left) => {
                    let waited = self.opened.wait_timeout(gate, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        drop(gate);
        self.call_off();
    }

    /// The opponent has played the expected move: the clock starts now.
    pub fn ponderhit(&self) {
        let now_us = self.started.elapsed().as_micros() as u64;
        let _ = self.clock_began_us.compare_exchange(
            NOT_RUNNING,
            now_us,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        self.open();
    }

    /// Whether the search has been told to stop.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Time since the `go` was read.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time used on the clock, since the `go` or the ponderhit; `None` while pondering.
    #[must_use]
    pub fn on_clock(&self) -> Option<Duration> {
        match self.clock_began_us.load(Ordering::Acquire) {
            NOT_RUNNING => None,
            began_us => {
                Some(self.started.elapsed().saturating_sub(Duration::from_micros(began_us)))
            }
        }
    }

    /// Whether the search may answer. It may, unless it is infinite and has not been
    /// stopped, or is still pondering.
    #[must_use]
    pub fn is_answer_due(&self) -> bool {
        self.is_stopped() || !(self.infinite || self.on_clock().is_none())
    }

    /// Blocks until the search may [answer](Control::is_answer_due).
    pub fn wait_until_answer_is_due(&self) {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_answer_due() {
            gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.opened.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    const DEADLINE: Duration = Duration::from_millis(30);

    /// Runs `act` while a thread keeps the time of `control`. Returns after how long the
    /// search was called off.
    fn called_off_after(control: &Control, act: impl FnOnce()) -> Duration {
        let begun = Instant::now();
        thread::scope(|scope| {
            let keeper = scope.spawn(|| control.keep_time(DEADLINE));
            act();
            keeper.join().expect("it does not panic");
        });
        assert!(control.is_called_off());
        begun.elapsed()
    }

    #[test]
    fn a_search_is_called_off_at_its_deadline_and_not_before() {
        let control = Control::new(Instant::now(), false, false);
        assert!(called_off_after(&control, || ()) >= DEADLINE / 2);
        assert!(control.on_clock() >= Some(DEADLINE));
        // Nobody has told it to stop: an infinite search still waits for that.
        assert!(!control.is_stopped());
    }

    #[test]
    fn the_deadline_of_a_ponder_search_counts_from_the_ponderhit() {
        let control = Control::new(Instant::now(), false, true);
        let pondered = 2 * DEADLINE;
        let time = called_off_after(&control, || {
            thread::sleep(pondered);
            assert!(!control.is_called_off());
            control.ponderhit();
        });
        assert!(time >= pondered + DEADLINE);
    }

    #[test]
    fn a_search_that_has_ended_need_not_be_watched() {
        for end in [Control::stop, Control::call_off] {
            let control = Control::new(Instant::now(), false, true);
            called_off_after(&control, || end(&control));
            // A latecomer need not wait at all.
            called_off_after(&control, || ());
        }
    }
}
