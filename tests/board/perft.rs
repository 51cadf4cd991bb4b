//! Perft counts agree with those of other engines.
//!
//! Each line of a perft file runs at its greatest depth that has no more leaves than a maximum.
//! The files under `tests/data/perft` always run. Larger collections, which are not in the
//! repository, run with
//! `CARRYBIT_PERFT_DIR=path cargo test --release --locked --test board perft -- --ignored --nocapture`;
//! `CARRYBIT_PERFT_CAP` sets the maximum (default: 30 million).

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use carrybit::perft;
use flate2::read::GzDecoder;

use crate::support::{PERFT_FILES, board, perft_lines, read_data};

/// Counts the leaves of each line at the greatest depth with at most `cap` leaves, and prints a
/// summary. Returns the errors.
fn check_file(name: &str, text: &str, cap: u64) -> Vec<String> {
    let start = Instant::now();
    let lines = perft_lines(text);
    let (mut run, mut nodes, mut errors) = (0, 0, Vec::new());
    for line in &lines {
        let feasible = line.counts.iter().rev().find(|&&(_, leaves)| leaves <= cap);
        let Some(&(depth, expected)) = feasible else { continue };
        let counted = perft(&board(&line.fen), depth);
        run += 1;
        nodes += counted;
        if counted != expected {
            let fen = &line.fen;
            errors.push(format!("{name}: {fen}: {counted} at depth {depth}, not {expected}"));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{name}: {run} of {} lines run, {} wrong, {nodes} leaves, {seconds:.1} s, {:.0} Mnps",
        lines.len(),
        errors.len(),
        nodes as f64 / seconds / 1e6
    );
    errors
}

#[test]
fn perft_files_agree() {
    const CAPS: [u64; 9] =
        [1_000_000, 300_000, 150_000, 150_000, 300_000, 100_000, 3_000_000, 1_000_000, 1_000_000];
    let mut errors = Vec::new();
    for (name, cap) in PERFT_FILES.into_iter().zip(CAPS) {
        errors.extend(check_file(name, &read_data(&format!("perft/{name}")), cap));
    }
    assert_eq!(errors, Vec::<String>::new());
}

/// The perft files of a directory, `*.epd` and `*.epd.gz`, sorted by name.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("CARRYBIT_PERFT_DIR can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the directory").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".epd") || name.ends_with(".epd.gz")
        })
        .collect();
    assert!(!paths.is_empty(), "no perft files in {}", directory.display());
    paths.sort();
    paths
}

fn read_maybe_zipped(path: &Path) -> String {
    let mut file = File::open(path).expect("the file can be opened");
    let mut text = String::new();
    let read = if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(file).read_to_string(&mut text)
    } else {
        file.read_to_string(&mut text)
    };
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text
}

#[test]
#[ignore = "takes minutes; needs CARRYBIT_PERFT_DIR"]
fn perft_collection_agrees() {
    let directory = env::var_os("CARRYBIT_PERFT_DIR").expect("CARRYBIT_PERFT_DIR is set");
    let cap = env::var("CARRYBIT_PERFT_CAP")
        .map_or(30_000_000, |text| text.parse().expect("CARRYBIT_PERFT_CAP is a number"));
    let mut errors = Vec::new();
    for path in files_in(Path::new(&directory)) {
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        errors.extend(check_file(&name, &read_maybe_zipped(&path), cap));
    }
    assert_eq!(errors, Vec::<String>::new());
}
