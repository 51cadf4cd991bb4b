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
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{0} was begun with other settings:\n{1}requested now:\n{2}")]
    OtherSettings(PathBuf, String, String),
    #[error("{0}: not empty, but its settings are missing: {0}.toml")]
    NoSettings(PathBuf),
    #[error("{0}: not the settings of a shard, or of another version")]
    ForeignSettings(PathBuf),
    #[error("{0}: {1}")]
    Network(PathBuf, #[source] io::Error),
    #[error("{0}: the file is not empty; from-pgn writes only new shards")]
    AlreadyThere(PathBuf),
    #[error("{0}: {1}")]
    Text(PathBuf, #[source] TextError),
    #[error("{0}, game {1}, {2}")]
    Pgn(PathBuf, usize, #[source] PgnError),
    #[error("{0}: no game {1}; the shard has {2} games")]
    NoSuchGame(PathBuf, u64, u64),
    #[error("found no playable opening: try fewer --random-plies")]
    NoOpening,
    #[error("a limit is missing: --games, --positions or --seconds")]
    NoLimit,
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}
