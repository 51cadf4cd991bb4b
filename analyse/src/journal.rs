//! A file beside the output with the evaluations so far, from which an interrupted run continues.
//!
//! Each line is a batch of evaluations in JSON, with a hash of the game so far, the program and
//! its settings, so that they stay valid if anything else changes. An incomplete last line
//! is removed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
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
    /// The offset of each line in the file, by fingerprint.
    starts: HashMap<u64, u64>,
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
        let mut starts = HashMap::new();
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
            starts.insert(batch.fingerprint, end);
            end += line.len() as u64;
            line.clear();
        }
        file.set_len(end)?;
        Ok(Journal { file, end, starts })
    }

    /// Whether the journal has evaluations with this fingerprint.
    pub fn has(&self, fingerprint: u64) -> bool {
        self.starts.contains_key(&fingerprint)
    }

    /// The evaluations with this fingerprint.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&mut self, fingerprint: u64) -> io::Result<Option<Vec<Evaluation>>> {
        let Some(&start) = self.starts.get(&fingerprint) else { return Ok(None) };
        self.file.seek(SeekFrom::Start(start))?;
        let mut line = Vec::new();
        BufReader::new((&self.file).take(self.end - start)).read_until(b'\n', &mut line)?;
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
        self.starts.insert(fingerprint, self.end);
        self.end += line.len() as u64;
        Ok(())
    }
}
