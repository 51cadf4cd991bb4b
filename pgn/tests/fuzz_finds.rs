//! Runs the PGN fuzz target over its seeds and finds, without a fuzzer.

#[path = "../../fuzz/src/games.rs"]
mod targets;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[test]
fn games_survive_all_finds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let mut count = 0;
    for folder in ["seeds/pgn", "finds/pgn"] {
        // The folder of finds may not exist yet.
        for entry in fs::read_dir(fuzz.join(folder)).into_iter().flatten() {
            let path = entry.expect("a readable entry").path();
            let bytes = fs::read(&path).expect("a readable file");
            assert!(catch_unwind(|| targets::pgn(&bytes)).is_ok(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "no seeds");
    targets::pgn(&[]);
}
