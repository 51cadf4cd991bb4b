//! Learning: drawing samples, measuring how wrong the network is on them, and
//! stepping against it.

use std::time::Instant;

use carrybit::eval::nnue::network::{QB, SCALE};

use carrybit::random::scramble;
use rayon::prelude::*;

use super::data::{Row, TrainingData, push_views};
use super::factoriser::Factoriser;
use super::gradient::Gradient;
use super::model::FloatNet;
use super::pass::Pass;
use super::report::EpochRecord;
use super::views::CHUNK;
use crate::adam::{Adam, Restraint, Schedule};
use crate::random;

/// The share of the training after which the output weights are rounded.
const ROUNDING_AFTER: f64 = 0.8;

/// How many chunks go forward, then back, at a time, forward on as many threads.
pub const PASSES: usize = 8;

/// Keeps from dividing by nothing.
const EPSILON: f32 = 1e-8;
/// Keeps all sums far from the ends of 16 bits in practice; whether any position could lead
/// beyond is checked at the end.
const LIMIT: f32 = 1.98;

/// What the network is to forecast: a mixture of the game's result and of what
/// the score promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The share of the result, 0 to 1.
    pub wdl: f32,
    /// A score of this many centipawns promises `sigmoid(1)`, that is 0.73.
    pub scale: f32,
}

impl Objective {
    /// The points to be expected by the side to move, 0 to 1.
    #[must_use]
    pub fn target(self, row: &Row) -> f32 {
        let result = f32::from(row.position.result) / 2.0;
        self.wdl * result + (1.0 - self.wdl) * sigmoid(f32::from(row.position.score) / self.scale)
    }

    /// The loss of an output in a position, the squared error of the forecast; and
    /// how it changes with the output. An output of 1 is worth the engine's
    /// [`SCALE`], whatever the scale of the scores: so evaluations are in the
    /// centipawns of the scores.
    #[must_use]
    pub fn loss(self, output: f32, row: &Row) -> (f32, f32) {
        let steepness = SCALE as f32 / self.scale;
        let forecast = sigmoid(steepness * output);
        let error = forecast - self.target(row);
        (error * error, 2.0 * error * forecast * (1.0 - forecast) * steepness)
    }
}

/// Squeezes the numbers into those from 0 to 1.
#[must_use]
pub fn sigmoid(number: f32) -> f32 {
    1.0 / (1.0 + (-number).exp())
}

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Samples to each step.
    pub batch: usize,
    /// Which samples are drawn.
    pub seed: u64,
    /// How long the steps are, and how many.
    pub schedule: Schedule,
    /// The share of each parameter that is taken off at a step of size 1.
    pub weight_decay: f32,
    /// What to forecast.
    pub objective: Objective,
}

/// A network that is learning.
///
/// With the same plan and data it learns the same to the last bit, on however many
/// threads and on any processor that it is the same program for. Samples are drawn
/// from all positions alike, each time anew, by their number in the whole training:
/// so it can be taken up again at any step.
#[derive(Clone, Debug)]
pub struct Trainer {
    plan: Plan,
    /// What has been learnt.
    pub network: FloatNet,
    /// The optimiser's memory.
    pub optimiser: Adam<f32>,
    /// What moves the rows of all zones of the king together.
    pub factoriser: Factoriser,
    /// Steps made.
    pub step: u64,
    /// How it went, epoch by epoch.
    pub records: Vec<EpochRecord>,
    /// One for each of the chunks that go forward, then back, at a time.
    passes: Vec<Pass>,
    gradient: Gradient,
}

impl Trainer {
    /// A training that begins with this network.
    #[must_use]
    pub fn new(network: FloatNet, plan: Plan) -> Trainer {
        let restraint =
            Restraint { epsilon: EPSILON, weight_decay: plan.weight_decay, limit: LIMIT };
        let optimiser = Adam::new(network.parameters.len(), restraint);
        let factoriser = Factoriser::new(network.hidden(), restraint);
        let passes = plan.batch.div_ceil(CHUNK).clamp(1, PASSES);
        let passes = vec![Pass::new(network.hidden()); passes];
        let gradient = Gradient::new(network.hidden());
        let records = Vec::new();
        Trainer { plan, network, optimiser, factoriser, step: 0, records, passes, gradient }
    }

