//! The program at a terminal, as a person sees it, and in a pipe, where nothing of that is.

#![cfg(all(unix, feature = "terminal"))]

mod process_support;

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;
use process_support::{PATIENCE, program, run, text, wait};

/// What stands before the line that is typed.
const PROMPT: &str = "carrybit> ";

/// The last line of a board.
const FILES: &str = "   a   b   c   d   e   f   g   h";

/// What Ctrl-C and Ctrl-D send.
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// The program, not yet started, and free to use colours.
fn colourful() -> Command {
    let mut command = program();
    command.env_remove("NO_COLOR");
    command
}

/// A program at a terminal, and the other end of that.
struct Session {
    child: Child,
    keyboard: File,
    /// The terminal itself, to ask how it is set.
    terminal: OwnedFd,
    /// What is on the screen, and not yet looked at.
    screen: String,
}

impl Session {
    fn start(command: &mut Command) -> Session {
        let size = Winsize { ws_row: 24, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(&size, None).expect("a pseudo-terminal");
        let end = || Stdio::from(ends.slave.try_clone().expect("one more handle"));
        let child = command
            .env("TERM", "xterm")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the program can be started");
        Session {
            child,
            keyboard: File::from(ends.master),
            terminal: ends.slave,
            screen: String::new(),
        }
    }

    fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes it");
    }

    /// Types a line once there is a prompt.
    fn type_line(&mut self, line: &str) {
        self.look_for(PROMPT);
        self.keys(&format!("{line}\r"));
    }

    /// Reads what appears until `wanted` does. Returns all up to there, as plain text.
    fn look_for(&mut self, wanted: &str) -> String {
        plain(&self.watch_for(wanted))
    }

    /// The same with its escape sequences.
    fn watch_for(&mut self, wanted: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen.find(wanted) {
                let rest = self.screen.split_off(at + wanted.len());
                return std::mem::replace(&mut self.screen, rest);
            }
            assert!(Instant::now() < end, "no {wanted:?} in {:?}", self.screen);
            self.read();
        }
    }

    /// Reads what has appeared, if anything does soon; returns whether it may go on.
    fn read(&mut self) -> bool {
        let mut wanted = [PollFd::new(self.keyboard.as_fd(), PollFlags::POLLIN)];
        let soon = PollTimeout::from(50_u8);
        if poll(&mut wanted, soon).is_ok_and(|ready| ready == 0) {
            return true;
        }
        let mut chunk = [0; 1 << 12];
        match self.keyboard.read(&mut chunk) {
            Ok(length) => {
                self.screen += &String::from_utf8_lossy(&chunk[..length]);
                length > 0
            }
            Err(error) => error.kind() == ErrorKind::Interrupted,
        }
    }

    /// Waits for the end. Returns how it ended and what was still shown; the terminal must
    /// be as it was.
    fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        while self.child.try_wait().expect("it can be waited for").is_none() {
            self.read();
            assert!(start.elapsed() < PATIENCE, "it hangs: {}", self.screen);
        }
        let status = wait(&mut self.child);
        let flags = tcgetattr(&self.terminal).expect("the terminal tells").local_flags;
        let cooked = LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG;
        assert!(flags.contains(cooked), "left behind as {flags:?}");
        let mut wanted = [PollFd::new(self.keyboard.as_fd(), PollFlags::POLLIN)];
        while poll(&mut wanted, PollTimeout::ZERO).is_ok_and(|ready| ready > 0) {
            let mut chunk = [0; 1 << 12];
            let Ok(length) = (&self.keyboard).read(&mut chunk) else { break };
            self.screen += &String::from_utf8_lossy(&chunk[..length]);
        }
        (status, plain(&self.screen))
    }
}

/// The text without escape sequences.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if rest.next() == Some('[') {
            rest.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    plain
}

#[test]
fn a_person_is_greeted_helped_and_can_play_a_game() {
    let mut session = Session::start(&mut colourful());
    let greeting = session.look_for("help for all commands.");
    assert!(greeting.contains(concat!("Carrybit ", env!("CARGO_PKG_VERSION"))), "{greeting}");
    session.type_line("hlep");
    session.look_for("unknown command hlep: did you mean help?");
    session.type_line("e4");
    session.look_for("1. e4");
    session.type_line("play depth 4");
    let reply = session.look_for(", depth 4)");
    assert!(reply.contains("1... "), "{reply}");
    session.look_for(FILES);
    session.type_line("Nf3");
    session.look_for("2. Nf3");
    session.look_for(FILES);
    session.look_for(", depth 4)");
    session.look_for(FILES);
    session.type_line("undo");
    session.look_for("White is to move");
    session.type_line("d");
    // The board in colour: White is bold.
    session.look_for("\u{1b}[1m P \u{1b}[0m");
    let board = session.look_for("Fen: ");
    assert!(board.contains("| R | N | B | Q | K | B | N | R | 1"), "{board}");
    session.look_for("Checkers:");
    session.type_line("quit");
    let (status, _) = session.end();
    assert!(status.success());
}

#[test]
fn lines_can_be_edited_recalled_and_completed() {
    let mut session = Session::start(&mut colourful());
    // Two steps to the left, and a letter more; then the line before once more.
    session.type_line("perf 1\u{1b}[D\u{1b}[Dt");
    session.look_for("Nodes searched: 20");
    session.look_for(PROMPT);
    session.keys("\u{1b}[A\r");
    session.look_for("Nodes searched: 20");
    session.look_for(PROMPT);
    session.keys("isre\t\r");
    session.look_for("readyok");
    session.look_for(PROMPT);
    session.keys(CTRL_D);
    assert!(session.end().0.success());
}

