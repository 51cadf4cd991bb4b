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
//! human games an advantage wins less surely), and how much better than the
//! evaluation White stands in it (openings may be chosen so). The evaluation
//! itself cannot know, and should not learn, either.
//!
//! Only the results are used, never the scores that the files may hold.
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

use indicatif::{ProgressBar, ProgressStyle};

use self::data::Data;
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
    /// Files of lines `FEN | score | result`, plain or compressed (.zst); the
    /// result is White's
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

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

    /// Whom to credit for the files, as the written source will say it
    #[arg(long, default_value = "")]
    pub credit: String,
}

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        source: io::Error,
    },
    /// A line is not `FEN | score | result`.
    #[error("{path}, line {line}: {text:?} is not `FEN | score | result`")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// No position is left to learn from or to validate with.
    #[error("too few positions")]
    TooFew,
}

/// Reads the files, fits the weights and writes them.
///
/// # Errors
/// If a file cannot be read, understood or written.
pub fn run(arguments: &Arguments) -> Result<(), TuneError> {
    let threads = arguments
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let data = Data::read(&arguments.files, threads)?;
    let mut parameters = Parameters::current();
    let mut model = Model::new(&data, threads);
    model.fit_curves(&parameters);
    let before = losses(&model, &parameters);
    let bar = bar(u64::from(arguments.rounds * arguments.epochs), "Fitting")
        .with_message(before.to_string());
    for _ in 0..arguments.rounds {
        descend(&mut model, &mut parameters, arguments.epochs, &bar);
        parameters.centre(&data.usage);
        parameters.normalise();
        model.fit_curves(&parameters);
    }
    let parameters = parameters.rounded();
    model.fit_curves(&parameters);
    let after = losses(&model, &parameters);
    bar.finish_with_message(after.to_string());
    let header = header(arguments, &data, &model.curves, before, after);
    let source = parameters.source(&header);
    std::fs::write(&arguments.out, source)
        .map_err(|source| TuneError::File { path: arguments.out.clone(), source })
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
fn descend(model: &mut Model<'_>, parameters: &mut Parameters, epochs: u32, bar: &ProgressBar) {
    let count = parameters.values.len();
    let (mut mean, mut square) = (vec![0.0; count], vec![0.0; count]);
    for epoch in 0..epochs {
        let (loss, mut gradient) = model.gradient(parameters);
        parameters.add_prior(&mut gradient);
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
        bar.set_message(format!("{loss:.6}"));
        bar.inc(1);
    }
}

/// A bar of progress on the terminal.
fn bar(len: u64, what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {elapsed}, {eta} left {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(len).with_prefix(what).with_style(style)
}

/// What the written source says about where its numbers are from, line by line.
fn header(
    arguments: &Arguments,
    data: &Data,
    curves: &[Curve],
    before: Losses,
    after: Losses,
) -> Vec<String> {
    let mut lines = vec![
        "Weights of the evaluation's terms: written by the tuner, not by hand.".to_owned(),
        String::new(),
        format!(
            "Command: `cargo run --release --features tune --bin tune -- --epochs {} --rounds {}",
            arguments.epochs, arguments.rounds
        ),
        format!(
            "{}`",
            arguments
                .files
                .iter()
                .map(|file| file.display().to_string())
                .collect::<Vec<_>>()
                .join(" ")
        ),
        String::new(),
    ];
    if !arguments.credit.is_empty() {
        lines.extend([format!("Data: {}", arguments.credit), String::new()]);
    }
    for (file, curve) in data.files.iter().zip(curves) {
        lines.push(format!("* `{}`: {} positions, {curve}", file.name, file.positions));
    }
    lines.extend([
        String::new(),
        format!("Mean squared error before: {before}"),
        format!("after: {after}"),
    ]);
    lines
}
