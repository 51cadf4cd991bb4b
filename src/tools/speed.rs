//! How fast something was.

use std::time::Duration;

/// Nodes per second; a time of less than a microsecond counts as one.
#[must_use]
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}
