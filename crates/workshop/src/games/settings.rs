//! The settings of a shard, which determine its games, in the file `<shard>.toml`.

use std::path::{Path, PathBuf};

use carrybit::Game;
use carrybit::internals::selfplay::{OpeningError, SelfPlayer};
use carrybit_board::random::splitmix64;
use serde::{Deserialize, Serialize};

use super::selfplay::play_game;
use super::shard::encode;
use crate::error::Error;
use crate::files;

/// Everything that determines the games of a shard.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardSettings {
    /// The version of the engine that began the shard. It is not compared: the signature shows
    /// whether another version plays the same games.
    #[arg(skip = carrybit::VERSION)]
    pub version: String,

    /// A description of the evaluation.
    #[arg(skip)]
    pub evaluation: String,

    /// A description of the rules by which games begin and end.
    #[arg(skip)]
    pub rules: String,

    /// A checksum of a search and some games, which changes when the engine plays differently.
    #[arg(skip)]
    pub signature: u32,

    /// The seed of the games. With other nodes or another network it makes the same openings, so
    /// take another one for games that are trained on together
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Nodes for each move: the iteration that exceeds them is the last
    #[arg(
        long,
        default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    pub nodes: u64,

    /// Random moves at the start of a game; some games get one more
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(..=100))]
    pub random_plies: u64,

    /// Start from positions of Chess960, half of the games with another one for each side
    #[arg(long)]
    #[serde(default)]
    pub chess960: bool,
}

impl ShardSettings {
    /// The seed of game number `n`.
    pub fn game_seed(&self, n: u64) -> u64 {
        splitmix64(splitmix64(self.seed) ^ n)
    }

    /// Reads the settings of a shard; `None` if the file is missing or empty.
    pub fn read(shard: &Path) -> Result<Option<ShardSettings>, Error> {
        let path = settings_path(shard);
        match files::read_if_there(&path)?.filter(|bytes| !bytes.is_empty()) {
            None => Ok(None),
            Some(bytes) => toml::from_slice(&bytes).map(Some).map_err(|_| {
                Error::of(&path, "not the settings of a shard, or of another version")
            }),
        }
    }

    /// Writes the settings of a shard.
    pub fn write(&self, shard: &Path) -> Result<(), Error> {
        files::replace(&settings_path(shard), self.text().as_bytes())
    }

    /// Checks that these settings of a shard determine the same games as those requested.
    pub fn check(&self, requested: &ShardSettings, shard: &Path) -> Result<(), Error> {
        if *self == (ShardSettings { version: self.version.clone(), ..requested.clone() }) {
            return Ok(());
        }
        let [begun, now] = [self, requested].map(ShardSettings::text);
        let problem = format!("begun with other settings:\n{begun}requested now:\n{now}");
        Err(Error::of(shard, problem))
    }

    fn text(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }
}

/// A checksum of the engine's play: of a search to depth 9 and of three games with 50 nodes for each
/// move.
pub fn signature(player: &mut SelfPlayer) -> Result<u32, OpeningError> {
    player.clear();
    let nodes = player.count_nodes(&Game::default(), 9);
    let mut bytes = nodes.to_le_bytes().to_vec();
    for seed in 0..3 {
        bytes.extend(encode(&play_game(player, seed, 8, false, 50)?));
    }
    Ok(crc32fast::hash(&bytes))
}

/// The path of the settings of a shard.
pub fn settings_path(shard: &Path) -> PathBuf {
    let mut path = shard.as_os_str().to_owned();
    path.push(".toml");
    PathBuf::from(path)
}
