//! Shared by the tests that need files: a temporary folder.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

/// A folder that is removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Creates an empty folder. Tests of the same program must use different names.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("carrybit-{name}-{}", std::process::id()));
        // An aborted test may have left one, and process numbers come again.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Ignore errors: the folder is a temporary one.
        let _ = fs::remove_dir_all(&self.0);
    }
}
