//! The commands, and how they are read from lines of text.
//!
//! As the protocol demands, unknown words before a command are skipped. Carrybit's own
//! commands are recognised only as the first word of a line.
//!
//! The crate `vampirc-uci` reads the simple commands and `setoption` (see `format`), but
//! never `position` and `go`: its grammar loses much of them, and some `go` lines make it
//! panic.

use crate::search::strength::MAX_SKILL;
use crate::sys::encoding;
use crate::terminal::{hints, spelling};
use crate::tools::genfens;

use super::format;
use super::go::{self, Go, integer};
use super::options::OPTIONS;
use super::position::Setup;

/// A command of UCI, one of Carrybit's own, or moves that a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: print name and options.
    Uci,
    /// `debug on` or `debug off`: whether unknown commands are reported.
    Debug(bool),
    /// `isready`: answer when all commands before it have been run and the next search costs no page
    /// faults.
    IsReady,
    /// `setoption name <name> [value <value>]`.
    SetOption {
        /// The name as it was written, in any case.
        name: String,
        /// The value, trimmed; empty if it is missing or `<empty>`.
        value: String,
    },
    /// `register ...`: nothing to do.
    Register,
    /// `ucinewgame`: clear the transposition table and the histories.
    NewGame,
    /// `position ...`: set the position for the next `go`. `None` if there is neither `startpos` nor
    /// `fen`.
    Position(Option<Setup>),
    /// `go ...`: search.
    Go(Go),
    /// `stop`: end the search or the tool now.
    Stop,
    /// `ponderhit`: the expected move was played, start the clock.
    PonderHit,
    /// `quit`: end the program.
    Quit,
    /// Run a tool.
    Tool(Tool),
    /// `d`: show the position.
    Display,
    /// `eval`: show the static evaluation.
    Evaluate,
    /// `params`: list the search parameters for a tuner, in a build that can set them.
    Params,
    /// `help`: list the commands, or with `options` the options.
    Help {
        /// Whether to list the options.
        options: bool,
    },
    /// `play [limits]`: make the engine's move, and reply to each move from now on.
    Play(Option<Go>),
    /// `play off`: no longer reply to moves.
    PlayOff,
    /// Moves, in UCI's notation or in SAN, to be played; only from a person.
    Moves(Vec<String>),
    /// `moves`: list the legal moves.
    ListMoves,
    /// `undo`: take the last move back.
    Undo,
    /// `flip` from a person: turn the view of the board.
    Flip,
    /// `mirror`, and `flip` from a script: exchange the colours.
    Mirror,
    /// `level`: show the strength, or set it to a `UCI_Elo`, or to a `Skill Level` if it is at most
    /// [`MAX_SKILL`].
    Level(Option<i32>),
    /// `hint`: show a good move.
    Hint,
    /// `resign`: end the game.
    Resign,
    /// `pgn [file]`: print the game, or append it to a file.
    Pgn(String),
    /// `new`: begin a new game.
    Restart,
    /// `wait`: delay the next commands until the search or tool has ended.
    Wait,
}

/// A tool: it runs on a thread of its own and ends by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `perft <depth>` or `go perft <depth>`.
    Perft(u32),
    /// `bench [depth] [threads] [hash]`.
    Bench([Option<u32>; 3]),
    /// `speedtest [threads] [hash] [seconds]`.
    Speedtest([Option<u32>; 3]),
    /// `doctor`.
    Doctor,
    /// `genfens <number> seed <number> book <file or None>`.
    Genfens(genfens::Arguments),
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// No word of the line is a command, or the command is incomplete. UCI demands to
    /// ignore such a line.
    Unknown,
    /// The arguments are wrong; says why.
    Refused(String),
}

/// The deepest perft that can be requested; no computer will finish it.
pub const MAX_PERFT_DEPTH: u32 = 60;

pub(super) struct CommandSpec {
    pub(super) word: &'static str,
    /// Arguments and meaning for `help`; `None` for commands of the protocol.
    pub(super) help: Option<(&'static str, &'static str)>,
    parse: Parse,
}

/// Reads a line that begins with the word of a command.
type Parse = fn(&str) -> Result<Command, CommandError>;

