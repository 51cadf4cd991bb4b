//! A file beside the output with the evaluations so far, from which an interrupted run continues.
//!
//! Each line is a batch of evaluations in JSON, with a hash of the game so far, the program and
//! its settings, so that they stay valid if anything else changes. An incomplete last line
//! is removed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use pgn::findings::Evaluation;
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Batch {
    fingerprint: u64,
    evaluations: Vec<Evaluation>,
}

/// The beginning of each line.
const BEGINNING: &[u8] = b"{\"fingerprint\":";

/// An open journal. Evaluations stay in the file until they are needed.
pub struct Journal {
    file: File,
    /// The byte at which the next line is written.
    end: u64,
    /// The place of each line in the file and whether it was read, by fingerprint.
    lines: HashMap<u64, (Range<u64>, bool)>,
}

impl Journal {
    /// Opens the journal, or creates it.
    ///
    /// # Errors
    /// If the file cannot be read or written, if it is a symbolic link, if it is not a journal,
    /// or if another process uses it.
    pub fn open(path: &Path) -> io::Result<Journal> {
        if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
            return Err(io::Error::other("the journal must not be a symbolic link; remove it"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // A link may have been created since the check.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another `analyse` is writing this output"));
            }
            // Not every file system supports locks.
            Err(TryLockError::Error(error)) => log::debug!("{}: {error}", path.display()),
        }
        let mut lines = HashMap::new();
        let mut end = 0;
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            if !line.ends_with(b"\n") {
                let len = line.len().min(BEGINNING.len());
                // A power cut may leave zeros at the end.
                if line[0] != 0 && line[..len] != BEGINNING[..len] {
                    return Err(io::Error::other("this file is not a journal; move it away"));
                }
                break;
            }
            let batch: Batch = serde_json::from_slice(&line).map_err(|error| {
                io::Error::other(format!("this file is not a journal ({error}); move it away"))
            })?;
            let start = end;
            end += line.len() as u64;
            lines.insert(batch.fingerprint, (start..end, false));
            line.clear();
        }
        file.set_len(end)?;
        Ok(Journal { file, end, lines })
    }

    /// Whether the journal has evaluations with this fingerprint.
    pub fn has(&self, fingerprint: u64) -> bool {
        self.lines.contains_key(&fingerprint)
    }

    /// The evaluations with this fingerprint.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&mut self, fingerprint: u64) -> io::Result<Option<Vec<Evaluation>>> {
        let Some((place, is_read)) = self.lines.get_mut(&fingerprint) else { return Ok(None) };
        *is_read = true;
        self.file.seek(SeekFrom::Start(place.start))?;
        let mut line = Vec::new();
        (&self.file).take(place.end - place.start).read_to_end(&mut line)?;
        let batch: Batch = serde_json::from_slice(&line)?;
        Ok(Some(batch.evaluations))
    }

    /// Adds evaluations.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, fingerprint: u64, evaluations: Vec<Evaluation>) -> io::Result<()> {
        let mut line = serde_json::to_vec(&Batch { fingerprint, evaluations })?;
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end))?;
        // A single write: an interruption leaves the line whole or cut, never mixed.
        self.file.write_all(&line)?;
        let start = self.end;
        self.end += line.len() as u64;
        self.lines.insert(fingerprint, (start..self.end, false));
        Ok(())
    }

    /// Closes the journal. Returns whether some of its evaluations were never [read](Journal::get),
    /// such as those of an interrupted run with other settings; then removes the lines behind them.
    ///
    /// # Errors
    /// If the file cannot be shortened.
    pub fn close(self) -> io::Result<bool> {
        let unread = self.lines.into_values().filter(|(_, is_read)| !is_read);
        let end = unread.map(|(place, _)| place.end).max();
        end.map_or(Ok(()), |end| self.file.set_len(end))?;
        Ok(end.is_some())
    }
}