#[test]
fn bytes_that_are_not_utf8_cost_a_line_and_not_the_program() {
    let mut session = Session::start(&mut colourful());
    session.look_for(PROMPT);
    session.keyboard.write_all(b"position \xff").expect("the terminal takes it");
    session.look_for("line ignored: it is not UTF-8");
    session.type_line("isready");
    session.look_for("readyok");
    session.type_line("quit");
    assert!(session.end().0.success());
}

#[test]
fn a_search_goes_on_above_the_line_being_typed() {
    let mut session = Session::start(&mut colourful());
    session.type_line("go infinite");
    session.look_for("info depth 5 ");
    session.keys("sto");
    // Whatever is shown in between, the line is shown again below it.
    session.look_for(&format!("{PROMPT}sto"));
    session.keys("p\r");
    session.look_for("bestmove ");
    session.type_line("quit");
    assert!(session.end().0.success());
}

#[test]
fn ctrl_c_stops_a_search_and_quits_if_there_is_none() {
    let mut session = Session::start(&mut colourful());
    for in_the_middle_of in ["", "half a li"] {
        session.type_line("go infinite");
        session.look_for("info depth 3 ");
        session.keys(in_the_middle_of);
        session.keys(CTRL_C);
        session.look_for("bestmove ");
    }
    // The line that was begun is gone.
    session.type_line("isready");
    session.look_for("readyok");
    session.look_for(PROMPT);
    session.keys(CTRL_C);
    assert_eq!(session.end().0.code(), Some(130));
}

#[test]
fn ctrl_c_stops_a_tool_and_a_move_being_thought_about() {
    let mut session = Session::start(&mut colourful());
    session.type_line("perft 40");
    std::thread::sleep(Duration::from_millis(500));
    // While a tool runs, the key is a signal to those whose terminal this is.
    let process = Pid::from_raw(session.child.id().cast_signed());
    kill(process, Signal::SIGINT).expect("it is running");
    session.look_for("stopped");
    session.type_line("play infinite");
    std::thread::sleep(Duration::from_millis(500));
    session.keys(CTRL_C);
    session.look_for(" for White, depth ");
    session.look_for(FILES);
    // The prompt may have been shown before the board.
    session.keys("exit\r");
    assert!(session.end().0.success());
}

#[test]
fn a_signal_at_the_prompt_stops_a_search_and_the_next_one_quits() {
    let mut session = Session::start(&mut colourful());
    let process = Pid::from_raw(session.child.id().cast_signed());
    session.type_line("go infinite");
    session.look_for("info depth 3 ");
    kill(process, Signal::SIGINT).expect("it is running");
    session.look_for("bestmove ");
    session.look_for(PROMPT);
    kill(process, Signal::SIGINT).expect("it is running");
    assert_eq!(session.end().0.code(), Some(130));
}

#[test]
fn ctrl_c_ends_arguments_with_their_move() {
    let mut session = Session::start(program().args(["go infinite", "d"]));
    session.look_for("info depth 3 ");
    let process = Pid::from_raw(session.child.id().cast_signed());
    kill(process, Signal::SIGINT).expect("it is running");
    let (status, shown) = session.end();
    assert_eq!(status.code(), Some(130));
    assert!(shown.contains("bestmove ") && !shown.contains("Fen:"), "{shown}");
}

#[test]
fn an_interrupt_from_outside_leaves_the_terminal_as_it_was() {
    let mut session = Session::start(&mut colourful());
    session.look_for(PROMPT);
    session.keys("half a line");
    session.look_for("half a line");
    let process = Pid::from_raw(session.child.id().cast_signed());
    kill(process, Signal::SIGINT).expect("it is running");
    assert_eq!(session.end().0.code(), Some(130));
}

#[test]
fn tools_show_their_progress_and_can_be_stopped() {
    let mut session = Session::start(&mut colourful());
    session.type_line("bench 4");
    session.look_for(" %, ");
    session.look_for(" nps");
    session.type_line("perft 40");
    std::thread::sleep(Duration::from_millis(500));
    session.keys("stop\n");
    session.look_for("stopped");
    session.type_line("quit");
    assert!(session.end().0.success());
}

#[test]
fn arguments_at_a_terminal_are_commands_without_greeting_or_prompt() {
    let (status, shown) = Session::start(program().args(["moves", "bench 1"])).end();
    assert!(status.success());
    assert!(shown.contains("White has 20 legal moves"), "{shown}");
    assert!(shown.contains(" nps"), "{shown}");
    assert!(!shown.contains(PROMPT) && !shown.contains("help for all"), "{shown}");
}

#[test]
fn who_wants_no_colours_gets_none() {
    let mut session = Session::start(program().arg("d").env("NO_COLOR", "1"));
    let shown = session.watch_for("Checkers:");
    assert!(shown.contains("| R | N | B | Q | K | B | N | R | 1"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert!(session.end().0.success());
}

#[test]
fn a_pipe_shows_none_of_it() {
    let output = run(&["d"]);
    assert!(output.stderr.is_empty() && !text(&output).contains('\u{1b}'), "{}", text(&output));
    let output = run(&["bench", "1"]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut engine = process_support::Engine::start();
    engine.write(b"hlep\ne2e4\nisready\n");
    assert_eq!(engine.read_line(), "readyok\n");
    engine.write(b"quit\n");
    let (status, rest) = engine.exit();
    assert!(status.success() && rest.is_empty(), "{rest}");
}
