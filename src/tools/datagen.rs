//! Self-play: the games that the evaluation learns from.
//!
//! `play` has the engine play against itself from random openings, a fixed number
//! of nodes for each move, and appends the games to a shard. It is deterministic:
//! game number n of a shard follows from its settings and n alone, however many
//! threads play, and games are written in the order of their numbers. So a shard
//! that was cut short at any moment goes on where its last whole game ends, and
//! becomes the same, byte for byte, as if nothing had happened.
//!
//! `stats` replays shards, which proves them sound, and says and draws what is
//! in them.
//!
//! [`selfplay`](super::selfplay) plays a game, [`shard`] keeps it, [`work`] has many
//! played at once, [`stats`] looks at them.

pub mod shard;

pub mod stats;

pub mod work;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::eval::nnue::network::LoadError;
use crate::search::threads::MAX_THREADS;

use self::shard::ShardError;
use self::work::Settings;

/// Plays games of the engine against itself, and looks at them.
#[derive(Clone, Debug, clap::Parser)]
#[command(version)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What there is to do.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Play games and append them to a shard until a limit is reached
    Play(Play),
    /// Check shards, and show what is in them
    Stats(Stats),
}

/// How to play.
#[derive(Clone, Debug, clap::Args)]
pub struct Play {
    /// The shard; if it is there, its settings must be the same
    pub shard: PathBuf,

    /// Stop when the shard has so many games
    #[arg(long)]
    pub games: Option<u64>,

    /// Stop when the shard has so many positions
    #[arg(long)]
    pub positions: Option<u64>,

    /// Stop after so long
    #[arg(long)]
    pub seconds: Option<u64>,

    /// Threads; all processors if not given. The games do not depend on it
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64))]
    pub threads: Option<u64>,

    /// The network to evaluate with, instead of the engine's own
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,

    /// Evaluate by hand: there is no network yet
    #[arg(long, conflicts_with = "net")]
    pub by_hand: bool,

    /// What else the games follow from
    #[command(flatten)]
    pub settings: Settings,
}

/// What to look at.
#[derive(Clone, Debug, clap::Args)]
pub struct Stats {
    /// The shards
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,

    /// Where to draw the results, lengths and scores, as SVG
    #[arg(long)]
    pub picture: Option<PathBuf>,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A shard was begun with other settings.
    #[error("{shard} was begun with other settings:\n{begun}these are:\n{asked}")]
    OtherSettings {
        /// The shard.
        shard: PathBuf,
        /// Its settings.
        begun: String,
        /// Those asked for.
        asked: String,
    },
    /// There is something in a file, but no settings that say how it was played.
    #[error("{0}: not empty, and there are no settings beside it")]
    NoSettings(PathBuf),
    /// Where the settings are to be, there is something else.
    #[error("{0}: not the settings of a shard, or not of this version")]
    ForeignSettings(PathBuf),
    /// The network cannot be used.
    #[error("{path}: {source}")]
    Network {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        source: LoadError,
    },
    /// Random moves lead to nothing that could be played.
    #[error("no opening is playable: fewer --random-plies may help")]
    NoOpening,
    /// Neither games nor positions nor seconds were given.
    #[error("say when to stop: --games, --positions or --seconds")]
    NoLimit,
    /// A thread could not be started.
    #[error("no thread to play with: {0}")]
    Thread(io::Error),
    /// A picture could not be drawn.
    #[error("{path}: {problem}")]
    Picture {
        /// Where it was to be.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
    /// The findings could not be printed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Does what `arguments` say; what there is to tell goes to `out`, progress to
/// standard error.
///
/// # Errors
/// If files cannot be read or written or hold something else than games, or if
/// `arguments` make no sense.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), DatagenError> {
    match &arguments.command {
        Command::Play(play) => work::play(play),
        Command::Stats(stats) => stats::show(stats, out),
    }
}
