//! Learning: drawing samples, measuring how wrong the network is on them, and
//! stepping against it.

use std::ops::Range;
use std::time::Instant;

use carrybit::eval::nnue::network::{QB, SCALE};

use carrybit::random::scramble;
use rayon::prelude::*;

use super::data::{Row, TrainingData, push_views};
use super::factoriser::Factoriser;
use super::model::{CHUNK, FloatNet, Pass};
use super::report::EpochRecord;
use crate::adam::{Adam, Restraint, Schedule};
use crate::random;

/// The share of the training after which the output weights are rounded.
const ROUNDING_AFTER: f64 = 0.8;

/// A batch is cut into shares of this many samples, each with a gradient of its own;
/// the gradients are added up in the order of the shares.
const SHARE: usize = 2048;
/// A large batch is cut into this many shares only.
const MAX_SHARES: usize = 16;

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
    /// One for each share of a batch.
    passes: Vec<Pass>,
}

impl Trainer {
    /// A training that begins with this network.
    #[must_use]
    pub fn new(network: FloatNet, plan: Plan) -> Trainer {
        let restraint =
            Restraint { epsilon: EPSILON, weight_decay: plan.weight_decay, limit: LIMIT };
        let optimiser = Adam::new(network.parameters.len(), restraint);
        let factoriser = Factoriser::new(network.hidden(), restraint);
        let shares = plan.batch.div_ceil(SHARE).clamp(1, MAX_SHARES);
        let passes = vec![Pass::new(network.hidden()); shares];
        Trainer { plan, network, optimiser, factoriser, step: 0, records: Vec::new(), passes }
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
        let Plan { batch, seed, schedule, objective, .. } = self.plan;
        let network = &self.network;
        let first = self.step * batch as u64;
        let share = batch.div_ceil(self.passes.len());
        let shares = self.passes.par_iter_mut().enumerate();
        let losses: Vec<f64> = shares
            .map(|(index, pass)| {
                let [start, end] = [index, index + 1].map(|i| first + batch.min(i * share) as u64);
                let draw = Draw { rows, seed: scramble(seed), places: start..end };
                add_gradient(pass, network, draw, objective, 1.0 / batch as f32)
            })
            .collect();
        let gradients: Vec<&[f32]> = self.passes.iter().map(|pass| &pass.gradient[..]).collect();
        let rate = schedule.rate_at(self.step);
        let outputs = self.network.output_weights();
        if self.step == rounding_step(schedule.steps) {
            round(&mut self.network.parameters[outputs.clone()]);
        }
        let rounded = self.network.parameters[outputs.clone()].to_vec();
        let parameters = &mut self.network.parameters;
        self.optimiser.step(parameters, &gradients, rate, self.step);
        self.factoriser.step(parameters, &gradients, rate, self.step);
        if self.step >= rounding_step(schedule.steps) {
            self.network.parameters[outputs].copy_from_slice(&rounded);
        }
        self.step += 1;
        losses.iter().sum::<f64>() / batch as f64
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

/// The samples with these numbers in the whole training.
struct Draw<'a> {
    rows: &'a [Row],
    seed: u64,
    places: Range<u64>,
}

/// Computes the gradient of the loss over some samples, each of them with a
/// weight, and returns the sum of their losses.
fn add_gradient(
    pass: &mut Pass,
    network: &FloatNet,
    draw: Draw<'_>,
    objective: Objective,
    weight: f32,
) -> f64 {
    let Draw { rows, seed, mut places } = draw;
    let mut samples = Vec::with_capacity(CHUNK);
    let mut slopes = Vec::with_capacity(CHUNK);
    let mut loss = 0.0;
    pass.gradient.fill(0.0);
    while !places.is_empty() {
        samples.clear();
        let drawn = places.by_ref().take(CHUNK);
        samples.extend(drawn.map(|place| rows[random::below(random::at(seed, place), rows.len())]));
        slopes.clear();
        for (output, row) in forward(pass, network, &samples).iter().zip(&samples) {
            let (error, slope) = objective.loss(*output, row);
            loss += f64::from(error);
            slopes.push(weight * slope);
        }
        pass.backward(network, &slopes);
    }
    loss
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
