//! Files that are written as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::arguments::with_suffix;

/// Writes a file so that nobody ever finds a part of it: what was there before stays until
/// all of it is written.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let draft = with_suffix(path, ".part");
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        // Half a file is of no use; if it cannot be removed, the first error says why.
        let _ = fs::remove_file(&draft);
    })
}
