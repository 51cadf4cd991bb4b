//! Atomic replacement of files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// The temporary files of all drafts so far.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all drafts. Call it before [`exit`](std::process::exit), which
/// runs no destructors.
pub fn remove_drafts() {
    for path in FILES.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // Ignore errors: most of them no longer exist.
        let _ = fs::remove_file(path);
    }
}

/// A temporary file beside its destination, with a random name. [`Draft::finish`] replaces the
/// destination; if it is not called, the temporary file is removed.
pub struct Draft {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Draft {
    /// Creates an empty file to replace `path`.
    ///
    /// # Errors
    /// If the folder is not writable, or `path` is a device, a pipe, a folder or a file that must
    /// not be written.
    pub fn new(path: &Path) -> io::Result<Draft> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(io::Error::other("not a regular file; choose another"));
        }
        // Replacing a file needs no right to write it. Only the second test notices files of other
        // users, only the first one works for an administrator.
        let old = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
        if let Some(old) = old
            && (old.permissions().readonly() || File::options().append(true).open(path).is_err())
        {
            let reason = "the file is write-protected; choose another, or allow writing it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut prefix = path.file_name().map_or_else(OsString::new, OsString::from);
        prefix.push(".");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".part");
        // As for any new file, the umask restricts this mode. The default of tempfile is 0o600.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        FILES.lock().unwrap_or_else(PoisonError::into_inner).push(file.path().to_owned());
        Ok(Draft { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Replaces the destination and keeps its permissions. A symbolic link is replaced, not
    /// followed.
    ///
    /// # Errors
    /// If the file cannot be written or moved.
    pub fn finish(self) -> io::Result<()> {
        let (draft, path) = self.complete()?;
        let old = fs::symlink_metadata(&path);
        if let Some(old) = old.ok().filter(fs::Metadata::is_file) {
            draft.as_file().set_permissions(old.permissions())?;
        }
        draft.persist(path)?;
        Ok(())
    }

    /// Moves the file to its destination, which must not exist.
    ///
    /// # Errors
    /// If the file cannot be written or moved.
    pub fn finish_new(self) -> io::Result<()> {
        let (draft, path) = self.complete()?;
        draft.persist_noclobber(path)?;
        Ok(())
    }

    /// Writes everything to the disk.
    fn complete(self) -> io::Result<(NamedTempFile, PathBuf)> {
        let draft = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        draft.as_file().sync_all()?;
        Ok((draft, self.path))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_drafts_are_removed_and_finished_ones_stay() {
        let folder = tempfile::tempdir().expect("a new folder");
        let [open, finished] = ["open", "finished"].map(|name| folder.path().join(name));
        Draft::new(&finished).expect("a draft").finish().expect("a file");
        let draft = Draft::new(&open).expect("a draft");
        remove_drafts();
        let files = fs::read_dir(folder.path()).expect("the folder");
        let names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
        assert_eq!(names, ["finished"]);
        drop(draft);
    }
}
