//! The program at a terminal, and in a pipe, where it shows no colours.

#![cfg(all(unix, feature = "terminal"))]

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::process_support::{program, run, text, wait};
use crate::time_support::TIMEOUT;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

const PROMPT: &str = "carrybit> ";

/// The last line of a board, seen by White and by Black.
const FILES: [&str; 2] = ["   a   b   c   d   e   f   g   h", "   h   g   f   e   d   c   b   a"];

/// The end of the header of a search.
const HEADER: &str = "Loss  Line";

/// A program and the controlling end of its terminal.
struct Session {
    child: Child,
    keyboard: File,
    /// The program's end of the terminal, to read its settings.
    terminal: OwnedFd,
    /// Output that no test has read yet.
    screen: String,
}

impl Session {
    /// Starts the program without arguments, and with colours.
    fn start() -> Session {
        Session::start_as(program().env_remove("NO_COLOR"), 200)
    }

    fn start_as(command: &mut Command, columns: u16) -> Session {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(&size, None).expect("a pseudo-terminal");
        let end = || Stdio::from(ends.slave.try_clone().expect("one more handle"));
        let command = command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("the program starts");
        let (keyboard, terminal) = (File::from(ends.master), ends.slave);
        Session { child, keyboard, terminal, screen: String::new() }
    }

    fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes it");
    }

    /// Types a line after the next prompt.
    fn type_line(&mut self, line: &str) {
        self.wait_for(PROMPT);
        self.keys(&format!("{line}\r"));
    }

    /// Sends a signal, or types Ctrl-C.
    fn interrupt(&mut self, is_signal: bool) {
        if is_signal {
            let process = Pid::from_raw(self.child.id().cast_signed());
            kill(process, Signal::SIGINT).expect("it is running");
        } else {
            self.keys("\u{3}");
        }
    }

    /// Reads up to `wanted`. Returns all output up to it, with the escape sequences.
    fn wait_for(&mut self, wanted: &str) -> String {
        let end = Instant::now() + TIMEOUT;
        loop {
            if let Some(at) = self.screen.find(wanted) {
                let rest = self.screen.split_off(at + wanted.len());
                return std::mem::replace(&mut self.screen, rest);
            }
            assert!(Instant::now() < end, "no {wanted:?} in {:?}", self.screen);
            self.read(PollTimeout::from(50_u8));
        }
    }

    /// Reads once, if there is output within `timeout`. Returns whether it has read.
    fn read(&mut self, timeout: PollTimeout) -> bool {
        let mut wanted = [PollFd::new(self.keyboard.as_fd(), PollFlags::POLLIN)];
        if poll(&mut wanted, timeout).is_ok_and(|ready| ready == 0) {
            return false;
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

    /// Waits for the exit. Returns the status and the rest of the output; the program must have
    /// restored the terminal's settings.
    fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        while self.child.try_wait().expect("the state of the process").is_none() {
            self.read(PollTimeout::from(50_u8));
            assert!(start.elapsed() < TIMEOUT, "it hangs: {}", self.screen);
        }
        let status = wait(&mut self.child);
        let flags = tcgetattr(&self.terminal).expect("the terminal's settings").local_flags;
        let cooked = LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG;
        assert!(flags.contains(cooked), "not restored: {flags:?}");
        while self.read(PollTimeout::ZERO) {}
        (status, plain(&self.screen))
    }

    fn quit(mut self) {
        self.type_line("quit");
        assert!(self.end().0.success());
    }
}

