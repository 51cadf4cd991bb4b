//! Shared by the tests: files to work on, and the program run over them.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use analyse::arguments::Arguments;
use analyse::run::run;
use clap::Parser;
use flate2::read::GzDecoder;

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

/// A file of the shared collection, unpacked; if it is not there, says so. The collection
/// is in `../shared/data/pgn` beside the project, or in the folder that the environment
/// variable `CARRYBIT_PGN` names.
pub(crate) fn shared(name: &str) -> Option<Vec<u8>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/pgn");
    let path = env::var_os("CARRYBIT_PGN").map_or(beside, PathBuf::from).join(name);
    let Ok(bytes) = fs::read(&path) else {
        // Past the harness, which shows the output of failed tests only.
        let _ = writeln!(io::stderr(), "SKIPPED: there is no {}", path.display());
        return None;
    };
    if !name.ends_with(".gz") {
        return Some(bytes);
    }
    let mut unpacked = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).expect("a packed file");
    Some(unpacked)
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
