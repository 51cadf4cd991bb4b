//! From a line of text to a [`Command`].
//!
//! The crate behind `wire` reads the simple commands and `setoption`. It never sees
//! `position` and `go`, as its grammar loses much of them, and some `go` lines make it
//! panic. Nor does it know Carrybit's own commands. All these are parsed here, in
//! [`position`](super::position) and in [`go`](super::go).
//!
//! As the protocol demands, unknown words before a command are skipped. Carrybit's own
//! commands are recognised only as the first word of a line.

use crate::sys::encoding;
use crate::tools::genfens::Order;

use super::command::{Command, CommandError};
use super::go::{Go, integer};
use super::position::Setup;
use super::wire;

/// The deepest perft that can be requested; no computer will finish it.
pub const MAX_PERFT_DEPTH: u32 = 60;

/// The commands of the protocol, except for `isready`; see [`is_protocol_word`].
const PROTOCOL_WORDS: [&str; 10] = [
    "uci",
    "debug",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// A command that is Carrybit's own.
pub(super) struct OwnCommand {
    /// The word with which it begins.
    pub(super) word: &'static str,
    /// What may follow the word, as `help` shows it.
    pub(super) arguments: &'static str,
    /// What it does, in a few words.
    pub(super) meaning: &'static str,
    /// Reads what follows the word.
    parse: fn(&[&str]) -> Result<Command, CommandError>,
}

/// Carrybit's own commands.
pub(super) const OWN_COMMANDS: [OwnCommand; 15] = [
    OwnCommand {
        word: "play",
        arguments: "[limits]",
        meaning: "play against the engine: it moves now and replies to your moves; play off stops",
        parse: parse_play,
    },
    OwnCommand {
        word: "moves",
        arguments: "",
        meaning: "lists the legal moves",
        parse: |_| Ok(Command::ListMoves),
    },
    OwnCommand {
        word: "undo",
        arguments: "",
        meaning: "takes the last move back; in a game with play, yours and the answer",
        parse: |_| Ok(Command::Undo),
    },
    OwnCommand {
        word: "flip",
        arguments: "",
        meaning: "exchanges the colours and the side to move",
        parse: |_| Ok(Command::Flip),
    },
    OwnCommand {
        word: "new",
        arguments: "",
        meaning: "begins a new game from the start position",
        parse: |_| Ok(Command::Restart),
    },
    OwnCommand {
        word: "bench",
        arguments: "[depth] [threads] [hash]",
        meaning: "searches a set of positions; the last line has nodes and speed",
        parse: parse_bench,
    },
    OwnCommand {
        word: "speedtest",
        arguments: "[threads] [hash] [seconds]",
        meaning: "measures the speed, by default of all cores for 20 seconds",
        parse: parse_speedtest,
    },
    OwnCommand {
        word: "doctor",
        arguments: "",
        meaning: "examines this machine and advises on Threads and Hash",
        parse: |_| Ok(Command::Doctor),
    },
    OwnCommand {
        word: "perft",
        arguments: "<depth>",
        meaning: "counts the legal move sequences, move by move; also go perft <depth>",
        parse: parse_perft,
    },
    OwnCommand {
        word: "d",
        arguments: "",
        meaning: "shows the position",
        parse: |_| Ok(Command::Display),
    },
    OwnCommand {
        word: "eval",
        arguments: "",
        meaning: "shows the static evaluation of the position",
        parse: |_| Ok(Command::Evaluate),
    },
    OwnCommand {
        word: "genfens",
        arguments: "<n> seed <s> book <b>",
        meaning: "generates openings for OpenBench; the book is a file or None",
        parse: |words| parse_genfens(words).ok_or(CommandError::Genfens),
    },
    OwnCommand {
        word: "params",
        arguments: "",
        meaning: "lists the parameters of a build for tuning, for OpenBench's SPSA",
        parse: |_| Ok(Command::Params),
    },
    OwnCommand {
        word: "wait",
        arguments: "",
        meaning: "waits for the search, perft or bench to end before the next command",
        parse: |_| Ok(Command::Wait),
    },
    OwnCommand { word: "help", arguments: "", meaning: "shows this", parse: |_| Ok(Command::Help) },
];

/// The own command that begins with `word`; lower case only.
fn own_command(word: &str) -> Option<&'static OwnCommand> {
    OWN_COMMANDS.iter().find(|own| own.word == word)
}

/// The words with which a line can begin.
pub fn command_words() -> impl Iterator<Item = &'static str> {
    let own = OWN_COMMANDS.iter().map(|own| own.word);
    own.chain(PROTOCOL_WORDS).chain(["isready"])
}

