//! Files that appear as a whole.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file that is being written beside its place, under a name that cannot be foreseen.
/// Without [`Draft::finish`] it is removed, and the old file stays.
pub struct Draft {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Draft {
    /// An empty file for the place `path`.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(path: &Path) -> io::Result<Draft> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut prefix = path.file_name().map_or_else(OsString::new, OsString::from);
        prefix.push(".");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".part");
        // As for any new file: the umask takes away what the user does not grant.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Draft { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Puts the file in its place, with the permissions of the one that was there. A
    /// symbolic link is replaced, not followed.
    ///
    /// # Errors
    /// If the file cannot be written or moved.
    pub fn finish(self) -> io::Result<()> {
        let draft = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let old = fs::symlink_metadata(&self.path);
        if let Some(old) = old.ok().filter(fs::Metadata::is_file) {
            draft.as_file().set_permissions(old.permissions())?;
        }
        draft.as_file().sync_all()?;
        draft.persist(&self.path)?;
        Ok(())
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
