//! The mean of several networks.
//!
//! Trainings that begin with the same network end near each other, each with chance errors of
//! its own; in the mean of their weights these partly cancel (Wortsman and others, "Model
//! soups", 2022). Networks that began with different random weights have nothing in common
//! neuron by neuron: their mean is of no use.

use std::path::PathBuf;

use carrybit::eval::nnue::network::QuantisedNet;

use super::error::TrainError;
use super::network_file;

/// The networks.
#[derive(Clone, Debug, clap::Args)]
pub struct AverageArguments {
    /// Networks of trainings that began with the same one, or that one itself
    #[arg(required = true, num_args = 2..)]
    pub nets: Vec<PathBuf>,

    /// Where the result goes
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the mean of the networks, on the scale of the first, and prints its checksum.
///
/// # Errors
/// If a file cannot be read, used or written, or the networks differ in shape.
pub fn run(arguments: &AverageArguments, tell: impl Fn(String)) -> Result<(), TrainError> {
    let mut nets = Vec::new();
    for path in &arguments.nets {
        nets.push(network_file::read(path)?);
        let (found, expected) = (nets[nets.len() - 1].shape, nets[0].shape);
        if found != expected {
            let reason = format!("{}, as in the first", found.difference(&expected));
            return Err(TrainError::Shape { path: path.clone(), reason });
        }
    }
    let net = mean(&nets);
    network_file::write(&arguments.out, &net)?;
    tell(format!("the mean of {} networks, checksum {:08x}", nets.len(), net.checksum()));
    Ok(())
}

/// The mean of networks of one shape, each number rounded to the nearest, from the middle to
/// the even one. Outputs count by their centipawns.
fn mean(nets: &[QuantisedNet]) -> QuantisedNet {
    let mut mean = nets[0].clone();
    let factors: Vec<f64> =
        nets.iter().map(|net| f64::from(net.scale) / f64::from(mean.scale)).collect();
    let of = |factors: &[f64], number: &dyn Fn(&QuantisedNet) -> f64| {
        let sum: f64 = nets.iter().zip(factors).map(|(net, factor)| factor * number(net)).sum();
        (sum / nets.len() as f64).round_ties_even()
    };
    let ones = vec![1.0; nets.len()];
    for (at, weight) in mean.feature_weights.iter_mut().enumerate() {
        *weight = of(&ones, &|net| net.feature_weights[at].into()) as i16;
    }
    for (at, bias) in mean.feature_biases.iter_mut().enumerate() {
        *bias = of(&ones, &|net| net.feature_biases[at].into()) as i16;
    }
    for (at, weight) in mean.output_weights.iter_mut().enumerate() {
        *weight = of(&factors, &|net| net.output_weights[at].into()) as i16;
    }
    for (at, bias) in mean.output_biases.iter_mut().enumerate() {
        *bias = of(&factors, &|net| net.output_biases[at].into()) as i32;
    }
    mean
}

#[cfg(test)]
mod tests {
    use carrybit::eval::nnue::network::{SHAPE, Shape};

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
    fn each_number_is_the_mean_of_all() {
        let nets =
            [net(10, -3, 127, 100_000, 400), net(20, -4, 127, -7, 400), net(33, 4, 127, 0, 400)];
        assert_eq!(mean(&nets), net(21, -1, 127, 33_331, 400));
    }

    #[test]
    fn outputs_of_another_scale_count_by_their_centipawns() {
        let nets = [net(10, 2, 100, 1000, 400), net(20, 2, 100, 1000, 200)];
        assert_eq!(mean(&nets), net(15, 2, 75, 750, 400));
    }
}
