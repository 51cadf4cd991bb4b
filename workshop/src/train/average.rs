//! The mean of several networks.
//!
//! Trainings that begin with the same network end near each other, each with chance errors of
//! its own; in the mean of their weights these partly cancel (Wortsman and others, "Model
//! soups", 2022). Networks that began with different random weights have nothing in common
//! neuron by neuron: their mean is of no use.

use std::path::PathBuf;

use carrybit::eval::nnue::network::QuantisedNet;

use super::run::{TrainError, file_error, read_network};
use crate::files::replace_file;

/// Which networks.
#[derive(Clone, Debug, clap::Args)]
pub struct AverageArguments {
    /// Networks of trainings that began with the same one
    #[arg(required = true, num_args = 2..)]
    pub nets: Vec<PathBuf>,

    /// Where the result goes
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the mean of the networks, and tells its checksum.
///
/// # Errors
/// If a file cannot be read, used or written, or the networks differ in size or scale.
pub fn run(arguments: &AverageArguments, tell: impl Fn(String)) -> Result<(), TrainError> {
    let nets = arguments
        .nets
        .iter()
        .map(|path| read_network(path))
        .collect::<Result<Vec<_>, TrainError>>()?;
    for (net, path) in nets.iter().zip(&arguments.nets) {
        let (shape, expected) = ((net.hidden, net.scale), (nets[0].hidden, nets[0].scale));
        if shape != expected {
            return Err(TrainError::Shape { path: path.clone(), found: shape, expected });
        }
    }
    let net = mean(&nets);
    net.check().map_err(TrainError::Unfit)?;
    replace_file(&arguments.out, &net.to_bytes()).map_err(file_error(&arguments.out))?;
    tell(format!("the mean of {} networks, checksum {:08x}", nets.len(), net.checksum()));
    Ok(())
}

/// The mean of networks of one shape, each number rounded to the nearest, from the
/// middle to the even one.
fn mean(nets: &[QuantisedNet]) -> QuantisedNet {
    let weights = |of: fn(&QuantisedNet) -> &[i16]| -> Vec<i16> {
        let number = |index: usize| nets.iter().map(move |net| f64::from(of(net)[index]));
        (0..of(&nets[0]).len()).map(|index| rounded_mean(number(index)) as i16).collect()
    };
    let mut net = nets[0].clone();
    net.feature_weights = weights(|net| &net.feature_weights);
    net.feature_biases = weights(|net| &net.feature_biases);
    net.output_weights = weights(|net| &net.output_weights);
    for (bucket, bias) in net.output_biases.iter_mut().enumerate() {
        *bias = rounded_mean(nets.iter().map(|net| f64::from(net.output_biases[bucket]))) as i32;
    }
    net
}

fn rounded_mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.sum::<f64>() / count).round_ties_even()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_the_mean_of_all() {
        let net = |feature, bias, output, output_bias| {
            let mut net = QuantisedNet::zeroed(1);
            net.feature_weights[7] = feature;
            net.feature_biases[0] = bias;
            net.output_weights[3] = output;
            net.output_biases[2] = output_bias;
            net
        };
        let nets = [net(10, -3, 127, 100_000), net(20, -4, 127, -7), net(33, 4, 127, 0)];
        assert_eq!(mean(&nets), net(21, -1, 127, 33_331));
    }
}
