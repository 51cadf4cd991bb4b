//! Whoever reads what a tool writes, and may want to know how far it is.

use std::io::Write;

/// Takes the lines of a tool, and hears of its progress.
pub trait Observer: Write {
    /// `done` parts of `total` are done; the parts take about as long as each other.
    fn progress(&mut self, done: u64, total: u64);
}

/// Does not care for the progress.
impl Observer for Vec<u8> {
    fn progress(&mut self, _: u64, _: u64) {}
}
