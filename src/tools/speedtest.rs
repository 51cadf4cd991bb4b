//! Measures the speed of the engine on this machine: searches positions of the bench, each
//! for the same time, and keeps the hash table, as in play. (The idea is from Stockfish's
//! command of the same name.)

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::engine::Engine;
use crate::search::limits::Limits;
use crate::search::threads::MAX_THREADS;

use super::bench::POSITIONS;
use super::{ToolOutput, free, per_second, timed_search};

const DEFAULT_SECONDS: u32 = 20;
const DEFAULT_HASH_MB_PER_THREAD: usize = 64;

/// The number of searches, which share the time.
const SEARCHES: usize = 20;

/// The default number of threads: one for each thread that the machine runs at once.
pub(super) fn default_threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Searches for `seconds` with `threads` threads and a hash table of `hash_mb` megabytes. The
/// last line is `<n> nodes <m> nps`. Ends early, without that line, when `stop` is set.
pub fn run(
    [threads, hash_mb, seconds]: [Option<u32>; 3],
    stop: &Arc<AtomicBool>,
    out: &mut impl ToolOutput,
) {
    let threads = threads.map_or_else(default_threads, |threads| threads as usize).min(MAX_THREADS);
    let hash_mb =
        hash_mb.map_or(threads * DEFAULT_HASH_MB_PER_THREAD, |megabytes| megabytes as usize);
    let seconds = seconds.unwrap_or(DEFAULT_SECONDS);
    out.line(format!("Threads {threads}, Hash {hash_mb} MB, {seconds} s"));
    let share = Duration::from_secs(seconds.into()) / SEARCHES as u32;
    if let Some((nodes, time)) = measure(threads, hash_mb, share, SEARCHES, stop, out) {
        out.line(format!("{nodes} nodes {} nps", per_second(nodes, time)));
    }
}

/// The nodes and the time of `searches` searches that take `share` each; `None` if `stop` was
/// set.
pub(super) fn measure(
    threads: usize,
    hash_mb: usize,
    share: Duration,
    searches: usize,
    stop: &Arc<AtomicBool>,
    out: &mut impl ToolOutput,
) -> Option<(u64, Duration)> {
    let mut engine = Engine::new();
    engine.set_threads(threads);
    // There is no GUI that could cause delays.
    engine.settings_mut().move_overhead = Duration::ZERO;
    if let Err(error) = engine.set_hash(hash_mb) {
        out.line(error.to_string());
    }
    let limits = Limits::move_time(share.max(Duration::from_millis(1)));
    let (mut total_nodes, mut total_time) = (0, Duration::ZERO);
    for (fen, number) in POSITIONS.iter().cycle().zip(1..=searches as u64) {
        let (nodes, time) = timed_search(&mut engine, fen, limits.clone(), stop)?;
        out.progress(number, searches as u64);
        total_nodes += nodes;
        total_time += time;
    }
    free(engine);
    Some((total_nodes, total_time))
}
