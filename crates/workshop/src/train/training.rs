//! The training loop: draws samples, computes the loss and its gradient, and makes a step.

use std::ops::Range;
use std::time::Instant;

use aligned_vec::{AVec, avec};
use carrybit_board::random::scramble;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::adam::{Adam, Schedule};
use super::data::{Place, Row, TrainingData, push_inputs};
use super::factoriser::Factoriser;
use super::gradient;
use super::inputs::CHUNK;
use super::model::{FirstLayer, FloatNet};
use super::pass::Pass;
use super::permutation::{Permutation, random_at};
use super::smoothing::SCALE;
use crate::error::Error;

/// Steps between the networks in the average; adding one takes time.
const AVERAGE_EVERY: u64 = 8;

/// Chunks processed at a time, and so the most threads of a forward pass.
pub const PASSES: usize = 8;

/// Samples from one validation and checkpoint to the next. They are that of an epoch, if it has
/// fewer.
const UNIT_SAMPLES: u64 = 20_000_000;

/// The loss is the absolute error of the expected points to this power. Below 2, labels that are
/// far off (tactics that the search missed) count less than in a mean squared error: 1.0 % less
/// error against Stockfish's searches (`docs/HISTORY.md`).
pub const EXPONENT: f32 = 1.5;

/// The limits of the parameters of the first two layers, which the engine keeps in 8 bits, and of
/// the others.
const LIMITS: [f32; 2] = [1.0, 2.0];

/// The target of the network: a mixture of the game's result and the expected points of the
/// score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The share of the result, 0 to 1.
    pub wdl: f32,
    /// Centipawns of an output of 1.
    pub output_cp: f32,
}

impl Objective {
    /// The squared error of the expected points, which is reported, and the derivative of the loss
    /// with respect to the output. The loss has the power [`EXPONENT`] instead of the square.
    pub fn loss(self, output: f32, row: &Row) -> (f32, f32) {
        let steepness = self.output_cp / SCALE as f32;
        let forecast = sigmoid(steepness * output);
        let result = f32::from(row.position.result) / 2.0;
        let score = sigmoid(f32::from(row.position.score) / SCALE as f32);
        let error = forecast - (self.wdl * result + (1.0 - self.wdl) * score);
        const { assert!(EXPONENT == 1.5, "the root below is the power of 0.5") };
        let slope = EXPONENT * error.abs().sqrt().copysign(error);
        (error * error, slope * forecast * (1.0 - forecast) * steepness)
    }
}

/// The order in which an epoch visits the positions of a part.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Selects the order.
    pub key: u64,
    /// The place of the first sample of a step. Places beyond the last position go through all
    /// positions again, in another order.
    pub first: u64,
}

impl Order {
    /// The index of the sample at a place among `len` positions.
    fn at(self, place: u64, len: usize) -> usize {
        let (pass, place) = (place / len as u64, place % len as u64);
        Permutation::new(random_at(self.key, pass), len).at(place as usize)
    }
}

fn sigmoid(number: f32) -> f32 {
    1.0 / (1.0 + (-number).exp())
}

/// The hyperparameters of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Samples per step.
    pub batch: usize,
    /// The seed of the samples.
    pub seed: u64,
    /// The number of steps and their learning rates.
    pub schedule: Schedule,
    /// The share of each parameter that a step with learning rate 1 subtracts.
    pub weight_decay: f32,
    /// The last share of the training, over which the parameters are averaged.
    pub average: f64,
    pub objective: Objective,
}

/// The losses of a unit of the training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Steps so far.
    pub step: u64,
    /// Epochs so far.
    pub epochs: f64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The mean loss of the samples, each before the step that used it.
    pub training: f64,
    /// The mean loss of the validation positions.
    pub validation: f64,
    /// Samples per second.
    pub speed: f64,
}

/// A training in progress.
///
/// For one plan, data and program, the result is the same to the last bit with any number of
/// threads and any level of vector instructions. Each epoch goes through the parts of the data and
/// visits each position once, in an order given by the seed and the numbers of epoch and part, so a
/// training can resume at any step.
/// (Draws with replacement gave 1.3 to 1.7 % more validation loss; `docs/HISTORY.md`.)
#[derive(Clone, Debug)]
pub struct Trainer {
    plan: Plan,
    network: FloatNet,
    first_layer: FirstLayer,
    /// Of the first two layers, and of the others.
    optimisers: [Adam; 2],
    factoriser: Factoriser,
    /// Steps so far.
    pub step: u64,
    /// The mean of the parameters so far; `None` without averaging.
    average: Option<FloatNet>,
    /// Networks in the average.
    pub averaged: u64,
    /// The losses of each unit.
    pub records: Vec<Record>,
    passes: Vec<Pass>,
    gradient: AVec<f32>,
}

