//! Converts networks to the engine's integers and back, and measures the rounding errors.

use std::iter;

use carrybit::internals::eval::nnue::network::{ONE, QuantisedNet};
use carrybit_board::{Board, BoardBuilder};

use super::data::{Row, pieces};
use super::inputs::CHUNK;
use super::model::{FirstLayer, FloatNet, PAIR, weights_of_output};
use super::pass::Pass;
use super::training::{Objective, forward};

/// Rounds each number of a network to the nearest integer unit; weights beyond ±1 saturate.
pub fn quantise(network: &FloatNet) -> QuantisedNet {
    let number = |at: usize| (network.parameters[at] * ONE as f32).round();
    let mut net = QuantisedNet::zeroed(network.shape);
    net.scale = network.scale;
    let neurons = network.shape.neurons;
    for (at, weight) in net.feature_weights.iter_mut().enumerate() {
        *weight = number(network.feature_weight(at / neurons, at % neurons)) as i8;
    }
    for (neuron, bias) in net.feature_biases.iter_mut().enumerate() {
        *bias = number(network.feature_bias(neuron)) as i16;
    }
    for (output, stack) in net.stacks.iter_mut().enumerate() {
        let weights = weights_of_output(neurons / 2);
        for (weight, (neuron, side, pair)) in iter::zip(&mut stack.l1_weights, weights) {
            *weight = number(network.l1_weight(output, neuron, side, pair)) as i8;
        }
        stack.dense = network.dense(output);
    }
    net
}

/// A network in floating point; `None` if its number of neurons is not a multiple of
/// [`PAIR`].
pub fn dequantise(net: &QuantisedNet) -> Option<FloatNet> {
    let neurons = net.shape.neurons;
    if !neurons.is_multiple_of(PAIR) {
        return None;
    }
    let mut network = FloatNet { scale: net.scale, ..FloatNet::zero(net.shape) };
    for (index, &weight) in net.feature_weights.iter().enumerate() {
        let at = network.feature_weight(index / neurons, index % neurons);
        network.parameters[at] = f32::from(weight) / ONE as f32;
    }
    for (neuron, &bias) in net.feature_biases.iter().enumerate() {
        let at = network.feature_bias(neuron);
        network.parameters[at] = f32::from(bias) / ONE as f32;
    }
    for (output, stack) in net.stacks.iter().enumerate() {
        let weights = weights_of_output(neurons / 2);
        for (&weight, (neuron, side, pair)) in iter::zip(&stack.l1_weights, weights) {
            let at = network.l1_weight(output, neuron, side, pair);
            network.parameters[at] = f32::from(weight) / ONE as f32;
        }
        network.set_dense(output, &stack.dense);
    }
    Some(network)
}

/// The rounding errors of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    pub positions: usize,
    /// The mean loss in floating point, and in integers.
    pub float_loss: f64,
    pub quantised_loss: f64,
    /// The mean and the largest distance between the evaluations, in centipawns.
    pub mean_distance: f64,
    pub max_distance: f64,
}

impl Comparison {
    /// Evaluates up to `limit` rows, evenly spread, with the network in floating point and in
    /// integers.
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
        let (mut pass, first_layer) = (Pass::new(&network.shape), FirstLayer::new(network));
        let mut sums = Comparison { positions: rows.len(), ..Comparison::default() };
        for (rows, boards) in rows.chunks(CHUNK).zip(boards.chunks(CHUNK)) {
            let outputs = forward(&mut pass, network, &first_layer, rows);
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

/// The board of a row, White to move; `None` if it is illegal, for example with nine pawns.
pub fn board(row: &Row) -> Option<Board> {
    let mut builder = BoardBuilder::new();
    for (piece, square, _) in pieces(row) {
        builder.put(square, piece.color()?, piece.kind()?);
    }
    builder.build().ok()
}
