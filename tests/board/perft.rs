//! Perft counts agree with those of other engines.
//!
//! Each line of a perft file runs at its greatest depth that has no more leaves than a maximum.
//! The files under `tests/data/perft` always run. Larger collections, which are not in the
//! repository, run with
//! `CARRYBIT_PERFT_DIR=path cargo test --release --locked --test board perft -- --ignored --nocapture`;
//! `CARRYBIT_PERFT_CAP` sets the maximum (default: 30 million).

use std::env;
use std::fs::{self, File};
use std::io::read_to_string;

use carrybit::perft;
use flate2::read::GzDecoder;

use crate::support::{PERFT_FILES, board, perft_lines, read_data};

/// Counts the leaves of each line at the greatest depth with at most `cap` leaves. Returns the
/// errors.
fn check_file(name: &str, text: &str, cap: u64) -> Vec<String> {
    let lines = perft_lines(text);
    let mut errors = Vec::new();
    for line in &lines {
        let feasible = line.counts.iter().rev().find(|&&(_, leaves)| leaves <= cap);
        let Some(&(depth, expected)) = feasible else { continue };
        let counted = perft(&board(&line.fen), depth);
        if counted != expected {
            let fen = &line.fen;
            errors.push(format!("{name}: {fen}: {counted} at depth {depth}, not {expected}"));
        }
    }
    eprintln!("{name}: {} lines, {} wrong", lines.len(), errors.len());
    errors
}

#[test]
fn perft_files_agree() {
    const CAPS: [u64; 9] =
        [500_000, 150_000, 75_000, 75_000, 150_000, 50_000, 1_000_000, 500_000, 500_000];
    let mut errors = Vec::new();
    for (name, cap) in PERFT_FILES.into_iter().zip(CAPS) {
        errors.extend(check_file(name, &read_data(&format!("perft/{name}")), cap));
    }
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
#[ignore = "takes minutes; needs CARRYBIT_PERFT_DIR"]
fn perft_collection_agrees() {
    let directory = env::var_os("CARRYBIT_PERFT_DIR").expect("CARRYBIT_PERFT_DIR is set");
    let cap = env::var("CARRYBIT_PERFT_CAP")
        .map_or(30_000_000, |text| text.parse().expect("CARRYBIT_PERFT_CAP is a number"));
    let entries = fs::read_dir(directory).expect("CARRYBIT_PERFT_DIR can be read");
    let (mut errors, mut files) = (Vec::new(), 0);
    for path in entries.map(|entry| entry.expect("an entry of the directory").path()) {
        let file = File::open(&path).expect("the file can be opened");
        let name = path.to_string_lossy();
        let text = if name.ends_with(".epd") {
            read_to_string(file)
        } else if name.ends_with(".epd.gz") {
            read_to_string(GzDecoder::new(file))
        } else {
            continue;
        };
        errors.extend(check_file(&name, &text.expect("text"), cap));
        files += 1;
    }
    assert!(files > 0, "the folder has no suite");
    assert_eq!(errors, Vec::<String>::new());
}