/// All commands: Carrybit's own, then those of the protocol.
pub(super) const COMMANDS: [CommandSpec; 31] = [
    own(
        "play",
        "[limits]",
        "makes the engine move now and reply to each of your moves; play off ends that",
        parse_play,
    ),
    own("moves", "", "lists the legal moves", |_| Ok(Command::ListMoves)),
    own("undo", "", "takes back the last move; after play, the last two", |_| Ok(Command::Undo)),
    own("hint", "", "searches for a second and suggests a move", |_| Ok(Command::Hint)),
    own(
        "level",
        "[number]",
        "sets the strength: 0 to 20 (full strength), or an Elo number; alone shows it",
        parse_level,
    ),
    own("flip", "", "turns the board at a terminal; in scripts, like mirror", |_| {
        Ok(Command::Mirror)
    }),
    own("resign", "", "ends the game; the other side wins", |_| Ok(Command::Resign)),
    own("pgn", "[file]", "prints the game, or adds it to a file", |line| {
        Ok(Command::Pgn(line["pgn".len()..].trim().to_owned()))
    }),
    own("new", "", "begins a new game from the start position", |_| Ok(Command::Restart)),
    own(
        "bench",
        "[depth] [threads] [hash]",
        "searches a set of positions; the last line has nodes and speed",
        |line| numbers(line).map(|numbers| Command::Tool(Tool::Bench(numbers))),
    ),
    own(
        "speedtest",
        "[threads] [hash] [seconds]",
        "measures the speed, by default of all cores for 20 seconds",
        |line| numbers(line).map(|numbers| Command::Tool(Tool::Speedtest(numbers))),
    ),
    own("doctor", "", "measures this machine and suggests Threads and Hash", |_| {
        Ok(Command::Tool(Tool::Doctor))
    }),
    own(
        "perft",
        "<depth>",
        "counts the legal move sequences, move by move; also go perft <depth>",
        |line| parse_perft(&arguments(line)),
    ),
    own("mirror", "", "mirrors the position: exchanges colours and side to move", |_| {
        Ok(Command::Mirror)
    }),
    own("d", "", "shows the position", |_| Ok(Command::Display)),
    own("eval", "", "shows the static evaluation of the position", |_| Ok(Command::Evaluate)),
    own(
        "genfens",
        "<n> seed <s> book <b>",
        "generates openings for OpenBench; the book is a file or None",
        parse_genfens,
    ),
    own("params", "", "lists the search parameters of a tuning build", |_| Ok(Command::Params)),
    own("wait", "", "waits until the search or tool has ended", |_| Ok(Command::Wait)),
    own("help", "[options]", "lists commands, or options", |line| {
        Ok(Command::Help { options: arguments(line) == ["options"] })
    }),
    protocol("uci", parse_simple),
    protocol("debug", parse_simple),
    protocol("setoption", |line| format::read(&set_option_line(line))),
    protocol("register", parse_simple),
    protocol("ucinewgame", parse_simple),
    protocol("position", |line| Ok(Command::Position(Setup::parse(&arguments(line))))),
    protocol("go", parse_go),
    protocol("stop", parse_simple),
    protocol("ponderhit", parse_simple),
    protocol("quit", parse_simple),
    protocol("isready", parse_simple),
];

const fn own(
    word: &'static str,
    arguments: &'static str,
    meaning: &'static str,
    parse: Parse,
) -> CommandSpec {
    CommandSpec { word, help: Some((arguments, meaning)), parse }
}

const fn protocol(word: &'static str, parse: Parse) -> CommandSpec {
    CommandSpec { word, help: None, parse }
}

/// The commands that are useful as arguments, and their meaning.
pub fn command_meanings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = COMMANDS.iter().filter_map(|command| Some((command.word, command.help?.1)));
    let go = ("go", "searches the position, within limits such as movetime 1000");
    let position = ("position", "sets the position: startpos or fen <fen>, then moves <moves>");
    [go, position].into_iter().chain(own)
}

pub(super) fn command_words() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.word)
}

/// Whether a line whose first word is `word` can be a command. Lower case only.
pub(super) fn is_command_word(word: &str) -> bool {
    command_words().any(|known| known == word)
}

/// Reads one line, without its line end. Never panics.
///
/// # Errors
/// The line is not a command.
pub fn parse(line: &str) -> Result<Command, CommandError> {
    let mut rest = line.trim_start();
    let mut is_first = true;
    while let Some(word) = rest.split_whitespace().next() {
        let lower = word.to_ascii_lowercase();
        let is_meant = |command: &&CommandSpec| match command.help {
            Some(_) => is_first && command.word == lower,
            // A GUI waits for the answer, so `isready` with letters after it is answered, too.
            None if command.word == "isready" => lower.starts_with("isready"),
            None => command.word == lower,
        };
        if let Some(command) = COMMANDS.iter().find(is_meant) {
            return (command.parse)(rest);
        }
        rest = rest[word.len()..].trim_start();
        is_first = false;
    }
    Err(CommandError::Unknown)
}

