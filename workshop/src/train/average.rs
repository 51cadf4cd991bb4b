//! Averages the weights of several networks.
//!
//! Trainings from a common start end near each other, with independent errors that partly
//! cancel in the mean of the weights (Wortsman and others, "Model soups", 2022). The neurons of
//! networks from different random starts do not correspond, so their mean is useless.

use std::path::PathBuf;

use carrybit::internals::eval::nnue::network::{Dense, QuantisedNet};

use super::error::TrainError;
use super::network_file;
use crate::progress::print_stderr;

/// The networks.
#[derive(Clone, Debug, clap::Args)]
pub struct AverageArguments {
    /// Networks trained from a common start; the start itself may be among them
    #[arg(required = true, num_args = 2..)]
    pub nets: Vec<PathBuf>,

    /// The file for the result
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the mean of the networks, on the scale of the first, and prints its checksum.
pub fn run(arguments: &AverageArguments) -> Result<(), TrainError> {
    let mut nets: Vec<QuantisedNet> = Vec::new();
    for path in &arguments.nets {
        let net = network_file::read(path)?;
        if let Some(first) = nets.first().filter(|first| first.shape != net.shape) {
            let reason = format!("{}, as in the first", net.shape.difference(&first.shape));
            return Err(TrainError::Shape(path.clone(), reason));
        }
        nets.push(net);
    }
    let net = mean(&nets);
    network_file::write(&arguments.out, &net)?;
    let checksum = net.checksum();
    print_stderr(format_args!("the mean of {} networks, checksum {checksum:08x}", nets.len()));
    Ok(())
}

/// The mean of networks of one shape, integers rounded half to even. The weights and biases of
/// outputs are first brought to the scale of the first network.
fn mean(nets: &[QuantisedNet]) -> QuantisedNet {
    let mut mean = nets[0].clone();
    let scale = f64::from(mean.scale);
    let mean_of = |number: &dyn Fn(&QuantisedNet) -> f64| {
        nets.iter().map(number).sum::<f64>() / nets.len() as f64
    };
    let rounded = |number: &dyn Fn(&QuantisedNet) -> f64| mean_of(number).round_ties_even();
    for (at, weight) in mean.feature_weights.iter_mut().enumerate() {
        *weight = rounded(&|net| net.feature_weights[at].into()) as i8;
    }
    for (at, bias) in mean.feature_biases.iter_mut().enumerate() {
        *bias = rounded(&|net| net.feature_biases[at].into()) as i16;
    }
    for (output, stack) in mean.stacks.iter_mut().enumerate() {
        for (at, weight) in stack.l1_weights.iter_mut().enumerate() {
            *weight = rounded(&|net| net.stacks[output].l1_weights[at].into()) as i8;
        }
        let scaled = nets.iter().map(|net| {
            let factor = (f64::from(net.scale) / scale) as f32;
            let mut dense = net.stacks[output].dense;
            dense.l3_weights = dense.l3_weights.map(|weight| weight * factor);
            dense.l3_bias *= factor;
            dense.numbers().collect::<Vec<f32>>()
        });
        let scaled: Vec<Vec<f32>> = scaled.collect();
        let numbers = (0..Dense::NUMBERS)
            .map(|at| scaled.iter().map(|numbers| numbers[at]).sum::<f32>() / nets.len() as f32);
        stack.dense = Dense::from_numbers(numbers);
    }
    mean
}

#[cfg(test)]
mod tests {
    use carrybit::internals::eval::nnue::network::{SHAPE, Shape};

    use super::*;

    fn net(feature: i8, bias: i16, l1_weight: i8, numbers: [f32; 2], scale: i32) -> QuantisedNet {
        let mut net = QuantisedNet::zeroed(Shape { neurons: 2, ..SHAPE });
        net.feature_weights[7] = feature;
        net.feature_biases[0] = bias;
        net.stacks[1].l1_weights[3] = l1_weight;
        let dense = &mut net.stacks[2].dense;
        [dense.l2_weights[5][1], dense.l3_weights[4]] = numbers;
        dense.l3_bias = numbers[1];
        net.scale = scale;
        net
    }

    #[test]
    fn each_number_is_the_mean() {
        let nets = [
            net(10, -3, 127, [1.0, 2.0], 400),
            net(20, -4, 127, [2.0, -2.0], 400),
            net(33, 4, 126, [6.0, 6.0], 400),
        ];
        assert_eq!(mean(&nets), net(21, -1, 127, [3.0, 2.0], 400));
    }

    #[test]
    fn outputs_are_brought_to_the_first_scale() {
        let nets = [net(10, 2, 100, [4.0, 2.0], 400), net(20, 2, 100, [4.0, 2.0], 200)];
        assert_eq!(mean(&nets), net(15, 2, 100, [4.0, 1.5], 400));
    }
}
