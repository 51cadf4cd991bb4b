//! The dialogue with a busy processor, an output that is not read, or a large hash table: it
//! answers soon, and its memory use is bounded.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::process_support::Engine;
use crate::time_support::TIMEOUT;
use carrybit::internals::terminal::Terminal;
use carrybit::internals::uci::{Dialogue, Failure};

/// Waits until `is_true`; fails after [`TIMEOUT`].
fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < TIMEOUT, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Input that begins with some lines and goes on with `isready` without end, and output that
/// blocks unless `is_open`.
#[derive(Clone, Default)]
struct Flood {
    /// The number of bytes read from the input.
    read: Arc<AtomicUsize>,
    /// Whether the input has ended.
    is_over: Arc<AtomicBool>,
    is_open: Arc<AtomicBool>,
    /// The number of `bestmove` lines written.
    moves: Arc<AtomicUsize>,
}

/// The reading end of a [`Flood`].
struct Input(Flood, &'static [u8]);

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.0.is_over.load(Ordering::SeqCst) {
            return Ok(0);
        }
        if self.1.is_empty() {
            self.1 = b"isready\n";
        }
        let length = self.1.read(bytes)?;
        self.0.read.fetch_add(length, Ordering::SeqCst);
        Ok(length)
    }
}

impl Write for Flood {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_open.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let moves = bytes.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"bestmove"));
        self.moves.fetch_add(moves.count(), Ordering::SeqCst);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a dialogue with the flood as its input and output.
fn converse(flood: &Flood, first: &'static [u8]) -> JoinHandle<Result<(), Failure>> {
    let (output, input) = (flood.clone(), Input(flood.clone(), first));
    thread::spawn(move || Dialogue::new(output, Terminal::default()).converse(input))
}

#[test]
fn input_is_not_read_while_the_output_is_blocked() {
    let flood = Flood::default();
    let dialogue = converse(&flood, b"uci\n");
    wait_until("the first line is read", || flood.read.load(Ordering::SeqCst) > 0);
    thread::sleep(Duration::from_millis(300));
    let read = flood.read.load(Ordering::SeqCst);
    assert!(read < 4 << 20, "{read} bytes are read and not processed");
    flood.is_open.store(true, Ordering::SeqCst);
    wait_until("it goes on", || flood.read.load(Ordering::SeqCst) > read + 1000);
    flood.is_over.store(true, Ordering::SeqCst);
    assert!(dialogue.join().expect("no panic").is_ok());
}

#[test]
fn wait_with_megabytes_of_input_behind_it_ends_the_search() {
    let flood = Flood::default();
    flood.is_open.store(true, Ordering::SeqCst);
    let dialogue = converse(&flood, b"go infinite\nwait\n");
    wait_until("the search ends", || flood.moves.load(Ordering::SeqCst) == 1);
    flood.is_over.store(true, Ordering::SeqCst);
    assert!(dialogue.join().expect("no panic").is_ok());
}

#[test]
fn commands_before_quit_are_answered_with_a_large_hash_table() {
    for (lines, answer) in [
        ("isready\nquit\n", "readyok\n"),
        ("go infinite\nstop\nwait\nisready\nquit\n", "bestmove "),
        ("go depth 1\nwait\nquit\n", "bestmove "),
    ] {
        let mut engine = Engine::start();
        engine.write(format!("setoption name Hash value 512\n{lines}").as_bytes());
        let (_, output) = engine.exit();
        assert_eq!(output.matches(answer).count(), 1, "{lines}: {output}");
    }
}

