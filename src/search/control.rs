//! The rope between a running search and whoever started it: stop, ponderhit,
//! and waiting for either.
//!
//! Each search has a [`Control`] of its own, so a late `stop` cannot reach the
//! next one. Every call is harmless at any time and in any number.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The clock has not begun to run: the search ponders.
const NOT_RUNNING: u64 = u64::MAX;

/// Shared by a search and its starter.
#[derive(Debug)]
pub struct Control {
    started: Instant,
    stopped: Arc<AtomicBool>,
    /// When the clock began to run, in microseconds after `started`.
    clock_began_us: AtomicU64,
    infinite: bool,
    gate: Mutex<()>,
    opened: Condvar,
}

impl Control {
    /// For a search whose `go` was read at `started`. With `infinite` it answers
    /// only when stopped; with `ponder` its clock runs from the ponderhit.
    #[must_use]
    pub fn new(started: Instant, infinite: bool, ponder: bool) -> Control {
        Control {
            started,
            stopped: Arc::default(),
            clock_began_us: AtomicU64::new(if ponder { NOT_RUNNING } else { 0 }),
            infinite,
            gate: Mutex::new(()),
            opened: Condvar::new(),
        }
    }

    /// For one of many searches that end together, at once, when `stopped` is set.
    #[must_use]
    pub fn shared(stopped: Arc<AtomicBool>) -> Control {
        Control { stopped, ..Control::new(Instant::now(), false, false) }
    }

    /// The search shall end now.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.open();
    }

    /// The opponent has played the move pondered on: the clock runs from now.
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

    /// Time on the clock: since the `go` or the ponderhit; `None` while pondering.
    #[must_use]
    pub fn on_clock(&self) -> Option<Duration> {
        match self.clock_began_us.load(Ordering::Acquire) {
            NOT_RUNNING => None,
            began_us => {
                Some(self.started.elapsed().saturating_sub(Duration::from_micros(began_us)))
            }
        }
    }

    /// Blocks until the search may answer: at once, unless it is infinite or
    /// pondering and has not been stopped (or hit).
    pub fn wait_until_answer_is_due(&self) {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (self.infinite || self.on_clock().is_none()) {
            gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.opened.notify_all();
    }
}
