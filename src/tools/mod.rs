//! Commands besides playing: `bench`, `perft`, `speedtest`, `doctor` and `genfens`.

pub mod bench;
pub mod doctor;
pub mod genfens;
pub mod perft;
pub mod speedtest;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::Engine;
use crate::search::limits::Limits;
use carrybit_board::Board;

/// Receives the output and the progress of a tool.
pub trait ToolOutput {
    /// Prints a line, given without its end.
    fn line(&mut self, line: String);
    /// Reports that `done` of `total` parts are done. Parts take about equally long.
    fn progress(&mut self, done: u64, total: u64);
}

impl ToolOutput for Vec<String> {
    fn line(&mut self, line: String) {
        self.push(line);
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// Nodes per second; a time of less than a microsecond counts as one.
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// Frees the memory of an engine, which a drop only begins to do: the next engine may need it.
fn free(mut engine: Engine) {
    // A table of this size always fits.
    let _ = engine.set_hash(1);
}

/// The nodes of a search of `fen`, and its time; `None` if `stop` was set.
fn timed_search(
    engine: &mut Engine,
    fen: &str,
    limits: Limits,
    stop: &Arc<AtomicBool>,
) -> Option<(u64, Duration)> {
    engine.set_game(fen.parse::<Board>().expect("the bench's positions are valid"));
    let result = engine.search_unless(limits, stop);
    (!stop.load(Ordering::Relaxed)).then_some((result.nodes, result.time))
}
