//! The program allocates memory and starts threads before `readyok`, hardly any while a clock
//! runs, and never more than available.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::process_support::Engine;
use crate::time_support::TIMEOUT;

/// Starts the engine after a shell command that sets a limit.
fn start(limit: &str) -> Engine {
    let program = env!("CARGO_BIN_EXE_carrybit");
    Engine::start_as(Command::new("sh").args(["-c", &format!("{limit}; exec {program}")]))
}

/// A file in the process's folder of `/proc`.
fn proc(engine: &Engine, name: &str) -> String {
    let path = format!("/proc/{}/{name}", engine.child.id());
    fs::read_to_string(path).expect("a file of /proc")
}

/// Memory pages that the process has touched, counted by its page faults.
fn pages_taken(engine: &Engine) -> u64 {
    let stat = proc(engine, "stat");
    // The second field is the name in brackets; the page faults are the tenth.
    let (_, fields) = stat.rsplit_once(") ").expect("the name comes before");
    fields.split(' ').nth(7).and_then(|field| field.parse().ok()).expect("a number")
}

/// A number of the process's `status`; sizes are in kB.
fn status(engine: &Engine, name: &str) -> u64 {
    let status = proc(engine, "status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("its number");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

fn threads_of(engine: &Engine) -> u64 {
    status(engine, "Threads:")
}

#[test]
fn first_search_starts_no_threads_and_touches_few_pages() {
    for threads in [1, 4] {
        let mut engine = start("true");
        let set = format!("setoption name Threads value {threads}");
        engine.ask(&["uci", &set, "isready"], "readyok");
        let (pages, count) = (pages_taken(&engine), threads_of(&engine));
        engine.ask(&["go depth 1"], "bestmove");
        // The first search loads some hundred pages of code.
        let taken = pages_taken(&engine) - pages;
        assert!(taken < 400, "{taken} pages with {threads} threads");
        assert_eq!(threads_of(&engine), count);
        engine.quit();
    }
}

#[test]
fn threads_set_during_a_search_start_right_after_it() {
    let mut engine = start("true");
    engine.ask(&["isready"], "readyok");
    let count = threads_of(&engine);
    // The option waits for the search, `readyok` does not.
    let set = "setoption name Threads value 4";
    engine.ask(&["go infinite", set, "isready", "stop"], "bestmove");
    let started = Instant::now();
    while threads_of(&engine) < count + 3 {
        assert!(started.elapsed() < TIMEOUT, "no thread before the next search");
        sleep(Duration::from_millis(5));
    }
    engine.quit();
}

#[test]
#[cfg(target_env = "gnu")]
fn memory_of_ended_search_threads_returns_to_the_system() {
    const THREADS: u64 = 32;
    let resident_kb = |engine: &Engine| status(engine, "VmRSS:");
    let mut engine = start("true");
    engine.ask(&["isready"], "readyok");
    let (one, count) = (resident_kb(&engine), threads_of(&engine));
    let set = |threads: u64| format!("setoption name Threads value {threads}");
    engine.ask(&[&set(THREADS), "isready"], "readyok");
    let many = resident_kb(&engine);
    assert_eq!(threads_of(&engine), count + THREADS - 1);
    engine.ask(&[&set(1), "isready"], "readyok");
    let begun = Instant::now();
    while resident_kb(&engine) > one + (many - one) / 4 {
        assert!(begun.elapsed() < TIMEOUT, "{one} kB, {many} kB, {} kB", resident_kb(&engine));
        sleep(Duration::from_millis(5));
    }
    engine.quit();
}

#[test]
fn options_set_during_a_search_take_bounded_memory() {
    let mut engine = start("true");
    // The table is in memory before the search.
    engine.ask(&["isready"], "readyok");
    engine.ask(&["go infinite", "isready"], "readyok");
    let peak_kb = |engine: &Engine| status(engine, "VmHWM:");
    let before = peak_kb(&engine);
    let value = "x".repeat(500_000);
    for _ in 0..25 {
        engine.write(format!("setoption name UCI_Opponent value {value}\n").as_bytes());
    }
    engine.ask(&["isready"], "readyok");
    let taken = peak_kb(&engine) - before;
    // The buffers for one value and the histories take 4 MB; all values, if they were kept, 12 MB more.
    assert!(taken < 10_000, "{taken} kB");
    engine.quit();
}

#[test]
fn threads_and_hash_are_reduced_to_the_available_memory() {
    for (threads, hash_mb) in [(16, 1024), (64, 64), (1, 2048)] {
        let mut engine = start("ulimit -v 600000");
        let threads = format!("setoption name Threads value {threads}");
        let hash = format!("setoption name Hash value {hash_mb}");
        let ready = engine.ask(&[&threads, &hash, "isready"], "readyok");
        assert!(ready.iter().any(|line| line.starts_with("info string ")), "{ready:#?}");
        for go in ["go movetime 300", "go depth 6"] {
            let lines = engine.ask(&["ucinewgame", go], "bestmove");
            assert_ne!(lines.last().map(String::as_str), Some("bestmove (none)\n"), "{lines:#?}");
        }
        engine.quit();
    }
    for mb in (90..=210).step_by(10) {
        let mut engine = start(&format!("ulimit -v {}", mb * 1000));
        let set = ["Hash value 64", "Threads value 4"].map(|set| format!("setoption name {set}"));
        engine.ask(&["uci", &set[0], &set[1], "isready"], "readyok");
        engine.ask(&["go depth 4"], "bestmove");
        let tools = ["bench 2", "wait", "genfens 1 seed 1 book None", "wait", "isready"];
        engine.ask(&tools, "readyok");
        engine.quit();
    }
}

#[test]
fn start_with_too_little_memory_is_refused_and_never_aborts() {
    let program = env!("CARGO_BIN_EXE_carrybit");
    let mut played = 0;
    for limit in ["-v", "-d"] {
        for mb in (20..=200).step_by(if limit == "-v" { 4 } else { 20 }) {
            let command = format!("ulimit {limit} {}; exec {program} go depth 1", mb * 1000);
            let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
            let printed = String::from_utf8_lossy(&output.stdout);
            let error = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => {
                    played += 1;
                    assert!(printed.contains("bestmove "), "{limit} {mb} MB: {printed}{error}");
                }
                Some(1) => {
                    let is_refused = error.starts_with("carrybit: not enough memory: ");
                    assert!(is_refused && played == 0, "{limit} {mb} MB: {error}");
                }
                code => panic!("{limit} {mb} MB: {code:?}, {error}"),
            }
        }
        assert!(played > 3, "{limit}");
        played = 0;
    }
}