/// Whether a line whose first word is `word` can be a command. Lower case only.
pub(super) fn is_command_word(word: &str) -> bool {
    word == "isready" || PROTOCOL_WORDS.contains(&word) || own_command(word).is_some()
}

/// Whether a word is a command of the protocol. `isready` also counts with something
/// glued to it, as its sender waits for an answer.
fn is_protocol_word(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.starts_with("isready") || PROTOCOL_WORDS.contains(&word.as_str())
}

/// Reads one line, without its line end. Never panics.
///
/// # Errors
/// The line is not a command; see [`CommandError`].
pub fn parse(line: &str) -> Result<Command, CommandError> {
    let unknown = || CommandError::Unknown(line.to_owned());
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some((first, rest)) = words.split_first()
        && let Some(own) = own_command(&first.to_ascii_lowercase())
    {
        return (own.parse)(rest);
    }
    let command = from_first_command(line).ok_or_else(unknown)?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let (first, rest) = words.split_first().ok_or_else(unknown)?;
    match first.to_ascii_lowercase().as_str() {
        "position" => Setup::parse(rest).map(Command::Position).ok_or(CommandError::Position),
        "go" => parse_go(rest),
        "setoption" => wire::read(&set_option_line(command)).ok_or_else(unknown),
        _ => wire::read(&words.join(" ")).ok_or_else(unknown),
    }
}

fn parse_play(words: &[&str]) -> Result<Command, CommandError> {
    match words {
        [] => Ok(Command::Play(None)),
        ["off"] => Ok(Command::PlayOff),
        _ => {
            let go = Go::parse(words);
            match go.problem() {
                None => Ok(Command::Play(Some(go))),
                Some(problem) => Err(CommandError::Play(problem)),
            }
        }
    }
}

fn parse_perft(words: &[&str]) -> Result<Command, CommandError> {
    let depth = words.first().and_then(|word| integer(word)).ok_or(CommandError::Perft)?;
    Ok(Command::Perft(depth.clamp(0, MAX_PERFT_DEPTH.into()) as u32))
}

fn parse_bench(words: &[&str]) -> Result<Command, CommandError> {
    let number = |at| number("bench", words, at);
    Ok(Command::Bench {
        depth: number(0)?,
        threads: number(1)?.map(|threads| threads as usize),
        hash_mb: number(2)?.map(|megabytes| megabytes as usize),
    })
}

fn parse_speedtest(words: &[&str]) -> Result<Command, CommandError> {
    let number = |at| number("speedtest", words, at);
    Ok(Command::Speedtest {
        threads: number(0)?.map(|threads| threads as usize),
        hash_mb: number(1)?.map(|megabytes| megabytes as usize),
        seconds: number(2)?.map(|seconds| seconds as u64),
    })
}

/// The number, 1 or more, that is an argument of a tool, if it is there.
fn number(tool: &'static str, words: &[&str], at: usize) -> Result<Option<i32>, CommandError> {
    let Some(&word) = words.get(at) else { return Ok(None) };
    let value = integer(word).ok_or_else(|| CommandError::NoNumber { tool, word: word.to_owned() });
    Ok(Some(value?.clamp(1, i32::MAX.into()) as i32))
}

/// Ignores what follows the book, which is meant for other engines.
fn parse_genfens(words: &[&str]) -> Option<Command> {
    let [count, "seed", seed, rest @ ..] = words else { return None };
    let book = match rest {
        [] | ["book", "None" | "none", ..] => None,
        ["book", path, ..] => Some(encoding::path(path)),
        _ => return None,
    };
    Some(Command::Genfens(Order { count: count.parse().ok()?, seed: seed.parse().ok()?, book }))
}

/// The line from its first protocol command on.
fn from_first_command(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    while let Some(word) = rest.split_whitespace().next() {
        if is_protocol_word(word) {
            return Some(rest);
        }
        rest = rest[word.len()..].trim_start();
    }
    None
}

fn parse_go(words: &[&str]) -> Result<Command, CommandError> {
    let is_perft = |word: &&str| word.eq_ignore_ascii_case("perft");
    match words.iter().position(is_perft) {
        Some(at) => parse_perft(&words[at + 1..]),
        None => Ok(Command::Go(Go::parse(words))),
    }
}

/// The line with single spaces up to the value, and the value unchanged.
fn set_option_line(line: &str) -> String {
    let mut rest = line.trim();
    let mut normal = String::new();
    while let Some(word) = rest.split_whitespace().next() {
        normal += word;
        rest = rest[word.len()..].trim_start();
        if word.eq_ignore_ascii_case("value") {
            break;
        }
        normal.push(' ');
    }
    if !rest.is_empty() {
        normal.push(' ');
    }
    normal + rest
}
