//! Shared by the tests of the dialogue: a dialogue in memory.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::io::{self, PipeWriter, Write};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use carrybit::internals::terminal::{Mode, Terminal};
use carrybit::internals::uci::{Dialogue, Failure};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use crate::time_support::TIMEOUT;

/// Long enough to see an answer that must not come.
pub const A_WHILE: Duration = Duration::from_millis(150);

/// A writer that sends whole lines to the test.
struct Lines {
    to_test: Sender<String>,
    begun: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.begun))
                    .expect("the engine writes UTF-8");
                self.to_test.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
            } else {
                self.begun.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A dialogue on its own thread, with the test's ends of its pipes.
pub(crate) struct Conversation {
    to_engine: PipeWriter,
    from_engine: Receiver<String>,
    thread: JoinHandle<Result<(), Failure>>,
}

impl Conversation {
    pub(crate) fn start() -> Conversation {
        Conversation::with(Mode::Program)
    }

    /// A dialogue with a person at a terminal instead of a GUI.
    pub(crate) fn of_person() -> Conversation {
        Conversation::with(Mode::Person)
    }

    fn with(mode: Mode) -> Conversation {
        let (to_test, from_engine) = unbounded();
        let (input, to_engine) = io::pipe().expect("a pipe");
        let terminal = Terminal { mode, ..Terminal::default() };
        let dialogue = Dialogue::new(Lines { to_test, begun: Vec::new() }, terminal);
        let thread = thread::spawn(move || dialogue.converse(input));
        Conversation { to_engine, from_engine, thread }
    }

    /// Sends lines to the engine.
    pub(crate) fn send(&self, lines: &[&str]) {
        // An earlier `quit` may have ended the dialogue.
        let _ = (&self.to_engine).write_all((lines.join("\n") + "\n").as_bytes());
    }

    /// The next line of the engine, if one comes within `time`.
    pub(crate) fn line_within(&self, time: Duration) -> Option<String> {
        self.from_engine.recv_timeout(time).ok()
    }

    /// The next line of the engine.
    pub(crate) fn line(&self) -> String {
        self.line_within(TIMEOUT).expect("another line")
    }

    /// Receives lines up to and including the first that begins with `word`.
    pub(crate) fn lines_until(&self, word: &str) -> Vec<String> {
        let mut received = Vec::new();
        loop {
            let line = self.line_within(TIMEOUT);
            let line = line.unwrap_or_else(|| panic!("no {word} after {received:#?}"));
            let is_last = line.split(' ').next() == Some(word);
            received.push(line);
            if is_last {
                return received;
            }
        }
    }

    /// Sends a line and `isready`; returns the answer without `readyok`.
    pub(crate) fn ask(&self, line: &str) -> Vec<String> {
        self.send(&[line, "isready"]);
        let mut answer = self.lines_until("readyok");
        answer.pop();
        answer
    }

    /// Sends lines, the last one a `go`; returns the lines of the search.
    pub(crate) fn search(&self, lines: &[&str]) -> Vec<String> {
        self.send(lines);
        self.lines_until("bestmove")
    }

    /// The FEN that `d` shows.
    pub(crate) fn fen(&self) -> String {
        let shown = self.ask("d");
        let fen = shown.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows the FEN").to_owned()
    }

    /// Ends the input. Returns the remaining lines.
    pub(crate) fn end(self) -> Vec<String> {
        drop(self.to_engine);
        let mut received = Vec::new();
        let end = loop {
            match self.from_engine.recv_timeout(TIMEOUT) {
                Ok(line) => received.push(line),
                Err(end) => break end,
            }
        };
        assert_eq!(end, RecvTimeoutError::Disconnected, "no end after {received:#?}");
        let ended = self.thread.join().expect("the dialogue does not panic");
        assert!(ended.is_ok(), "{ended:?}");
        received
    }
}

/// The word after `key` in a line.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&word| word != key).nth(1)
}

/// The words of the `bestmove` line, which must be the last.
pub fn best_move(lines: &[String]) -> Vec<&str> {
    let last = lines.last().expect("a search prints a line");
    assert!(last.starts_with("bestmove "), "{lines:#?}");
    last.split(' ').collect()
}
