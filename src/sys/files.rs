//! Files that users name. A name may be that of a folder, a pipe or a device: anything but
//! a regular file is refused without being opened, as opening a pipe waits for its other
//! end. No file is read beyond the size that its reader can use.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Fails unless `path` leads to a regular file.
pub fn check(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let problem = "it is not a file, but a folder, a pipe or a device";
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// The bytes of a regular file; an error if there are more than `at_most`.
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

/// Maps a regular file into memory; nothing is read before it is accessed. If another
/// program truncates the file meanwhile, an access beyond its new end ends the process.
#[cfg(not(target_family = "wasm"))]
#[allow(unsafe_code)]
pub fn map(path: &Path) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is read-only. Another program may rewrite the file, but callers check
    // each value that they read.
    let map = unsafe { memmap2::Mmap::map(&open(path)?)? };
    // A hint: reading ahead would waste memory, as accesses are scattered.
    #[cfg(unix)]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(map)
}

/// Reads a file: WebAssembly cannot map any.
#[cfg(target_family = "wasm")]
pub fn map(path: &Path) -> io::Result<Vec<u8>> {
    read(path, u64::MAX)
}

/// Opens a regular file for appending; it is created if it does not exist.
pub fn append(path: &Path) -> io::Result<File> {
    match check(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().create(true).append(true).open(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit_and_folders_refused() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("carrybit-files-{}", std::process::id()));
        fs::write(&path, b"12345").expect("a temporary file");
        assert_eq!(read(&path, 5).expect("within the limit"), b"12345");
        let error = read(&path, 4).expect_err("beyond the limit");
        assert_eq!(error.to_string(), "it has more than 4 bytes");
        fs::remove_file(&path).expect("it can be removed");
        assert_eq!(read(&path, 5).expect_err("it is gone").kind(), ErrorKind::NotFound);
        for error in [open(&folder).err(), append(&folder).err(), read(&folder, 1).err()] {
            let error = error.expect("it is refused");
            assert_eq!(error.to_string(), "it is not a file, but a folder, a pipe or a device");
        }
    }
}
