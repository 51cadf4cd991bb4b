//! Learning: drawing samples, measuring how wrong the network is on them, and
//! stepping against it.

use std::time::Instant;

use carrybit::eval::nnue::network::QB;
use carrybit::random::scramble;
use rayon::prelude::*;

use super::adam::{Adam, Restraint, Schedule};
use super::data::{Row, TrainingData, push_inputs};
use super::factoriser::Factoriser;
use super::gradient::Gradient;
use super::inputs::CHUNK;
use super::model::FloatNet;
use super::pass::Pass;
use super::report::EpochRecord;
use crate::random;

/// The share of the training after which the output weights are rounded.
const ROUNDING_AFTER: f64 = 0.8;

/// Steps from one network of the average to the next: to add one takes time.
const AVERAGE_EVERY: u64 = 8;

/// Chunks that go forward, then back, at a time, forward on as many threads.
pub const PASSES: usize = 8;

/// Avoids a division by 0.
const EPSILON: f32 = 1e-8;
/// Keeps all sums far from the ends of 16 bits in practice; whether any position could lead
/// beyond is checked at the end.
const LIMIT: f32 = 1.98;

/// The target of the network: a mixture of the game's result and the points that the score
/// promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The share of the result, 0 to 1.
    pub wdl: f32,
    /// A score of this many centipawns promises `sigmoid(1)`, that is 0.73.
    pub scale: f32,
    /// Centipawns of an output of 1, in the centipawns of the scores.
    pub output_cp: f32,
}

impl Objective {
    /// The points to be expected by the side to move, 0 to 1.
    pub fn target(self, row: &Row) -> f32 {
        let result = f32::from(row.position.result) / 2.0;
        self.wdl * result + (1.0 - self.wdl) * sigmoid(f32::from(row.position.score) / self.scale)
    }

    /// The loss of an output in a position, the squared error of the forecast; and
    /// how it changes with the output.
    pub fn loss(self, output: f32, row: &Row) -> (f32, f32) {
        let steepness = self.output_cp / self.scale;
        let forecast = sigmoid(steepness * output);
        let error = forecast - self.target(row);
        (error * error, 2.0 * error * forecast * (1.0 - forecast) * steepness)
    }
}

fn sigmoid(number: f32) -> f32 {
    1.0 / (1.0 + (-number).exp())
}

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Samples to each step.
    pub batch: usize,
    /// Decides which samples are drawn.
    pub seed: u64,
    /// The number of steps and their lengths.
    pub schedule: Schedule,
    /// The share of each parameter that is taken off at a step of length 1.
    pub weight_decay: f32,
    /// The share of the training, at its end, over which the parameters are averaged.
    pub average: f64,
    /// The target.
    pub objective: Objective,
}

/// A network that is learning.
///
/// With the same plan and data it learns the same to the last bit, on however many
/// threads and on any processor that it is the same program for. Samples are drawn
/// from all positions alike, each time anew, by their number in the whole training:
/// so it can be continued at any step.
#[derive(Clone, Debug)]
pub struct Trainer {
    plan: Plan,
    /// The network that learns.
    network: FloatNet,
    optimiser: Adam,
    factoriser: Factoriser,
    /// Steps made.
    pub step: u64,
    /// The mean of the network's parameters so far; empty if none is asked for.
    average: Option<FloatNet>,
    /// Networks in the average.
    pub averaged: u64,
    /// The losses of each epoch.
    pub records: Vec<EpochRecord>,
    /// One for each of the chunks that go forward, then back, at a time.
    passes: Vec<Pass>,
    gradient: Gradient,
}

impl Trainer {
    /// A training that begins with this network.
    pub fn new(network: FloatNet, plan: Plan) -> Trainer {
        let restraint =
            Restraint { epsilon: EPSILON, weight_decay: plan.weight_decay, limit: LIMIT };
        let passes = plan.batch.div_ceil(CHUNK).clamp(1, PASSES);
        Trainer {
            plan,
            optimiser: Adam::new(network.parameters.len(), restraint),
            factoriser: Factoriser::new(&network.shape, restraint),
            step: 0,
            average: (plan.average > 0.0).then(|| network.clone()),
            averaged: 0,
            records: Vec::new(),
            passes: vec![Pass::new(&network.shape); passes],
            gradient: Gradient::new(&network.shape),
            network,
        }
    }