impl Trainer {
    /// A training that begins with this network.
    pub fn new(network: FloatNet, plan: Plan) -> Trainer {
        let (dense, all) = (network.dense_numbers(0).start, network.parameters.len());
        let passes = plan.batch.div_ceil(CHUNK).clamp(1, PASSES);
        Trainer {
            plan,
            optimisers: [
                Adam::new(dense, plan.weight_decay, LIMITS[0]),
                // Weight decay killed neurons of the layers in floating point (`docs/HISTORY.md`).
                Adam::new(all - dense, 0.0, LIMITS[1]),
            ],
            factoriser: Factoriser::new(&network.shape, plan.weight_decay, LIMITS[0]),
            step: 0,
            average: (plan.average > 0.0).then(|| network.clone()),
            averaged: 0,
            records: Vec::new(),
            passes: vec![Pass::new(&network.shape); passes],
            gradient: avec![0.0; all],
            first_layer: FirstLayer::new(&network),
            network,
        }
    }

    /// The current result: the average, once it has begun.
    pub fn network(&self) -> &FloatNet {
        self.average.as_ref().filter(|_| self.averaged > 0).unwrap_or(&self.network)
    }

    /// All numbers that determine the rest of the training.
    pub(super) fn numbers(&mut self) -> Vec<&mut [f32]> {
        let mut numbers: Vec<&mut [f32]> = vec![&mut self.network.parameters];
        for Adam { mean, square, .. } in
            self.optimisers.iter_mut().chain([&mut self.factoriser.optimiser])
        {
            numbers.extend([&mut mean[..], &mut square[..]]);
        }
        numbers.extend(self.average.as_mut().map(|average| &mut average.parameters[..]));
        numbers
    }

    /// Whether all steps are done.
    pub fn is_finished(&self) -> bool {
        self.step >= self.plan.schedule.steps
    }

    /// Trains for a unit of 20 million samples or an epoch, whichever is shorter, or to the last
    /// step, then validates. Calls `observe` after each batch with the number of samples and their
    /// mean loss. After an error the parameters are unusable.
    pub fn train_unit(
        &mut self,
        data: &mut TrainingData,
        mut observe: impl FnMut(usize, f64),
    ) -> Result<(), Error> {
        let Plan { batch, seed, schedule, .. } = self.plan;
        let start = Instant::now();
        let epoch_steps = data.epoch_steps(batch);
        let unit = epoch_steps.min(UNIT_SAMPLES.div_ceil(batch as u64));
        let first_step = self.step;
        let end = schedule.steps.min((first_step / unit + 1) * unit);
        let mut loss = 0.0;
        while self.step < end {
            let Place { epoch, part, step } = data.place(self.step, batch);
            let key = random_at(random_at(scramble(seed), epoch), part as u64);
            let order = Order { key, first: step * batch as u64 };
            let mean = self.train_batch(data.part(part), order);
            self.check_loss(mean)?;
            loss += mean / (end - first_step) as f64;
            observe(batch, mean);
        }
        let samples = (end - first_step) as f64 * batch as f64;
        let speed = samples / start.elapsed().as_secs_f64();
        let validation = self.loss(&data.validation);
        self.check_loss(validation)?;
        self.records.push(Record {
            step: self.step,
            epochs: self.step as f64 / epoch_steps as f64,
            rate: schedule.rate_at(self.step - 1),
            training: loss,
            validation,
            speed,
        });
        Ok(())
    }

