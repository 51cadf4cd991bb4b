//! The speed of training, measured on made-up positions.

use std::time::{Duration, Instant};

use bulletformat::ChessBoard;
use carrybit::board::Kind;
use carrybit::eval::nnue::network::{SHAPE, Shape};
use cpu_time::ProcessTime;

use super::adam::Schedule;
use super::convert::ShapeArguments;
use super::data::Row;
use super::model::FloatNet;
use super::training::{Objective, Plan, Trainer};
use crate::random::{Random, below};
use crate::threads::{Threads, ThreadsError};

/// Made-up positions: more than fit the caches.
const POSITIONS: usize = 1 << 20;
/// Pieces in a position: about the mean over a game.
const PIECES: usize = 20;
/// Samples to a batch.
const BATCH: usize = 16_384;
/// How long to measure.
const DURATION: Duration = Duration::from_secs(4);

/// The options.
#[derive(Clone, Debug, clap::Args)]
pub struct SpeedArguments {
    /// The shape; the engine's if not given
    #[command(flatten)]
    pub shape: ShapeArguments,

    /// How many threads learn
    #[command(flatten)]
    pub threads: Threads,
}

/// Trains for some seconds and prints the speed.
///
/// # Errors
/// If the threads cannot be started.
pub fn run(arguments: &SpeedArguments, tell: impl Fn(String)) -> Result<(), ThreadsError> {
    let pool = arguments.threads.pool()?;
    let shape = arguments.shape.shape(SHAPE);
    let speed = pool.install(|| measure(shape));
    tell(format!("{shape}; {} threads: {speed}", pool.current_num_threads()));
    Ok(())
}

fn measure(shape: Shape) -> String {
    let rows = rows();
    let schedule = Schedule { rate: 1e-3, final_rate: 1e-5, warmup: 100, steps: u64::MAX };
    let objective = Objective { wdl: 0.0, scale: 400.0, output_cp: 400.0 };
    let plan =
        Plan { batch: BATCH, seed: 1, schedule, weight_decay: 0.01, average: 0.0, objective };
    let mut trainer = Trainer::new(FloatNet::random(shape, 1), plan);
    trainer.learn(&rows);
    let (start, work) = (Instant::now(), ProcessTime::try_now());
    let mut samples = 0;
    while start.elapsed() < DURATION {
        trainer.learn(&rows);
        samples += BATCH;
    }
    let speed = samples as f64 / start.elapsed().as_secs_f64();
    let by_work = work.and_then(|work| work.try_elapsed()).map_or_else(
        |_| "no processor time known".to_owned(),
        |work| format!("{:.0} positions per CPU-second", samples as f64 / work.as_secs_f64()),
    );
    format!("{speed:.0} positions/s, {by_work}")
}

/// Random positions: both kings and other pieces anywhere.
fn rows() -> Vec<Row> {
    let mut random = Random::new(1);
    let mut row = || {
        let mut position = ChessBoard::default();
        while position.occ.count_ones() < PIECES as u32 {
            position.occ |= 1 << below(random.bits(), 64);
        }
        let king = Kind::King.index() as u8;
        for index in 0..PIECES {
            let piece = match index {
                3 => king,
                16 => 8 | king,
                _ => (below(random.bits(), 5) + 8 * below(random.bits(), 2)) as u8,
            };
            position.pcs[index / 2] |= piece << (4 * (index % 2));
        }
        position.ksq = king_square(&mut random);
        position.opp_ksq = king_square(&mut random);
        position.score = below(random.bits(), 1000) as i16 - 500;
        position.result = below(random.bits(), 3) as u8;
        // One threat bit in eight: about as many as in games.
        Row { position, threats: random.bits() & random.bits() & random.bits() }
    };
    (0..POSITIONS).map(|_| row()).collect()
}

/// A square of a king as its own side sees it: of the first rank in two cases of three.
fn king_square(random: &mut Random) -> u8 {
    let rank = random.bits() & random.bits() & random.bits() & 0b111;
    rank as u8 * 8 + below(random.bits(), 8) as u8
}
