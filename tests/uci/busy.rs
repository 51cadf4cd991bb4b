//! The dialogue with a busy processor, an output that is not read, or a large hash table: it
//! answers soon, and its memory use is bounded.

#[cfg(target_os = "linux")]
use std::io;
use std::io::Write;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::process_support::Engine;
#[cfg(target_os = "linux")]
use crate::time_support::TIMEOUT;
use crate::time_support::succeeds_once;
use crate::uci_support::Conversation;

#[test]
fn input_is_not_read_while_the_output_is_blocked() {
    const BYTES: usize = 4 << 20;
    let mut engine = Engine::start();
    let mut input = engine.input.take().expect("its input is a pipe");
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let sending = thread::spawn(move || {
        while count.load(Ordering::SeqCst) < BYTES {
            let lines = b"isready\n".repeat(1024);
            input.write_all(&lines).expect("the engine reads");
            count.fetch_add(lines.len(), Ordering::SeqCst);
        }
    });
    engine.read_until("readyok");
    thread::sleep(Duration::from_millis(300));
    let read = sent.load(Ordering::SeqCst);
    assert!(read < BYTES / 2, "{read} bytes are read and not processed");
    let (status, rest) = engine.exit();
    sending.join().expect("the engine has read all lines");
    assert!(status.success());
    assert_eq!(1 + rest.matches("readyok\n").count(), BYTES / 8);
}

#[test]
fn wait_with_megabytes_of_input_behind_it_ends_the_search() {
    let conversation = Conversation::start();
    conversation.send(&["go infinite", "wait"]);
    conversation.send(&["isready"; 400_000]);
    conversation.lines_until("bestmove");
    conversation.end();
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
fn each_command_before_quit_is_answered() {
    let mut engine = Engine::start();
    let refused = "position fen 8/8/8/8/8/8/8/8 w - - 0 1\ngo depth 3\nposition startpos\n";
    engine.write(
        format!("{refused}{}ucinewgame\nisready\nquit\n", "go infinite\n".repeat(3)).as_bytes(),
    );
    let (_, output) = engine.exit();
    let answers = output.lines().filter(|line| line.starts_with("bestmove "));
    let answers: Vec<_> = answers.map(|line| line == "bestmove (none)").collect();
    assert_eq!(answers, [true, false, false, false], "{output}");
    assert!(output.ends_with("readyok\n"), "{output}");
}

#[test]
fn go_does_not_wait_for_a_large_hash_table() {
    let time = |commands: &str, word: &str| {
        let mut engine = Engine::start();
        engine.ask(&["isready"], "readyok");
        let begun = Instant::now();
        engine.ask(&["setoption name Hash value 512", commands], word);
        begun.elapsed()
    };
    for commands in [
        "go depth 1",
        "isready\nucinewgame\nposition startpos moves e2e4\ngo depth 1",
        "isready\nsetoption name Hash value 600\nisready\nucinewgame\nisready\ngo depth 1",
        "position startpos\ngo ponder depth 1\nponderhit",
    ] {
        let is_earlier = || 2 * time(commands, "bestmove") < time("isready", "readyok");
        assert!(succeeds_once(is_earlier), "{commands}");
    }
}

/// Beside four busy loops on its core, the engine must give its moves without losing the core.
#[cfg(target_os = "linux")]
#[test]
fn no_thread_yields_for_an_answer_beside_busy_loops_on_the_same_core() {
    use std::fs;

    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    const MOVES: u64 = 60;
    let ours = sched_getaffinity(Pid::from_raw(0)).expect("our own process");
    let first = (0..CpuSet::count()).find(|&core| ours.is_set(core) == Ok(true));
    let mut core = CpuSet::new();
    core.set(first.expect("a core of ours")).expect("a small number");
    let mut engine = Engine::start();
    let pid = Pid::from_raw(engine.child.id().cast_signed());
    sched_setaffinity(pid, &core).expect("its own process");
    // A position that is searched at once.
    engine.ask(&["position fen 7k/8/8/8/8/8/8/K7 w - - 0 1", "go depth 1"], "bestmove");
    // The sum of a number of each thread, from a file of `/proc`.
    let sum = |file: &str, number: fn(&str) -> Option<&str>| -> u64 {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("its threads");
        let files = threads.map(|thread| fs::read_to_string(thread?.path().join(file)));
        let text = |file: io::Result<String>| number(&file.ok()?)?.trim().parse::<u64>().ok();
        files.filter_map(text).sum()
    };
    let losses = || sum("status", |text| Some(text.split_once("nonvoluntary_ctxt_switches:")?.1));
    let work_ms = || sum("schedstat", |text| text.split(' ').next()) / 1_000_000;
    let (is_over, begun) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                sched_setaffinity(Pid::from_raw(0), &core).expect("its own thread");
                while !is_over.load(Ordering::Relaxed) && begun.elapsed() < TIMEOUT {
                    std::hint::spin_loop();
                }
            });
        }
        let (losses_before, work_before) = (losses(), work_ms());
        for _ in 0..MOVES {
            engine.ask(&["isready"], "readyok");
            thread::sleep(Duration::from_millis(2));
            engine.ask(&["go depth 1"], "bestmove");
        }
        let (losses, work_ms) = (losses() - losses_before, work_ms() - work_before);
        is_over.store(true, Ordering::Relaxed);
        // A receiver that yields before it sleeps loses the core two or three times for each move.
        // A thread that works may also lose it, but not each millisecond.
        assert!(losses < MOVES + work_ms, "{losses} losses for {MOVES} moves in {work_ms} ms");
    });
    engine.quit();
}
