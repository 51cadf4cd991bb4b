//! Errors of the commands.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use carrybit::internals::eval::nnue::network::{MAX_SCALE, NetworkError};
use pgn::PgnError;
use pgn::text::TextError;

use crate::files::FileError;
use crate::games::shard::ShardError;
use crate::threads::ThreadsError;

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    #[error("{0} was begun with other settings:\n{1}requested now:\n{2}")]
    OtherSettings(PathBuf, String, String),
    #[error("{0}: not empty, but its settings are missing: {0}.toml")]
    NoSettings(PathBuf),
    #[error("{0}: not the settings of a shard, or of another version")]
    ForeignSettings(PathBuf),
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
    #[error("{0}: no file in it ends with .vf")]
    NoFiles(PathBuf),
    #[error("{0} positions for training, {1} for validation: too few")]
    TooFew(usize, usize),
    #[error("{0}: not a checkpoint, or a damaged one")]
    Damaged(PathBuf),
    #[error("{0}: the checkpoint of another training:\n  checkpoint {1}\n  requested  {2}")]
    OtherTraining(PathBuf, String, String),
    #[error("{0}: the checkpoint exists; continue it with --resume, or use another --out")]
    Exists(PathBuf),
    #[error("{0}: another training is writing to it")]
    InUse(PathBuf),
    #[error(
        "the loss of step {0} is not finite: the training stopped, its last checkpoint is \
         unchanged; if --resume stops too, start again with a smaller --lr"
    )]
    NotFinite(u64),
    #[error("{0}: {1}")]
    Network(PathBuf, #[source] NetworkError),
    #[error("{0}: {1}")]
    Shape(PathBuf, String),
    #[error("the result does not fit the engine's integers: {0}")]
    Unfit(#[source] NetworkError),
    #[error("cannot compare the networks: no positions in these games, or all evaluations are 0")]
    NothingToCompare,
    #[error("{0}, line {1}: {2}")]
    Epd(PathBuf, usize, String),
    #[error("the scale would be {0:.1}, outside 1 to {MAX_SCALE}")]
    Scale(f64),
}

impl Error {
    /// Whether standard output was closed by its reader.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }
}
