//! Runs the workshop's fuzz target on its seeds and all finds, without a fuzzer.

#[path = "../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../fuzz/src/workshop.rs"]
mod targets;

use replay::replay;

#[test]
fn shards_survive_all_finds() {
    replay(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"), "shard", targets::shard);
}
