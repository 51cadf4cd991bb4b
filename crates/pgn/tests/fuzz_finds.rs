//! Runs the PGN fuzz target over its seeds and finds, without a fuzzer.

// The name of the crate in the fuzz target.
extern crate carrybit_pgn as pgn;

#[path = "../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../fuzz/src/games.rs"]
mod targets;

use replay::replay;

#[test]
fn games_survive_all_finds() {
    replay(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"), "pgn", targets::pgn);
}
