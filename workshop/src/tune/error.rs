//! Why weights cannot be fitted.

use std::io;
use std::path::PathBuf;

use crate::games::shard::ShardError;
use crate::threads::ThreadsError;

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The weights cannot be written.
    #[error("{path}: {source}")]
    Write {
        /// Where they were to go.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// No position is left to learn from or to validate with.
    #[error("too few positions")]
    TooFew,
}
