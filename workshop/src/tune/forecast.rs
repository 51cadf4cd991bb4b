//! The forecast of a game's result from its evaluation, its error, and the
//! slope of the error along every parameter.

use std::fmt;

use carrybit::board::Color;
use rayon::prelude::*;

use super::traces::{Chunk, TracedPosition, Traces};
use super::weights::{DANGER_AT, EG_AT, Parameters};
use crate::hce::endgame::SCALE_FULL;
use crate::hce::king::{DANGER_EG_DIV, DANGER_MAX, DANGER_MG_DIV};
use crate::hce::sums::PHASE_MAX;
use crate::hce::terms::{DANGER_COUNT, LINEAR_COUNT};

/// Steepness to begin the search for the best one with, per centipawn.
const STEEPNESS_START: f64 = 0.005;
/// The first step of the search for a curve: as a factor of the steepness, and
/// in centipawns for White's edge.
const CURVE_STEPS: [f64; 2] = [0.3, 20.0];
/// The search ends when its steps have been halved this many times.
const CURVE_HALVINGS: u32 = 14;

/// Which positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those that are learnt from.
    Training,
    /// The others.
    Validation,
}

/// How the results of one file follow from evaluations.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// The `k` of the logistic curve, per centipawn.
    pub steepness: f64,
    /// What White's position is worth in this file beyond its evaluation, in
    /// centipawns.
    pub white_edge: f64,
}

impl Curve {
    fn forecast(self, eval: f64) -> f64 {
        1.0 / (1.0 + (-self.steepness * (eval + self.white_edge)).exp())
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "k = {:.5}/cp, White's edge {:.0} cp", self.steepness, self.white_edge)
    }
}

/// Forecasts results, by a curve for each file.
pub struct Forecaster<'t> {
    traces: &'t Traces,
    /// The curves, by file.
    pub curves: Vec<Curve>,
}

/// An evaluation and what its slopes need to be known.
struct Evaluated {
    eval: f64,
    /// The sums of danger to White's king and to Black's.
    danger: [f64; 2],
    /// How much of the middle game and of the endgame value counts.
    shares: [f64; 2],
}