    /// Whether all steps are made.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.step >= self.plan.schedule.steps
    }

    /// Learns from one epoch, as many samples as there are positions, or what is
    /// left of the last one, and validates. After each batch, `watch` is told how
    /// many samples it had and their mean loss.
    pub fn epoch(&mut self, data: &TrainingData, mut watch: impl FnMut(usize, f64)) {
        let start = Instant::now();
        let steps = epoch_steps(data.training.len(), self.plan.batch);
        let epoch = self.step / steps + 1;
        let steps = steps.min(self.plan.schedule.steps - self.step);
        let mut loss = 0.0;
        for _ in 0..steps {
            let mean = self.learn(&data.training);
            loss += mean / steps as f64;
            watch(self.plan.batch, mean);
        }
        let samples = steps as f64 * self.plan.batch as f64;
        let speed = samples / start.elapsed().as_secs_f64();
        let validation = self.loss(&data.validation);
        self.records.push(EpochRecord {
            step: self.step,
            epoch,
            rate: self.plan.schedule.rate_at(self.step - 1),
            training: loss,
            validation,
            speed,
        });
    }

    /// Learns from one batch, and returns the mean loss of the network before.
    pub fn learn(&mut self, rows: &[Row]) -> f64 {
        let Plan { batch, schedule, .. } = self.plan;
        let first = self.step * batch as u64;
        let end = first + batch as u64;
        let mut loss = 0.0;
        self.gradient.clear();
        for start in (first..end).step_by(self.passes.len() * CHUNK) {
            loss += self.add_gradient(rows, start, end);
        }
        let rate = schedule.rate_at(self.step);
        let outputs = self.network.output_weights();
        if self.step == rounding_step(schedule.steps) {
            round(&mut self.network.parameters[outputs.clone()]);
        }
        let rounded = self.network.parameters[outputs.clone()].to_vec();
        let parameters = &mut self.network.parameters;
        self.optimiser.step(parameters, &self.gradient.slopes, rate, self.step);
        self.factoriser.step(parameters, &self.gradient.slopes, rate, self.step);
        if self.step >= rounding_step(schedule.steps) {
            self.network.parameters[outputs].copy_from_slice(&rounded);
        }
        self.step += 1;
        loss / batch as f64
    }

    /// Adds to the gradient what the samples from `start` on have to say, as many as go through
    /// the network at a time, or up to `end`. Returns the sum of their losses.
    fn add_gradient(&mut self, rows: &[Row], start: u64, end: u64) -> f64 {
        let Plan { batch, seed, objective, .. } = self.plan;
        let (network, seed, weight) = (&self.network, scramble(seed), 1.0 / batch as f32);
        let passes = self.passes.par_iter_mut().enumerate();
        let losses: Vec<f64> = passes
            .map(|(index, pass)| {
                let [start, end] = [index, index + 1].map(|i| end.min(start + (i * CHUNK) as u64));
                let draw = |place| rows[random::below(random::at(seed, place), rows.len())];
                let samples: Vec<Row> = (start..end).map(draw).collect();
                let outputs = forward(pass, network, &samples).iter();
                let losses: Vec<(f32, f32)> = outputs
                    .zip(&samples)
                    .map(|(&output, row)| objective.loss(output, row))
                    .collect();
                let slopes: Vec<f32> = losses.iter().map(|(_, slope)| weight * slope).collect();
                pass.turn(&slopes);
                losses.iter().map(|&(error, _)| f64::from(error)).sum()
            })
            .collect();
        self.gradient.add(network, &self.passes);
        losses.iter().sum()
    }

    /// The network's mean loss over some positions.
    pub fn loss(&mut self, rows: &[Row]) -> f64 {
        let (network, objective) = (&self.network, self.plan.objective);
        let share = rows.len().div_ceil(self.passes.len()).max(1);
        let shares = self.passes.par_iter_mut().zip(rows.par_chunks(share));
        let losses: Vec<f64> =
            shares.map(|(pass, rows)| loss_sum(pass, network, rows, objective)).collect();
        losses.iter().sum::<f64>() / rows.len() as f64
    }
}

/// From which step on, be it the last, the output weights are what they will be in
/// integers: their units are coarse, and what rounding them has changed, all other
/// parameters can then learn to make good.
fn rounding_step(steps: u64) -> u64 {
    let first = (steps as f64 * ROUNDING_AFTER).ceil() as u64;
    first.min(steps.saturating_sub(1))
}

/// Rounds output weights to the units of their integers.
fn round(weights: &mut [f32]) {
    for weight in weights {
        *weight = (*weight * QB as f32).round() / QB as f32;
    }
}

/// How many batches there are to an epoch.
#[must_use]
pub fn epoch_steps(rows: usize, batch: usize) -> u64 {
    rows.div_ceil(batch).max(1) as u64
}

/// The sum of the losses over some positions.
fn loss_sum(pass: &mut Pass, network: &FloatNet, rows: &[Row], objective: Objective) -> f64 {
    let mut loss = 0.0;
    for rows in rows.chunks(CHUNK) {
        for (output, row) in forward(pass, network, rows).iter().zip(rows) {
            loss += f64::from(objective.loss(*output, row).0);
        }
    }
    loss
}

/// The network's outputs for up to [`CHUNK`] positions.
pub fn forward<'a>(pass: &'a mut Pass, network: &FloatNet, rows: &[Row]) -> &'a [f32] {
    pass.views.clear();
    for row in rows {
        push_views(row, &mut pass.views);
    }
    pass.forward(network)
}
