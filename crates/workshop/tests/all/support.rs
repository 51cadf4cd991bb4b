//! Helpers: folders, commands, and random games with the material balance as score.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use carrybit::Color;
use clap::Parser;
use workshop::command::Arguments;
use workshop::error::Error;
use workshop::games::GameRecord;
use workshop::games::random_game::play_random_game;
use workshop::games::shard::{Shard, encode};
use workshop::train::smoothing::Smoothing;

/// The most plies of a game.
pub const PLIES: usize = 100;

/// Keeps scores unchanged.
pub const NO_SMOOTHING: Smoothing = Smoothing { plies: 0, eval_share: 0.5, early_wdl: 0.0 };

/// A random game; the side with more material at the end wins.
pub fn play(seed: u64) -> GameRecord {
    let mut record = play_random_game(seed);
    record.moves.truncate(PLIES);
    record.winner = match record.moves.last().map_or(0, |&(_, score)| score) {
        ..-150 => Some(Color::Black),
        -150..=150 => None,
        _ => Some(Color::White),
    };
    record
}

/// An empty folder of this name, which no other test may use.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workshop").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

pub fn name(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

pub fn write(path: &Path, games: impl IntoIterator<Item = GameRecord>) {
    let bytes: Vec<u8> = games.into_iter().flat_map(|game| encode(&game)).collect();
    fs::write(path, bytes).expect("a file");
}

/// A shard with the random games of these seeds, in a folder of this name.
pub fn file(name: &str, seeds: std::ops::Range<u64>) -> PathBuf {
    let path = folder(name).join("games.vf");
    write(&path, seeds.map(play));
    path
}

/// The games of a shard.
pub fn games(shard: &Path) -> Vec<GameRecord> {
    let shard = Shard::read(shard).expect("a shard");
    shard.records().collect::<Result<_, _>>().expect("valid games")
}

pub fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a file")
}

/// Runs a command in this process and returns its output.
pub fn run(words: &[&str]) -> Result<String, Error> {
    let mut out = Vec::new();
    Arguments::parse_from(["workshop"].iter().chain(words)).command.run(&mut out)?;
    Ok(String::from_utf8(out).expect("UTF-8"))
}

/// The message of a command that fails in this process.
pub fn error(words: &[&str]) -> String {
    run(words).expect_err("an error").to_string()
}

/// The program with these arguments; its output is captured.
pub fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
    command.args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program, which must succeed.
pub fn succeed(mut command: Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}
