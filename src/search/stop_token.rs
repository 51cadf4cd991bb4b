//! The stop token of a search: stop, ponderhit, the deadline, and waiting for any of them.
//!
//! Each search has its own, so a late `stop` cannot reach the next one. Every call is safe at any
//! time, and may be repeated. A stop *aborts* the search, and so does the first thread that
//! reaches a limit: all threads of the search then end as soon as they can.

use std::time::Duration;

use super::sync::{Arc, AtomicBool, AtomicU64, Condvar, Instant, Mutex, Ordering, PoisonError};

/// Value of `clock_began_us` while pondering.
const NOT_RUNNING: u64 = u64::MAX;

/// How often a wait looks at a flag that others set, because they do not notify.
pub const STOP_POLL: Duration = Duration::from_millis(5);

/// Shared by the threads of a search and its caller.
#[derive(Debug)]
pub struct StopToken {
    started: Instant,
    stopped: Arc<AtomicBool>,
    /// Whether others may set `stopped`.
    is_shared: bool,
    aborted: AtomicBool,
    /// When the clock started, in microseconds after `started`.
    clock_began_us: Arc<AtomicU64>,
    infinite: bool,
    mutex: Mutex<()>,
    changed: Condvar,
}

impl StopToken {
    /// For a search whose `go` was read at `started`. An `infinite` search answers only after
    /// a stop; with `ponder` its clock starts at the ponderhit.
    pub fn new(started: Instant, infinite: bool, ponder: bool) -> StopToken {
        StopToken {
            started,
            stopped: Arc::default(),
            is_shared: false,
            aborted: AtomicBool::new(false),
            clock_began_us: Arc::new(AtomicU64::new(if ponder { NOT_RUNNING } else { 0 })),
            infinite,
            mutex: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    /// For one of several searches that all end when `stopped` is set.
    pub fn shared(stopped: Arc<AtomicBool>) -> StopToken {
        StopToken::new(Instant::now(), false, false).stopped_by(stopped)
    }

    /// The search also ends when `stopped` is set.
    pub fn stopped_by(self, stopped: Arc<AtomicBool>) -> StopToken {
        StopToken { stopped, is_shared: true, ..self }
    }

    /// For a part of this search. A stop and a ponderhit of the search reach the part; the end of the
    /// part does not end the search.
    pub fn part(&self) -> StopToken {
        StopToken {
            stopped: Arc::clone(&self.stopped),
            clock_began_us: Arc::clone(&self.clock_began_us),
            ..StopToken::new(self.started, false, false)
        }
    }

    /// Aborts the search and permits the answer.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.aborted.store(true, Ordering::Release);
        self.notify();
    }

    /// Aborts all threads. Does not permit the answer by itself.
    pub fn abort(&self) {
        if !self.aborted.swap(true, Ordering::AcqRel) {
            self.notify();
        }
    }

    /// Whether all threads are to stop.
    #[inline]
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Relaxed)
    }

    /// Blocks until the search is aborted, and aborts it when `deadline` has passed on the
    /// clock. On a thread of its own this works even while a slow disk or slow memory delays
    /// a node.
    pub fn keep_time(&self, deadline: Duration) {
        let mut guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_aborted() {
            guard = match self.on_clock().map(|on_clock| deadline.saturating_sub(on_clock)) {
                None => self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => break,
                Some(left) => {
                    let waited = self.changed.wait_timeout(guard, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        drop(guard);
        self.abort();
    }

    /// The opponent has played the expected move: the clock starts at `at`.
    pub fn ponderhit(&self, at: Instant) {
        let began_us = at.saturating_duration_since(self.started).as_micros() as u64;
        let _ = self.clock_began_us.compare_exchange(
            NOT_RUNNING,
            began_us,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        self.notify();
    }

    /// Whether [`stop`](StopToken::stop) was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Time since the `go` was read.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time from the `go` to the ponderhit, zero without pondering; `None` while pondering.
    pub fn pondered(&self) -> Option<Duration> {
        let began_us = self.clock_began_us.load(Ordering::Acquire);
        (began_us != NOT_RUNNING).then(|| Duration::from_micros(began_us))
    }

    /// Time used on the clock, since the `go` or the ponderhit; `None` while pondering.
    pub fn on_clock(&self) -> Option<Duration> {
        self.pondered().map(|pondered| self.elapsed().saturating_sub(pondered))
    }

    /// Whether the search may answer: always after a stop; without one, if it is neither infinite
    /// nor still pondering.
    pub fn is_answer_due(&self) -> bool {
        self.is_stopped() || !(self.infinite || self.on_clock().is_none())
    }

    /// Blocks until the search may [answer](StopToken::is_answer_due).
    pub fn wait_until_answer_is_due(&self) {
        let mut guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_answer_due() {
            guard = if self.is_shared {
                let waited = self.changed.wait_timeout(guard, STOP_POLL);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    fn notify(&self) {
        let _guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    const DEADLINE: Duration = Duration::from_millis(30);

    #[test]
    fn deadline_counts_from_the_ponderhit_and_aborts_without_a_stop() {
        let stop_token = StopToken::new(Instant::now(), false, true);
        thread::scope(|scope| {
            scope.spawn(|| stop_token.keep_time(DEADLINE));
            thread::sleep(2 * DEADLINE);
            assert!(!stop_token.is_aborted());
            stop_token.ponderhit(Instant::now());
        });
        assert!(stop_token.is_aborted() && !stop_token.is_stopped());
        assert!(stop_token.on_clock() >= Some(DEADLINE));
    }
}
