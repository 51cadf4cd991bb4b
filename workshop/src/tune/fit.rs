//! One tuning, from the command line to the source file of the weights.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::error::TuneError;
use super::forecast::{Curve, Forecaster, Part};
use super::traces::{Source, Traces};
use super::weights::Parameters;
use crate::adam::{Adam, Restraint, Schedule};
use crate::progress::Progress;
use crate::threads::Threads;

/// The first step of each parameter, in centipawns or units of danger. Steps
/// shrink to nothing over a round.
const FIRST_STEP: f64 = 1.0;
/// The parameters' prior alone holds them back.
const RESTRAINT: Restraint<f64> =
    Restraint { epsilon: 1e-12, weight_decay: 0.0, limit: f64::INFINITY };

/// What to fit weights to, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct TuneArguments {
    /// Shards of games
    #[arg(required_unless_present = "by_hand")]
    pub shards: Vec<PathBuf>,

    /// Write the weights that were set by hand, and look at no games
    #[arg(long, conflicts_with = "shards")]
    pub by_hand: bool,

    /// Take every N-th quiet position of a game
    #[arg(long, value_name = "N", default_value = "3")]
    pub stride: NonZeroUsize,

    /// Where to write the weights
    #[arg(long, default_value = "workshop/src/hce/weights.rs")]
    pub out: PathBuf,

    /// Steps of the descent in each round
    #[arg(long, default_value_t = 600)]
    pub epochs: u32,

    /// Rounds; after each, the scale is set so that a pawn is worth 100
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,

    /// How many threads work
    #[command(flatten)]
    pub threads: Threads,
}

/// Reads the shards, fits the weights and writes them.
///
/// # Errors
/// If a shard cannot be read or the weights not be written.
pub fn run(arguments: &TuneArguments) -> Result<(), TuneError> {
    let source = if arguments.by_hand {
        Parameters::by_hand()
            .source(&["Weights of the evaluation's terms, set by hand.".to_owned()])
    } else {
        arguments.threads.pool()?.install(|| fitted_source(arguments))?
    };
    std::fs::write(&arguments.out, source)
        .map_err(|source| TuneError::Write { path: arguments.out.clone(), source })
}

/// The source file of the weights that fit the games best.
fn fitted_source(arguments: &TuneArguments) -> Result<String, TuneError> {
    let traces = Traces::read(&arguments.shards, arguments.stride.get())?;
    let mut parameters = Parameters::current();
    let mut forecaster = Forecaster::new(&traces);
    forecaster.fit_curves(&parameters);
    let before = losses(&forecaster, &parameters);
    let games = traces.files.iter().map(|file| file.games).sum();
    let epochs = u64::from(arguments.rounds * arguments.epochs);
    let mut progress = Progress::new("Fitting", Some(epochs));
    for round in 0..arguments.rounds {
        let first_epoch = u64::from(round * arguments.epochs);
        descend(&mut forecaster, &mut parameters, (arguments.epochs, games), |epoch, loss| {
            progress.set(first_epoch + u64::from(epoch), format!("{loss:.6}"));
        });
        parameters.centre(&traces.usage);
        parameters.normalise();
        forecaster.fit_curves(&parameters);
    }
    let parameters = parameters.rounded();
    forecaster.fit_curves(&parameters);
    let after = losses(&forecaster, &parameters);
    progress.finish(after.to_string());
    Ok(parameters.source(&header(arguments, &traces, &forecaster.curves, before, after)))
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

fn losses(forecaster: &Forecaster<'_>, parameters: &Parameters) -> Losses {
    Losses {
        training: forecaster.loss(parameters, Part::Training),
        validation: forecaster.loss(parameters, Part::Validation),
    }
}

/// One round of Adam with steps that shrink along a half cosine.
fn descend(
    forecaster: &mut Forecaster<'_>,
    parameters: &mut Parameters,
    (epochs, games): (u32, usize),
    mut show: impl FnMut(u32, f64),
) {
    let mut adam = Adam::new(parameters.values.len(), RESTRAINT);
    // The step after the last would have no length.
    let steps = u64::from(epochs) + 1;
    let schedule = Schedule { rate: FIRST_STEP, final_rate: 0.0, warmup: 0, steps };
    for epoch in 0..epochs {
        let (loss, mut gradient) = forecaster.gradient(parameters);
        parameters.add_prior(&mut gradient, games);
        let step = u64::from(epoch);
        adam.step(&mut parameters.values, &gradient, schedule.rate_at(step), step);
        show(epoch + 1, loss);
    }
}

/// What the written source says about where its numbers are from, line by line.
fn header(
    arguments: &TuneArguments,
    traces: &Traces,
    curves: &[Curve],
    before: Losses,
    after: Losses,
) -> Vec<String> {
    let names: Vec<&str> = traces.files.iter().map(|file| file.name.as_str()).collect();
    let (epochs, rounds) = (arguments.epochs, arguments.rounds);
    let mut lines = vec![
        "Weights of the evaluation's terms: written by the tuner, not by hand.".to_owned(),
        String::new(),
        "Command: `cargo run --release --locked -p carrybit-workshop -- tune".to_owned(),
        format!(
            "--epochs {epochs} --rounds {rounds} --stride {} {}`",
            arguments.stride,
            names.join(" ")
        ),
        String::new(),
    ];
    for (file, curve) in traces.files.iter().zip(curves) {
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
