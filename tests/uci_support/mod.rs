//! Shared by the tests of the dialogue: a conversation through a pipe.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::io::{self, PipeWriter, Write};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use carrybit::terminal::{Mode, Terminal};
use carrybit::uci::{Dialogue, Failure};
use crossbeam_channel::{Receiver, Sender, unbounded};

/// Far longer than any answer may take, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Answers that take milliseconds on an idle machine come within this time.
pub const AT_ONCE: Duration = Duration::from_secs(5);

/// Long enough for an answer that must not come.
pub const A_WHILE: Duration = Duration::from_millis(150);

/// A writer that passes on whole lines.
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

/// A dialogue on a thread of its own, and both ends of it.
pub(crate) struct Conversation {
    to_engine: PipeWriter,
    from_engine: Receiver<String>,
    thread: JoinHandle<Result<(), Failure>>,
}

impl Conversation {
    pub(crate) fn start() -> Conversation {
        Conversation::with(Mode::Program)
    }

    /// A conversation with a person instead of a GUI.
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
    pub(crate) fn say(&self, lines: &[&str]) {
        // A `quit` before may have ended the dialogue.
        let _ = (&self.to_engine).write_all((lines.join("\n") + "\n").as_bytes());
    }

    /// The next line of the engine, if one comes within `time`.
    pub(crate) fn hear_within(&self, time: Duration) -> Option<String> {
        self.from_engine.recv_timeout(time).ok()
    }

    /// The engine's lines up to the first that begins with `word`, inclusive.
    pub(crate) fn hear_until(&self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let Some(line) = self.hear_within(PATIENCE) else {
                panic!("no {word} after {heard:#?}");
            };
            let is_last = line.split(' ').next() == Some(word);
            heard.push(line);
            if is_last {
                return heard;
            }
        }
    }

    /// Sends a line, and returns the answers before the engine is ready again.
    pub(crate) fn ask(&self, line: &str) -> Vec<String> {
        self.say(&[line, "isready"]);
        let mut answer = self.hear_until("readyok");
        answer.pop();
        answer
    }

    /// Sends lines of which the last is a `go`; returns the search's lines.
    pub(crate) fn search(&self, lines: &[&str]) -> Vec<String> {
        self.say(lines);
        self.hear_until("bestmove")
    }

    /// The FEN that `d` shows.
    pub(crate) fn fen(&self) -> String {
        let shown = self.ask("d");
        let fen = shown.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows the FEN").to_owned()
    }

    /// Ends the input. Returns the lines up to the end of the dialogue.
    pub(crate) fn end(self) -> Vec<String> {
        drop(self.to_engine);
        let mut heard = Vec::new();
        while let Ok(line) = self.from_engine.recv_timeout(PATIENCE) {
            heard.push(line);
        }
        let ended = self.thread.join().expect("the dialogue does not panic");
        assert!(ended.is_ok(), "{ended:?}");
        heard
    }
}

/// The last line of a search, as words.
pub fn best_move(lines: &[String]) -> Vec<&str> {
    let last = lines.last().expect("a search prints a line");
    assert!(last.starts_with("bestmove "), "{lines:#?}");
    last.split(' ').collect()
}

/// Asserts that nothing but `info` lines come for a while.
pub fn assert_no_best_move(conversation: &Conversation) {
    let end = Instant::now() + A_WHILE;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        if let Some(line) = conversation.hear_within(left) {
            assert!(line.starts_with("info "), "too early: {line}");
        }
    }
}
