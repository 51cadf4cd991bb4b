//! Checks of the repository: documents, layers and builds.

mod docs;
mod layers;
#[cfg(unix)]
mod makefile;
mod style;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder, or the file itself; without builds and installed packages.
fn files(place: impl AsRef<Path>) -> Vec<PathBuf> {
    const IGNORED: [&str; 6] =
        ["target", "node_modules", "dist", "corpus", "artifacts", "__pycache__"];
    let path = root().join(place);
    if path.is_file() {
        return vec![path];
    }
    let entries = fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let kept = paths.filter(|path| !IGNORED.iter().any(|name| path.ends_with(name)));
    kept.flat_map(files).collect()
}
