//! Fits the weights of the hand-crafted evaluation to the results of games.
//!
//! Every position is evaluated once, by the code that plays, while a trace
//! writes down which terms count how often. From then on its evaluation for any
//! other weights is a short sum. Gradient descent (Adam) on all positions at
//! once then makes `1 / (1 + exp(-k * evaluation))` a good forecast of the
//! games' results, by the mean of the squared errors. Idea: Peter Österlund's
//! Texel; Andrew Grant's paper on tuning Ethereal.
//!
//! Two numbers are fitted for each file besides: how steep its forecast is (in
//! games of few nodes an advantage wins less surely), and how much better than the
//! evaluation White stands in it. The evaluation itself cannot know, and should
//! not learn, either.
//!
//! The games are the engine's own, as [`datagen`](super::datagen) plays them. Only
//! their results are used, never the scores. The first games of all are played
//! with weights set by hand, which `--by-hand` writes.
//!
//! [`data`] reads and traces, [`model`] forecasts, [`weights`] goes from the
//! weights to the parameters and back and writes the source file.

pub mod data;

pub mod model;

pub mod weights;

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use super::datagen::shard::ShardError;
use super::progress::Progress;

use self::data::{Data, Source};
use self::model::{Curve, Model, Part};
use self::weights::Parameters;

/// The first step of each parameter, in centipawns or units of danger. Steps
/// shrink to nothing over a round.
const FIRST_STEP: f64 = 1.0;
/// How fast Adam forgets the gradient's mean.
const MEAN_DECAY: f64 = 0.9;
/// How fast Adam forgets the gradient's mean square.
const SQUARE_DECAY: f64 = 0.999;
/// Keeps Adam from dividing by nothing.
const EPSILON: f64 = 1e-12;

/// Fit the weights of the hand-crafted evaluation to the results of games.
#[derive(Clone, Debug, clap::Parser)]
#[command(version)]
pub struct Arguments {
    /// Shards of games
    #[arg(required_unless_present = "by_hand")]
    pub shards: Vec<PathBuf>,

    /// Write the weights that were set by hand, and look at no games
    #[arg(long, conflicts_with = "shards")]
    pub by_hand: bool,

    /// Take each so manieth quiet position of a game
    #[arg(long, default_value = "3")]
    pub stride: NonZeroUsize,

    /// Where to write the weights
    #[arg(long, default_value = "src/eval/hce/weights.rs")]
    pub out: PathBuf,

    /// Steps of the descent in each round
    #[arg(long, default_value_t = 600)]
    pub epochs: u32,

    /// Rounds; after each, the scale is set so that a pawn is worth 100
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,

    /// Threads; all processors if not given
    #[arg(long)]
    pub threads: Option<NonZeroUsize>,
}

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The weights cannot be written.
    #[error("{path}: {source}")]
    Write {
        /// Where they were to go.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// No position is left to learn from or to validate with.
    #[error("too few positions")]
    TooFew,
}

/// Reads the shards, fits the weights and writes them.
///
/// # Errors
/// If a shard cannot be read or the weights not be written.
pub fn run(arguments: &Arguments) -> Result<(), TuneError> {
    let source = if arguments.by_hand {
        Parameters::by_hand()
            .source(&["Weights of the evaluation's terms, set by hand.".to_owned()])
    } else {
        fitted_source(arguments)?
    };
    std::fs::write(&arguments.out, source)
        .map_err(|source| TuneError::Write { path: arguments.out.clone(), source })
}

/// The source file of the weights that fit the games best.
fn fitted_source(arguments: &Arguments) -> Result<String, TuneError> {
    let threads = arguments
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let data = Data::read(&arguments.shards, arguments.stride.get(), threads)?;
    let mut parameters = Parameters::current();
    let mut model = Model::new(&data, threads);
    model.fit_curves(&parameters);
    let before = losses(&model, &parameters);
    let games = data.files.iter().map(|file| file.games).sum();
    let epochs = u64::from(arguments.rounds * arguments.epochs);
    let mut progress = Progress::new("Fitting", Some(epochs));
    for round in 0..arguments.rounds {
        let first_epoch = u64::from(round * arguments.epochs);
        descend(&mut model, &mut parameters, (arguments.epochs, games), |epoch, loss| {
            progress.set(first_epoch + u64::from(epoch), format!("{loss:.6}"));
        });
        parameters.centre(&data.usage);
        parameters.normalise();
        model.fit_curves(&parameters);
    }
    let parameters = parameters.rounded();
    model.fit_curves(&parameters);
    let after = losses(&model, &parameters);
    progress.finish(after.to_string());
    Ok(parameters.source(&header(arguments, &data, &model.curves, before, after)))
}

/// The mean squared errors of a forecast.
#[derive(Clone, Copy, Debug)]
struct Losses {
    training: f64,
    validation: f64,
}

impl std::fmt::Display for Losses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.6} (validation {:.6})", self.training, self.validation)
    }
}

fn losses(model: &Model<'_>, parameters: &Parameters) -> Losses {
    Losses {
        training: model.loss(parameters, Part::Training),
        validation: model.loss(parameters, Part::Validation),
    }
}

/// One round of Adam with steps that shrink along a half cosine.
fn descend(
    model: &mut Model<'_>,
    parameters: &mut Parameters,
    (epochs, games): (u32, usize),
    mut show: impl FnMut(u32, f64),
) {
    let count = parameters.values.len();
    let (mut mean, mut square) = (vec![0.0; count], vec![0.0; count]);
    for epoch in 0..epochs {
        let (loss, mut gradient) = model.gradient(parameters);
        parameters.add_prior(&mut gradient, games);
        let progress = f64::from(epoch) / f64::from(epochs);
        let step = FIRST_STEP * 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
        let steps_done = epoch as i32 + 1;
        let mean_bias = 1.0 - MEAN_DECAY.powi(steps_done);
        let square_bias = 1.0 - SQUARE_DECAY.powi(steps_done);
        for (index, slope) in gradient.into_iter().enumerate() {
            mean[index] += (1.0 - MEAN_DECAY) * (slope - mean[index]);
            square[index] += (1.0 - SQUARE_DECAY) * (slope * slope - square[index]);
            let direction =
                mean[index] / mean_bias / ((square[index] / square_bias).sqrt() + EPSILON);
            parameters.values[index] -= step * direction;
        }
        show(epoch + 1, loss);
    }
}

/// What the written source says about where its numbers are from, line by line.
fn header(
    arguments: &Arguments,
    data: &Data,
    curves: &[Curve],
    before: Losses,
    after: Losses,
) -> Vec<String> {
    let names: Vec<&str> = data.files.iter().map(|file| file.name.as_str()).collect();
    let (epochs, rounds) = (arguments.epochs, arguments.rounds);
    let mut lines = vec![
        "Weights of the evaluation's terms: written by the tuner, not by hand.".to_owned(),
        String::new(),
        "Command: `cargo run --release --features tune --bin tune --".to_owned(),
        format!(
            "--epochs {epochs} --rounds {rounds} --stride {} {}`",
            arguments.stride,
            names.join(" ")
        ),
        String::new(),
    ];
    for (file, curve) in data.files.iter().zip(curves) {
        let Source { name, games, positions } = file;
        lines.push(format!("* `{name}`: {positions} positions of {games} games, {curve}"));
    }
    lines.extend([
        String::new(),
        format!("Mean squared error before: {before}"),
        format!("after: {after}"),
    ]);
    lines
}
