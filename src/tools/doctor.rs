//! What this machine gives the engine, measured, and which options fit it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::engine::{self, Engine};
use crate::host::{Instant, channel};
use crate::memory::available_bytes;
use crate::processor::{self, Level};
use crate::search::limits::{Limits, SearchEvent};
use crate::search::transposition::TranspositionTable;

use super::observer::Observer;
use super::speed::per_second;
use super::speedtest;

/// How long the speed is measured, with one thread and then with all.
const SPEED_TIME: Duration = Duration::from_secs(2);
/// Into how many searches that time is divided.
const SPEED_SEARCHES: usize = 10;
/// The table's size while speed and stopping are measured, in megabytes.
const SPEED_HASH_MB: usize = 64;

/// The table with which the cost of memory is measured, in megabytes.
const MEMORY_HASH_MB: usize = 256;

/// How many searches are stopped to measure how long that takes.
const STOPS: usize = 20;
/// How long each of them runs before.
const STOP_AFTER: Duration = Duration::from_millis(40);

/// Of the memory that is available, the table gets at most this share.
const HASH_SHARE: u64 = 4;
/// No larger table is advised: longer games than are usual would be needed to fill it.
const MOST_HASH_MB: u64 = 1 << 14;

/// The steps of the examination, for the progress.
const STEPS: u64 = 4;

/// Examines machine and engine and writes what it finds to `out`. Ends early when `stop`
/// is set.
///
/// # Errors
/// If `out` cannot be written to.
pub fn run(stop: &Arc<AtomicBool>, out: &mut impl Observer) -> io::Result<()> {
    writeln!(out, "Carrybit {}, {}", crate::VERSION, engine::own_evaluation())?;
    let best = Level::supported().last().unwrap_or(Level::Scalar);
    match (processor::level(), best) {
        (level, best) if level == best => {
            writeln!(out, "Vector instructions: {level}, the best of this processor")?;
        }
        (level, best) => writeln!(
            out,
            "Vector instructions: {level}, though this processor has {best}: see {}",
            processor::VARIABLE
        )?,
    }
    let threads = speedtest::usual_threads();
    let mut speeds = Vec::new();
    for (step, threads) in [(1, 1), (2, threads)] {
        if step == 2 && threads == 1 {
            break;
        }
        let share = SPEED_TIME / SPEED_SEARCHES as u32;
        // Its own progress is not that of the whole.
        let mut unheard = Vec::new();
        let measured =
            speedtest::measure(threads, SPEED_HASH_MB, share, SPEED_SEARCHES, stop, &mut unheard);
        let Some((nodes, time)) = measured else { return Ok(()) };
        speeds.push(per_second(nodes, time));
        out.progress(step, STEPS);
    }
    let with_all = speeds.get(1).map(|nps| format!(", {nps} nps with {threads}"));
    writeln!(out, "Speed: {} nps with one thread{}", speeds[0], with_all.unwrap_or_default())?;
    let memory = memory(threads, out)?;
    out.progress(3, STEPS);
    let Some((usual, most)) = stop_latency(stop) else { return Ok(()) };
    out.progress(STEPS, STEPS);
    writeln!(
        out,
        "A search stops within {:.1} ms, at most {:.1} ms in {STOPS} attempts",
        millis(usual),
        millis(most)
    )?;
    advise(threads, memory, out)
}

/// Writes what memory costs; returns how many megabytes are available, if that is known.
fn memory(threads: usize, out: &mut impl Observer) -> io::Result<Option<u64>> {
    let available = available_bytes().map(|bytes| bytes >> 20);
    if let Some(megabytes) = available {
        writeln!(out, "Memory available: {megabytes} MB")?;
    }
    if available.is_none_or(|megabytes| megabytes > 2 * MEMORY_HASH_MB as u64) {
        let (mut table, _) = TranspositionTable::new(MEMORY_HASH_MB);
        let started = Instant::now();
        table.clear(threads);
        let per_gigabyte = millis(started.elapsed()) * 1024.0 / MEMORY_HASH_MB as f64;
        writeln!(out, "Allocating a 1024 MB hash table: {per_gigabyte:.0} ms")?;
    }
    if let Some(problem) = large_pages_problem() {
        writeln!(out, "Large pages: {problem}")?;
    }
    Ok(available)
}

