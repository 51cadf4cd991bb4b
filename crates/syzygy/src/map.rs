//! Maps files into memory: the only unsafe code of the crate.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The length of the regular file that `path` leads to, in bytes; it fails if that is another kind
/// of file. Opening a pipe would wait for its other end.
pub fn check(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    let problem = "it is not a file, but a folder, a pipe or a device";
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

/// Maps a regular file into memory; its pages are read at the first access. If another program
/// truncates the file, an access beyond its new end terminates the process.
#[cfg(not(target_family = "wasm"))]
#[allow(unsafe_code)]
pub fn map(path: &Path) -> io::Result<memmap2::Mmap> {
    check(path)?;
    // SAFETY: the map is read-only. Another program may change the file, but callers check each
    // value that they read.
    let map = unsafe { memmap2::Mmap::map(&fs::File::open(path)?)? };
    // A hint: accesses are scattered, so reading ahead would waste memory.
    #[cfg(unix)]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(map)
}

/// Reads a file, because WebAssembly cannot map it.
#[cfg(target_family = "wasm")]
pub fn map(path: &Path) -> io::Result<Vec<u8>> {
    check(path)?;
    fs::read(path)
}
