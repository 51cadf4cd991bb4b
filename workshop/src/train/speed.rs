//! Measures the speed of training.

use std::io;
use std::time::{Duration, Instant};

use carrybit::internals::eval::nnue::network::{SHAPE, Shape};
use cpu_time::ProcessTime;
use rayon::prelude::*;

use super::adam::Schedule;
use super::convert::ShapeArguments;
use super::data::{Filter, Row, selected};
use super::model::FloatNet;
use super::smoothing::Smoothing;
use super::training::{Objective, Order, Plan, Trainer};
use crate::error::Error;
use crate::games::random_game::play_random_game;
use crate::progress::print_stderr;
use crate::threads::Threads;

/// Random games: their positions exceed the caches.
const GAMES: u64 = 10_000;
/// Plies of each game: the number of pieces is then about that of training.
const PLIES: usize = 120;
const BATCH: usize = 16_384;
const DURATION: Duration = Duration::from_secs(4);

/// The options.
#[derive(Clone, Debug, clap::Args)]
pub struct SpeedArguments {
    /// The shape; the default is the engine's
    #[command(flatten)]
    pub shape: ShapeArguments,

    /// The threads
    #[command(flatten)]
    pub threads: Threads,
}

/// Trains for some seconds and prints the speed.
pub fn run(arguments: &SpeedArguments) -> Result<(), Error> {
    let pool = arguments.threads.pool()?;
    let shape = arguments.shape.or(SHAPE);
    let speed = pool.install(|| measure(shape));
    print_stderr(format_args!("{shape}; {} threads: {speed}", pool.current_num_threads()));
    Ok(())
}

fn measure(shape: Shape) -> String {
    let rows: Vec<Row> = (0..GAMES).into_par_iter().flat_map_iter(rows).collect();
    let schedule = Schedule { rate: 1e-3, final_rate: 1e-5, warmup: 100, steps: u64::MAX };
    let objective = Objective { wdl: 0.0, scale: 400.0, output_cp: 400.0 };
    let plan =
        Plan { batch: BATCH, seed: 1, schedule, weight_decay: 0.01, average: 0.0, objective };
    let mut trainer = Trainer::new(FloatNet::random(shape, 1), plan);
    trainer.train_batch(&rows, Order { key: 1, first: 0 });
    let stopwatch = Stopwatch::start();
    let mut samples = 0;
    while stopwatch.start.elapsed() < DURATION {
        samples += BATCH as u64;
        trainer.train_batch(&rows, Order { key: 1, first: samples });
    }
    stopwatch.speed(samples)
}

/// The quiet positions of a random game.
fn rows(seed: u64) -> Vec<Row> {
    let smoothing = Smoothing { plies: 0, scale: 400.0, eval_share: 0.0 };
    let filter = Filter { min_ply: 0, max_score: i32::MAX, validation: 0.0, smoothing };
    let mut game = play_random_game(seed);
    game.moves.truncate(PLIES);
    selected(game, filter, None)
}

/// Measures samples per second.
pub(super) struct Stopwatch {
    start: Instant,
    cpu: io::Result<ProcessTime>,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { start: Instant::now(), cpu: ProcessTime::try_now() }
    }

    /// The speed by the clock, and by CPU time if the system measures it.
    pub fn speed(&self, samples: u64) -> String {
        let per_second = |time: Duration| samples as f64 / time.as_secs_f64();
        let by_clock = per_second(self.start.elapsed());
        let cpu = self.cpu.as_ref().ok().and_then(|cpu| cpu.try_elapsed().ok());
        let by_cpu = cpu.map(|time| format!(", {:.0} per CPU-second", per_second(time)));
        format!("{by_clock:.0} positions/s{}", by_cpu.unwrap_or_default())
    }
}
