//! The platform in a page or in Node: one thread, which runs a fiber between other events.
//!
//! The host calls [`run_spawned`], and the [spawned](spawn) work calls [`yield_now`] now and
//! then. After a time slice the host *unwinds* the stack: each function saves its local variables
//! and returns at once. Later the host *rewinds* the stack: it calls the same functions, which
//! restore their variables and continue after `yield_now`.
//!
//! Asyncify, a pass of Binaryen, adds this ability to functions that may be on the stack then,
//! and to no others, because it costs speed. It follows calls by name, so code that is only
//! called through `dyn` must not yield, except for the work that `run_spawned` runs.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::io;
use std::ops::Add;
use std::time::Duration;

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds since 1970, with fractions.
        pub(super) safe fn now() -> f64;
        /// May suspend the fiber.
        pub(super) safe fn pause();
        /// Suspends the fiber until the host has an event.
        pub(super) safe fn rest();
    }
}

/// A moment on the host's clock; [`std::time::Instant`] does not work here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// The current time.
    pub fn now() -> Instant {
        Instant(Duration::from_secs_f64(imports::now() / 1000.0))
    }

    /// The time since this moment.
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

thread_local! {
    /// Spawned work that has not begun.
    static SPAWNED: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// Gives `work` to the host. There is one fiber: earlier work must have ended.
///
/// # Errors
/// None. (The native function can fail.)
pub fn spawn(_: &str, _: usize, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    SPAWNED.set(Some(Box::new(work)));
    Ok(())
}

/// Runs spawned work. The host calls it and may unwind it. The engine also calls it, where it
/// waits for work that it has spawned. `web/build` passes its name to Asyncify, so it must not be
/// inlined.
#[unsafe(export_name = "work")]
#[inline(never)]
pub extern "C" fn run_spawned() {
    if let Some(work) = SPAWNED.take() {
        work();
    }
}

/// Whether there is spawned work that has not begun.
pub fn has_spawned() -> bool {
    SPAWNED.with_borrow(Option::is_some)
}

/// Suspends the fiber if its time slice is over.
#[inline]
pub fn yield_now() {
    imports::pause();
}

/// Suspends the fiber until the host has an event.
pub fn wait_event() {
    imports::rest();
}

/// A seed from the wall clock.
pub fn seed() -> u64 {
    imports::now().to_bits()
}
