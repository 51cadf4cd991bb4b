//! Converts a network to another shape, and defines the options of a shape.

use std::path::{Path, PathBuf};

use carrybit::internals::eval::nnue::network::{
    KING_SQUARES, MAX_NEURONS, MAX_ON_BOARD, MAX_THREAT_PLANES, Shape,
};

use super::model::{FloatNet, PAIR};
use super::quantise::{dequantise, quantise};
use crate::error::Error;
use crate::files;
use crate::progress::print_stderr;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct ShapeArguments {
    /// Neurons of the first layer, a multiple of 64
    #[arg(long, value_parser = neurons)]
    pub neurons: Option<usize>,

    /// The king bucket of each square, such as 0011/2222/3333: one group for each rank, from
    /// the side's first rank on; in a group one digit each for the files a and h, b and g, c
    /// and f, d and e. The last group holds for all further ranks
    #[arg(long, value_name = "RANKS", value_parser = king_buckets)]
    pub king_buckets: Option<[u8; KING_SQUARES]>,

    /// Threat inputs: 0 for none, 1 for hanging pieces, 2 also for pieces attacked by a lesser
    /// piece
    #[arg(
        long,
        value_name = "PLANES",
        value_parser = clap::value_parser!(u8).range(..=MAX_THREAT_PLANES as i64)
    )]
    pub threats: Option<u8>,

    /// Outputs; the number of pieces selects one
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=MAX_ON_BOARD as i64))]
    pub outputs: Option<u8>,
}

impl ShapeArguments {
    /// The requested shape; `default` fills in missing options.
    pub fn or(&self, default: Shape) -> Shape {
        Shape {
            neurons: self.neurons.unwrap_or(default.neurons),
            king_buckets: self.king_buckets.unwrap_or(default.king_buckets),
            threat_planes: self.threats.map_or(default.threat_planes, usize::from),
            outputs: self.outputs.map_or(default.outputs, usize::from),
        }
    }
}

fn neurons(text: &str) -> Result<usize, String> {
    let number: usize = text.parse().map_err(|error| format!("{error}"))?;
    if number == 0 || !number.is_multiple_of(PAIR) || number > MAX_NEURONS {
        return Err(format!("must be a multiple of {PAIR} up to {MAX_NEURONS}"));
    }
    Ok(number)
}

fn king_buckets(text: &str) -> Result<[u8; KING_SQUARES], String> {
    let ranks: Option<Vec<Vec<u8>>> = text
        .split('/')
        .map(|rank| rank.chars().map(|digit| Some(digit.to_digit(36)? as u8)).collect())
        .collect();
    let ranks = ranks.filter(|ranks| ranks.len() <= 8 && ranks.iter().all(|rank| rank.len() == 4));
    let ranks =
        ranks.ok_or("must be one to eight groups of four digits, such as 0011/2222/3333")?;
    let king_buckets = std::array::from_fn(|sq| ranks[(sq / 4).min(ranks.len() - 1)][sq % 4]);
    let last = *king_buckets.iter().max().expect("32 squares");
    match (0..last).find(|bucket| !king_buckets.contains(bucket)) {
        Some(bucket) => Err(format!("no square has king bucket {bucket}")),
        None => Ok(king_buckets),
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct ConvertArguments {
    /// The network to convert
    pub old: PathBuf,

    /// The file for the result
    pub new: PathBuf,

    #[command(flatten)]
    pub shape: ShapeArguments,
}

/// Writes the network in another shape.
pub fn run(arguments: &ConvertArguments) -> Result<(), Error> {
    let (old, converted) = read(&arguments.old, &arguments.shape, 1)?;
    files::write_network(&arguments.new, &quantise(&converted))?;
    print_stderr(format_args!("from {old}\nto   {}", converted.shape));
    Ok(())
}

/// Reads a network and converts it to the requested shape ([`FloatNet::reshaped`]). Also
/// returns its old shape.
pub fn read(
    path: &Path,
    arguments: &ShapeArguments,
    seed: u64,
) -> Result<(Shape, FloatNet), Error> {
    let net = files::read_network(path)?;
    let fail = |reason| Error::of(path, reason);
    let neurons = net.shape.neurons;
    let network = dequantise(&net)
        .ok_or_else(|| fail(format!("{neurons} neurons are not a multiple of {PAIR}")))?;
    let network = network.reshaped(arguments.or(net.shape), seed).map_err(fail)?;
    Ok((net.shape, network))
}

#[cfg(test)]
mod tests {
    use carrybit::internals::eval::nnue::network::SHAPE;

    use super::*;

    #[test]
    fn king_buckets_are_parsed_as_shapes_print_them() {
        for text in ["0000", "0011/2222/3333", "0123/4567/0123/4567/89ab/cdef/ghij/klmn"] {
            let shape = Shape { king_buckets: king_buckets(text).expect("buckets"), ..SHAPE };
            assert!(shape.is_valid());
            assert!(shape.to_string().contains(&format!("king buckets {text},")), "{shape}");
        }
        let nine_ranks = ["0000"; 9].join("/");
        for wrong in ["", "000", "0000/1", "0022", "000?", "0/0/0/0", &nine_ranks] {
            assert!(king_buckets(wrong).is_err(), "{wrong}");
        }
    }
}
