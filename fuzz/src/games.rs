//! PGN files, as `analyse` and the workshop read them.
//!
//! `pgn/tests/fuzz_finds.rs` builds this file too.

use pgn::replay::Replay;

/// Any bytes are refused as a text, or its games are read, played and written; each game that
/// can be played is written as one that is read, played and written as the same text.
pub fn pgn(bytes: &[u8]) {
    let Ok(text) = pgn::text::decode(bytes.to_vec()) else { return };
    for entry in pgn::entries(&text) {
        let Ok(mut game) = entry.game else { continue };
        let Ok((replay, _)) = Replay::new(&mut game, &entry.text) else { continue };
        let written = game.write(replay.numbering());
        let mut again = pgn::read(&written);
        assert_eq!(again.len(), 1, "{:?} written as {written:?}", entry.text);
        let entry = again.remove(0);
        let mut game = entry.game.expect("a game");
        let (same, _) = Replay::new(&mut game, &entry.text).expect("legal moves");
        assert_eq!(same, replay, "{written:?}");
        assert_eq!(game.write(same.numbering()), written);
    }
}
