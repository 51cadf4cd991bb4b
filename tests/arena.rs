//! Arena, replayed. The program itself cannot be part of a test, but its debug logs in the
//! problem reports of other engines show its commands, and what broke those engines.
//!
//! Each `go` is answered by one `bestmove`, every line begins with a word that a GUI knows,
//! and nothing is written to standard error.

mod folder_support;
mod process_support;

use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use folder_support::Folder;
use process_support::{Engine, program};

/// Arena may take this long to read a line: asmFish throttles its output to one line in
/// this time.
const LINE_TIME: Duration = Duration::from_millis(15);

/// A slow reader has at most this many lines to read after a stop: one second.
const MOST_LINES: usize = 66;

/// The words that lines to a GUI begin with.
const WORDS: [&str; 6] = ["id", "option", "uciok", "readyok", "info", "bestmove"];

/// The engine as Arena runs it.
struct Arena {
    engine: Engine,
    /// The engine's folder, from which Arena starts it.
    folder: Folder,
    goes: usize,
    answers: usize,
}

impl Arena {
    fn start(name: &str) -> Arena {
        let folder = Folder::new(name);
        let engine = Engine::start_as(program().current_dir(&folder.0).stderr(Stdio::piped()));
        Arena { engine, folder, goes: 0, answers: 0 }
    }

    /// Sends a line, ended as on Windows.
    fn say(&mut self, line: &str) {
        self.goes += usize::from(line.starts_with("go"));
        self.engine.write(format!("{line}\r\n").as_bytes());
    }

    /// Reads up to a line that begins with `word`.
    fn hear_until(&mut self, word: &str) -> Vec<String> {
        let lines = self.engine.hear_until(word);
        for line in &lines {
            let word = line.split_whitespace().next().unwrap_or_default();
            assert!(WORDS.contains(&word) && line.starts_with(word), "{line:?}");
            self.answers += usize::from(word == "bestmove");
        }
        assert!(self.answers <= self.goes, "without a go: {lines:#?}");
        lines
    }

    /// Waits until the engine is ready, and returns the lines before.
    fn ready(&mut self) -> Vec<String> {
        self.say("isready");
        let mut lines = self.hear_until("readyok");
        lines.pop();
        lines
    }

    fn quit(mut self) {
        let mut errors = self.engine.child.stderr.take().expect("its errors are a pipe");
        self.say("quit");
        let (status, rest) = self.engine.exit();
        assert!(status.success());
        assert_eq!(self.answers + rest.matches("bestmove ").count(), self.goes, "{rest}");
        let mut text = String::new();
        errors.read_to_string(&mut text).expect("UTF-8");
        assert_eq!(text, "");
    }
}

/// Sets an option to its declared default; Arena does so with all but buttons (log in
/// peterlesslie/LessChess).
fn set_to_default(option: &str) -> Option<String> {
    let (name, kind) = option.strip_prefix("option name ")?.split_once(" type ")?;
    let (_, default) = kind.split_once(" default ")?;
    let value = default.split_once(" min ").map_or(default, |(value, _)| value);
    Some(format!("setoption name {name} value {value}"))
}

#[test]
fn every_option_can_be_set_to_the_default_it_declares() {
    let mut arena = Arena::start("options");
    // The engine type "auto" begins with a word of another protocol (ToppleChess#2).
    arena.say("xboard");
    arena.say("uci");
    let declared = arena.hear_until("uciok");
    let settings: Vec<String> =
        declared.iter().filter_map(|line| set_to_default(line.trim_end())).collect();
    assert!(settings.len() > 10, "{declared:#?}");
    settings.iter().for_each(|line| arena.say(line));
    let evaluation = declared.iter().find(|line| line.starts_with("info string evaluation: "));
    assert_eq!(arena.ready(), [evaluation.expect("it describes its evaluation").as_str()]);
    // Arena's own field for the hash has held such a number (yukari#5).
    arena.say("setoption name Hash value -1");
    let refusal = "info string Hash ranges from 1 to 33554432, set to 1\n";
    assert_eq!(arena.ready(), [refusal]);
    arena.say("go movetime 20");
    arena.hear_until("bestmove");
    arena.quit();
}

#[test]
fn unusual_commands_are_answered_once_each() {
    let mut arena = Arena::start("quirks");
    for (position, go, then) in [
        // The clock shows a millisecond (Talkchess, topic 83909).
        ("position startpos moves e2e4", "go wtime 1 btime 1 winc 1000 binc 1000", &[] as &[&str]),
        // Blanks in unusual places.
        ("position startpos  moves  e2e4 ", "go  wtime 300  btime 300  winc 0  binc 0 ", &[]),
        // Arena asks a side that is checkmated for a move, and then stops it
        // (Winboard Forum, topic 52662).
        (
            "position startpos moves f2f3 e7e5 g2g4 d8h4",
            "go wtime 77000 btime 27000 winc 1000 binc 1000",
            &["stop"],
        ),
        // The stop that comes when the flag has fallen may come twice.
        ("position startpos moves e2e4 e7e5", "go infinite", &["stop", "stop"]),
        // Chess960 without the option, and with a castling move that is not legal.
        (
            "position fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1 moves O-O",
            "go movetime 20",
            &[],
        ),
        // After a position that is refused.
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go movetime 20", &[]),
    ] {
        arena.say(position);
        arena.say(go);
        then.iter().for_each(|line| arena.say(line));
        arena.hear_until("bestmove");
        arena.ready();
        assert_eq!(arena.answers, arena.goes, "{position}, {go}");
    }
    arena.quit();
}

#[test]
fn a_slow_reader_is_not_left_behind() {
    for lines_wanted in [1, 3] {
        let mut arena = Arena::start("slow");
        arena.say(&format!("setoption name MultiPV value {lines_wanted}"));
        // Every depth is reached in a moment.
        arena.say("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1");
        arena.say("go infinite");
        thread::sleep(Duration::from_millis(500));
        arena.say("stop");
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with("bestmove ")) {
            thread::sleep(LINE_TIME);
            lines.push(arena.engine.read_line());
        }
        arena.answers += 1;
        assert!(lines.len() <= MOST_LINES, "{} lines", lines.len());
        assert!(lines[lines.len() - 2].starts_with("info depth 240 "), "{lines:#?}");
        arena.quit();
    }
}

#[test]
fn an_engine_that_is_installed_as_a_winboard_engine_prints_nothing() {
    let mut arena = Arena::start("winboard");
    for line in [
        "xboard",
        "protover 2",
        "accepted setboard",
        "new",
        "memory -1",
        "level 40 5 0",
        "post",
        "hard",
        "time 30000",
        "force",
        "d2d4",
        "usermove e7e5",
        "setboard 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
        "?",
        "result * {Aborted}",
    ] {
        arena.say(line);
    }
    assert_eq!(arena.ready(), Vec::<String>::new());
    arena.quit();
}

#[test]
fn files_are_looked_for_in_the_folder_of_the_engine() {
    let mut arena = Arena::start("folder");
    arena.say("setoption name Debug Log File value carrybit.log");
    arena.say("setoption name SyzygyPath value tables");
    let answer = arena.ready();
    let is_missing = |line: &String| line.contains("ignoring ") && line.contains("tables");
    assert!(answer.iter().any(is_missing), "{answer:#?}");
    arena.say("setoption name Debug Log File value <empty>");
    assert!(arena.ready().is_empty());
    assert!(arena.folder.0.join("carrybit.log").is_file());
    arena.quit();
}
