//! How fast the engine is on this machine with all its threads: positions of the bench,
//! each searched for the same time, with a table that is kept, as in play. (The idea is
//! that of Stockfish's command of the same name.)

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::engine::Engine;
use crate::search::limits::Limits;

use super::bench::POSITIONS;
use super::{ToolOutput, per_second, timed_search};

/// The default time, in seconds.
pub const SECONDS: u64 = 20;

/// The default size of the table for each thread, in megabytes.
pub const HASH_MB_PER_THREAD: usize = 64;

/// How many positions are searched; they share the time.
const SEARCHES: usize = 20;

/// The default number of threads: as many as the machine runs at once.
pub fn usual_threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Searches for `seconds` with `threads` threads and a table of `hash_mb` megabytes. The
/// last line is `<n> nodes <m> nps`. Ends early, without that line, when `stop` is set.
///
/// # Errors
/// If `out` cannot be written to.
pub fn run(
    threads: usize,
    hash_mb: usize,
    seconds: u64,
    stop: &Arc<AtomicBool>,
    out: &mut impl ToolOutput,
) -> io::Result<()> {
    writeln!(out, "Threads {threads}, Hash {hash_mb} MB, {seconds} s")?;
    let share = Duration::from_secs(seconds) / SEARCHES as u32;
    let Some((nodes, time)) = measure(threads, hash_mb, share, SEARCHES, stop, out) else {
        return Ok(());
    };
    writeln!(out, "{nodes} nodes {} nps", per_second(nodes, time))
}

/// The nodes of `searches` searches of `share` each, and the time that they took; `None`
/// if `stop` was set.
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
    // There is no GUI whose delays would have to be allowed for.
    engine.settings_mut().move_overhead_ms = 0;
    if let Err(error) = engine.set_hash(hash_mb) {
        // Ignore: the result could not be written either.
        let _ = writeln!(out, "{error}");
    }
    engine.prepare();
    let limits =
        Limits { move_time_ms: Some(share.as_millis().max(1) as u64), ..Limits::default() };
    let (mut total_nodes, mut total_time) = (0, Duration::ZERO);
    for (fen, number) in POSITIONS.iter().cycle().zip(1..=searches as u64) {
        let (nodes, time) = timed_search(&mut engine, fen, limits.clone(), stop)?;
        out.progress(number, searches as u64);
        total_nodes += nodes;
        total_time += time;
    }
    Some((total_nodes, total_time))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn speedtest_takes_its_time_and_reports_the_speed() {
        let mut out = Vec::new();
        let started = Instant::now();
        run(2, 1, 1, &Arc::default(), &mut out).expect("a Vec can be written");
        assert!(started.elapsed() > Duration::from_millis(900));
        let text = String::from_utf8(out).expect("ASCII");
        let lines: Vec<&str> = text.lines().collect();
        let words: Vec<&str> = lines[1].split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{text}");
        assert!(words[2].parse::<u64>().is_ok_and(|nps| nps > 0), "{text}");
    }

    #[test]
    fn a_stop_ends_it_without_a_total() {
        let mut out = Vec::new();
        run(1, 1, 60, &Arc::new(true.into()), &mut out).expect("a Vec can be written");
        assert_eq!(String::from_utf8_lossy(&out).lines().count(), 1);
    }
}
