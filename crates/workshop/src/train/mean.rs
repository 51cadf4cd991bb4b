//! Averages networks.
//!
//! Networks that were trained on from the same one lie near each other, and the mean of their
//! weights is often better than each of them (Wortsman et al., "Model soups", 2022).

use std::iter;
use std::path::PathBuf;

use carrybit::internals::eval::nnue::network::{Dense, LayerStack, QuantisedNet};

use crate::error::Error;
use crate::files;
use crate::progress::print_stderr;

#[derive(Clone, Debug, clap::Args)]
pub struct MeanArguments {
    /// The networks, all of the same shape
    #[arg(required = true)]
    pub nets: Vec<PathBuf>,

    /// The file for the result
    #[arg(long, value_name = "NET")]
    pub out: PathBuf,
}

/// Writes the mean of networks.
pub fn run(arguments: &MeanArguments) -> Result<(), Error> {
    let nets = arguments.nets.iter().map(|path| files::read_network(path));
    let nets = nets.collect::<Result<Vec<_>, _>>()?;
    for (net, path) in iter::zip(&nets, &arguments.nets) {
        if net.shape != nets[0].shape {
            return Err(Error::of(path, net.shape.difference(&nets[0].shape)));
        }
    }
    let net = mean(&nets);
    files::write_network(&arguments.out, &net)?;
    let (count, scale, checksum) = (nets.len(), net.scale, net.checksum());
    print_stderr(format_args!(
        "the mean of {count} networks: an output of 1 is worth {scale} cp, checksum {checksum:08x}"
    ));
    Ok(())
}

/// The mean of each number. Integers are rounded, halves to even ones, so that they do not grow.
fn mean(nets: &[QuantisedNet]) -> QuantisedNet {
    let mean_of = |number: &dyn Fn(usize) -> f64| {
        (0..nets.len()).map(number).sum::<f64>() / nets.len() as f64
    };
    let rounded = |number: &dyn Fn(&QuantisedNet) -> i32| {
        mean_of(&|net| number(&nets[net]).into()).round_ties_even() as i32
    };
    let first = &nets[0];
    let stacks = first.stacks.iter().enumerate().map(|(output, stack)| {
        let l1_weights = (0..stack.l1_weights.len())
            .map(|at| rounded(&|net| net.stacks[output].l1_weights[at].into()) as i8)
            .collect();
        let dense: Vec<Vec<f32>> =
            nets.iter().map(|net| net.stacks[output].dense.numbers().collect()).collect();
        let numbers = (0..Dense::NUMBERS).map(|at| mean_of(&|net| dense[net][at].into()) as f32);
        LayerStack { l1_weights, dense: Dense::from_numbers(numbers) }
    });
    QuantisedNet {
        shape: first.shape,
        feature_weights: (0..first.feature_weights.len())
            .map(|at| rounded(&|net| net.feature_weights[at].into()) as i8)
            .collect(),
        feature_biases: (0..first.feature_biases.len())
            .map(|neuron| rounded(&|net| net.feature_biases[neuron].into()) as i16)
            .collect(),
        stacks: stacks.collect(),
        scale: rounded(&|net| net.scale),
    }
}
