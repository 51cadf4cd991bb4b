//! Faults outside the engine: files that are not regular files, pipes without a reader, full
//! disks, interrupts. The engine reports them and goes on or exits; it never hangs.

// Named pipes and signals exist on Unix only.
#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::folder_support::Folder;
use crate::process_support::{Engine, program, run, run_with, text, wait};
use crate::time_support::{TIMEOUT, succeeds_once};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};

/// The exit code after an interrupt.
const INTERRUPTED: Option<i32> = Some(130);

/// The exit code after an input or output error.
const FAILED: Option<i32> = Some(1);

/// The `info` line that answers `line`.
fn ask(engine: &mut Engine, line: &str) -> String {
    let answer = engine.ask(&[line, "wait", "isready"], "readyok");
    answer.into_iter().find(|line| line.starts_with("info ")).expect("an answer")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(child.id().try_into().expect("a process number"));
    kill(pid, Signal::SIGINT).expect("the process is running");
}

#[test]
fn files_that_are_not_regular_are_refused() {
    let folder = Folder::new("no-file");
    let folder_path = folder.0.display().to_string();
    let pipe = folder.path("pipe");
    mkfifo(Path::new(&pipe), Mode::S_IRUSR | Mode::S_IWUSR).expect("a named pipe");
    let mut engine = Engine::start();
    for path in [&folder_path, &pipe, "/dev/zero", "/dev/null"] {
        for line in [
            format!("setoption name EvalFile value {path}"),
            format!("setoption name Debug Log File value {path}"),
            format!("genfens 1 seed 1 book {path}"),
        ] {
            let answer = ask(&mut engine, &line);
            assert!(answer.contains(path), "{line}: {answer}");
            let reason = "it is not a file, but a folder, a pipe or a device";
            assert!(answer.contains(reason), "{line}: {answer}");
        }
    }
    // To read this one takes until the kernel has a message, for those who may open it.
    for line in ["setoption name EvalFile value", "genfens 1 seed 1 book"] {
        let answer = ask(&mut engine, &format!("{line} /proc/kmsg"));
        assert!(!cfg!(target_os = "linux") || answer.contains("it is empty"), "{answer}");
    }
    let large = folder.path("book");
    // A sparse file: it takes no space on the disk.
    File::create(&large).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    let answer = ask(&mut engine, &format!("genfens 1 seed 1 book {large}"));
    assert!(answer.contains("it has more than 268435456 bytes"), "{answer}");
    engine.ask(&["go depth 3"], "bestmove");
    engine.quit();
}

#[test]
fn full_debug_log_is_reported_and_closed() {
    let folder = Folder::new("full-log");
    let mut shell = Command::new("sh");
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\"";
    let mut engine = Engine::start_as(shell.args(["-c", limited, env!("CARGO_BIN_EXE_carrybit")]));
    let set = format!("setoption name Debug Log File value {}\n", folder.path("log"));
    engine.write(set.as_bytes());
    // The file reaches its limit after some lines.
    let started = Instant::now();
    let report = loop {
        engine.write(b"isready\n");
        let line = engine.read_line();
        if line != "readyok\n" {
            break line;
        }
        assert!(started.elapsed() < TIMEOUT, "no report");
    };
    assert!(report.starts_with("info string the debug log is closed: "), "{report}");
    assert_eq!(engine.quit(), "readyok\n");
}

#[test]
fn non_blocking_output_loses_nothing() {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    theirs.set_nonblocking(true).expect("it can be non-blocking");
    let output = theirs.try_clone().expect("a second handle");
    let mut child = program()
        .stdin(OwnedFd::from(theirs))
        .stdout(OwnedFd::from(output))
        .spawn()
        .expect("the program starts");
    let lines = [&b"help options\n".repeat(200)[..], b"quit\n"].concat();
    ours.write_all(&lines).expect("the engine reads");
    // By now the socket is full, and the engine waits.
    thread::sleep(Duration::from_millis(100));
    let mut received = Vec::new();
    let read = ours.read_to_end(&mut received);
    assert!(wait(&mut child).success());
    read.expect("the socket can be read");
    let once = run(&["help options"]);
    assert!(received.len() > 400_000, "no more than fits into a socket: {}", received.len());
    let is_whole = received == text(&once).repeat(200).as_bytes();
    assert!(is_whole, "{} bytes instead of {}", received.len(), 200 * once.stdout.len());
}

#[test]
#[cfg(target_os = "linux")]
fn output_error_ends_the_program_with_a_message() {
    let full = || File::create("/dev/full").expect("a disk that is full");
    for arguments in [&["bench", "1"] as &[&str], &["go infinite"], &[]] {
        let mut child = program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("its input is a pipe");
        // It may exit before it has read this.
        let _ = input.write_all(b"uci\n");
        assert_eq!(wait(&mut child).code(), FAILED, "{arguments:?}");
        let errors = errors(&child.wait_with_output().expect("it has ended"));
        assert!(errors.starts_with("carrybit: cannot write the output: "), "{errors}");
    }
    // A warning that cannot be printed is no reason to panic.
    let status = program()
        .env(carrybit_board::cpu::VARIABLE, "sse9")
        .arg("isready")
        .stdout(Stdio::null())
        .stderr(full())
        .status();
    assert!(status.expect("the program starts").success());
}

