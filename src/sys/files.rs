//! Files that users name. Only regular files are opened: opening a pipe waits for its other end.
//! Reads have a size limit. Files without a length are not read: some of those in `/proc` wait for
//! events.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The length of the regular file that `path` leads to, in bytes; it fails if that is another kind
/// of file.
fn check(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    let problem = "it is not a file, but a folder, a pipe or a device";
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

/// The bytes of a regular file; an error if there are more than `at_most`.
pub fn read(path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
    if check(path)? == 0 {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is empty"));
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    let length = file.metadata()?.len();
    if length <= at_most {
        // The file may be growing.
        file.take(at_most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) > at_most {
        let problem = format!("it has more than {at_most} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Opens a regular file for appending. Creates it if it does not exist. If its last line has no line
/// break, adds one and an empty line.
pub fn append(path: &Path) -> io::Result<File> {
    if let Err(error) = check(path)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut last = *b"\n";
    if file.seek(SeekFrom::End(-1)).is_ok() {
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n\n")?;
    }
    Ok(file)
}