/// Reads a line that a person typed: moves are commands, and errors explain the problem.
///
/// # Errors
/// The line is neither a complete command nor moves. The error has a hint.
pub(super) fn parse_typed(line: &str) -> Result<Command, CommandError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(first) = words.first().map(|word| word.to_ascii_lowercase()) else {
        return Err(CommandError::Unknown);
    };
    match (&first[..], &words[1..]) {
        ("exit", _) => return Ok(Command::Quit),
        ("?", _) => return Ok(Command::Help { options: false }),
        // A tag of a pasted game. The first one, and the one with a position, set up the board.
        ("[event", _) => return parse("new"),
        ("[fen", _) => {
            let fen = line.split('"').nth(1).unwrap_or_default();
            return Ok(position(&fen.split_whitespace().collect::<Vec<_>>()));
        }
        _ if line.starts_with('[') => return Err(CommandError::Unknown),
        ("fen" | "new", [fen, ..]) if is_board(fen) => return Ok(position(&words[1..])),
        (fen, _) if is_board(fen) => return Ok(position(&words)),
        ("takeback" | "back", []) => return Ok(Command::Undo),
        ("board" | "show", []) => return Ok(Command::Display),
        ("play", [side]) if ["white", "black"].contains(&side.to_ascii_lowercase().as_str()) => {
            return Err(refused(hints::PLAY));
        }
        ("flip", _) => return Ok(Command::Flip),
        ("analyse" | "analyze", _) => return Err(refused(hints::ANALYSE)),
        ("elo" | "level", _) => {
            let problem = "level ignored: it takes a number, or off";
            return parse_level(line).map_err(|_| refused(problem));
        }
        ("save", []) => return Err(refused("save needs a file, as in save games.pgn")),
        ("save", _) => return Ok(Command::Pgn(line["save".len()..].trim().to_owned())),
        _ => {}
    }
    if !is_command_word(&first) {
        let (moves, _) = spelling::without_remarks(line);
        let words: Vec<&str> = moves.split_whitespace().collect();
        // A line of a pasted game with a comment or the result alone.
        if words.iter().all(|word| spelling::is_result(word)) {
            return Err(CommandError::Unknown);
        }
        return spelling::moves(&words).map(Command::Moves).map_err(|word| {
            CommandError::Refused(if words.first().is_none_or(|&first| first == word) {
                hints::unknown(line, command_words())
            } else {
                format!("{word} is not a move")
            })
        });
    }
    match parse(line) {
        Ok(Command::Go(go)) => match go.problem() {
            Some(problem) => Err(CommandError::Refused(problem)),
            None => Ok(Command::Go(go)),
        },
        Err(CommandError::Unknown) => {
            let options = OPTIONS.iter().map(|option| option.name);
            Err(CommandError::Refused(hints::incomplete(line, options)))
        }
        result => result,
    }
}

/// Whether the word is the first field of a FEN.
fn is_board(word: &str) -> bool {
    word.matches('/').count() == 7
}

fn position(fen: &[&str]) -> Command {
    Command::Position(Setup::parse(&[&["fen"], fen].concat()))
}

fn refused(problem: &str) -> CommandError {
    CommandError::Refused(problem.to_owned())
}

