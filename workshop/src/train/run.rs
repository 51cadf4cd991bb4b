//! One training, from the command line to the files that it leaves.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use carrybit::eval::nnue::features::FEATURES;
use carrybit::eval::nnue::network::{BUCKETS, HIDDEN, MAX_SCALE, NetworkError, QuantisedNet};
use cpu_time::ProcessTime;

use super::arguments::TrainArguments;
use super::checkpoint::{self, CheckpointError};
use super::data::{DataError, TrainingData};
use super::model::{BLOCK, FloatNet};
use super::quantise::{Comparison, quantise, widen};
use super::report;
use super::training::{Plan, Trainer, epoch_steps};
use crate::adam::Schedule;
use crate::files::replace_file;
use crate::progress::{Progress, tell};
use crate::threads::ThreadsError;

/// How many positions at most are evaluated in integers too.
const COMPARED: usize = 20_000;

/// Why training failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The games could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        source: io::Error,
    },
    /// A file that was to be a network is none.
    #[error("{path}: {source}")]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NetworkError,
    },
    /// The network to begin with has another size.
    #[error("{path}: a network of {found} neurons, not {expected}")]
    Hidden {
        /// The file.
        path: PathBuf,
        /// Its neurons.
        found: usize,
        /// The neurons asked for, or how many there could be.
        expected: String,
    },
    /// The networks to take the mean of are not alike.
    #[error(
        "{path}: {} neurons and a scale of {}, not {} and {}",
        found.0, found.1, expected.0, expected.1
    )]
    Shape {
        /// The file.
        path: PathBuf,
        /// Its neurons and its scale.
        found: (usize, i32),
        /// Those of the first network.
        expected: (usize, i32),
    },
    /// There is a checkpoint already, and it is not to be lost.
    #[error("{0}: there is a checkpoint already; --resume goes on from it")]
    Exists(PathBuf),
    /// Another training writes there.
    #[error("{0}: another training writes to it")]
    InUse(PathBuf),
    /// What was learnt cannot be computed in the engine's integers.
    #[error("what was learnt does not fit the engine: {0}")]
    Unfit(NetworkError),
    /// There are no evaluations by which two networks could be compared.
    #[error("no positions in these games, or none but even ones: the networks cannot be compared")]
    NothingToCompare,
    /// A network's evaluations are so far from the other's that no scale brings them together.
    #[error("the scale would be {0:.1}, not from 1 to {MAX_SCALE}")]
    Scale(f64),
    /// The picture could not be drawn.
    #[error("{path}: {reason}")]
    Picture {
        /// The file.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
}

/// Does what the command line says.
///
/// # Errors
/// If something cannot be read, used or written.
pub fn run(arguments: &TrainArguments) -> Result<(), TrainError> {
    arguments.threads.pool()?.install(|| learn(arguments))
}

/// One training, from its first or its last step so far to its end.
fn learn(arguments: &TrainArguments) -> Result<(), TrainError> {
    let network = first_network(arguments)?;
    let _lock = lock(&arguments.out)?;
    let checkpoint = arguments.out.join("checkpoint");
    if checkpoint.exists() && !arguments.resume {
        return Err(TrainError::Exists(checkpoint));
    }
    let data = TrainingData::read(&arguments.games, arguments.filter())?;
    tell(format_args!(
        "{} games, {} positions: {} to learn from, {} to validate with",
        data.games,
        data.positions,
        data.training.len(),
        data.validation.len()
    ));
    data.check()?;
    let plan = plan(arguments, data.training.len());
    let hidden = network.hidden();
    let description = format!(
        "{plan:?}, hidden: {hidden}, warm start: {:?}, {:?}, games: {}, fingerprint: {:016x}",
        arguments.warm_start,
        arguments.filter(),
        data.games,
        data.fingerprint
    );
    let mut trainer = Trainer::new(network, plan);
    checkpoint::load(&mut trainer, &description, &checkpoint)?;
    let speed = train(&mut trainer, &data, plan, |trainer| {
        let epochs = trainer.records.len() as u64;
        if epochs.is_multiple_of(arguments.checkpoint_every) || trainer.is_finished() {
            checkpoint::save(trainer, &description, &checkpoint)?;
        }
        write_losses(trainer, &arguments.out)
    })?;
    // The process before may have been killed between a checkpoint and its table.
    write_losses(&trainer, &arguments.out)?;
    finish(&trainer, &data, plan, arguments, speed)
}

