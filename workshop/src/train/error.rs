//! Errors of training, and of other commands about networks.

use std::io;
use std::path::{Path, PathBuf};

use carrybit::eval::nnue::network::{MAX_SCALE, NetworkError};

use crate::games::shard::ShardError;
use crate::threads::ThreadsError;

/// Why a command about networks failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A folder has no file with games.
    #[error("{0}: no file in it ends with .vf")]
    NoFiles(PathBuf),
    /// A shard cannot be read, or a game in it is none.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// There is nothing to learn from or nothing to validate with.
    #[error("{training} positions to learn from, {validation} to validate with: too few")]
    TooFew {
        /// Positions to learn from.
        training: usize,
        /// Positions to validate with.
        validation: usize,
    },
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// A file is no checkpoint, or not as it was written.
    #[error("{0}: not a checkpoint, or a damaged one")]
    Damaged(PathBuf),
    /// A checkpoint is of another training.
    #[error("{path} is of another training:\n  then {then}\n  now  {now}")]
    OtherTraining {
        /// The file.
        path: PathBuf,
        /// The training of the checkpoint.
        then: String,
        /// The training asked for.
        now: String,
    },
    /// A checkpoint would be overwritten.
    #[error("{0}: there is a checkpoint already; --resume continues from it")]
    Exists(PathBuf),
    /// Another training writes to the folder.
    #[error("{0}: another training writes to it")]
    InUse(PathBuf),
    /// A file is no network.
    #[error("{path}: {source}")]
    Network {
        /// The file.
        path: PathBuf,
        /// The error.
        source: NetworkError,
    },
    /// A network cannot be converted to a shape, or has another one than it must.
    #[error("{path}: {reason}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// The mismatch.
        reason: String,
    },
    /// A result cannot be computed in the engine's integers.
    #[error("the result does not fit the engine: {0}")]
    Unfit(NetworkError),
    /// There are no evaluations by which two networks could be compared.
    #[error("no positions in these games, or none but even ones: the networks cannot be compared")]
    NothingToCompare,
    /// The evaluations of two networks are too far apart.
    #[error("the scale would be {0:.1}, not from 1 to {MAX_SCALE}")]
    Scale(f64),
    /// A picture cannot be drawn.
    #[error("{path}: {reason}")]
    Picture {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: String,
    },
}

/// The error of a file.
pub fn file_error(path: &Path) -> impl Fn(io::Error) -> TrainError + use<> {
    let path = path.to_owned();
    move |source| TrainError::File { path: path.clone(), source }
}
