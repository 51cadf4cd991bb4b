//! An operating system: its clock, and its threads.

use std::io;
use std::thread::Builder;

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
