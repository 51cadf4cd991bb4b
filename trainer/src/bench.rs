//! How fast training is, measured on positions made up.

use std::time::{Duration, Instant};

use carrybit::board::Kind;

use crate::data::Row;
use crate::model::Network;
use crate::optimiser::Schedule;
use crate::random::{Random, below};
use crate::report::processor_seconds;
use crate::training::{Objective, Plan, Trainer};

/// How many positions are made up: more than fit the caches.
const POSITIONS: usize = 1 << 20;
/// Pieces in a position: about the mean over a game.
const PIECES: usize = 20;
/// Samples to a batch.
const BATCH: usize = 16_384;
/// How long to measure.
const DURATION: Duration = Duration::from_secs(4);

/// Trains for some seconds and tells how fast it went.
#[must_use]
pub fn bench(hidden: usize, threads: usize) -> String {
    let rows = rows();
    let schedule = Schedule { rate: 1e-3, final_rate: 1e-5, warmup: 100, steps: u64::MAX };
    let objective = Objective { wdl: 0.0, scale: 400.0 };
    let plan = Plan { batch: BATCH, seed: 1, schedule, objective };
    let mut trainer = Trainer::new(Network::random(hidden, 1), plan, threads);
    trainer.learn(&rows);
    let (start, work) = (Instant::now(), processor_seconds());
    let mut samples = 0;
    while start.elapsed() < DURATION {
        trainer.learn(&rows);
        samples += BATCH;
    }
    let speed = samples as f64 / start.elapsed().as_secs_f64();
    let work = work.and_then(|work| Some(processor_seconds()? - work));
    let by_work = work.map_or_else(
        || "no processor time known".to_owned(),
        |work| format!("{:.0} positions per CPU-second", samples as f64 / work),
    );
    format!("hidden {hidden}, threads {threads}: {speed:.0} positions/s, {by_work}")
}

/// Random positions: both kings and other pieces anywhere.
fn rows() -> Vec<Row> {
    let mut random = Random::new(1);
    let mut row = || {
        let mut row = Row::default();
        while row.occ.count_ones() < PIECES as u32 {
            row.occ |= 1 << below(random.bits(), 64);
        }
        let king = Kind::King.index() as u8;
        for index in 0..PIECES {
            let piece = match index {
                3 => king,
                16 => 8 | king,
                _ => (below(random.bits(), 5) + 8 * below(random.bits(), 2)) as u8,
            };
            row.pcs[index / 2] |= piece << (4 * (index % 2));
        }
        row.ksq = below(random.bits(), 64) as u8;
        row.opp_ksq = below(random.bits(), 64) as u8;
        row.score = below(random.bits(), 1000) as i16 - 500;
        row.result = below(random.bits(), 3) as u8;
        row
    };
    (0..POSITIONS).map(|_| row()).collect()
}
