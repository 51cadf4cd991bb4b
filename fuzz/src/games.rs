//! The parser of PGN.
//!
//! `crates/pgn/tests/fuzz_finds.rs` also builds this file.

use pgn::replay::{open, open_in_place};

/// Reads and replays games. A game with legal moves, once written, must be read and written
/// again unchanged.
pub fn pgn(bytes: &[u8]) {
    let Ok(text) = pgn::text::decode(bytes.to_vec()) else { return };
    for mut entry in pgn::entries(&text) {
        let Ok(played) = open_in_place(&mut entry) else { continue };
        let written = entry.game.expect("a game").to_string();
        let again = pgn::read(&written);
        assert_eq!(again.len(), 1, "{:?} written as {written:?}", entry.text);
        let (game, same, _) = open(&again[0]).expect("legal moves");
        assert_eq!(same, played, "{written:?}");
        assert_eq!(game.to_string(), written);
    }
}