#[test]
fn go_does_not_wait_for_a_large_hash_table() {
    // The shortest time, because other programs may be busy.
    let time = |commands: &str, word: &str| {
        let attempts = (0..3).map(|_| {
            let mut engine = Engine::start();
            engine.write(b"isready\n");
            engine.lines_until("readyok");
            let begun = Instant::now();
            engine.write(format!("setoption name Hash value 512\n{commands}").as_bytes());
            engine.lines_until(word);
            begun.elapsed()
        });
        attempts.min().expect("some attempts")
    };
    let waiting = time("isready\n", "readyok");
    for commands in [
        "go depth 1\n",
        "isready\nucinewgame\nposition startpos moves e2e4\ngo depth 1\n",
        "isready\nsetoption name Hash value 600\nisready\nucinewgame\nisready\ngo depth 1\n",
        "position startpos\ngo ponder depth 1\nponderhit\n",
    ] {
        let playing = time(commands, "bestmove");
        assert!(2 * playing < waiting, "{commands}: {playing:?}, waiting {waiting:?}");
    }
}

/// Asks a pinned engine 60 times for `readyok` and a move, beside four busy loops on its core.
/// Returns the times of the moves, how often its threads lost the core without sleeping, and how
/// long they had it.
#[cfg(target_os = "linux")]
fn ask_beside_busy_loops() -> (Vec<Duration>, u64, Duration) {
    use std::fs;

    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    let ours = sched_getaffinity(Pid::from_raw(0)).expect("our own process");
    let first = (0..CpuSet::count()).find(|&core| ours.is_set(core) == Ok(true));
    let mut core = CpuSet::new();
    core.set(first.expect("a core of ours")).expect("a small number");
    let mut engine = Engine::start();
    let pid = Pid::from_raw(engine.child.id().cast_signed());
    sched_setaffinity(pid, &core).expect("its own process");
    let mut ask = |line: &str, word: &str| {
        let begun = Instant::now();
        engine.write(line.as_bytes());
        engine.lines_until(word);
        begun.elapsed()
    };
    // A position that is searched at once.
    ask("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1\ngo depth 1\n", "bestmove");
    // The sum of a number of each thread, from a file of `/proc`.
    let sum = |file: &str, number: fn(&str) -> Option<&str>| -> u64 {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("its threads");
        let files = threads.map(|thread| fs::read_to_string(thread?.path().join(file)));
        let text = |file: io::Result<String>| number(&file.ok()?)?.trim().parse::<u64>().ok();
        files.filter_map(text).sum()
    };
    let losses = || sum("status", |text| Some(text.split_once("nonvoluntary_ctxt_switches:")?.1));
    let work = || Duration::from_nanos(sum("schedstat", |text| text.split(' ').next()));
    let is_over = Arc::new(AtomicBool::new(false));
    let loops: Vec<_> = (0..4)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                sched_setaffinity(Pid::from_raw(0), &core).expect("its own thread");
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        })
        .collect();
    let (losses_before, work_before) = (losses(), work());
    let times: Vec<_> = (0..60)
        .map(|_| {
            ask("isready\n", "readyok");
            thread::sleep(Duration::from_millis(2));
            ask("go depth 1\n", "bestmove")
        })
        .collect();
    let measured = (times, losses() - losses_before, work() - work_before);
    is_over.store(true, Ordering::Relaxed);
    loops.into_iter().for_each(|thread| thread.join().expect("no panic"));
    engine.child.kill().expect("it runs");
    measured
}

#[cfg(target_os = "linux")]
#[test]
fn no_thread_yields_for_an_answer_beside_busy_loops_on_the_same_core() {
    let (times, losses, work) = ask_beside_busy_loops();
    // A receiver that yields before it sleeps loses the core two or three times for each move. A
    // thread that works may also lose it, but not each millisecond.
    let most = times.len() as u128 + work.as_millis();
    assert!(u128::from(losses) < most, "{losses} losses for {} moves in {work:?}", times.len());
}

#[cfg(target_os = "linux")]
mod timing {
    use super::*;

    #[test]
    #[ignore = "needs a processor that is not busy"]
    fn answers_come_within_8_ms_beside_busy_loops_on_the_same_core() {
        let (mut times, ..) = ask_beside_busy_loops();
        times.sort_unstable();
        // If each message passed through a receiver that yields, it would be 14 ms or more.
        assert!(times[30] < Duration::from_millis(8), "median {:?} of {times:?}", times[30]);
    }
}
