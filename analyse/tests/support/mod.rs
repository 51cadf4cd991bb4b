//! Shared by the tests: files to work on, and the program run over them.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use analyse::arguments::Arguments;
use analyse::run::run;
use clap::Parser;

/// An empty folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run has left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a place for files");
    folder
}

/// The text of a file of ours.
pub(crate) fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    fs::read_to_string(path).expect("a file of the tests")
}

/// Runs the program on a file; returns whether all games were analysed, and what it said.
pub(crate) fn analyse(path: &Path, options: &[&str]) -> Result<(bool, String), String> {
    let words = ["analyse", path.to_str().expect("a path of ours")];
    let arguments = Arguments::try_parse_from(words.iter().chain(options));
    let arguments = arguments.map_err(|error| error.to_string())?;
    let mut said = Vec::new();
    let all = run(&arguments, &mut said).map_err(|error| error.to_string())?;
    Ok((all, String::from_utf8(said).expect("text")))
}
