//! Problems around the engine: files that are not regular ones, pipes that nobody reads,
//! full disks, interrupts. The engine says so, and goes on or exits; it never freezes.

// Pipes with names and signals are those of Unix.
#![cfg(unix)]

mod folder_support;
mod process_support;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use folder_support::Folder;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use process_support::{Engine, PATIENCE, SOON, program, run, run_with, text, wait};

/// The exit code after an interrupt.
const INTERRUPTED: Option<i32> = Some(130);

/// The exit code after a failure of input or output.
const FAILED: Option<i32> = Some(1);

/// A named pipe with nobody at its other end.
fn pipe(folder: &Folder, name: &str) -> String {
    let path = folder.path(name);
    mkfifo(Path::new(&path), Mode::S_IRUSR | Mode::S_IWUSR).expect("a pipe can be made");
    path
}

/// The answer to one line, which must come soon.
fn ask(engine: &mut Engine, line: &str) -> String {
    let asked = Instant::now();
    engine.write(format!("{line}\nwait\nisready\n").as_bytes());
    let answer = engine.read_until("info");
    engine.read_until("readyok");
    assert!(asked.elapsed() < SOON, "{line}: {:?}", asked.elapsed());
    answer
}

/// What it wrote to standard error.
fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(child.id().try_into().expect("a process number"));
    kill(pid, Signal::SIGINT).expect("the process is there");
}

#[test]
fn what_is_no_file_is_refused_wherever_a_file_is_wanted() {
    let folder = Folder::new("no-file");
    let folder_path = folder.0.display().to_string();
    let pipe = pipe(&folder, "pipe");
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
    engine.write(b"go depth 3\nwait\nquit\n");
    engine.read_until("bestmove");
    assert!(engine.exit().0.success());
}

#[test]
fn what_is_no_folder_of_tables_is_named_and_nothing_waits_for_it() {
    let folder = Folder::new("no-tables");
    let folder_path = folder.0.display().to_string();
    let pipe = pipe(&folder, "KQvK.rtbw");
    let mut engine = Engine::start();
    for path in [&pipe, "/dev/zero", &folder_path] {
        let answer = ask(&mut engine, &format!("setoption name SyzygyPath value {path}"));
        assert!(answer.contains(path), "{answer}");
    }
    engine.write(b"position fen 7k/8/8/8/8/8/8/KQ6 w - - 0 1\ngo depth 3\nwait\nquit\n");
    engine.read_until("bestmove");
    assert!(engine.exit().0.success());
}

#[test]
fn a_book_that_is_too_large_is_not_read() {
    let folder = Folder::new("large-book");
    let path = folder.path("book");
    let file = File::create(&path).expect("a file can be made");
    file.set_len(1 << 40).expect("a file with a hole takes no room");
    let mut engine = Engine::start();
    let answer = ask(&mut engine, &format!("genfens 1 seed 1 book {path}"));
    assert!(answer.contains("it has more than 268435456 bytes"), "{answer}");
    engine.write(b"quit\n");
    assert!(engine.exit().0.success());
}

#[test]
fn a_log_that_cannot_be_written_says_so_and_the_dialogue_goes_on() {
    let folder = Folder::new("full-log");
    let mut shell = std::process::Command::new("sh");
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\"";
    let mut engine = Engine::start_as(shell.args(["-c", limited, env!("CARGO_BIN_EXE_carrybit")]));
    let set = format!("setoption name Debug Log File value {}\n", folder.path("log"));
    engine.write(set.as_bytes());
    // The file reaches its limit after some lines, and a later line notices that.
    let started = Instant::now();
    let remark = loop {
        engine.write(b"isready\n");
        let line = engine.read_line();
        if line != "readyok\n" {
            break line;
        }
        assert!(started.elapsed() < PATIENCE, "nothing is said");
    };
    assert!(remark.starts_with("info string the debug log is closed: "), "{remark}");
    engine.write(b"quit\n");
    let (status, rest) = engine.exit();
    assert!(status.success());
    assert_eq!(rest, "readyok\n");
}

/// What a reader gets that makes the engine wait, through a socket for input and output
/// that is non-blocking at the engine's end.
fn slowly_read(lines: &[u8]) -> (ExitStatus, Vec<u8>) {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    theirs.set_nonblocking(true).expect("it can be non-blocking");
    let output = theirs.try_clone().expect("it can be had twice");
    let mut child = program()
        .stdin(OwnedFd::from(theirs))
        .stdout(OwnedFd::from(output))
        .spawn()
        .expect("the program can be started");
    ours.write_all(lines).expect("the engine reads");
    // By now nothing more fits into the socket, and the engine waits.
    thread::sleep(Duration::from_millis(100));
    let mut heard = Vec::new();
    let read = ours.read_to_end(&mut heard);
    let status = wait(&mut child);
    read.expect("the socket can be read");
    (status, heard)
}

