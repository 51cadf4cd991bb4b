//! A file beside the output with the evaluations so far, from which an interrupted run continues.
//!
//! The first line names the program. Each other line is a batch of evaluations in JSON, with a hash
//! of the game so far, the program and its settings, so that they stay valid if anything else
//! changes.
//!
//! The file appears with its complete first line, so that even after a crash it differs from any
//! file of others, which is never changed. An incomplete last line is removed, and so is a damaged one
//! with all lines behind it.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use carrybit_pgn::findings::Evaluation;
use serde::{Deserialize, Serialize};

use super::files::Draft;
use super::progress::tell;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Batch {
    fingerprint: u64,
    evaluations: Vec<Evaluation>,
}

/// The first line. The journals of version 1.0 begin with a batch.
const HEADING: &[u8] = b"{\"journal\":\"carrybit-analyse\"}\n";

/// More than the length of any line, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Creates an empty journal, unless another process has created one.
fn create(path: &Path) -> io::Result<()> {
    let mut draft = Draft::new(path)?;
    draft.write_all(HEADING)?;
    match draft.finish_new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        end => end,
    }
}

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
    /// If the file cannot be read or written, if it is not a regular file, if it is not a journal,
    /// or if another process uses it.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let check = |data: fs::Metadata| {
            let reason = if data.is_symlink() {
                "the journal must not be a symbolic link; remove it"
            } else if !data.is_file() {
                "the journal must be a regular file; remove this one"
            } else if data.permissions().readonly() {
                "this file is write-protected; move it away"
            } else {
                return Ok(());
            };
            Err(io::Error::other(reason))
        };
        match fs::symlink_metadata(path) {
            Ok(data) => check(data)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(path)?,
            Err(error) => return Err(error),
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        // Another file may be there since the check: a link, or a pipe, which would block.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NOFOLLOW | libc::O_NONBLOCK,
        );
        let file = options.open(path)?;
        check(file.metadata()?)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another `analyse` is writing this output"));
            }
            // Not every file system supports locks.
            Err(TryLockError::Error(error)) => log::debug!("{}: {error}", path.display()),
        }
        let foreign = || io::Error::other("this file is not a journal; move it away");
        let mut lines = HashMap::new();
        let mut end = 0;
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        // The first line of another file may have any length.
        reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(foreign());
        }
        while line.ends_with(b"\n") {
            let start = end;
            end += line.len() as u64;
            if start > 0 || line != HEADING {
                match serde_json::from_slice::<Batch>(&line) {
                    Ok(batch) => _ = lines.insert(batch.fingerprint, (start..end, false)),
                    Err(_) if start == 0 => return Err(foreign()),
                    Err(error) => {
                        let path = path.display();
                        tell(format_args!("{path}: damaged from byte {start} on: {error}"));
                        end = start;
                        break;
                    }
                }
            }
            line.clear();
            reader.read_until(b'\n', &mut line)?;
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
