//! Errors of the commands about games.

use std::io;
use std::path::PathBuf;

use pgn::PgnError;
use pgn::text::TextError;

use super::shard::ShardError;
use crate::files::FileError;

/// The error of a command about games.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A shard has other settings than those requested, which are the last field.
    #[error("{0} was begun with other settings:\n{1}requested now:\n{2}")]
    OtherSettings(PathBuf, String, String),
    /// A shard has content, but no settings.
    #[error("{0}: not empty, but its settings are missing: {0}.toml")]
    NoSettings(PathBuf),
    /// The settings file of a shard is invalid, or of another version of the workshop.
    #[error("{0}: not the settings of a shard, or of another version")]
    ForeignSettings(PathBuf),
    /// The network cannot be used.
    #[error("{0}: {1}")]
    Network(PathBuf, #[source] io::Error),
    /// The file for a new shard is not empty.
    #[error("{0}: the file is not empty; from-pgn writes only new shards")]
    AlreadyThere(PathBuf),
    /// A file is not text.
    #[error("{0}: {1}")]
    Text(PathBuf, #[source] TextError),
    /// A game in a PGN file cannot be used; games are counted from 1.
    #[error("{0}, game {1}, {2}")]
    Pgn(PathBuf, usize, #[source] PgnError),
    /// A shard has no game of this number; the last field is the number of its games.
    #[error("{0}: no game {1}; the shard has {2} games")]
    NoSuchGame(PathBuf, u64, u64),
    /// No opening of random moves is playable.
    #[error("found no playable opening: try fewer --random-plies")]
    NoOpening,
    /// Neither games nor positions nor seconds were given.
    #[error("a limit is missing: --games, --positions or --seconds")]
    NoLimit,
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The output of the command cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}