/// Makes a folder, if need be, and keeps other trainings from it until the file is
/// closed, be it by a kill.
fn lock(folder: &Path) -> Result<File, TrainError> {
    fs::create_dir_all(folder).map_err(file_error(folder))?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(file_error(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TrainError::InUse(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(TrainError::File { path, source }),
    }
}

/// The network in a file.
pub(super) fn read_network(path: &Path) -> Result<QuantisedNet, TrainError> {
    let bytes = fs::read(path).map_err(file_error(path))?;
    QuantisedNet::from_bytes(&bytes)
        .map_err(|source| TrainError::Network { path: path.to_owned(), source })
}

/// The network that training begins with.
fn first_network(arguments: &TrainArguments) -> Result<FloatNet, TrainError> {
    let Some(path) = &arguments.warm_start else {
        return Ok(FloatNet::random(arguments.hidden.unwrap_or(HIDDEN), arguments.seed));
    };
    let net = read_network(path)?;
    let wrong =
        |expected: String| TrainError::Hidden { path: path.clone(), found: net.hidden, expected };
    let network = widen(&net).ok_or_else(|| wrong(format!("a multiple of {BLOCK}")))?;
    let hidden = arguments.hidden.unwrap_or(net.hidden);
    if hidden < net.hidden {
        return Err(wrong(format!("{hidden} or fewer")));
    }
    Ok(network.grown(hidden, arguments.seed))
}

fn plan(arguments: &TrainArguments, positions: usize) -> Plan {
    let batch = arguments.batch_len(positions);
    let steps = arguments.samples.map_or_else(
        || arguments.epochs * epoch_steps(positions, batch),
        |samples| samples.div_ceil(batch as u64),
    );
    let schedule = Schedule {
        rate: arguments.lr,
        final_rate: arguments.final_lr,
        warmup: arguments.warmup.min(steps / 2),
        steps,
    };
    Plan {
        batch,
        seed: arguments.seed,
        schedule,
        weight_decay: arguments.weight_decay as f32,
        objective: arguments.objective(),
    }
}

/// Learns to the end, and tells the speed: samples a second and samples to each
/// second of a processor's work.
fn train(
    trainer: &mut Trainer,
    data: &TrainingData,
    plan: Plan,
    mut after_epoch: impl FnMut(&Trainer) -> Result<(), TrainError>,
) -> Result<String, TrainError> {
    let first_step = trainer.step;
    let (start, work) = (Instant::now(), ProcessTime::try_now());
    let batch = plan.batch as u64;
    let mut progress = Progress::new("Training", Some(plan.schedule.steps * batch));
    let mut done = first_step * batch;
    progress.start_at(done);
    while !trainer.is_finished() {
        let epoch_start = Instant::now();
        let mut samples = 0;
        trainer.epoch(data, |batch, loss| {
            samples += batch;
            let speed = samples as f64 / epoch_start.elapsed().as_secs_f64();
            done += batch as u64;
            progress.set(done, format!("loss {loss:.6}, {:.2} M positions/s", speed / 1e6));
        });
        if let Some(record) = trainer.records.last() {
            progress.note(&record.to_string());
        }
        after_epoch(trainer)?;
    }
    progress.clear();
    if trainer.step == first_step {
        return Ok("not measured, all was learnt before".to_owned());
    }
    let samples = ((trainer.step - first_step) * batch) as f64;
    let speed = samples / start.elapsed().as_secs_f64();
    let by_work = work.and_then(|work| work.try_elapsed()).map_or_else(
        |_| String::new(),
        |work| format!(", {:.0} per CPU-second", samples / work.as_secs_f64()),
    );
    Ok(format!("{speed:.0} positions/s{by_work}"))
}

/// Writes the losses so far, as a table and as a picture.
fn write_losses(trainer: &Trainer, out: &Path) -> Result<(), TrainError> {
    let table = out.join("losses.csv");
    replace_file(&table, report::table(&trainer.records).as_bytes()).map_err(file_error(&table))?;
    let path = out.join("losses.svg");
    let picture = report::picture(&trainer.records)
        .map_err(|error| TrainError::Picture { path: path.clone(), reason: error.to_string() })?;
    replace_file(&path, picture.as_bytes()).map_err(file_error(&path))
}

/// Writes the network in integers, and the summary.
fn finish(
    trainer: &Trainer,
    data: &TrainingData,
    plan: Plan,
    arguments: &TrainArguments,
    speed: String,
) -> Result<(), TrainError> {
    let net = quantise(&trainer.network);
    net.check().map_err(TrainError::Unfit)?;
    let comparison =
        Comparison::new(&trainer.network, &net, &data.validation, plan.objective, COMPARED);
    let bytes = net.to_bytes();
    let path = arguments.out.join("net.nnue");
    replace_file(&path, &bytes).map_err(file_error(&path))?;
    let last = trainer.records.last();
    let lines = [
        ("network", format!("({FEATURES}hm -> {})x2 -> {BUCKETS}, SCReLU", net.hidden)),
        ("checksum", format!("{:08x}", net.checksum())),
        ("games", format!("{}, with {} positions", data.games, data.positions)),
        (
            "positions",
            format!(
                "{} to learn from, {} to validate with",
                data.training.len(),
                data.validation.len()
            ),
        ),
        (
            "filter",
            format!(
                "ply >= {}, |score| < {}, quiet move, not in check",
                arguments.min_ply, arguments.max_score
            ),
        ),
        (
            "target",
            format!(
                "wdl {}, scale {}, scores smoothed over {} plies either way",
                arguments.wdl, arguments.scale, arguments.smoothing
            ),
        ),
        (
            "schedule",
            format!(
                "{} steps of {}, AdamW, lr {:e} after {} steps, cosine to {:e}, weight decay {}",
                plan.schedule.steps,
                plan.batch,
                plan.schedule.rate,
                plan.schedule.warmup,
                plan.schedule.final_rate,
                plan.weight_decay
            ),
        ),
        (
            "begun with",
            arguments
                .warm_start
                .as_ref()
                .map_or_else(|| "random weights".to_owned(), |path| path.display().to_string()),
        ),
        ("seed", plan.seed.to_string()),
        (
            "losses",
            last.map_or_else(String::new, |last| {
                format!("training {:.6}, validation {:.6}", last.training, last.validation)
            }),
        ),
        (
            "quantised",
            format!(
                "validation {:.6}, in floating point {:.6}, on {} positions",
                comparison.quantised_loss, comparison.float_loss, comparison.positions
            ),
        ),
        (
            "rounding",
            format!(
                "mean {:.2} cp, at most {:.2} cp",
                comparison.mean_distance, comparison.max_distance
            ),
        ),
        ("speed", speed),
    ];
    let summary: String =
        lines.iter().map(|(name, value)| format!("{name:<14} {value}\n")).collect();
    tell(summary.trim_end());
    let path = arguments.out.join("summary.txt");
    replace_file(&path, summary.as_bytes()).map_err(file_error(&path))
}

pub(super) fn file_error(path: &Path) -> impl Fn(io::Error) -> TrainError + use<> {
    let path = path.to_owned();
    move |source| TrainError::File { path: path.clone(), source }
}
