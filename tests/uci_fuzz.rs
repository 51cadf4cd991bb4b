//! Whatever comes in, the engine neither panics nor hangs, and is ready afterwards.

mod support;
mod uci_support;

use std::io::{self, Read};
use std::thread;

use carrybit::uci::parser::parse;
use carrybit::uci::{Dialogue, LineSplitter};
use support::Rng;
use uci_support::Conversation;

/// Words from which lines are made: those of the protocol, and near misses. `quit` is
/// missing because it ends the dialogue, `bench` with a usable number because it takes
/// long, `Debug Log File` because it would write files.
const WORDS: [&str; 72] = [
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "Hash",
    "Threads",
    "MultiPV",
    "Move",
    "Overhead",
    "Ponder",
    "Clear",
    "UCI_Chess960",
    "UCI_ShowWDL",
    "<empty>",
    "true",
    "false",
    "register",
    "later",
    "code",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e5",
    "e1g1",
    "0000",
    "a7a8q",
    "a7a8=Q",
    "E2E4",
    "zz",
    "go",
    "infinite",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "searchmoves",
    "perft",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "help",
    "bench",
    "x",
    "joho",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "r3k2r/8/8/8/8/8/8/R3K2R",
    "8/8/8/8/8/8/8/8",
    "7k/8/8/8/8/8/5PPP/r5K1",
    "w",
    "b",
    "KQkq",
    "HAha",
    "-",
    "é",
    "\u{feff}",
    "\t",
    "bestmove",
    "info",
];

/// Numbers at the edge of some range.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "16",
    "64",
    "127",
    "255",
    "256",
    "999",
    "-1",
    "-50",
    "1000.5",
    "99999999999999999999999999",
    "+7",
];

/// A line of random words; only some of them make sense.
fn random_line(rng: &mut Rng) -> String {
    let mut line = String::new();
    for _ in 0..rng.below(12) {
        let word = match rng.below(8) {
            0 | 1 => rng.pick(&NUMBERS),
            _ => rng.pick(&WORDS),
        };
        line += word;
        line += if rng.below(10) == 0 { "  " } else { " " };
    }
    line
}

/// Whether a line would make the engine leave, run for long or take much memory.
fn is_unwanted(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("quit")
        || (lower.contains("hash") && lower.contains("value"))
        || lower.trim_start().starts_with("bench")
        || lower.contains("debug log")
}

/// Random bytes, including many that matter.
fn random_bytes(rng: &mut Rng, length: usize) -> Vec<u8> {
    let byte = |rng: &mut Rng| match rng.below(4) {
        0 => *rng.pick(b"\n\r \t\0\xef\xbb\xbf"),
        1 => rng.next() as u8,
        _ => *rng.pick(b"ucigoposetanmvalue 0123456789-=/kqKQ"),
    };
    (0..length).map(|_| byte(rng)).collect()
}

/// A line changed in one place.
fn bend(rng: &mut Rng, line: &str) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    if !bytes.is_empty() && rng.below(4) == 0 {
        let at = rng.below(bytes.len());
        match rng.below(3) {
            0 => bytes[at] = rng.next() as u8,
            1 => bytes.truncate(at),
            _ => bytes.insert(at, rng.next() as u8),
        }
    }
    bytes
}

/// Parses `count` random inputs.
fn parse_anything(seed: u64, count: usize) {
    let mut rng = Rng(seed);
    let mut splitter = LineSplitter::default();
    for _ in 0..count {
        let bytes = match rng.below(2) {
            0 => {
                let length = rng.below(40);
                random_bytes(&mut rng, length)
            }
            _ => {
                let line = random_line(&mut rng);
                bend(&mut rng, &line)
            }
        };
        let mut lines = splitter.feed(&bytes);
        lines.extend(splitter.finish());
        for line in lines {
            let line = line.expect("a short line");
            assert!(!line.is_empty() && !line.contains(['\n', '\r', '\0']), "{line:?}");
            // Whatever the answer is: there is one.
            let _ = parse(&line);
        }
    }
}

/// Sends `count` random lines to a dialogue and makes sure that it stays alive.
fn talk_nonsense(seed: u64, count: usize) {
    let mut rng = Rng(seed);
    let conversation = Conversation::start();
    // A small table is cleared quickly.
    conversation.say(&["setoption name Hash value 1"]);
    for number in 0..count {
        let line = random_line(&mut rng);
        let line = String::from_utf8_lossy(&bend(&mut rng, &line)).replace(['\n', '\r'], " ");
        if !is_unwanted(&line) {
            conversation.say(&[&line]);
        }
        if number % 50 == 0 {
            conversation.say(&["stop", "isready"]);
            conversation.hear_until("readyok");
        }
    }
    conversation.say(&["stop", "ucinewgame", "position startpos", "go depth 1"]);
    conversation.end();
}

/// Bytes in chunks of random sizes.
struct Chopped {
    bytes: Vec<u8>,
    at: usize,
    rng: Rng,
}

impl Read for Chopped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rng.below(16) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let left = self.bytes.len() - self.at;
        let length = left.min(buffer.len()).min(1 + self.rng.below(100));
        buffer[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[test]
fn any_bytes_can_be_parsed() {
    parse_anything(1, 100_000);
}

#[test]
fn any_lines_leave_the_dialogue_alive() {
    talk_nonsense(2, 100_000);
}

#[test]
fn any_stream_of_bytes_is_read_to_its_end() {
    let mut rng = Rng(3);
    let mut bytes = Vec::new();
    for _ in 0..2_000 {
        let noise = random_bytes(&mut rng, 50);
        let line = random_line(&mut rng);
        if !is_unwanted(&String::from_utf8_lossy(&noise)) && !is_unwanted(&line) {
            bytes.extend(noise);
            bytes.push(b'\n');
            bytes.extend(line.as_bytes());
            bytes.push(b'\r');
        }
    }
    bytes.extend(b"\nstop\nisready\nquit\n");
    let (mut output, writer) = io::pipe().expect("a pipe");
    let chopped = Chopped { bytes, at: 0, rng: Rng(4) };
    let ended = thread::spawn(move || Dialogue::new(writer).converse(chopped));
    let mut text = String::new();
    output.read_to_string(&mut text).expect("the engine writes UTF-8");
    let ended = ended.join().expect("the dialogue does not panic");
    assert!(ended.is_ok(), "{ended:?}");
    assert!(text.contains("readyok"));
}

#[test]
#[ignore = "takes minutes"]
fn a_million_inputs_can_be_parsed() {
    parse_anything(5, 1_000_000);
}

#[test]
#[ignore = "takes minutes"]
fn a_million_lines_leave_the_dialogue_alive() {
    for seed in 0..10 {
        talk_nonsense(100 + seed, 100_000);
    }
}
