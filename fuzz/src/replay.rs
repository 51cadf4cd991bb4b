//! Runs fuzz targets without a fuzzer.
//!
//! The tests `fuzz_finds.rs` of the other packages build this file.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs the target on its files under `seeds` and `finds` of the folder `fuzz`.
pub fn replay(fuzz: &str, name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(fuzz);
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
