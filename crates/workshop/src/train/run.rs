//! The command `train`: reads the games, trains, and writes the results.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::eval::nnue::network::SHAPE;
use cpu_time::ProcessTime;

use super::adam::Schedule;
use super::arguments::TrainArguments;
use super::checkpoint::{self, Description};
use super::convert;
use super::data::TrainingData;
use super::model::FloatNet;
use super::quantise::{Comparison, quantise};
use super::training::{EXPONENT, Objective, Plan, Record, Trainer};
use crate::error::Error;
use crate::files;
use crate::progress::{Progress, print_stderr};

/// The result, and during training the network so far.
const NET: &str = "net.nnue";

/// The steps of the linear warm-up to the highest learning rate.
const WARMUP: u64 = 100;

/// The most positions in the measurement of rounding errors.
const COMPARED: usize = 20_000;

pub fn run(arguments: &TrainArguments) -> Result<(), Error> {
    arguments.threads.pool()?.install(|| run_in_pool(arguments))
}

fn run_in_pool(arguments: &TrainArguments) -> Result<(), Error> {
    if let Some(last) = arguments.final_lr.filter(|last| *last > arguments.lr) {
        let problem = format!("--final-lr {last} is above --lr {}", arguments.lr);
        return Err(Error::Refused(problem));
    }
    let network = match &arguments.warm_start {
        None => FloatNet::random(arguments.shape.or(SHAPE), arguments.seed),
        Some(path) => convert::read(path, &arguments.shape, arguments.seed)?.1,
    };
    let _lock = lock(&arguments.out)?;
    let checkpoint = arguments.out.join("checkpoint");
    if checkpoint.exists() && !arguments.resume {
        let problem = "the checkpoint exists; continue it with --resume, or use another --out";
        return Err(Error::of(&checkpoint, problem));
    }
    let rescorer = arguments.rescore.as_ref();
    let rescorer = rescorer.map(|path| Network::load(path).map_err(Error::at(path))).transpose()?;
    let mut data = TrainingData::read(
        &arguments.games,
        &arguments.trees,
        arguments.filter(),
        arguments.window as usize,
        rescorer.map(Arc::new),
    )?;
    let (training, validation) = (data.rows(), data.validation.len());
    let positions = format!(
        "{} games, {} positions: {training} for training in {} parts, {validation} for validation",
        data.games,
        data.positions,
        data.parts()
    );
    if training == 0 || validation == 0 {
        return Err(Error::Refused(format!("too few games: {positions}")));
    }
    print_stderr(positions);
    let plan = plan(arguments, &network, &data);
    let Plan { batch, seed, schedule, weight_decay, average, objective } = plan;
    let description = Description {
        settings: format!(
            "exponent {EXPONENT}, batch {batch}, seed {seed}, weight decay {weight_decay}, \
             average {average}, {objective:?}, {}, warm start: {:?}, {:?}, rescored by {:?}",
            network.shape,
            arguments.warm_start,
            arguments.filter(),
            arguments.rescore
        ),
        schedule: format!(
            "{schedule:?}, {} games with fingerprint {:016x} in {} parts",
            data.games,
            data.fingerprint,
            data.parts()
        ),
    };
    let mut trainer = Trainer::new(network, plan);
    checkpoint::load(&mut trainer, &description, &checkpoint)?;
    let (first_step, start, cpu) = (trainer.step, Instant::now(), ProcessTime::try_now());
    train(&mut trainer, &mut data, plan, |trainer| {
        checkpoint::save(trainer, &description, &checkpoint)?;
        write_losses(trainer, &arguments.out)?;
        files::write_network(&arguments.out.join(NET), &quantise(trainer.network()))
    })?;
    // An earlier run may have been killed between a checkpoint and its table.
    write_losses(&trainer, &arguments.out)?;
    let speed = speed((trainer.step - first_step) * batch as u64, start, &cpu);
    finish(&trainer, &data, objective, &description, &arguments.out, &speed)
}

/// Makes the folder if it is missing, and locks it against other trainings. The lock lasts until
/// the returned file is closed; if the process is killed, the system closes it.
fn lock(folder: &Path) -> Result<File, Error> {
    fs::create_dir_all(folder).map_err(Error::at(folder))?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(Error::at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Error::of(folder, "another training is writing to it"))
        }
        Err(TryLockError::Error(source)) => Err(Error::File { path, source }),
    }
}

