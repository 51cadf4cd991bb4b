//! The workshop's reader: shards of games.
//!
//! `workshop/tests/fuzz_finds.rs` builds this file too.

use std::path::Path;

use carrybit::board::{Color, MAX_PIECES};
use workshop::games::shard::{Shard, encode};

/// Any bytes are refused as a shard, or its games are read, written, and read again as the
/// same games.
pub fn shard(bytes: &[u8]) {
    let name = Path::new("fuzzed");
    let Ok(shard) = Shard::of_bytes(name, bytes.to_vec()) else { return };
    for record in shard.records().flatten() {
        let again = Shard::of_bytes(name, encode(&record)).expect("a sound shard");
        assert_eq!(again.record(0).expect("a sound game"), record);
        // A game can be continued from the first position.
        assert!(record.start.piece_count() <= 2 * MAX_PIECES);
        assert!(Color::ALL.iter().all(|&color| record.start.king(color).is_on_board()));
    }
}
