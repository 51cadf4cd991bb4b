//! The clock and the threads of an operating system.

use std::io;
use std::thread::Builder;
use std::time::{SystemTime, UNIX_EPOCH};

pub use std::time::Instant;

/// Runs `work` on a thread with this name and `stack_bytes` bytes of stack.
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

/// Yields. A no-op with real threads.
#[inline]
pub fn yield_now() {}

/// Runs spawned work. A no-op with real threads, which run it themselves.
#[inline]
pub fn run_spawned() {}

/// A seed from the wall clock.
pub fn seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}
