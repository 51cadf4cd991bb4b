//! Shared by the tests that wait: the machine may be slow, or busy with other work.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::time::Duration;

/// Only what hangs takes longer than this, even on a machine that is much slower than usual.
pub const TIMEOUT: Duration = Duration::from_secs(600);

/// Whether one of 20 attempts succeeds. On a busy machine the program may miss a deadline of its
/// own, but not each time.
pub fn succeeds_once(attempt: impl FnMut() -> bool) -> bool {
    std::iter::repeat_with(attempt).take(20).any(|is_success| is_success)
}
