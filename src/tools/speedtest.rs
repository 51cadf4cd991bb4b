//! How fast the engine is on this machine with all its threads: positions of the bench,
//! each searched for the same time, with a table that is kept, as in play. (The idea is
//! that of Stockfish's command of the same name.)

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use crate::board::{Board, Game};
use crate::engine::Engine;
use crate::host::Instant;
use crate::search::limits::Limits;

use super::bench::POSITIONS;
use super::observer::Observer;
use super::speed::per_second;

/// How long it takes if no time is asked for, in seconds.
pub const SECONDS: u64 = 20;

/// The table's size for each thread if none is asked for, in megabytes.
pub const HASH_MB_PER_THREAD: usize = 64;

/// How many positions are searched; they share the time.
const SEARCHES: usize = 20;

/// How many threads search if no number is asked for: as many as the machine runs at once.
#[must_use]
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
    out: &mut impl Observer,
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
    out: &mut impl Observer,
) -> Option<(u64, Duration)> {
    let mut engine = Engine::new();
    engine.set_threads(threads);
    // There is no client whose delays would have to be allowed for.
    engine.settings_mut().move_overhead_ms = 0;
    if let Err(error) = engine.set_hash(hash_mb) {
        // Who cannot be told hears no result either.
        let _ = writeln!(out, "{error}");
    }
    engine.prepare();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for (i, fen) in POSITIONS.iter().cycle().take(searches).enumerate() {
        let board: Board = fen.parse().expect("the bench's positions are valid");
        engine.set_game(Game::new(board));
        let started = Instant::now();
        let move_time_ms = Some(share.as_millis().max(1) as u64);
        nodes += engine.count_nodes(Limits { move_time_ms, ..Limits::default() }, stop);
        time += started.elapsed();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        out.progress(i as u64 + 1, searches as u64);
    }
    Some((nodes, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_the_time_it_was_given_and_tells_its_speed() {
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
