//! Errors of the commands about networks.

use std::io;
use std::path::PathBuf;

use carrybit::internals::eval::nnue::network::{MAX_SCALE, NetworkError};

use crate::files::FileError;
use crate::games::shard::ShardError;
use crate::threads::ThreadsError;

/// The error of a command about networks.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder has no shards.
    #[error("{0}: no file in it ends with .vf")]
    NoFiles(PathBuf),
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// There are no positions for training (the first number) or for validation.
    #[error("{0} positions for training, {1} for validation: too few")]
    TooFew(usize, usize),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// A checkpoint is damaged.
    #[error("{0}: not a checkpoint, or a damaged one")]
    Damaged(PathBuf),
    /// A checkpoint belongs to another training; the last field describes the requested one.
    #[error("{0}: the checkpoint of another training:\n  checkpoint {1}\n  requested  {2}")]
    OtherTraining(PathBuf, String, String),
    /// A checkpoint would be overwritten.
    #[error("{0}: the checkpoint exists; continue it with --resume, or use another --out")]
    Exists(PathBuf),
    /// Another training writes to the folder.
    #[error("{0}: another training is writing to it")]
    InUse(PathBuf),
    /// The loss of this step is infinite or not a number.
    #[error(
        "the loss of step {0} is not finite: the training stopped, its last checkpoint is \
         unchanged; if --resume stops too, start again with a smaller --lr"
    )]
    NotFinite(u64),
    /// A file is not a network.
    #[error("{0}: {1}")]
    Network(PathBuf, #[source] NetworkError),
    /// The shape of a network cannot be used or converted, for this reason.
    #[error("{0}: {1}")]
    Shape(PathBuf, String),
    /// A network cannot be computed in the engine's integers.
    #[error("the result does not fit the engine's integers: {0}")]
    Unfit(#[source] NetworkError),
    /// There are no evaluations to compare two networks by.
    #[error("cannot compare the networks: no positions in these games, or all evaluations are 0")]
    NothingToCompare,
    /// A line of a file, counted from 1, is not a position with a score.
    #[error("{0}, line {1}: {2}")]
    Epd(PathBuf, usize, String),
    /// The output of the command cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The evaluations of two networks are too far apart.
    #[error("the scale would be {0:.1}, outside 1 to {MAX_SCALE}")]
    Scale(f64),
}
