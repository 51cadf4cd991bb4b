//! Files that users name. The name may be that of a folder, of a pipe that nobody writes
//! to, or of an endless device: anything but a regular file is refused without being
//! opened, and no file is read beyond what its reader can use.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Whether `path` leads to a regular file.
///
/// # Errors
/// Errors of the system; also if it is not a regular file.
pub fn check(path: &Path) -> io::Result<()> {
    refuse_unless_regular(&fs::metadata(path)?)
}

/// Opens a regular file for reading.
///
/// # Errors
/// Errors of the system; also if it is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// The bytes of a regular file.
///
/// # Errors
/// Errors of the system; also if it is not a regular file, or has more bytes than
/// `at_most`.
pub fn read(path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    let length = file.metadata()?.len();
    if length <= at_most {
        // The length that the system states need not be true, as in `/proc`.
        file.take(at_most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) > at_most {
        let problem = format!("it has more than {at_most} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Opens a regular file for appending; it is created if it does not exist.
///
/// # Errors
/// Errors of the system; also if it is not a regular file.
pub fn append(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(metadata) => refuse_unless_regular(&metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    OpenOptions::new().create(true).append(true).open(path)
}

/// Called before a file is opened: opening a pipe waits for its other end.
fn refuse_unless_regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let problem = "it is not a file, but a folder, a pipe or a device";
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit_and_no_further() {
        let path = std::env::temp_dir().join(format!("carrybit-files-{}", std::process::id()));
        fs::write(&path, b"12345").expect("a temporary file");
        assert_eq!(read(&path, 5).expect("within the limit"), b"12345");
        let error = read(&path, 4).expect_err("beyond the limit");
        assert_eq!(error.to_string(), "it has more than 4 bytes");
        fs::remove_file(&path).expect("it can be removed");
        assert_eq!(read(&path, 5).expect_err("it is gone").kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = std::env::temp_dir();
        for error in [open(&folder).err(), append(&folder).err(), read(&folder, 1).err()] {
            let error = error.expect("it is refused");
            assert_eq!(error.to_string(), "it is not a file, but a folder, a pipe or a device");
        }
    }
}