impl<'t> Forecaster<'t> {
    /// A forecaster whose curves are not fitted yet.
    #[must_use]
    pub fn new(traces: &'t Traces) -> Forecaster<'t> {
        let curve = Curve { steepness: STEEPNESS_START, white_edge: 0.0 };
        Forecaster { traces, curves: vec![curve; traces.files.len()] }
    }

    /// The mean squared error of the forecasts of one part.
    #[must_use]
    pub fn loss(&self, parameters: &Parameters, part: Part) -> f64 {
        let parts = self.in_parallel(|chunk| {
            let (mut sum, mut count) = (0.0, 0.0);
            for position in chunk.positions.iter().filter(|position| is_in(position, part)) {
                let eval = forward(chunk, position, parameters).eval;
                let error =
                    self.curves[position.file as usize].forecast(eval) - f64::from(position.result);
                sum += error * error;
                count += 1.0;
            }
            (sum, count)
        });
        let (sum, count) = parts.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sum / count
    }

    /// The mean squared error of the training part, and its slope along each
    /// parameter.
    #[must_use]
    pub fn gradient(&self, parameters: &Parameters) -> (f64, Vec<f64>) {
        let parts = self.in_parallel(|chunk| {
            let mut gradient = vec![0.0; parameters.values.len()];
            let (mut sum, mut count) = (0.0, 0.0);
            for position in chunk.positions.iter().filter(|at| is_in(at, Part::Training)) {
                let forward = forward(chunk, position, parameters);
                let curve = self.curves[position.file as usize];
                let forecast = curve.forecast(forward.eval);
                let error = forecast - f64::from(position.result);
                sum += error * error;
                count += 1.0;
                let slope = 2.0 * error * forecast * (1.0 - forecast) * curve.steepness;
                backward(chunk, position, &forward, slope, &mut gradient);
            }
            (sum, count, gradient)
        });
        let (mut sum, mut count, mut gradient) = (0.0, 0.0, vec![0.0; parameters.values.len()]);
        for (part_sum, part_count, part_gradient) in parts {
            sum += part_sum;
            count += part_count;
            for (total, part) in gradient.iter_mut().zip(part_gradient) {
                *total += part;
            }
        }
        for slope in &mut gradient {
            *slope /= count;
        }
        (sum / count, gradient)
    }

    /// Finds the best curve of each file for the present parameters, by the
    /// training part: walks along each of its two numbers in turn, with steps
    /// halved when neither direction helps.
    pub fn fit_curves(&mut self, parameters: &Parameters) {
        for file in 0..self.curves.len() {
            let samples: Vec<(f64, f64)> = self
                .in_parallel(|chunk| {
                    chunk
                        .positions
                        .iter()
                        .filter(|at| at.file as usize == file && is_in(at, Part::Training))
                        .map(|at| (forward(chunk, at, parameters).eval, f64::from(at.result)))
                        .collect::<Vec<_>>()
                })
                .concat();
            let error = |curve: Curve| -> f64 {
                samples.iter().map(|&(eval, result)| (curve.forecast(eval) - result).powi(2)).sum()
            };
            let mut curve = self.curves[file];
            let mut least = error(curve);
            let mut halvings = 0;
            while halvings < CURVE_HALVINGS {
                let [factor, edge] = CURVE_STEPS.map(|step| step * 0.5_f64.powi(halvings as i32));
                let steeper = curve.steepness * (1.0 + factor);
                let flatter = curve.steepness / (1.0 + factor);
                let candidates = [
                    Curve { steepness: steeper, ..curve },
                    Curve { steepness: flatter, ..curve },
                    Curve { white_edge: curve.white_edge + edge, ..curve },
                    Curve { white_edge: curve.white_edge - edge, ..curve },
                ];
                let found = candidates
                    .into_iter()
                    .map(|candidate| (error(candidate), candidate))
                    .min_by(|a, b| a.0.total_cmp(&b.0));
                match found {
                    Some((error, candidate)) if error < least => {
                        (least, curve) = (error, candidate);
                    }
                    _ => halvings += 1,
                }
            }
            self.curves[file] = curve;
        }
    }

    /// What `work` makes of each chunk, in the order of the chunks.
    fn in_parallel<R: Send>(&self, work: impl Fn(&Chunk) -> R + Send + Sync) -> Vec<R> {
        self.traces.chunks.par_iter().map(work).collect()
    }
}

fn is_in(position: &TracedPosition, part: Part) -> bool {
    position.validates == (part == Part::Validation)
}

/// Evaluates a position as [`crate::hce`] does, without rounding.
fn forward(chunk: &Chunk, position: &TracedPosition, parameters: &Parameters) -> Evaluated {
    let values = &parameters.values;
    let (mut mg, mut eg) = (0.0, 0.0);
    let (linear, rest) = chunk.counts[position.start..].split_at(usize::from(position.lens[0]));
    for count in linear {
        let (term, times) = (usize::from(count.term), f64::from(count.times));
        mg += values[term] * times;
        eg += values[EG_AT + term] * times;
    }
    let (to_white, rest) = rest.split_at(usize::from(position.lens[1]));
    let to_black = &rest[..usize::from(position.lens[2])];
    let danger = [to_white, to_black].map(|counts| {
        let sum: f64 = counts
            .iter()
            .map(|count| values[DANGER_AT + usize::from(count.term)] * f64::from(count.times))
            .sum();
        sum.clamp(0.0, f64::from(DANGER_MAX))
    });
    for (danger, sign) in danger.into_iter().zip([-1.0, 1.0]) {
        mg += sign * danger * danger / f64::from(DANGER_MG_DIV);
        eg += sign * danger / f64::from(DANGER_EG_DIV);
    }
    let mg_share = f64::from(position.phase) / f64::from(PHASE_MAX);
    let blended = mg * mg_share + eg * (1.0 - mg_share);
    let ahead = if blended > 0.0 { Color::White } else { Color::Black };
    let scale = f64::from(position.scale[ahead.index()]) / f64::from(SCALE_FULL);
    Evaluated {
        eval: blended * scale,
        danger,
        shares: [mg_share * scale, (1.0 - mg_share) * scale],
    }
}

/// Adds to the gradient what a position contributes whose error rises with
/// `slope` per centipawn.
fn backward(
    chunk: &Chunk,
    position: &TracedPosition,
    forward: &Evaluated,
    slope: f64,
    gradient: &mut [f64],
) {
    let [mg, eg] = forward.shares.map(|share| share * slope);
    let (linear, rest) = chunk.counts[position.start..].split_at(usize::from(position.lens[0]));
    for count in linear {
        let (term, times) = (usize::from(count.term), f64::from(count.times));
        gradient[term] += mg * times;
        gradient[EG_AT + term] += eg * times;
    }
    let (to_white, rest) = rest.split_at(usize::from(position.lens[1]));
    let to_black = &rest[..usize::from(position.lens[2])];
    let kings = [to_white, to_black].into_iter().zip(forward.danger).zip([-1.0, 1.0]);
    for ((counts, danger), sign) in kings {
        // Beyond its bounds danger has no slope.
        if danger <= 0.0 || danger >= f64::from(DANGER_MAX) {
            continue;
        }
        let per_unit = mg * 2.0 * danger / f64::from(DANGER_MG_DIV) + eg / f64::from(DANGER_EG_DIV);
        for count in counts {
            gradient[DANGER_AT + usize::from(count.term)] +=
                sign * per_unit * f64::from(count.times);
        }
    }
}

const _: () = assert!(EG_AT == LINEAR_COUNT && DANGER_AT + DANGER_COUNT == Parameters::COUNT);
