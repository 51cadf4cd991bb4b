//! What the engine offers besides playing, for people and scripts.

pub mod bench;

#[cfg(feature = "datagen")]
pub mod datagen;

pub mod genfens;

pub mod perft;

#[cfg(feature = "datagen")]
pub mod progress;

pub mod selfplay;

#[cfg(feature = "tune")]
pub mod tune;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Nodes per second; a time of less than a microsecond counts as one.
#[must_use]
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// Puts a file in the place of another, so that whatever happens one of them is
/// there, and whole.
///
/// # Errors
/// If it cannot be written; then the old one is still there.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}
