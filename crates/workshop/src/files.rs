//! Reads files, and replaces them atomically.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::Error;

pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::at(path))
}

/// Replaces a file atomically: even after a crash, the path holds the old file or the new
/// one, complete. After an error the old file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(Error::at(path))
}
