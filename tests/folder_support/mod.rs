//! Shared by the tests that need files: a folder for one test.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty folder; no test of the same program uses the same name.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("carrybit-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    /// The path of something in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file; its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it stays, it does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