    fn check_loss(&self, loss: f64) -> Result<(), Error> {
        if loss.is_finite() {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "the loss of step {} is not finite: the training stopped, its last checkpoint is \
             unchanged; if --resume stops too, start again with a smaller --lr",
            self.step
        )))
    }

    /// Makes one step with the next samples of an order, and returns their mean loss before it.
    pub fn train_batch(&mut self, rows: &[Row], order: Order) -> f64 {
        let Plan { batch, schedule, .. } = self.plan;
        let end = order.first + batch as u64;
        let mut loss = 0.0;
        self.first_layer.update(&self.network);
        self.gradient.par_chunks_mut(CHUNK).for_each(|gradients| gradients.fill(0.0));
        for start in (order.first..end).step_by(self.passes.len() * CHUNK) {
            loss += self.add_gradient(rows, order, start..end);
        }
        let rate = schedule.rate_at(self.step);
        let dense = self.network.dense_numbers(0).start;
        let (parameters, gradients) = (&mut self.network.parameters, &self.gradient);
        let [first, second] = &mut self.optimisers;
        first.step(&mut parameters[..dense], &gradients[..dense], rate, self.step);
        second.step(&mut parameters[dense..], &gradients[dense..], rate, self.step);
        self.factoriser.step(parameters, gradients, rate, self.step);
        self.step += 1;
        self.add_to_average();
        loss / batch as f64
    }

    /// Adds the gradients of the samples at the first of these places, as many as the passes take.
    /// Returns the sum of their losses.
    fn add_gradient(&mut self, rows: &[Row], order: Order, places: Range<u64>) -> f64 {
        let Plan { batch, objective, .. } = self.plan;
        let (network, first_layer, weight) = (&self.network, &self.first_layer, 1.0 / batch as f32);
        let passes = self.passes.par_iter_mut().enumerate();
        let losses: Vec<f64> = passes
            .map(|(index, pass)| {
                let [start, end] =
                    [index, index + 1].map(|i| places.end.min(places.start + (i * CHUNK) as u64));
                // All numbers first: the rows, far apart, then come from memory side by side.
                let numbers: Vec<usize> =
                    (start..end).map(|place| order.at(place, rows.len())).collect();
                let mut samples: Vec<Row> = numbers.iter().map(|&number| rows[number]).collect();
                // The weights of one output bucket fit into the first cache.
                samples.sort_by_key(|row| row.position.occ.count_ones());
                let outputs = forward(pass, network, first_layer, &samples).iter();
                let losses: Vec<(f32, f32)> = outputs
                    .zip(&samples)
                    .map(|(&output, row)| objective.loss(output, row))
                    .collect();
                let gradients: Vec<f32> = losses.iter().map(|(_, slope)| weight * slope).collect();
                pass.prepare_backward(&gradients);
                losses.iter().map(|&(error, _)| f64::from(error)).sum()
            })
            .collect();
        gradient::add(&mut self.gradient, network, &self.passes);
        losses.iter().sum()
    }

    /// Adds the network to the average every [`AVERAGE_EVERY`] steps, the last step included.
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

    /// Clears the average if its steps are still to come, as after the end of the schedule has
    /// moved.
    pub(super) fn restart_average(&mut self) {
        if self.step <= self.plan.averaging_step() {
            self.averaged = 0;
        }
    }

    /// The mean loss of the current result over some positions.
    pub fn loss(&mut self, rows: &[Row]) -> f64 {
        let average = self.average.as_ref().filter(|_| self.averaged > 0);
        let (network, objective) = (average.unwrap_or(&self.network), self.plan.objective);
        let first_layer = FirstLayer::new(network);
        let share = rows.len().div_ceil(self.passes.len()).max(1);
        let shares = self.passes.par_iter_mut().zip(rows.par_chunks(share));
        let losses = shares.map(|(pass, rows)| {
            let mut sum = 0.0;
            for rows in rows.chunks(CHUNK) {
                for (output, row) in forward(pass, network, &first_layer, rows).iter().zip(rows) {
                    sum += f64::from(objective.loss(*output, row).0);
                }
            }
            sum
        });
        losses.collect::<Vec<f64>>().iter().sum::<f64>() / rows.len() as f64
    }
}

impl Plan {
    /// The step after which the average begins.
    fn averaging_step(&self) -> u64 {
        (self.schedule.steps as f64 * (1.0 - self.average)).ceil() as u64
    }
}

/// The network's outputs for up to [`CHUNK`] positions.
pub fn forward<'a>(
    pass: &'a mut Pass,
    network: &FloatNet,
    first_layer: &FirstLayer,
    rows: &[Row],
) -> &'a [f32] {
    pass.inputs.clear();
    for row in rows {
        push_inputs(row, &network.shape, &mut pass.inputs);
    }
    pass.forward(network, first_layer)
}
