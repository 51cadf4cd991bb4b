//! A page, or Node: one thread, which runs a fiber when there is nothing else to do.
//!
//! The host calls [`work`] to run [spawned](spawn) work, which calls [`pause`] now and then.
//! If the time slice is over, the host *unwinds* the stack: every function saves its local
//! variables and returns at once. Later the host *rewinds* the stack: the same functions are
//! called again, restore their variables and go on, as if `pause` had just returned. In
//! between it can call anything else. Asyncify, a pass of Binaryen, adds that ability to the
//! functions that may be on the stack at a pause, because it costs speed. It finds them by
//! following calls by name: code that is only called through `dyn` must not pause, except
//! for the work that `work` runs.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::io;
use std::ops::{Add, Sub};
use std::time::Duration;

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds since 1970, with fractions.
        pub(super) safe fn now() -> f64;
        /// Returns at once, or suspends the fiber for a while.
        pub(super) safe fn pause();
        /// Suspends the fiber until the host has an event.
        pub(super) safe fn rest();
    }
}

/// A moment on the host's clock; [`std::time::Instant`] does not work here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    pub fn now() -> Instant {
        Instant(Duration::from_secs_f64(imports::now() / 1000.0))
    }

    /// The time since then.
    pub fn elapsed(self) -> Duration {
        Instant::now().saturating_duration_since(self)
    }

    /// The time since an earlier moment; zero if it is later.
    pub fn saturating_duration_since(self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0.saturating_add(time))
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, time: Duration) -> Instant {
        Instant(self.0.saturating_sub(time))
    }
}

thread_local! {
    /// Spawned work that has not begun.
    static SPAWNED: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// Has the host run `work`. There is one fiber only: work spawned before must have ended.
///
/// # Errors
/// None; natively, there may be no thread.
pub fn spawn(_: &str, _: usize, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    SPAWNED.set(Some(Box::new(work)));
    Ok(())
}

/// Runs spawned work. Called by the host, which may unwind it, and by work that waits for
/// work it has spawned. Asyncify knows it by its name, so it must not be inlined.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn work() {
    if let Some(work) = SPAWNED.take() {
        work();
    }
}

/// Whether there is spawned work that has not begun.
pub fn has_work() -> bool {
    SPAWNED.with_borrow(Option::is_some)
}

/// Suspends the fiber if its time slice is over.
#[inline]
pub fn pause() {
    imports::pause();
}

/// Suspends the fiber until the host has an event.
pub fn rest() {
    imports::rest();
}

/// A seed from the wall clock.
pub fn seed() -> u64 {
    imports::now().to_bits()
}
