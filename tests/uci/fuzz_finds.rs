//! Runs the engine's fuzz targets, without a fuzzer, on their seeds and on the inputs that once
//! failed (`finds`).

#[path = "../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../fuzz/src/engine.rs"]
mod targets;

use replay::replay;

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");

#[test]
fn all_finds_stay_fixed() {
    replay(FUZZ, "dialogue", targets::dialogue);
    replay(FUZZ, "fen", targets::fen);
    replay(FUZZ, "network", targets::network);
    replay(FUZZ, "table", targets::table);
}
