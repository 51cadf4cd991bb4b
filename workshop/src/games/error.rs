//! Why games cannot be played, read or looked at.

use std::io;
use std::path::PathBuf;

use pgn::PgnError;
use pgn::text::TextError;

use super::shard::ShardError;

/// Why a command about games failed.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A shard was begun with other settings.
    #[error("{shard} was begun with other settings:\n{begun}these are:\n{asked}")]
    OtherSettings {
        /// The shard.
        shard: PathBuf,
        /// Its settings.
        begun: String,
        /// Those asked for.
        asked: String,
    },
    /// There is something in a file, but no settings that say how it was played.
    #[error("{0}: not empty, and there are no settings beside it")]
    NoSettings(PathBuf),
    /// Where the settings are to be, there is something else.
    #[error("{0}: not the settings of a shard, or not of this version")]
    ForeignSettings(PathBuf),
    /// The network cannot be used.
    #[error("{path}: {source}")]
    Network {
        /// Its file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// Where a new shard is to be, there is something else.
    #[error("{0}: there is something already; games from PGN go into a new shard")]
    AlreadyThere(PathBuf),
    /// A file is not text.
    #[error("{path}: {source}")]
    Text {
        /// The file.
        path: PathBuf,
        /// The error.
        source: TextError,
    },
    /// A game in a PGN file cannot be used.
    #[error("{path}, game {number}, {problem}")]
    Pgn {
        /// The file.
        path: PathBuf,
        /// The game's number, from 1.
        number: usize,
        /// The error.
        problem: PgnError,
    },
    /// A shard has no game of this number.
    #[error("{path}: there is no game {number} among its {games}")]
    NoSuchGame {
        /// The shard.
        path: PathBuf,
        /// The number asked for, from 1.
        number: u64,
        /// How many games there are.
        games: u64,
    },
    /// No opening of random moves is playable.
    #[error("no opening is playable: fewer --random-plies may help")]
    NoOpening,
    /// Neither games nor positions nor seconds were given.
    #[error("say when to stop: --games, --positions or --seconds")]
    NoLimit,
    /// A thread could not be started.
    #[error("no thread to play with: {0}")]
    Thread(io::Error),
    /// A picture could not be drawn.
    #[error("{path}: {problem}")]
    Picture {
        /// Where it was to be.
        path: PathBuf,
        /// The error.
        problem: String,
    },
    /// The findings could not be printed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}
