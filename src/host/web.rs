//! A page, or Node: one thread, which runs a fiber whenever there is nothing else to do.
//!
//! The host calls [`work`] for what was [spawned](spawn). Now and then that calls
//! [`pause`]. If the host thinks that it has run for long enough, it
//! *unwinds* the stack: every function returns at once, having written its local
//! variables to a place set aside. Some time later it *rewinds* the stack: the same
//! functions are called again, read their variables and go on where they were, as if
//! `pause` had just returned. Meanwhile it can call anything else. The functions get that
//! ability when the module is built (Asyncify, a pass of Binaryen); only those that may
//! be on the stack when there is a pause have it, as it costs a little speed. They are
//! found by following calls by name: what only a `dyn` function calls must not pause,
//! except where `work` calls it.

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
        /// Returns at once, or after others have run.
        pub(super) safe fn pause();
        /// Returns after something has happened.
        pub(super) safe fn rest();
    }
}

/// A moment on the host's clock. What is used of [`std::time::Instant`], which does not
/// work here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    #[must_use]
    pub fn now() -> Instant {
        Instant(Duration::from_secs_f64(imports::now() / 1000.0))
    }

    /// The time since then.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Instant::now().saturating_duration_since(self)
    }

    /// The time since an earlier moment; zero if it is later.
    #[must_use]
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

/// What a fiber does.
type Work = Box<dyn FnOnce()>;

thread_local! {
    /// What is to be done next.
    static SPAWNED: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Has the host run `work` beside what is running. There is one fiber only: whatever was
/// spawned before must have ended.
///
/// # Errors
/// None; natively, there may be no thread.
pub fn spawn(_: &str, _: usize, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    SPAWNED.set(Some(Box::new(work)));
    Ok(())
}

/// Does what was spawned. Called by the host, which may unwind it; also by work that
/// waits for what it has spawned. By its name it is known as the one that pauses in a
/// `dyn` function, so that it must not become a part of another.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn work() {
    if let Some(work) = SPAWNED.take() {
        work();
    }
}

/// Whether something was spawned and has not begun yet.
#[must_use]
pub fn has_work() -> bool {
    SPAWNED.with_borrow(Option::is_some)
}

/// Lets others run, if the fiber has run for long enough.
#[inline]
pub fn pause() {
    imports::pause();
}

/// Lets others run until something has happened.
pub fn rest() {
    imports::rest();
}

/// A number that is another one each time, for play that is to vary.
#[must_use]
pub fn seed() -> u64 {
    imports::now().to_bits()
}
