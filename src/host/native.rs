//! An operating system: its clock, and its threads.

use std::io;
use std::thread::Builder;
use std::time::{SystemTime, UNIX_EPOCH};

pub use std::time::Instant;

/// Runs `work` beside what is running, on a thread with this name and so many bytes of
/// stack.
///
/// # Errors
/// The system cannot start the thread.
pub fn spawn(
    name: &str,
    stack_bytes: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(work).map(|_| ())
}

/// Lets others run; threads need nothing for that.
#[inline]
pub fn pause() {}

/// Does what was spawned, where nobody else does it; threads do it by themselves.
#[inline]
pub fn work() {}

/// A number that is another one each time, for play that is to vary.
#[must_use]
pub fn seed() -> u64 {
    // A clock set before 1970 gives the same number every time, which does no harm.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}
