//! Reads, plays and writes the games of the shared collection without loss.

#![cfg(feature = "gzip")]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use carrybit_pgn::Entry;
use carrybit_pgn::replay::open;
use carrybit_pgn::text::decode;

/// A file of the shared collection, or a message if it is missing. The collection is in
/// `../shared/data/pgn` beside the project, or in the folder `CARRYBIT_PGN`.
fn shared(name: &str) -> Option<Vec<u8>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pgn");
    let path = env::var_os("CARRYBIT_PGN").map_or(beside, PathBuf::from).join(name);
    let Ok(bytes) = fs::read(&path) else {
        // Not `eprintln!`: the test harness shows its output for failed tests only.
        let _ = writeln!(io::stderr(), "SKIPPED: there is no {}", path.display());
        return None;
    };
    Some(bytes)
}

/// Reads, plays and writes the games of a file, and reads the written games again.
fn check(name: &str, games: usize) {
    let Some(bytes) = shared(name) else { return };
    let entries = carrybit_pgn::read(&decode(bytes).expect("text"));
    assert_eq!(entries.len(), games, "{name}");
    let played = |entry: &Entry| -> (carrybit_pgn::Game, carrybit_board::Game) {
        let (game, played, problems) =
            open(entry).unwrap_or_else(|problem| panic!("{name}: {problem} in\n{}", entry.text));
        assert_eq!(problems, [], "{name}");
        (game, played)
    };
    for entry in &entries {
        let (game, original) = played(entry);
        let written = game.to_string();
        let again = carrybit_pgn::read(&written);
        assert_eq!(again.len(), 1, "{name}: {written}");
        let (mut reread, replayed) = played(&again[0]);
        assert_eq!(replayed, original, "{name}: {written}");
        // A game without a result is written with `*`.
        reread.result.clone_from(&game.result);
        assert_eq!(reread, game, "{name}: {written}");
    }
}

#[test]
fn grandmasters() {
    check("gm_games.pgn.gz", 2500);
}

#[test]
fn engines_and_amateurs() {
    check("tcec_games.pgn.gz", 700);
    check("tcec_chess960_games.pgn.gz", 250);
    check("tcec_commented.pgn.gz", 30);
    check("lichess_commented.pgn.gz", 437);
}

#[test]
fn oddities() {
    for (name, games) in [
        ("anastasian-lewis.pgn", 1),
        ("chessbase-empty-line.pgn", 1),
        ("cutechess-fischerrandom.pgn", 4),
        ("kasparov-deep-blue-1997.pgn", 6),
        ("molinari-bordais-1979.pgn", 1),
        ("nepomniachtchi-liren-game1.pgn", 1),
        ("stockfish-learning.pgn", 1),
        ("uci-moves.pgn", 1),
        ("utf8-bom.pgn", 2),
    ] {
        check(&format!("special/{name}"), games);
    }
}
