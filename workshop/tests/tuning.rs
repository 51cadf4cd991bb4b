//! The tuner fits weights to games, and its outcome does not depend on the threads.

mod support;

use std::fs;
use std::path::Path;

use clap::Parser;
use support::{file, folder};
use workshop::command::{Arguments, WorkshopError};

fn tune(words: &[&str], out: &Path) -> Result<String, WorkshopError> {
    let out = out.to_str().expect("a plain path");
    let words = ["workshop", "tune", "--out", out].into_iter().chain(words.iter().copied());
    Arguments::parse_from(words).command.run(&mut Vec::new())?;
    Ok(fs::read_to_string(out).expect("a source file"))
}

/// The two errors that a written source tells in a line that begins so.
fn errors(source: &str, line: &str) -> Vec<f64> {
    let found = source.lines().find_map(|text| text.strip_prefix(line)).expect("such a line");
    let numbers = found.split(|c: char| c != '.' && !c.is_ascii_digit());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn weights_fit_better_and_do_not_depend_on_the_threads() {
    // More games than are traced at a time.
    let games = file("tuned-games", 0..300);
    let games = games.to_str().expect("a plain path");
    let out = folder("tuned");
    let sources = ["1", "3"].map(|threads| {
        let words = [games, "--epochs", "20", "--rounds", "1", "--threads", threads];
        tune(&words, &out.join(threads)).expect("weights")
    });
    assert_eq!(sources[0], sources[1]);
    let source = &sources[0];
    assert!(source.contains("pub static LINEAR") && source.contains("pub static DANGER"));
    assert!(source.contains("`games.vf`: ") && source.contains(" of 300 games"), "{source}");
    let before = errors(source, "//! Mean squared error before: ");
    let after = errors(source, "//! after: ");
    assert_eq!((before.len(), after.len()), (2, 2));
    assert!(after[0] < before[0], "{before:?}, then {after:?}");
}

#[test]
fn weights_set_by_hand_need_no_games() {
    let out = folder("by-hand");
    let source = tune(&["--by-hand"], &out.join("weights.rs")).expect("weights");
    assert!(source.starts_with("//! Weights of the evaluation's terms, set by hand.\n"));
    assert!(source.contains("    // material\n    s(100, 100), s(300, 300),"), "{source}");
}

#[test]
fn too_few_games_are_an_error() {
    let games = file("few-games", 0..1);
    let refused = tune(&[games.to_str().expect("a plain path")], &folder("few").join("weights.rs"));
    assert!(matches!(refused, Err(WorkshopError::Tune(_))), "{refused:?}");
}
