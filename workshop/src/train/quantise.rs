//! From floating point to the engine's integers and back, and what is lost.

use std::array;

use carrybit::board::Board;
use carrybit::eval::nnue::features::FEATURES;
use carrybit::eval::nnue::network::{BUCKETS, ONE, QA, QB, QuantisedNet};

use super::data::{Row, pieces};
use super::model::{BLOCK, FloatNet};
use super::pass::Pass;
use super::training::{Objective, forward};
use super::views::CHUNK;

/// The network in integers, each number rounded to the nearest.
#[must_use]
pub fn quantise(network: &FloatNet) -> QuantisedNet {
    let hidden = network.hidden();
    let number = |index: usize, unit: i32| (network.parameters[index] * unit as f32).round();
    let mut net = QuantisedNet::zeroed(hidden);
    for neuron in 0..hidden {
        for feature in 0..FEATURES {
            net.feature_weights[feature * hidden + neuron] =
                number(network.feature_weight(feature, neuron), QA) as i16;
        }
        net.feature_biases[neuron] = number(network.feature_bias(neuron), QA) as i16;
        for (bucket, view) in outputs() {
            net.output_weights[(2 * bucket + view) * hidden + neuron] =
                number(network.output_weight(bucket, view, neuron), QB) as i16;
        }
    }
    net.output_biases =
        array::from_fn(|bucket| number(network.output_bias(bucket), ONE * QB) as i32);
    net
}

/// A network in floating point again, to learn on from; none if its size does not
/// suit the trainer.
#[must_use]
pub fn widen(net: &QuantisedNet) -> Option<FloatNet> {
    if !net.hidden.is_multiple_of(BLOCK) {
        return None;
    }
    let hidden = net.hidden;
    let mut network = FloatNet::zero(hidden);
    let mut set = |index: usize, number: f32, unit: i32| {
        network.parameters[index] = number / unit as f32;
    };
    let places = FloatNet::zero(hidden);
    for neuron in 0..hidden {
        for feature in 0..FEATURES {
            let weight = net.feature_weights[feature * hidden + neuron];
            set(places.feature_weight(feature, neuron), f32::from(weight), QA);
        }
        set(places.feature_bias(neuron), f32::from(net.feature_biases[neuron]), QA);
        for (bucket, view) in outputs() {
            let weight = net.output_weights[(2 * bucket + view) * hidden + neuron];
            set(places.output_weight(bucket, view, neuron), f32::from(weight), QB);
        }
    }
    for (bucket, bias) in net.output_biases.into_iter().enumerate() {
        set(places.output_bias(bucket), bias as f32, ONE * QB);
    }
    Some(network)
}

/// All buckets with each of a position's views.
fn outputs() -> impl Iterator<Item = (usize, usize)> {
    (0..BUCKETS).flat_map(|bucket| [(bucket, 0), (bucket, 1)])
}

/// What rounding has done to a network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// How many positions were compared.
    pub positions: usize,
    /// The mean loss in floating point.
    pub float_loss: f64,
    /// The mean loss in integers.
    pub quantised_loss: f64,
    /// The mean distance between the evaluations, in centipawns.
    pub mean_distance: f64,
    /// The largest distance between the evaluations, in centipawns.
    pub max_distance: f64,
}

impl Comparison {
    /// Evaluates positions with the network in floating point and, by the engine,
    /// in integers: `limit` of the rows, evenly spread, or all if there are fewer.
    #[must_use]
    pub fn new(
        network: &FloatNet,
        net: &QuantisedNet,
        rows: &[Row],
        objective: Objective,
        limit: usize,
    ) -> Comparison {
        let rows = rows.iter().step_by(rows.len().div_ceil(limit).max(1));
        let (rows, boards): (Vec<Row>, Vec<Board>) =
            rows.filter_map(|row| Some((*row, board(row)?))).unzip();
        let mut pass = Pass::new(network.hidden());
        let mut sums = Comparison { positions: rows.len(), ..Comparison::default() };
        for (rows, boards) in rows.chunks(CHUNK).zip(boards.chunks(CHUNK)) {
            let outputs = forward(&mut pass, network, rows);
            for ((&output, row), board) in outputs.iter().zip(rows).zip(boards) {
                let integer = net.evaluate(board);
                let distance =
                    (f64::from(output) * f64::from(net.scale) - f64::from(integer)).abs();
                let quantised_output = integer as f32 / net.scale as f32;
                sums.float_loss += f64::from(objective.loss(output, row).0);
                sums.quantised_loss += f64::from(objective.loss(quantised_output, row).0);
                sums.mean_distance += distance;
                sums.max_distance = sums.max_distance.max(distance);
            }
        }
        let count = rows.len().max(1) as f64;
        sums.float_loss /= count;
        sums.quantised_loss /= count;
        sums.mean_distance /= count;
        sums
    }
}

/// The engine's board for a row, White to move; none if the game began with more
/// than chess allows, such as nine pawns.
#[must_use]
pub fn board(row: &Row) -> Option<Board> {
    let mut letters = ['1'; 64];
    for (piece, square, _) in pieces(row) {
        letters[square.to_64()] = piece.letter();
    }
    let ranks = letters.chunks(8).rev().map(|rank| rank.iter().collect::<String>());
    let squares = ranks.collect::<Vec<_>>().join("/");
    let squares = (2..=8)
        .rev()
        .fold(squares, |squares, empty| squares.replace(&"1".repeat(empty), &empty.to_string()));
    format!("{squares} w - - 0 1").parse().ok()
}
