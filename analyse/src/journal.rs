//! What has been found so far, in a file beside the output: who is interrupted goes on
//! from there.
//!
//! Each line is a finding in JSON, with a fingerprint of everything that it follows from.
//! What is found under a fingerprint is valid whatever else has changed, and a line that
//! was cut off by the interruption is left out.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::analyst::Evaluation;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Finding {
    fingerprint: u64,
    evaluations: Vec<Evaluation>,
}

/// What each line begins with.
const BEGINNING: &[u8] = b"{\"fingerprint\":";

/// The journal of one run after the other.
pub struct Journal {
    file: File,
    found: HashMap<u64, Vec<Evaluation>>,
}

/// A number that stands for `cause`: it differs, but for the unluckiest of chances,
/// between different ones. A program built by another compiler may have others.
#[must_use]
pub fn fingerprint(cause: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    cause.hash(&mut hasher);
    hasher.finish()
}

impl Journal {
    /// Opens the journal, or begins one.
    ///
    /// # Errors
    /// If the file cannot be read or written, if it is something else, or if another run
    /// is at work on it.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another run is at work on the same output"));
            }
            // Not every file system can lock.
            Err(TryLockError::Error(error)) => log::debug!("{}: {error}", path.display()),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut found = HashMap::new();
        let mut valid = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
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
                serde_json::from_slice(line).map_err(|error| strange(error.to_string()))?;
            found.insert(finding.fingerprint, finding.evaluations);
            valid += line.len() as u64;
        }
        file.set_len(valid)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Journal { file, found })
    }

    /// What was found under this fingerprint.
    #[must_use]
    pub fn get(&self, fingerprint: u64) -> Option<&[Evaluation]> {
        self.found.get(&fingerprint).map(Vec::as_slice)
    }

    /// Adds a finding.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, fingerprint: u64, evaluations: Vec<Evaluation>) -> io::Result<()> {
        let finding = Finding { fingerprint, evaluations };
        let mut line = serde_json::to_vec(&finding)?;
        line.push(b'\n');
        // In one piece, so that an interruption leaves all of it or a part.
        self.file.write_all(&line)?;
        self.found.insert(fingerprint, finding.evaluations);
        Ok(())
    }
}