fn plan(arguments: &TrainArguments, network: &FloatNet, data: &TrainingData) -> Plan {
    let batch = arguments.batch_len(data.rows());
    let steps = arguments.samples.map_or_else(
        || arguments.epochs * data.epoch_steps(batch),
        |samples| samples.div_ceil(batch as u64),
    );
    Plan {
        batch,
        seed: arguments.seed,
        schedule: Schedule {
            rate: arguments.lr,
            final_rate: arguments.final_lr.unwrap_or(arguments.lr / 3.0),
            warmup: WARMUP.min(steps / 2),
            steps,
        },
        weight_decay: arguments.weight_decay as f32,
        average: arguments.average,
        objective: Objective { wdl: arguments.wdl as f32, output_cp: network.scale as f32 },
    }
}

/// Trains to the last step.
fn train(
    trainer: &mut Trainer,
    data: &mut TrainingData,
    plan: Plan,
    mut after_unit: impl FnMut(&mut Trainer) -> Result<(), Error>,
) -> Result<(), Error> {
    let batch = plan.batch as u64;
    let mut progress = Progress::new("Training", plan.schedule.steps * batch);
    let mut done = trainer.step * batch;
    progress.start_at(done);
    while !trainer.is_finished() {
        let unit_start = Instant::now();
        let mut samples = 0;
        trainer.train_unit(data, |batch, loss| {
            samples += batch;
            let speed = samples as f64 / unit_start.elapsed().as_secs_f64();
            done += batch as u64;
            progress.set(done, format!("loss {loss:.6}, {:.2} M positions/s", speed / 1e6));
        })?;
        if let Some(last) = trainer.records.last() {
            let Record { epochs, training, validation, speed, .. } = last;
            let losses = format!("loss {training:.6}, validation {validation:.6}");
            progress.print(&format!("{epochs:.2} epochs: {losses}, {speed:.0} positions/s"));
        }
        after_unit(trainer)?;
    }
    Ok(())
}

/// Writes a table of the losses so far.
fn write_losses(trainer: &Trainer, out: &Path) -> Result<(), Error> {
    let mut table =
        "step,epochs,rate,training_loss,validation_loss,positions_per_second\n".to_owned();
    for Record { step, epochs, rate, training, validation, speed } in &trainer.records {
        table +=
            &format!("{step},{epochs:.3},{rate:.3e},{training:.8},{validation:.8},{speed:.0}\n");
    }
    files::replace(&out.join("losses.csv"), table.as_bytes())
}

/// Writes the network in integers, and the summary.
fn finish(
    trainer: &Trainer,
    data: &TrainingData,
    objective: Objective,
    description: &Description,
    out: &Path,
    speed: &str,
) -> Result<(), Error> {
    let network = trainer.network();
    let net = quantise(network);
    // First, since only a network that fits can be evaluated.
    files::write_network(&out.join(NET), &net)?;
    let Comparison { quantised_loss, float_loss, mean_distance, max_distance, positions } =
        Comparison::new(network, &net, &data.validation, objective, COMPARED);
    let losses = trainer.records.last().map_or_else(String::new, |last| {
        format!("training {:.6}, validation {:.6}", last.training, last.validation)
    });
    let (training, validation) = (data.rows(), data.validation.len());
    let summary = [
        format!("checksum       {:08x}", net.checksum()),
        format!("scale          an output of 1 is worth {} cp", net.scale),
        format!("games          {}, with {} positions", data.games, data.positions),
        format!("positions      {training} for training, {validation} for validation"),
        format!("settings       {}", description.settings),
        format!("schedule       {}", description.schedule),
        format!("losses         {losses}"),
        format!(
            "quantised      validation {quantised_loss:.6}, in floating point {float_loss:.6}, on \
             {positions} positions"
        ),
        format!("rounding       mean {mean_distance:.2} cp, at most {max_distance:.2} cp"),
        format!("speed          {speed}\n"),
    ]
    .join("\n");
    print_stderr(summary.trim_end());
    files::replace(&out.join("summary.txt"), summary.as_bytes())
}

/// Samples per second, by the clock and by CPU time if the system measures it.
fn speed(samples: u64, start: Instant, cpu: &io::Result<ProcessTime>) -> String {
    if samples == 0 {
        return "not measured: an earlier run did all steps".to_owned();
    }
    let per_second = |time: Duration| samples as f64 / time.as_secs_f64();
    let cpu = cpu.as_ref().ok().and_then(|cpu| cpu.try_elapsed().ok());
    let by_cpu = cpu.map(|time| format!(", {:.0} per CPU-second", per_second(time)));
    format!("{:.0} positions/s{}", per_second(start.elapsed()), by_cpu.unwrap_or_default())
}