#[test]
fn pipes_that_do_not_block_lose_nothing() {
    let lines = [&b"help\n".repeat(200)[..], b"quit\n"].concat();
    let (status, heard) = slowly_read(&lines);
    assert!(status.success());
    let once = run(&["help"]);
    assert!(heard.len() > 400_000, "not more than fits into a socket: {}", heard.len());
    let is_whole = heard == text(&once).repeat(200).as_bytes();
    assert!(is_whole, "{} bytes instead of {}", heard.len(), 200 * once.stdout.len());
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_is_full_is_an_error() {
    let full = || File::create("/dev/full").expect("a disk that is full");
    for arguments in [&["bench", "1"] as &[&str], &["go infinite"], &[]] {
        let mut child = program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut input = child.stdin.take().expect("its input is a pipe");
        // It may exit before it has read this.
        let _ = input.write_all(b"uci\n");
        assert_eq!(wait(&mut child).code(), FAILED, "{arguments:?}");
        let errors = errors(&child.wait_with_output().expect("it has ended"));
        assert!(errors.starts_with("carrybit: cannot write the output: "), "{errors}");
    }
    // There is nobody to tell, and that is no reason to panic.
    let status = program()
        .env(carrybit::sys::cpu::VARIABLE, "sse9")
        .arg("isready")
        .stdout(Stdio::null())
        .stderr(full())
        .status();
    assert!(status.expect("the program can be started").success());
}

#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let folder = Folder::new("input");
    let output = program()
        .stdin(File::open(&folder.0).expect("a folder can be opened, but not read"))
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), FAILED);
    assert!(errors(&output).starts_with("carrybit: cannot read the input: "), "{output:?}");
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn no_thread_to_read_with_is_an_error() {
    // No address space has room for such a stack.
    let stack = (1_u64 << 60).to_string();
    let output = run_with(&[("RUST_MIN_STACK", &stack)], &[]);
    assert_eq!(output.status.code(), FAILED);
    assert!(
        errors(&output).starts_with("carrybit: cannot start the thread that reads the input: "),
        "{output:?}"
    );
}

#[test]
fn an_interrupt_ends_everything_with_a_move() {
    for lines in [
        &b"go infinite\n"[..],
        b"go infinite\nwait\ngo infinite\nwait\nisready\n",
        b"go movetime 60000\nwait\nisready\n",
    ] {
        let mut engine = Engine::start();
        engine.write(lines);
        engine.read_until("info");
        let asked = Instant::now();
        interrupt(&engine.child);
        let (status, rest) = engine.exit();
        assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
        assert_eq!(status.code(), INTERRUPTED);
        let last = rest.lines().last().unwrap_or("");
        assert!(last.starts_with("bestmove "), "{rest}");
        assert_eq!(rest.matches("bestmove ").count(), 1, "{rest}");
        assert!(!rest.contains("readyok"), "{rest}");
    }
}

#[test]
fn an_interrupt_ends_an_idle_engine() {
    let mut engine = Engine::start();
    engine.write(b"isready\n");
    engine.read_until("readyok");
    interrupt(&engine.child);
    let (status, rest) = engine.exit();
    assert_eq!((status.code(), rest.as_str()), (INTERRUPTED, ""));
}

#[test]
fn an_endless_search_as_argument_runs_until_it_is_interrupted() {
    for arguments in [&["go", "infinite", "isready"] as &[&str], &["go ponder movetime 1", "d"]] {
        let mut engine = Engine::start_as(program().args(arguments));
        engine.input = None;
        engine.read_until("info");
        thread::sleep(Duration::from_millis(100));
        let running = engine.child.try_wait().expect("the process can be waited for");
        assert_eq!(running, None, "{arguments:?}");
        interrupt(&engine.child);
        let (status, rest) = engine.exit();
        assert_eq!(status.code(), INTERRUPTED);
        let last = rest.lines().last().unwrap_or("");
        assert!(last.starts_with("bestmove "), "{arguments:?}: {rest}");
    }
}

#[test]
fn a_tool_is_interrupted_too() {
    let mut engine = Engine::start();
    engine.write(b"perft 40\nisready\nwait\nperft 1\n");
    engine.read_until("readyok");
    interrupt(&engine.child);
    let (status, rest) = engine.exit();
    assert_eq!(status.code(), INTERRUPTED, "{rest}");
    assert_eq!(rest, "info string stopped\n");
}

#[test]
fn an_interrupt_ends_an_engine_that_nobody_listens_to() {
    let mut engine = Engine::start();
    engine.write(b"isready\n");
    engine.read_until("readyok");
    // Far more than fits into a pipe.
    engine.write(&b"help\n".repeat(200));
    interrupt(&engine.child);
    assert_eq!(wait(&mut engine.child).code(), INTERRUPTED);
}

#[test]
fn interrupts_that_come_together_count_as_one() {
    let mut engine = Engine::start();
    engine.write(b"go infinite\n");
    engine.read_until("info");
    for _ in 0..5 {
        interrupt(&engine.child);
        thread::sleep(Duration::from_millis(1));
    }
    let (status, rest) = engine.exit();
    assert_eq!(status.code(), INTERRUPTED);
    assert!(rest.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{rest}");
}
