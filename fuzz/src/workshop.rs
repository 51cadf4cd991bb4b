//! The fuzz target of the shard parser.
//!
//! `crates/workshop/tests/fuzz_finds.rs` also builds this file.

use std::path::Path;

use carrybit_board::{Color, MAX_PIECES};
use workshop::games::shard::{Shard, encode};

/// Reads shards. A valid game must be written and read again unchanged.
pub fn shard(bytes: &[u8]) {
    let name = Path::new("fuzzed");
    let Ok(shard) = Shard::of_bytes(name, bytes.to_vec()) else { return };
    for record in shard.records().flatten() {
        let again = Shard::of_bytes(name, encode(&record)).expect("a shard");
        assert_eq!(again.record(0).expect("a game"), record);
        // The engine requires these limits of positions.
        assert!(record.start.piece_count() <= 2 * MAX_PIECES);
        assert!(Color::ALL.iter().all(|&color| record.start.king(color).is_on_board()));
    }
}
