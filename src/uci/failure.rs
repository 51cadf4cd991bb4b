//! How a dialogue may fail.

use std::io;

/// Why a dialogue ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user has interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// A line could not be obeyed, where none may be ignored.
    #[error("{0}")]
    Refused(String),
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    /// The output cannot be written, though it is not closed.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The thread that reads the input cannot be started.
    #[error("cannot start to read the input: {0}")]
    Reader(io::Error),
}