/// Why the table may not get large pages, which make a search faster.
fn large_pages_problem() -> Option<&'static str> {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    setting.contains("[never]").then_some(
        "switched off; as root, echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )
}

/// How long it takes from a stop to the answer: the median and the longest time; `None` if
/// `stop` was set.
fn stop_latency(stop: &AtomicBool) -> Option<(Duration, Duration)> {
    let mut engine = Engine::new();
    engine.prepare();
    let mut times = Vec::new();
    for _ in 0..STOPS {
        let (sender, receiver) = channel();
        let limits = Limits { infinite: true, ..Limits::default() };
        engine.go(limits, Instant::now(), move |event| {
            if matches!(event, SearchEvent::Finished(_)) {
                // The receiver waits for exactly this.
                let _ = sender.send(Instant::now());
            }
        });
        thread::sleep(STOP_AFTER);
        let asked = Instant::now();
        engine.stop();
        let answered = receiver.recv()?;
        times.push(answered.saturating_duration_since(asked));
        engine.wait();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    times.sort_unstable();
    Some((times[times.len() / 2], times[times.len() - 1]))
}

/// Writes which options fit a machine that runs `threads` threads at once and has so many
/// megabytes available.
fn advise(threads: usize, megabytes: Option<u64>, out: &mut impl Observer) -> io::Result<()> {
    let hash_mb = advised_hash_mb(megabytes);
    writeln!(out, "For analysis on this machine alone: Threads {threads}, Hash {hash_mb}")?;
    writeln!(out, "For a match: Threads 1, Hash 16 to 64 at short times, one game per core")?;
    writeln!(out, "For lichess-bot, in config.yml:")?;
    for line in [
        "engine:".to_owned(),
        "  name: \"carrybit\"".to_owned(),
        "  protocol: \"uci\"".to_owned(),
        "  uci_options:".to_owned(),
        format!("    Threads: {}", threads.saturating_sub(1).max(1)),
        format!("    Hash: {}", hash_mb.div_ceil(2)),
        "    Move Overhead: 100".to_owned(),
    ] {
        writeln!(out, "    {line}")?;
    }
    Ok(())
}

/// A power of two that leaves most of the memory to others.
fn advised_hash_mb(megabytes: Option<u64>) -> u64 {
    let most = megabytes.unwrap_or(0) / HASH_SHARE;
    let power = most.checked_ilog2().map_or(1, |power| 1 << power);
    power.clamp(engine::DEFAULT_HASH_MB as u64, MOST_HASH_MB)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_leaves_memory_to_others() {
        for (megabytes, hash_mb) in [
            (None, 16),
            (Some(0), 16),
            (Some(1000), 128),
            (Some(8192), 2048),
            (Some(1 << 30), 1 << 14),
        ] {
            assert_eq!(advised_hash_mb(megabytes), hash_mb, "{megabytes:?}");
        }
    }

    #[test]
    fn the_examination_says_what_it_found_and_can_be_stopped() {
        let mut out = Vec::new();
        run(&Arc::default(), &mut out).expect("a Vec can be written");
        let text = String::from_utf8(out).expect("ASCII");
        for part in ["Vector instructions: ", "Speed: ", "A search stops within ", "    Hash: "] {
            assert!(text.contains(part), "{text}");
        }
        let mut out = Vec::new();
        run(&Arc::new(true.into()), &mut out).expect("a Vec can be written");
        assert_eq!(String::from_utf8_lossy(&out).lines().count(), 2);
    }
}