fn parse_simple(line: &str) -> Result<Command, CommandError> {
    format::read(&line.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn arguments(line: &str) -> Vec<&str> {
    line.split_whitespace().skip(1).collect()
}

fn parse_play(line: &str) -> Result<Command, CommandError> {
    match &arguments(line)[..] {
        [] => Ok(Command::Play(None)),
        ["off"] => Ok(Command::PlayOff),
        words => {
            let go = Go::parse(words);
            match go.problem() {
                None => Ok(Command::Play(Some(go))),
                Some(problem) => Err(refused(&format!("play ignored: {problem}"))),
            }
        }
    }
}

fn parse_level(line: &str) -> Result<Command, CommandError> {
    let number = match arguments(line)[..] {
        [] => return Ok(Command::Level(None)),
        ["off"] => Some(MAX_SKILL.into()),
        [text] => integer(text),
        _ => None,
    };
    let number = number.ok_or(CommandError::Unknown)?;
    Ok(Command::Level(Some(number.clamp(0, i32::MAX.into()) as i32)))
}

fn parse_go(line: &str) -> Result<Command, CommandError> {
    let words = arguments(line);
    match words.iter().position(|word| word.eq_ignore_ascii_case("perft")) {
        Some(at) => parse_perft(&words[at + 1..]),
        None => Ok(Command::Go(Go::parse(&words))),
    }
}

fn parse_perft(words: &[&str]) -> Result<Command, CommandError> {
    let depth = words.first().and_then(|word| integer(word)).filter(|&depth| depth >= 0);
    let depth = depth.ok_or_else(|| refused("perft ignored: it needs a depth"))?;
    Ok(Command::Tool(Tool::Perft(depth.clamp(0, MAX_PERFT_DEPTH.into()) as u32)))
}

/// The first three arguments of a tool: numbers, clamped to 1 or more.
fn numbers(line: &str) -> Result<[Option<u32>; 3], CommandError> {
    let mut numbers = [None; 3];
    for (number, word) in numbers.iter_mut().zip(arguments(line)) {
        let value = integer(word).ok_or_else(|| {
            let tool = line.split_whitespace().next().unwrap_or_default();
            refused(&format!("{tool} ignored: {word} is not a number"))
        })?;
        *number = Some(value.clamp(1, i32::MAX.into()) as u32);
    }
    Ok(numbers)
}

/// Ignores words after the book, which are for other engines.
fn parse_genfens(line: &str) -> Result<Command, CommandError> {
    let read = |words: &[&str]| {
        let [count, "seed", seed, rest @ ..] = words else { return None };
        let book = match rest {
            [] | ["book", "None" | "none", ..] => None,
            ["book", path, ..] => Some(encoding::path(path)),
            _ => return None,
        };
        Some(genfens::Arguments { count: count.parse().ok()?, seed: seed.parse().ok()?, book })
    };
    match read(&arguments(line)) {
        Some(arguments) => Ok(Command::Tool(Tool::Genfens(arguments))),
        None => {
            Err(refused("no openings: genfens needs <number> seed <number> book <file or None>"))
        }
    }
}

/// The line with single spaces up to the value, and the value unchanged.
fn set_option_line(line: &str) -> String {
    let mut rest = line;
    let mut normal = String::new();
    while let Some(word) = rest.split_whitespace().next() {
        normal += word;
        normal.push(' ');
        rest = rest[word.len()..].trim_start();
        if word.eq_ignore_ascii_case("value") {
            break;
        }
    }
    (normal + rest).trim().to_owned()
}

/// Completes the line `before` the cursor, at the Tab key. Returns the start of the last word, and
/// the words that complete it: commands at the start of the line, limits after `go` and `play`,
/// options after `setoption name`. An option's name counts as one word.
pub fn completions(before: &str) -> (usize, Vec<&'static str>) {
    let mut start = before.rfind(' ').map_or(0, |space| space + 1);
    let whole = before[..start].to_ascii_lowercase();
    let words: Vec<&str> = whole.split_whitespace().collect();
    let choice: Vec<&'static str> = match words[..] {
        [] => command_words().collect(),
        ["go" | "play", ..] => go::keywords().collect(),
        ["position"] => vec!["startpos", "fen"],
        ["setoption"] => vec!["name"],
        ["setoption", "name", ..] if !words.contains(&"value") => {
            start = whole.find(" name ").map_or(start, |at| at + " name ".len());
            OPTIONS.iter().map(|option| option.name).collect()
        }
        _ => Vec::new(),
    };
    let typed = before[start..].to_ascii_lowercase();
    let fits = |word: &&str| word.to_ascii_lowercase().starts_with(&typed);
    (start, choice.into_iter().filter(fits).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_word_is_completed_where_it_has_a_meaning() {
        for (before, start, words) in [
            ("he", 0, &["help"] as &[&str]),
            ("go de", 3, &["depth"]),
            ("GO DE", 3, &["depth"]),
            ("SetOption Name mo", 15, &["Move Overhead"]),
            ("position ", 9, &["startpos", "fen"]),
            ("setoption na", 10, &["name"]),
            ("setoption name Move ov", 15, &["Move Overhead"]),
            ("setoption name Hash value ", 26, &[]),
            ("é", 0, &[]),
            ("perft é", 6, &[]),
        ] {
            assert_eq!(completions(before), (start, words.to_vec()), "{before}");
        }
    }
}
