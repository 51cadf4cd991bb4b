//! What can be said to the engine, and what each command asks for.

use std::time::Duration;

use super::judge::Position;

/// Something to say.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// A search.
    Go(Go),
    /// `perft` or the like: it takes as long as it takes, as a search does.
    Tool(Tool),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `wait`.
    Wait,
    /// A question: the line, and how the last line of its answer begins.
    Ask(&'static str, &'static str),
    /// `ucinewgame`.
    NewGame,
    /// An option, as a line; whether it reallocates memory and may take its time.
    SetOption(String, bool),
    /// A line that asks for nothing: a position, or something that is not a command.
    Other(Vec<u8>),
}

impl Command {
    /// The bytes to write, without the line end.
    pub(crate) fn line(&self) -> Vec<u8> {
        let text = match self {
            Command::Go(go) => &go.line,
            Command::Tool(tool) => &tool.line,
            Command::Stop => "stop",
            Command::PonderHit => "ponderhit",
            Command::Wait => "wait",
            Command::Ask(line, _) => line,
            Command::NewGame => "ucinewgame",
            Command::SetOption(line, _) => line,
            Command::Other(bytes) => return bytes.clone(),
        };
        text.as_bytes().to_vec()
    }
}

/// A `go`, with all that its answer depends on.
#[derive(Clone, Debug)]
pub(crate) struct Go {
    /// The line.
    pub(crate) line: String,
    /// The position that it is about.
    pub(crate) root: Position,
    /// The value of `UCI_Chess960`.
    pub(crate) chess960: bool,
    /// The moves to choose from, the legal ones among those of `searchmoves`;
    /// empty for all.
    pub(crate) search_moves: Vec<String>,
    /// How many lines may be shown at most.
    pub(crate) lines: usize,
    /// Whether only `stop` may be answered: `infinite`, said or implied.
    pub(crate) infinite: bool,
    /// Whether only `ponderhit` and `stop` may be answered.
    pub(crate) ponder: bool,
    /// Whether it soon ends by itself, once it need not wait.
    pub(crate) is_short: bool,
    /// Its time, from the `go` or the `ponderhit` on.
    pub(crate) budget: Option<Duration>,
    /// The depth that it must reach if nobody stops it.
    pub(crate) depth: Option<u32>,
}

/// A `perft`, `bench` or `genfens`.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// The line.
    pub(crate) line: String,
    /// What the last line of its answer contains.
    pub(crate) last_line: String,
    /// Whether it soon ends by itself.
    pub(crate) is_short: bool,
}
