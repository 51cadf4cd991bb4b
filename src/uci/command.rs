//! The commands, and the errors of reading one.

use crate::tools::genfens;

use super::go::Go;
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
    /// `help`: list commands and options.
    Help,
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
    /// `flip`: exchange the colours.
    Flip,
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
