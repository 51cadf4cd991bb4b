//! Measures the engine on this machine, and suggests options.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::engine::{DEFAULT_HASH_MB, Engine};
use crate::eval::nnue::Network;
use crate::host::Instant;
use crate::search::limits::Limits;
use crate::search::transposition::TranspositionTable;
use crate::sys::memory::available_bytes;
use carrybit_board::cpu::{self, Level};

use super::{ToolOutput, per_second, speedtest};

/// The number of searches that measure the speed, first with one thread and then with all.
const SPEED_SEARCHES: usize = 10;
const SPEED_SEARCH_TIME: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 200 });
const SPEED_HASH_MB: usize = 64;

/// The size of the hash table whose allocation is timed.
const MEMORY_HASH_MB: usize = 256;

/// Linux's setting of large pages.
const LARGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The number of searches that are stopped to measure the time to the answer.
const STOPS: usize = 20;
/// The time that each of them runs before the stop.
const STOP_AFTER: Duration = Duration::from_millis(40);

/// The suggested hash table takes at most 1 / `HASH_SHARE` of the available memory.
const HASH_SHARE: u64 = 4;
/// The largest suggested hash table: only unusually long games would fill more.
const MAX_HASH_MB: u64 = 1 << 14;

const PROGRESS_STEPS: u64 = 4;

/// Measures machine and engine and writes the results to `out`. Ends early when `stop` is
/// set.
pub fn run(stop: &Arc<AtomicBool>, out: &mut impl ToolOutput) {
    out.line(format!("Carrybit {}, {}", crate::VERSION, Network::embedded()));
    let (level, best) = (cpu::level(), Level::best());
    if level == best {
        let more = if cpu::has_dot_product() { " with dot products" } else { "" };
        out.line(format!("Vector instructions: {level}{more}, the best of this processor"));
    } else {
        let variable = cpu::VARIABLE;
        out.line(format!("Vector instructions: {level}; {variable} disables {best}"));
    }
    let speed = |threads| {
        let (hash_mb, time, searches) = (SPEED_HASH_MB, SPEED_SEARCH_TIME, SPEED_SEARCHES);
        let (nodes, time) =
            speedtest::measure(threads, hash_mb, time, searches, stop, &mut Vec::new())?;
        Some(per_second(nodes, time))
    };
    let Some(nps) = speed(1) else { return };
    out.progress(1, PROGRESS_STEPS);
    let threads = speedtest::default_threads();
    if threads == 1 {
        out.line(format!("Speed: {nps} nps with one thread"));
    } else {
        let Some(all) = speed(threads) else { return };
        out.line(format!("Speed: {nps} nps with one thread, {all} nps with {threads}"));
    }
    out.progress(2, PROGRESS_STEPS);
    let available_mb = available_bytes().map(|bytes| bytes >> 20);
    examine_memory(available_mb, out);
    out.progress(3, PROGRESS_STEPS);
    let Some((median, longest)) = stop_latency(stop) else { return };
    out.progress(PROGRESS_STEPS, PROGRESS_STEPS);
    out.line(format!(
        "A search stops within {:.1} ms, at most {:.1} ms in {STOPS} attempts",
        millis(median),
        millis(longest)
    ));
    suggest(threads, suggested_hash_mb(available_mb), out);
}

fn examine_memory(available_mb: Option<u64>, out: &mut impl ToolOutput) {
    if let Some(megabytes) = available_mb {
        out.line(format!("Memory available: {megabytes} MB"));
    }
    if available_mb.is_none_or(|megabytes| megabytes > 2 * MEMORY_HASH_MB as u64) {
        let (table, _) = TranspositionTable::new(MEMORY_HASH_MB);
        let started = Instant::now();
        while table.touch() {}
        let per_gigabyte = millis(started.elapsed()) * 1024.0 / MEMORY_HASH_MB as f64;
        out.line(format!("Allocating a 1024 MB hash table: {per_gigabyte:.0} ms"));
    }
    let setting = std::fs::read_to_string(LARGE_PAGES).unwrap_or_default();
    if setting.contains("[never]") {
        out.line(format!("Large pages: switched off; as root, echo madvise > {LARGE_PAGES}"));
    }
}

/// The median and the longest time from a stop to the answer; `None` if `stop` was set.
fn stop_latency(stop: &AtomicBool) -> Option<(Duration, Duration)> {
    let mut engine = Engine::new();
    let mut times = Vec::new();
    for _ in 0..STOPS {
        let search = engine.begin(Limits::default());
        thread::sleep(STOP_AFTER);
        let stopped = Instant::now();
        search.stop();
        search.finish();
        times.push(stopped.elapsed());
        if stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    times.sort_unstable();
    Some((times[times.len() / 2], times[times.len() - 1]))
}

/// Suggests options for a machine that runs `threads` threads at once.
fn suggest(threads: usize, hash_mb: u64, out: &mut impl ToolOutput) {
    let text = format!(
        "\
For analysis on this machine alone: Threads {}, Hash {hash_mb}
For a match: Threads 1, Hash 16 to 64 at short times, one game per core
For lichess-bot, in config.yml:
    engine:
      name: \"carrybit\"
      protocol: \"uci\"
      uci_options:
        Threads: {threads}
        Hash: {}
        Move Overhead: 100",
        threads.saturating_sub(1).max(1),
        hash_mb.div_ceil(2)
    );
    text.lines().for_each(|line| out.line(line.to_owned()));
}

/// A power of two that leaves most of the memory to other programs.
fn suggested_hash_mb(available_mb: Option<u64>) -> u64 {
    let most = available_mb.unwrap_or(0) / HASH_SHARE;
    let power = most.checked_ilog2().map_or(1, |power| 1 << power);
    power.clamp(DEFAULT_HASH_MB as u64, MAX_HASH_MB)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_table_leaves_memory_to_other_programs() {
        assert_eq!(suggested_hash_mb(None), 16);
        for (megabytes, hash_mb) in [(0, 16), (1000, 128), (8192, 2048), (1 << 30, 1 << 14)] {
            assert_eq!(suggested_hash_mb(Some(megabytes)), hash_mb, "{megabytes}");
        }
    }

    #[test]
    fn doctor_reports_its_findings_and_can_be_stopped() {
        let mut out: Vec<String> = Vec::new();
        run(&Arc::default(), &mut out);
        let text = out.join("\n");
        for part in ["Vector instructions: ", "Speed: ", "A search stops within ", "    Hash: "] {
            assert!(text.contains(part), "{text}");
        }
        out.clear();
        run(&Arc::new(true.into()), &mut out);
        assert_eq!(out.len(), 2, "{out:?}");
    }
}
