//! The settings of a shard, which its games follow from, beside it as `<shard>.toml`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use carrybit::board::Game;
use carrybit::random::splitmix64;
use carrybit::selfplay::SelfPlayer;
use serde::{Deserialize, Serialize};

use super::error::GamesError;
use super::selfplay::play_game;
use super::shard::{ShardError, encode};
use crate::files::replace_file;

/// The most nodes for each move that can be asked for.
const MAX_NODES: u64 = 1_000_000_000;
/// The most random moves that can be asked for.
const MAX_RANDOM_PLIES: u64 = 100;

/// How deep the search is that counts towards the signature, in plies.
const SIGNATURE_DEPTH: i32 = 9;
/// How many games count towards the signature.
const SIGNATURE_GAMES: u64 = 3;
/// The random moves that each of them begins with, or one more.
const SIGNATURE_PLIES: usize = 8;
/// The nodes for each move in them.
const SIGNATURE_NODES: u64 = 50;

/// Everything that the games of a shard follow from.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct ShardSettings {
    /// The version of the engine that began the shard, for information: the signature decides
    /// whether another version plays the same games.
    #[arg(skip = carrybit::VERSION)]
    pub version: String,

    /// A description of the evaluation.
    #[arg(skip)]
    pub evaluation: String,

    /// The rules of each game.
    #[arg(skip)]
    pub rules: String,

    /// A description of the earlier games that games begin from; empty if there are none.
    #[arg(skip)]
    #[serde(default)]
    pub starts: String,

    /// A checksum of a search and some games, which changes when the engine plays differently.
    #[arg(skip)]
    pub signature: u32,

    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Nodes for each move: the iteration that exceeds them is the last
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=MAX_NODES))]
    pub nodes: u64,

    /// Random moves before the first one that is searched, or one more
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(..=MAX_RANDOM_PLIES))]
    pub random_plies: u64,
}

impl ShardSettings {
    /// The seed of game number `n`.
    pub fn game_seed(&self, n: u64) -> u64 {
        splitmix64(splitmix64(self.seed) ^ n)
    }

    /// The settings beside a shard; none if the file is missing or empty.
    ///
    /// # Errors
    /// If the file cannot be read, or is something else.
    pub fn beside(shard: &Path) -> Result<Option<ShardSettings>, GamesError> {
        let path = path_beside(shard);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            result => result.map_err(file_error(&path))?,
        };
        if text.is_empty() {
            return Ok(None);
        }
        toml::from_str(&text).map(Some).map_err(|_| GamesError::ForeignSettings(path))
    }

    /// Puts these beside a shard.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn put_beside(&self, shard: &Path) -> Result<(), GamesError> {
        let path = path_beside(shard);
        Ok(replace_file(&path, self.text().as_bytes()).map_err(file_error(&path))?)
    }

    /// Whether these, with which a shard was begun, lead to the same games as those
    /// asked for.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self, asked: &ShardSettings, shard: &Path) -> Result<(), GamesError> {
        if *self == (ShardSettings { version: self.version.clone(), ..asked.clone() }) {
            return Ok(());
        }
        let [begun, asked] = [self, asked].map(ShardSettings::text);
        Err(GamesError::OtherSettings { shard: shard.to_owned(), begun, asked })
    }

    fn text(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }
}

/// A checksum of the engine's play.
///
/// # Errors
/// If there is no opening.
pub fn signature(player: &mut SelfPlayer) -> Result<u32, GamesError> {
    player.clear();
    let nodes = player.count_nodes(&Game::default(), SIGNATURE_DEPTH);
    let mut bytes = nodes.to_le_bytes().to_vec();
    for seed in 0..SIGNATURE_GAMES {
        let played = play_game(player, seed, SIGNATURE_PLIES, SIGNATURE_NODES, None);
        bytes.extend(encode(&played.map_err(|_| GamesError::NoOpening)?));
    }
    Ok(crc32fast::hash(&bytes))
}

/// Where the settings of a shard are.
fn path_beside(shard: &Path) -> PathBuf {
    let mut path = shard.as_os_str().to_owned();
    path.push(".toml");
    PathBuf::from(path)
}

fn file_error(path: &Path) -> impl Fn(io::Error) -> ShardError + use<> {
    let path = path.to_owned();
    move |source| ShardError::File { path: path.clone(), source }
}
