//! Runs the workshop's fuzz target on its seeds and all finds, without a fuzzer.

#[path = "../../fuzz/src/workshop.rs"]
mod targets;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[test]
fn shards_survive_all_finds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let mut count = 0;
    for folder in ["seeds/shard", "finds/shard"] {
        // The folder of finds may be missing.
        for entry in fs::read_dir(fuzz.join(folder)).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            let bytes = fs::read(&path).expect("a file");
            assert!(catch_unwind(|| targets::shard(&bytes)).is_ok(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "no seeds");
    targets::shard(&[]);
}
