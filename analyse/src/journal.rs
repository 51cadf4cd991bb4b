//! The evaluations so far, in a file beside the output, from which an interrupted run
//! continues.
//!
//! Each line is a finding in JSON, with a fingerprint of everything that it follows from. So a
//! finding stays valid if anything else changes. A line that was cut off by the interruption is
//! left out.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use pgn::findings::Evaluation;
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Finding {
    fingerprint: u64,
    evaluations: Vec<Evaluation>,
}

/// The beginning of each line.
const BEGINNING: &[u8] = b"{\"fingerprint\":";

/// The journal of one run after the other. Findings stay in the file until they are asked
/// for.
pub struct Journal {
    file: File,
    /// The byte at which the next line is written.
    end: u64,
    /// Where the lines begin, by their fingerprints.
    starts: HashMap<u64, u64>,
}

impl Journal {
    /// Opens the journal, or begins one.
    ///
    /// # Errors
    /// If the file cannot be read or written, if it is something else or a symbolic link,
    /// or if another run is at work on it.
    pub fn open(path: &Path) -> io::Result<Journal> {
        if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
            return Err(io::Error::other("a symbolic link, which a journal never is; remove it"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // The link may have been made since.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another run is at work on the same output"));
            }
            // Not every file system can lock.
            Err(TryLockError::Error(error)) => log::debug!("{}: {error}", path.display()),
        }
        let mut starts = HashMap::new();
        let mut end = 0;
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            let strange = |why: String| {
                io::Error::other(format!("{} is not a journal: {why}", path.display()))
            };
            if !line.ends_with(b"\n") {
                let len = line.len().min(BEGINNING.len());
                if line[..len] != BEGINNING[..len] {
                    return Err(strange("its last line is none of a journal".to_owned()));
                }
                break;
            }
            let finding: Finding =
                serde_json::from_slice(&line).map_err(|error| strange(error.to_string()))?;
            starts.insert(finding.fingerprint, end);
            end += line.len() as u64;
            line.clear();
        }
        file.set_len(end)?;
        Ok(Journal { file, end, starts })
    }

    /// Whether something was found under this fingerprint.
    pub fn has(&self, fingerprint: u64) -> bool {
        self.starts.contains_key(&fingerprint)
    }

    /// The findings with this fingerprint; `None` if there are none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&mut self, fingerprint: u64) -> io::Result<Option<Vec<Evaluation>>> {
        let Some(&start) = self.starts.get(&fingerprint) else { return Ok(None) };
        self.file.seek(SeekFrom::Start(start))?;
        let mut line = Vec::new();
        BufReader::new((&self.file).take(self.end - start)).read_until(b'\n', &mut line)?;
        let finding: Finding = serde_json::from_slice(&line)?;
        Ok(Some(finding.evaluations))
    }

    /// Adds a finding.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, fingerprint: u64, evaluations: Vec<Evaluation>) -> io::Result<()> {
        let finding = Finding { fingerprint, evaluations };
        let mut line = serde_json::to_vec(&finding)?;
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end))?;
        // In one piece, so that an interruption leaves all of it or a part.
        self.file.write_all(&line)?;
        self.starts.insert(fingerprint, self.end);
        self.end += line.len() as u64;
        Ok(())
    }
}