#[test]
fn input_error_ends_the_program_with_a_message() {
    let folder = Folder::new("input");
    let input = File::open(&folder.0).expect("a folder can be opened, but not read");
    let output = program().stdin(input).output().expect("the program starts");
    assert_eq!(output.status.code(), FAILED);
    assert!(errors(&output).starts_with("carrybit: cannot read the input: "), "{output:?}");
    if cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        // No address space has room for such a stack, so no thread can start.
        let output = run_with(&[("RUST_MIN_STACK", &(1_u64 << 60).to_string())], &[]);
        assert_eq!(output.status.code(), FAILED);
        let message = "carrybit: cannot start the thread that reads the input: ";
        assert!(errors(&output).starts_with(message), "{output:?}");
    }
}

/// The time to the exit of an engine that is interrupted while its output is not read. The dialogue
/// cannot end then, so the program ends after two seconds.
fn time_to_forced_exit() -> Duration {
    let mut engine = Engine::start();
    engine.ask(&["isready"], "readyok");
    // Far more than fits into a pipe.
    engine.write(&b"help options\n".repeat(200));
    // By now the pipe is full, unless the machine is busy.
    thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    interrupt(&engine.child);
    assert_eq!(wait(&mut engine.child).code(), INTERRUPTED);
    started.elapsed()
}

/// Interrupts an engine that has read `lines` and printed a line beginning with `word`; returns
/// the rest of its output. The exit must come in less than half of the time `forced`.
fn interrupt_after(lines: &str, word: &str, interrupts: usize, forced: Duration) -> String {
    let mut rest = String::new();
    let ends_by_itself = || {
        let mut engine = Engine::start();
        engine.write(lines.as_bytes());
        engine.read_until(word);
        let started = Instant::now();
        for _ in 0..interrupts {
            interrupt(&engine.child);
            thread::sleep(Duration::from_millis(1));
        }
        let status;
        (status, rest) = engine.exit();
        assert_eq!(status.code(), INTERRUPTED, "{rest}");
        // The dialogue itself ends after one second without the move.
        2 * started.elapsed() < forced
    };
    assert!(succeeds_once(ends_by_itself), "{lines}: {rest}");
    rest
}

#[test]
fn interrupt_ends_every_command_and_a_search_with_its_move() {
    let forced = (0..3).map(|_| time_to_forced_exit()).max().expect("three times");
    for (lines, interrupts) in [
        ("go infinite\n", 1),
        ("go infinite\n", 5),
        ("go infinite\nwait\ngo infinite\nwait\nisready\n", 1),
        ("go movetime 60000\nwait\nisready\n", 1),
    ] {
        let rest = interrupt_after(lines, "info", interrupts, forced);
        let last = rest.lines().last().unwrap_or("");
        assert!(last.starts_with("bestmove "), "{rest}");
        assert_eq!(rest.matches("bestmove ").count(), 1, "{rest}");
        assert!(!rest.contains("readyok"), "{rest}");
    }
    for (lines, expected) in
        [("isready\n", ""), ("perft 40\nisready\nwait\nperft 1\n", "info string stopped\n")]
    {
        assert_eq!(interrupt_after(lines, "readyok", 1, forced), expected);
    }
}

#[test]
fn infinite_search_as_argument_runs_until_interrupt() {
    for arguments in [&["go", "infinite", "isready"] as &[&str], &["go ponder movetime 1", "d"]] {
        let is_answered = || {
            let mut engine = Engine::start_as(program().args(arguments));
            engine.input = None;
            engine.read_until("info");
            thread::sleep(Duration::from_millis(100));
            let running = engine.child.try_wait().expect("the state of the process");
            assert_eq!(running, None, "{arguments:?}");
            interrupt(&engine.child);
            let (status, rest) = engine.exit();
            assert_eq!(status.code(), INTERRUPTED);
            rest.lines().last().is_some_and(|last| last.starts_with("bestmove "))
        };
        assert!(succeeds_once(is_answered), "{arguments:?}");
    }
}

#[test]
fn log_that_is_not_read_does_not_block_the_dialogue() {
    const QUESTIONS: usize = 3000;
    let mut engine = Engine::start_as(program().env("RUST_LOG", "debug").stderr(Stdio::piped()));
    // Each is logged with its answer: more than fits into a pipe and the lines that may wait.
    for _ in 0..QUESTIONS {
        engine.ask(&["isready"], "readyok");
    }
    engine.quit();
}
