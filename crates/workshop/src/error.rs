//! Errors of the commands.

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The input is refused, or the result is unusable.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// Adds the path to an error: `map_err(Error::at(path))`.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |source| Error::File { path: path.clone(), source }
    }

    /// The error for a problem of a file or folder.
    pub fn of(path: &Path, problem: impl Display) -> Error {
        Error::Refused(format!("{}: {problem}", path.display()))
    }

    /// Whether standard output was closed by its reader.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }
}
