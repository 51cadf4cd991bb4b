//! The options of `train`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::convert::ShapeArguments;
use super::data::Filter;
use super::smoothing::Smoothing;
use crate::threads::Threads;

/// The default first ply, well after the random moves of most openings.
pub const MIN_PLY: usize = 16;
/// The default bound of scores, in centipawns.
pub const MAX_SCORE: i32 = 2000;

/// Parameters are around 0.1: with a higher learning rate, training diverges; rounding loses the
/// steps of a lower one.
const RATES: RangeInclusive<f64> = 1e-9..=0.1;
/// Shares of a whole.
pub const SHARES: RangeInclusive<f64> = 0.0..=1.0;

#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true)]
pub struct TrainArguments {
    /// Shards, or folders of shards
    #[arg(required = true)]
    pub games: Vec<PathBuf>,

    /// Shards made by the command trees, or folders of them: train on their positions, too. They have
    /// no result
    #[arg(long, value_name = "SHARDS", num_args = 1.., conflicts_with = "wdl")]
    pub trees: Vec<PathBuf>,

    /// The folder for the results
    #[arg(long, default_value = "training")]
    pub out: PathBuf,

    #[command(flatten)]
    pub shape: ShapeArguments,

    /// Epochs; each visits every training position once
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub epochs: u64,

    /// The total number of samples, instead of --epochs
    #[arg(
        long,
        conflicts_with = "epochs",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000_000)
    )]
    pub samples: Option<u64>,

    /// Samples per step; the default is 16384, or 4096 below 2 million positions
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub batch: Option<u32>,

    /// The highest learning rate, from 1e-9 to 0.1
    #[arg(long, default_value_t = 3e-3, value_parser = within(RATES))]
    pub lr: f64,

    /// The learning rate of the last step, at most --lr; the default is a third of --lr
    #[arg(long, value_parser = within(RATES))]
    pub final_lr: Option<f64>,

    /// Weight decay of the first two layers, from 0 to 1: the share of each weight that a step with
    /// --lr 1 would subtract
    #[arg(long, default_value_t = 0.1, value_parser = within(SHARES))]
    pub weight_decay: f64,

    /// The share of the game's result in the target, 0 to 1; the rest is the score
    #[arg(long, default_value_t = 0.0, value_parser = within(SHARES))]
    pub wdl: f64,

    /// A further share of the result in the score of a game's first ply, 0 to 1, which falls to 0
    /// at the last one
    #[arg(long, default_value_t = 0.0, value_parser = within(SHARES))]
    pub early_wdl: f64,

    /// The seed of the random weights and of the samples
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// More than 8 threads, or more than one per 32 neurons, help little
    #[command(flatten)]
    pub threads: Threads,

    /// The share of the games kept for validation; at most 16384 games are kept. With fewer games
    /// than a network before had, some of these were in its training
    #[arg(long, default_value_t = 0.02, value_parser = within(SHARES))]
    pub validation: f64,

    /// The first ply of a game to train on
    #[arg(long, default_value_t = MIN_PLY)]
    pub min_ply: usize,

    /// Train only on absolute scores below this, in centipawns
    #[arg(long, default_value_t = MAX_SCORE)]
    pub max_score: i32,

    /// Smooth each score over this number of plies before and after it, up to 16
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(..=16))]
    pub smoothing: u8,

    /// Mix each score with a mean of this network's evaluations of its position and the next ones
    /// of the game. The network has the engine's shape
    #[arg(long, value_name = "NET")]
    pub rescore: Option<PathBuf>,

    /// The share of these evaluations: 0.5 suits games of 100 nodes, 0.1 games of 1,000
    #[arg(long, default_value_t = 0.5, value_parser = within(SHARES))]
    pub eval_share: f64,

    /// Begin with this network instead of random weights, and keep its scale. If another shape
    /// is given, the network is converted first
    #[arg(long, value_name = "NET")]
    pub warm_start: Option<PathBuf>,

    /// Average the network over this last share of the training; 0 disables averaging
    #[arg(long, default_value_t = 0.33, value_parser = within(SHARES))]
    pub average: f64,

    /// The most training positions in memory at a time, 40 bytes each. More are trained on in
    /// parts, one after the other, each a random sample of the games
    #[arg(long, default_value_t = 200_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub window: u64,

    /// Continue from the checkpoint in --out, if there is one. The games, their parts, the learning
    /// rates and the number of samples may then differ; more games begin at the same number of
    /// samples, so the epoch does not visit all of them. Name --batch if they grow past 2 million
    /// positions
    #[arg(long)]
    pub resume: bool,
}

impl TrainArguments {
    pub fn filter(&self) -> Filter {
        Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            validation: self.validation,
            smoothing: Smoothing {
                plies: self.smoothing.into(),
                eval_share: self.eval_share,
                early_wdl: self.early_wdl,
            },
        }
    }

    /// Samples per batch.
    pub fn batch_len(&self, positions: usize) -> usize {
        let usual = if positions < 2_000_000 { 4096 } else { 16_384 };
        self.batch.map_or(usual, |batch| batch as usize)
    }
}

/// A parser of numbers in a range.
pub fn within(
    range: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().map_err(|error| format!("{error}"))?;
        let (low, high) = (range.start(), range.end());
        if range.contains(&number) { Ok(number) } else { Err(format!("must be {low} to {high}")) }
    }
}
