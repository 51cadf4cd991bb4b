//! The command line of a training.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::convert::ShapeArguments;
use super::data::Filter;
use super::smoothing::Smoothing;
use crate::threads::Threads;

/// Below this many positions, batches are small.
const FEW_POSITIONS: usize = 2_000_000;
/// Samples to a batch where positions are few.
const SMALL_BATCH: usize = 4096;
/// Samples to a batch else.
const BATCH: usize = 16_384;

/// The first ply to learn from, if not given: before it, moves are random.
pub const MIN_PLY: usize = 12;
/// Scores below this are learnt from, if not given, in centipawns.
pub const MAX_SCORE: i32 = 2000;
/// The centipawns that promise `sigmoid(1)`, if not given.
pub const SCALE: f64 = 400.0;

/// The share of the training that is averaged, if not given.
const AVERAGE: f64 = 0.0;

/// The largest batch that can be asked for.
const MAX_BATCH: i64 = 1 << 20;
/// The most epochs that can be asked for.
const MAX_EPOCHS: u64 = 1_000_000;
/// The most samples that can be asked for.
const MAX_SAMPLES: u64 = 1_000_000_000_000_000;
/// Parameters are around 0.1: longer steps diverge, and shorter ones are lost in rounding.
const STEPS: RangeInclusive<f64> = 1e-9..=0.1;
/// The most plies that scores are smoothed over, either way.
const MAX_SMOOTHING: i64 = 16;
/// The range of --scale; beyond it, all scores promise about the same.
const SCALES: RangeInclusive<f64> = 10.0..=10_000.0;
/// The range of a share.
const SHARES: RangeInclusive<f64> = 0.0..=1.0;

/// The games, and how to learn from them.
#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true)]
pub struct TrainArguments {
    /// Files with games, or folders of them
    #[arg(required = true)]
    pub games: Vec<PathBuf>,

    /// Where the results go
    #[arg(long, default_value = "training")]
    pub out: PathBuf,

    /// The shape of the network; if not given that of --warm-start, or else the engine's
    #[command(flatten)]
    pub shape: ShapeArguments,

    /// Passes, each of as many samples as there are positions
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=MAX_EPOCHS))]
    pub epochs: u64,

    /// Samples to learn from in all, instead of --epochs
    #[arg(long, conflicts_with = "epochs", value_parser = clap::value_parser!(u64).range(1..=MAX_SAMPLES))]
    pub samples: Option<u64>,

    /// Samples to each step; if not given 16384, or 4096 below 2 million positions
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=MAX_BATCH))]
    pub batch: Option<u32>,

    /// The longest step, from 1e-9 to 0.1
    #[arg(long, default_value_t = 3e-3, value_parser = step)]
    pub lr: f64,

    /// The last step, no longer than the longest
    #[arg(long, default_value_t = 2.7e-5, value_parser = step)]
    pub final_lr: f64,

    /// How many steps grow up to the longest
    #[arg(long, default_value_t = 100)]
    pub warmup: u64,

    /// Weight decay, from 0 to 1: the share of each weight that a step of size 1 takes off
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    pub weight_decay: f64,

    /// The share of the game's result in the target, 0 to 1; the rest is the score
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    pub wdl: f64,

    /// Centipawns that promise sigmoid(1), that is 73 % of the points, from 10 to
    /// 10000. The network's evaluations are in the same centipawns as the scores,
    /// whatever is given here
    #[arg(long, default_value_t = SCALE, value_parser = scale)]
    pub scale: f64,

    /// The seed of the first weights and of the samples drawn
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// How many threads learn; more than 8 are of little use, and than one for each 32 neurons
    #[command(flatten)]
    pub threads: Threads,

    /// The share of the games that is kept for validation
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    pub validation: f64,

    /// The first ply of a game to learn from
    #[arg(long, default_value_t = MIN_PLY)]
    pub min_ply: usize,

    /// Only scores below this are learnt from, in centipawns
    #[arg(long, default_value_t = MAX_SCORE)]
    pub max_score: i32,

    /// Plies before and after a position over which its score is smoothed, up to 16
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(..=MAX_SMOOTHING))]
    pub smoothing: u8,

    /// Begin with this network instead of random weights, and keep its scale; another shape
    /// converts it first
    #[arg(long, value_name = "NET")]
    pub warm_start: Option<PathBuf>,

    /// The share of the training, at its end, over which the network is averaged; 0 for the
    /// last network alone
    #[arg(long, default_value_t = AVERAGE, value_parser = share)]
    pub average: f64,

    /// Write a checkpoint each time after this many epochs, and at the end
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: u64,

    /// Continue from the checkpoint in --out, if there is one
    #[arg(long)]
    pub resume: bool,
}

impl TrainArguments {
    /// Checks that the numbers make sense together.
    ///
    /// # Errors
    /// A description of the conflict.
    pub fn check(&self) -> Result<(), String> {
        if self.final_lr > self.lr {
            return Err(format!("--final-lr {} is above --lr {}", self.final_lr, self.lr));
        }
        Ok(())
    }

    /// The positions to learn from.
    pub fn filter(&self) -> Filter {
        Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            validation: self.validation,
            smoothing: Smoothing { plies: self.smoothing.into(), scale: self.scale },
        }
    }

    /// The number of samples of a batch.
    pub fn batch_len(&self, positions: usize) -> usize {
        let usual = if positions < FEW_POSITIONS { SMALL_BATCH } else { BATCH };
        self.batch.map_or(usual, |batch| batch as usize)
    }
}

fn share(text: &str) -> Result<f64, String> {
    number(text, SHARES)
}

fn step(text: &str) -> Result<f64, String> {
    number(text, STEPS)
}

fn scale(text: &str) -> Result<f64, String> {
    number(text, SCALES)
}

fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    let (low, high) = (range.start(), range.end());
    if range.contains(&number) { Ok(number) } else { Err(format!("not from {low} to {high}")) }
}
