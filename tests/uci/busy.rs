//! The dialogue with a busy processor, an output that is not read, or a large hash table: it
//! answers soon, and its memory use is bounded.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::process_support::Engine;
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

/// Each `sched_yield` moves a thread behind all others of its core, so it would wait for them.
#[cfg(target_os = "linux")]
#[test]
fn no_thread_yields_for_an_answer() {
    use seccompiler::SeccompAction::{Allow, KillProcess};
    use seccompiler::{BpfProgram, SeccompFilter, apply_filter};
    let calls = [(libc::SYS_sched_yield, Vec::new())].into();
    let arch = std::env::consts::ARCH.try_into().expect("a processor with filters");
    let filter = SeccompFilter::new(calls, Allow, KillProcess, arch).expect("a filter");
    let filter = BpfProgram::try_from(filter).expect("a small filter");
    // The engine inherits the filter of the thread that starts it.
    let start = || apply_filter(&filter).map(|()| Engine::start());
    let mut engine = match thread::scope(|scope| scope.spawn(start).join()).expect("a thread") {
        Ok(engine) => engine,
        Err(error) => {
            // Unlike `eprintln`, this is shown although the test passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED: the system refuses filters: {error}");
            return;
        }
    };
    for _ in 0..60 {
        engine.ask(&["isready"], "readyok");
        // So all threads sleep.
        thread::sleep(Duration::from_millis(2));
        engine.ask(&["go depth 1"], "bestmove");
    }
    engine.quit();
}
