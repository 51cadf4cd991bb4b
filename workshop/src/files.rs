//! Reads files, and replaces them atomically.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file or folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct FileError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    /// Adds the path to an error: `map_err(FileError::at(path))`.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> FileError + use<> {
        let path = path.to_owned();
        move |source| FileError { path: path.clone(), source }
    }
}

pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::at(path))
}

/// Replaces a file atomically: even after a crash, the path holds the old file or the new
/// one, complete. After an error the old file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(FileError::at(path))
}
