//! What can be asked of the engine, and why a line may ask for nothing.

use crate::tools::genfens;

use super::go::Go;
use super::position::Setup;

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: say who you are and what can be set.
    Uci,
    /// `debug on` or `debug off`: whether unknown commands get a remark.
    Debug(bool),
    /// `isready`: answer once everything before it is done.
    IsReady,
    /// `setoption name <name> [value <value>]`; a missing value is empty.
    SetOption {
        /// The name as it was written, in any case.
        name: String,
        /// The value, trimmed; `<empty>` has become the empty text.
        value: String,
    },
    /// `register ...`: nothing to do.
    Register,
    /// `ucinewgame`: forget what the last game taught.
    NewGame,
    /// `position ...`: the position for the next `go`.
    Position(Setup),
    /// `go ...`: search.
    Go(Go),
    /// `stop`: answer now.
    Stop,
    /// `ponderhit`: the expected move was played, the clock starts.
    PonderHit,
    /// `quit`: leave.
    Quit,
    /// `perft <depth>` or `go perft <depth>`: count the legal move sequences.
    Perft(u32),
    /// `bench [depth] [threads] [hash]`: search a set of positions.
    Bench {
        /// Depth of each search in plies.
        depth: Option<i32>,
        /// Threads to search with.
        threads: Option<usize>,
        /// Size of the transposition table in MB.
        hash_mb: Option<usize>,
    },
    /// `speedtest [threads] [hash] [seconds]`: measure the speed.
    Speedtest {
        /// Threads to search with.
        threads: Option<usize>,
        /// Size of the transposition table in MB.
        hash_mb: Option<usize>,
        /// How long.
        seconds: Option<u64>,
    },
    /// `doctor`: examine the machine.
    Doctor,
    /// `d`: show the position.
    Display,
    /// `eval`: show the static evaluation.
    Evaluate,
    /// `genfens <number> seed <number> book <file or None>`: generate openings.
    Genfens(genfens::Order),
    /// `params`: list the search parameters for a tuner, in a build that can set them.
    Params,
    /// `help`: list the commands and options.
    Help,
    /// `play [limits]`: make the engine's move, and answer each move from now on, within
    /// these limits.
    Play(Option<Go>),
    /// `play off`: answer no more.
    PlayOff,
    /// Moves, in UCI's notation or in SAN, to be played; only a person gives them.
    Moves(Vec<String>),
    /// `moves`: list the legal moves.
    ListMoves,
    /// `undo`: take the last move back.
    Undo,
    /// `flip`: exchange the colours.
    Flip,
    /// `new`: begin a new game.
    Restart,
    /// `wait`: do not go on before the search or tool under way has ended.
    Wait,
}

impl Command {
    /// Whether it starts a tool, which ends by itself.
    pub(super) fn is_tool(&self) -> bool {
        matches!(
            self,
            Command::Perft(_)
                | Command::Bench { .. }
                | Command::Speedtest { .. }
                | Command::Doctor
                | Command::Genfens(_)
        )
    }
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No word of the line is a command, or the command is incomplete. The protocol
    /// demands that such a line be ignored.
    #[error("unknown command: {0}")]
    Unknown(String),
    /// `position` is followed by neither `startpos` nor `fen`.
    #[error("position ignored: it needs startpos or fen")]
    Position,
    /// `perft` is not followed by a number.
    #[error("perft ignored: it needs a depth")]
    Perft,
    /// `genfens` is not followed by what it needs.
    #[error("no openings: genfens needs <number> seed <number> book <file or None>")]
    Genfens,
    /// The limits of `play` are not those of `go`.
    #[error("play ignored: {0}")]
    Play(String),
    /// A person's line is no command, or not a whole one; says what may be meant.
    #[error("{0}")]
    Hint(String),
    /// An argument of a tool is not a number.
    #[error("{tool} ignored: {word} is not a number")]
    NoNumber {
        /// The tool.
        tool: &'static str,
        /// The argument.
        word: String,
    },
}
