//! A file as bytes, mapped into memory: nothing is read before it is accessed. The only
//! file of the tablebases with `unsafe` code.

#![allow(unsafe_code)]

use std::io;
use std::ops::Deref;
use std::path::Path;

#[cfg(not(target_family = "wasm"))]
use memmap2::Mmap;

use crate::files;

/// Where there are no files, there is nothing to map.
#[cfg(target_family = "wasm")]
type Mmap = Vec<u8>;

/// The bytes of a file, mapped.
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole file at `path`.
    ///
    /// # Errors
    /// Errors of the system; also if it is not a regular file.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn open(path: &Path) -> io::Result<Mapping> {
        let file = files::open(path)?;
        // SAFETY: the map is read-only, and private to this type. What remains is that
        // another program truncates or rewrites the file while it is mapped. Bytes that
        // change are no danger, as every value read is checked anew; reading beyond a
        // new end ends the process, as docs/options.md and `tablebase` say.
        let map = unsafe { Mmap::map(&file)? };
        #[cfg(unix)]
        {
            // Probes are scattered, so reading ahead would only waste memory. It is a
            // hint; it does not matter whether it takes effect.
            let _ = map.advise(memmap2::Advice::Random);
        }
        Ok(Mapping(map))
    }

    /// Reads the whole file at `path`.
    ///
    /// # Errors
    /// Always, as there are no files.
    #[cfg(target_family = "wasm")]
    pub(super) fn open(path: &Path) -> io::Result<Mapping> {
        files::read(path, u64::MAX).map(Mapping)
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
