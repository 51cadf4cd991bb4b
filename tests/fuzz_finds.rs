//! Runs the engine's fuzz targets, without a fuzzer, on their seeds and on the inputs that once
//! failed (`finds`).

#[path = "../fuzz/src/engine.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs the target on its files under `fuzz/seeds` and `fuzz/finds`.
fn replay(name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut count = 0;
    for folder in [fuzz.join("seeds").join(name), fuzz.join("finds").join(name)] {
        // The folder of finds may be missing.
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("a readable entry").path();
            let bytes = fs::read(&path).expect("a readable file");
            let run = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            assert!(run.is_ok(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "no seeds for {name}");
    target(&[]);
}

#[test]
fn all_finds_stay_fixed() {
    replay("dialogue", targets::dialogue);
    replay("fen", targets::fen);
    replay("network", targets::network);
    replay("table", targets::table);
}
