//! The settings of a shard, which determine its games, in the file `<shard>.toml`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use carrybit::Game;
use carrybit::internals::selfplay::SelfPlayer;
use carrybit_board::random::splitmix64;
use serde::{Deserialize, Serialize};

use super::selfplay::play_game;
use super::shard::encode;
use crate::error::Error;
use crate::files;

/// The upper bound of --nodes.
const MAX_NODES: u64 = 1_000_000_000;
/// The upper bound of --random-plies.
const MAX_RANDOM_PLIES: u64 = 100;

/// The depth of the search in the signature.
const SIGNATURE_DEPTH: i32 = 9;
/// The number of games in the signature, their random moves (or one more) and the nodes for
/// each of their moves.
const SIGNATURE_GAMES: u64 = 3;
const SIGNATURE_PLIES: usize = 8;
const SIGNATURE_NODES: u64 = 50;

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

    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Nodes for each move: the iteration that exceeds them is the last
    #[arg(
        long,
        default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(1..=MAX_NODES)
    )]
    pub nodes: u64,

    /// Random moves at the start of a game; some games get one more
    #[arg(
        long,
        default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(..=MAX_RANDOM_PLIES)
    )]
    pub random_plies: u64,
}

impl ShardSettings {
    /// The seed of game number `n`.
    pub fn game_seed(&self, n: u64) -> u64 {
        splitmix64(splitmix64(self.seed) ^ n)
    }

    /// Reads the settings of a shard; `None` if the file is missing or empty.
    pub fn read(shard: &Path) -> Result<Option<ShardSettings>, Error> {
        let path = settings_path(shard);
        let bytes = match files::read(&path) {
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            result => result?,
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        toml::from_slice(&bytes).map(Some).map_err(|_| Error::ForeignSettings(path))
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
        let [begun, requested] = [self, requested].map(ShardSettings::text);
        Err(Error::OtherSettings(shard.to_owned(), begun, requested))
    }

    fn text(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }
}

/// A checksum of the engine's play.
pub fn signature(player: &mut SelfPlayer) -> Result<u32, Error> {
    player.clear();
    let nodes = player.count_nodes(&Game::default(), SIGNATURE_DEPTH);
    let mut bytes = nodes.to_le_bytes().to_vec();
    for seed in 0..SIGNATURE_GAMES {
        let played = play_game(player, seed, SIGNATURE_PLIES, SIGNATURE_NODES);
        bytes.extend(encode(&played.map_err(|_| Error::NoOpening)?));
    }
    Ok(crc32fast::hash(&bytes))
}

fn settings_path(shard: &Path) -> PathBuf {
    let mut path = shard.as_os_str().to_owned();
    path.push(".toml");
    PathBuf::from(path)
}