    /// The network learnt so far: the average, once it has begun.
    pub fn network(&self) -> &FloatNet {
        self.average.as_ref().filter(|_| self.averaged > 0).unwrap_or(&self.network)
    }

    /// All numbers that the rest of the training follows from.
    pub(super) fn numbers(&mut self) -> Vec<&mut [f32]> {
        let (own, shared) = (&mut self.optimiser, &mut self.factoriser.optimiser);
        let mut numbers: Vec<&mut [f32]> = vec![
            &mut self.network.parameters,
            &mut own.mean,
            &mut own.square,
            &mut shared.mean,
            &mut shared.square,
        ];
        numbers.extend(self.average.as_mut().map(|average| &mut average.parameters[..]));
        numbers
    }

    /// Whether all steps are made.
    pub fn is_finished(&self) -> bool {
        self.step >= self.plan.schedule.steps
    }

    /// Learns from one epoch, as many samples as there are positions, or what is
    /// left of the last one, and validates. `watch` gets the number of samples of each batch
    /// and their mean loss.
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
        let rounding_step = self.plan.rounding_step();
        if self.step == rounding_step {
            round(&mut self.network.parameters[outputs.clone()]);
        }
        let rounded = self.network.parameters[outputs.clone()].to_vec();
        let parameters = &mut self.network.parameters;
        self.optimiser.step(parameters, &self.gradient.slopes, rate, self.step);
        self.factoriser.step(parameters, &self.gradient.slopes, rate, self.step);
        if self.step >= rounding_step {
            self.network.parameters[outputs].copy_from_slice(&rounded);
        }
        self.step += 1;
        self.add_to_average();
        loss / batch as f64
    }

    /// Adds the gradients of as many samples, from `start` on, as go through the network at a
    /// time, or up to `end`. Returns the sum of their losses.
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

    /// Adds the network to the average, if it is its turn; the last one is always added.
    fn add_to_average(&mut self) {
        let steps = self.plan.schedule.steps;
        let Some(average) = &mut self.average else { return };
        if self.step <= self.plan.averaging_step()
            || !(steps - self.step).is_multiple_of(AVERAGE_EVERY)
        {
            return;
        }
        self.averaged += 1;
        let share = 1.0 / self.averaged as f32;
        let parameters = self.network.parameters.par_chunks(CHUNK);
        average.parameters.par_chunks_mut(CHUNK).zip(parameters).for_each(|(mean, parameters)| {
            for (mean, parameter) in mean.iter_mut().zip(parameters) {
                *mean += share * (parameter - *mean);
            }
        });
    }

    /// The mean loss of the network learnt so far over some positions.
    pub fn loss(&mut self, rows: &[Row]) -> f64 {
        let average = self.average.as_ref().filter(|_| self.averaged > 0);
        let (network, objective) = (average.unwrap_or(&self.network), self.plan.objective);
        let share = rows.len().div_ceil(self.passes.len()).max(1);
        let shares = self.passes.par_iter_mut().zip(rows.par_chunks(share));
        let losses: Vec<f64> =
            shares.map(|(pass, rows)| loss_sum(pass, network, rows, objective)).collect();
        losses.iter().sum::<f64>() / rows.len() as f64
    }
}

impl Plan {
    /// The step after which the average begins.
    fn averaging_step(&self) -> u64 {
        self.step_at(1.0 - self.average)
    }

    /// The step, be it the last, from which on the output weights are what they will be in
    /// integers: their units are coarse, and all other parameters can then learn to compensate
    /// the rounding. The average has no other output weights.
    fn rounding_step(&self) -> u64 {
        let first = self.step_at(ROUNDING_AFTER.min(1.0 - self.average));
        first.min(self.schedule.steps.saturating_sub(1))
    }

    fn step_at(&self, share: f64) -> u64 {
        (self.schedule.steps as f64 * share).ceil() as u64
    }
}

/// Rounds output weights to the units of their integers.
fn round(weights: &mut [f32]) {
    for weight in weights {
        *weight = (*weight * QB as f32).round() / QB as f32;
    }
}

/// The number of batches of an epoch.
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
    pass.inputs.clear();
    for row in rows {
        push_inputs(row, &network.shape, &mut pass.inputs);
    }
    pass.forward(network)
}