impl Drop for Session {
    /// A failed test must not leave a program that searches on.
    fn drop(&mut self) {
        let _ = self.child.kill();
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
fn user_is_greeted_corrected_and_can_play_a_game() {
    let mut session = Session::start();
    let greeting = plain(&session.wait_for("help for all commands."));
    assert!(greeting.contains(concat!("Carrybit ", env!("CARRYBIT_VERSION"))), "{greeting}");
    session.type_line("hlep");
    session.wait_for("unknown command hlep: did you mean help?");
    session.wait_for(PROMPT);
    // Lines that arrive at once are all executed.
    session.keys("e4\rplay depth 4\r");
    for text in ["1. e4", "1... ", ", depth 4)", FILES[0]] {
        session.wait_for(text);
    }
    session.type_line("undo");
    session.wait_for("White is to move");
    session.type_line("d");
    // The board has colours: White is bold.
    session.wait_for("\u{1b}[1m P \u{1b}[0m");
    let board = plain(&session.wait_for("Fen: "));
    assert!(board.contains("| R | N | B | Q | K | B | N | R | 1"), "{board}");
    session.wait_for("Checkers:");
    session.quit();
}

#[test]
fn lines_can_be_edited_recalled_and_completed() {
    let mut session = Session::start();
    // Two steps to the left and a missing letter; then the previous line.
    session.type_line("perf 1\u{1b}[D\u{1b}[Dt");
    session.wait_for("Nodes searched: 20");
    session.type_line("\u{1b}[A");
    session.wait_for("Nodes searched: 20");
    session.type_line("isre\t");
    session.wait_for("readyok");
    session.wait_for(PROMPT);
    session.keyboard.write_all(b"position \xff").expect("the terminal takes it");
    session.wait_for("line ignored: it is not UTF-8");
    session.type_line("isready");
    session.wait_for("readyok");
    session.wait_for(PROMPT);
    // Ctrl-D.
    session.keys("\u{4}");
    assert!(session.end().0.success());
}

#[test]
fn search_prints_above_the_line_being_typed() {
    let mut session = Session::start();
    session.type_line("go infinite");
    session.wait_for(HEADER);
    session.keys("sto");
    // After each print, the line is shown again.
    session.wait_for(&format!("{PROMPT}sto"));
    session.keys("p\r");
    session.wait_for("Best move: ");
    session.quit();
}

/// The lines of a screen, of which none may exceed the columns. A prompt that a line replaced is
/// left out.
fn lines(screen: &str, columns: usize) -> Vec<String> {
    let text = plain(screen);
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r').rsplit('\r').next());
    let lines: Vec<String> = lines.flatten().map(str::to_owned).collect();
    for line in &lines {
        assert!(line.chars().count() <= columns, "{line:?} is too long");
    }
    lines
}

#[test]
fn table_of_a_search_and_help_fit_the_columns() {
    for columns in [80, 60] {
        let mut session = Session::start_as(program().env("NO_COLOR", "1"), columns);
        session.type_line("go depth 9");
        let shown = session.wait_for("Best move: 1. ");
        let lines = lines(&shown, columns.into());
        for depth in [1, 9] {
            let is_row = |line: &String| line.starts_with(&format!("{depth:>5}  "));
            let row =
                lines.iter().find(|line| is_row(line)).unwrap_or_else(|| panic!("{lines:#?}"));
            assert!(row.contains(" s ") && row.contains("  1."), "{row}");
        }
        assert!(!shown.contains("info "), "{shown}");
        session.quit();
    }
    let help = ["help", "--help"].map(|word| vec![word]).into_iter();
    for words in help.chain([vec!["analyse", "--help"], vec!["go depth 3"]]) {
        let session = Session::start_as(program().args(&words).env("NO_COLOR", "1"), 80);
        let (status, shown) = session.end();
        assert!(status.success());
        assert!(lines(&shown, 80).len() > 5, "{words:?}: {shown}");
    }
}

#[test]
fn ctrl_c_or_signal_stops_a_search_and_at_an_idle_prompt_quits() {
    for is_signal in [false, true] {
        let mut session = Session::start();
        for line in ["", "half a li"] {
            session.type_line("go infinite");
            session.wait_for(HEADER);
            session.wait_for("  1.");
            // Without a prompt, this terminal, which is not the program's controlling one, drops
            // Ctrl-C.
            session.wait_for(PROMPT);
            session.keys(line);
            session.interrupt(is_signal);
            session.wait_for("Best move: ");
            if is_signal {
                break;
            }
        }
        // Ctrl-C has cleared the unfinished line.
        session.type_line("isready");
        session.wait_for("readyok");
        session.wait_for(PROMPT);
        session.keys("half a line");
        session.wait_for("half a line");
        session.interrupt(is_signal);
        session.wait_for("Ctrl-C again leaves");
        session.wait_for(PROMPT);
        session.interrupt(is_signal);
        assert_eq!(session.end().0.code(), Some(130));
    }
}

#[test]
fn ctrl_c_leaves_only_if_nothing_was_typed_since_the_last_one() {
    let mut session = Session::start();
    session.wait_for(PROMPT);
    for line in ["half a line", "another", ""] {
        session.keys(line);
        session.wait_for(line);
        session.interrupt(false);
        if !line.is_empty() {
            session.wait_for("Ctrl-C again leaves");
            session.wait_for(PROMPT);
        }
    }
    assert_eq!(session.end().0.code(), Some(130));
}

#[test]
fn game_typed_line_by_line_may_have_long_comments() {
    let mut session = Session::start();
    session.type_line("1. e4 {White could");
    session.keys("quit here} e5\r");
    session.wait_for("1. e4");
    session.wait_for("1... e5");
    session.quit();
}

#[test]
fn tool_can_be_started_during_a_search() {
    let mut session = Session::start();
    session.type_line("go infinite");
    session.wait_for(HEADER);
    session.type_line("perft 3");
    session.wait_for("Nodes searched: 8902");
    session.type_line("isready");
    session.wait_for("readyok");
    session.quit();
}

#[test]
fn tools_show_progress_and_ctrl_c_or_stop_ends_them() {
    let mut session = Session::start();
    session.type_line("bench 4");
    session.wait_for(" %, ");
    session.wait_for(" nps");
    for is_signal in [true, false] {
        session.type_line("perft 40");
        // The progress bar shows that it has begun.
        session.wait_for(" %, ");
        // While a tool runs, the terminal turns Ctrl-C into a signal.
        if is_signal {
            session.interrupt(true);
        } else {
            session.keys("stop\n");
        }
        session.wait_for("stopped");
    }
    session.type_line("play infinite");
    // The second answer shows that the search has begun.
    for _ in 0..2 {
        session.type_line("isready");
        session.wait_for("readyok");
    }
    session.wait_for(PROMPT);
    session.interrupt(false);
    session.wait_for(" for White, depth ");
    session.wait_for(FILES[1]);
    // The prompt may have been shown before the board.
    session.keys("exit\r");
    assert!(session.end().0.success());
}

#[test]
fn arguments_at_a_terminal_print_no_greeting_and_no_prompt() {
    let (status, shown) = Session::start_as(program().args(["moves", "bench 1"]), 80).end();
    assert!(status.success());
    assert!(shown.contains("White has 20 legal moves"), "{shown}");
    assert!(shown.contains(" nps"), "{shown}");
    assert!(!shown.contains(PROMPT) && !shown.contains("help for all"), "{shown}");
}

#[test]
fn no_color_and_pipes_get_plain_text() {
    let mut plain = program();
    plain.arg("d").env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    let mut session = Session::start_as(&mut plain, 80);
    let shown = session.wait_for("Checkers:");
    assert!(shown.contains("| R | N | B | Q | K | B | N | R | 1"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert!(session.end().0.success());
    for argument in ["d", "bench 1"] {
        let output = run(&[argument]);
        assert!(output.stderr.is_empty() && !text(&output).contains('\u{1b}'), "{output:?}");
    }
}
