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
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{0}: no file in it ends with .vf")]
    NoFiles(PathBuf),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{0} positions for training, {1} for validation: too few")]
    TooFew(usize, usize),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
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
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    #[error("the scale would be {0:.1}, outside 1 to {MAX_SCALE}")]
    Scale(f64),
}
