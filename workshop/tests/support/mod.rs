//! Games to test with: random moves, with the material as score.

#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use carrybit::board::Color;
use workshop::games::random_game::play_random_game;
use workshop::games::record::Ending;
use workshop::games::record::GameRecord;
use workshop::games::shard::encode;
use workshop::train::smoothing::Smoothing;

/// The most plies of a game.
pub const PLIES: usize = 100;

/// Scores as they are in the games.
pub const ROUGH: Smoothing = Smoothing { plies: 0, scale: 400.0 };

/// A random game; who has more at its end wins it.
pub fn play(seed: u64) -> GameRecord {
    let mut record = play_random_game(seed);
    record.moves.truncate(PLIES);
    record.ending = match record.moves.last().map_or(0, |&(_, score)| score) {
        ..-150 => Ending::Win(Color::Black),
        -150..=150 => Ending::Draw,
        _ => Ending::Win(Color::White),
    };
    record
}

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder can be made");
    path
}

/// Writes games to a file.
pub fn write(path: &Path, games: impl IntoIterator<Item = GameRecord>) {
    let bytes: Vec<u8> = games.into_iter().flat_map(|game| encode(&game)).collect();
    fs::write(path, bytes).expect("a file can be written");
}

/// A file with the games of these seeds, in an empty folder.
pub fn file(name: &str, seeds: std::ops::Range<u64>) -> PathBuf {
    let path = folder(name).join("games.vf");
    write(&path, seeds.map(play));
    path
}
