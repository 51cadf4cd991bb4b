//! Averages the weights of several networks.
//!
//! Trainings from a common start end near each other, with independent errors that partly
//! cancel in the mean of the weights (Wortsman and others, "Model soups", 2022). The neurons of
//! networks from different random starts do not correspond, so their mean is useless.

use std::path::PathBuf;

use carrybit::internals::eval::nnue::network::QuantisedNet;

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

/// The mean of networks of one shape, each number rounded half to even. Output weights and
/// biases are first brought to the scale of the first network.
fn mean(nets: &[QuantisedNet]) -> QuantisedNet {
    let mut mean = nets[0].clone();
    let scale = f64::from(mean.scale);
    let mean_of = |number: &dyn Fn(&QuantisedNet) -> f64| {
        (nets.iter().map(number).sum::<f64>() / nets.len() as f64).round_ties_even()
    };
    let factor = |net: &QuantisedNet| f64::from(net.scale) / scale;
    for (at, weight) in mean.feature_weights.iter_mut().enumerate() {
        *weight = mean_of(&|net| net.feature_weights[at].into()) as i16;
    }
    for (at, bias) in mean.feature_biases.iter_mut().enumerate() {
        *bias = mean_of(&|net| net.feature_biases[at].into()) as i16;
    }
    for (at, weight) in mean.output_weights.iter_mut().enumerate() {
        *weight = mean_of(&|net| factor(net) * f64::from(net.output_weights[at])) as i16;
    }
    for (at, bias) in mean.output_biases.iter_mut().enumerate() {
        *bias = mean_of(&|net| factor(net) * f64::from(net.output_biases[at])) as i32;
    }
    mean
}

#[cfg(test)]
mod tests {
    use carrybit::internals::eval::nnue::network::{SHAPE, Shape};

    use super::*;

    fn net(feature: i16, bias: i16, output: i16, output_bias: i32, scale: i32) -> QuantisedNet {
        let mut net = QuantisedNet::zeroed(Shape { neurons: 1, ..SHAPE });
        net.feature_weights[7] = feature;
        net.feature_biases[0] = bias;
        net.output_weights[3] = output;
        net.output_biases[2] = output_bias;
        net.scale = scale;
        net
    }

    #[test]
    fn each_number_is_the_mean() {
        let nets =
            [net(10, -3, 127, 100_000, 400), net(20, -4, 127, -7, 400), net(33, 4, 127, 0, 400)];
        assert_eq!(mean(&nets), net(21, -1, 127, 33_331, 400));
    }

    #[test]
    fn outputs_are_brought_to_the_first_scale() {
        let nets = [net(10, 2, 100, 1000, 400), net(20, 2, 100, 1000, 200)];
        assert_eq!(mean(&nets), net(15, 2, 75, 750, 400));
    }
}
