//! The parser of PGN.
//!
//! `crates/pgn/tests/fuzz_finds.rs` also builds this file.

use pgn::replay::play;

/// Reads and replays games. A game with legal moves, once written, must be read and written
/// again unchanged.
pub fn pgn(bytes: &[u8]) {
    let Ok(text) = pgn::text::decode(bytes.to_vec()) else { return };
    for entry in pgn::entries(&text) {
        let Ok(mut game) = entry.game else { continue };
        let Ok((played, _)) = play(&mut game, &entry.text, 1) else { continue };
        let written = game.to_string();
        let mut again = pgn::read(&written);
        assert_eq!(again.len(), 1, "{:?} written as {written:?}", entry.text);
        let entry = again.remove(0);
        let mut game = entry.game.expect("a game");
        let (same, _) = play(&mut game, &entry.text, 1).expect("legal moves");
        assert_eq!(same, played, "{written:?}");
        assert_eq!(game.to_string(), written);
    }
}
