//! Converts a network to another shape; the options that name a shape.

use std::path::PathBuf;

use carrybit::eval::nnue::network::{
    KING_SQUARES, MAX_NEURONS, MAX_ON_BOARD, MAX_THREAT_PLANES, QuantisedNet, Shape,
};

use super::error::TrainError;
use super::model::{BLOCK, FloatNet};
use super::network_file;
use super::quantise::{quantise, widen};

/// The options that change a shape.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ShapeArguments {
    /// Neurons of the first layer, a multiple of 32
    #[arg(long, alias = "hidden", value_parser = neurons)]
    pub neurons: Option<usize>,

    /// The king bucket of each square: ranks from the own side's first, divided by slashes,
    /// each with a digit for the files a (and h) to d (and e). The last rank given holds for
    /// all beyond: 0011/2222/3333
    #[arg(long, value_name = "RANKS", value_parser = king_buckets)]
    pub king_buckets: Option<[u8; KING_SQUARES]>,

    /// Threat inputs: 0 none, 1 for hanging pieces, 2 also for those attacked by a lesser piece
    #[arg(long, value_name = "PLANES", value_parser = clap::value_parser!(u8).range(..=MAX_THREAT_PLANES as i64))]
    pub threats: Option<u8>,

    /// Outputs; the number of pieces decides which one is used
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=MAX_ON_BOARD as i64))]
    pub outputs: Option<u8>,
}

impl ShapeArguments {
    /// The requested shape; values without an option are those of `default`.
    pub fn shape(&self, default: Shape) -> Shape {
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
    if number == 0 || !number.is_multiple_of(BLOCK) || number > MAX_NEURONS {
        return Err(format!("not a multiple of {BLOCK} up to {MAX_NEURONS}"));
    }
    Ok(number)
}

fn king_buckets(text: &str) -> Result<[u8; KING_SQUARES], String> {
    let ranks: Option<Vec<Vec<u8>>> = text
        .split('/')
        .map(|rank| rank.chars().map(|digit| Some(digit.to_digit(36)? as u8)).collect())
        .collect();
    let ranks = ranks.filter(|ranks| ranks.len() <= 8 && ranks.iter().all(|rank| rank.len() == 4));
    let ranks = ranks.ok_or("not up to eight ranks of four digits, as in 0011/2222/3333")?;
    let king_buckets = std::array::from_fn(|sq| ranks[(sq / 4).min(ranks.len() - 1)][sq % 4]);
    let last = *king_buckets.iter().max().expect("32 squares");
    match (0..last).find(|bucket| !king_buckets.contains(bucket)) {
        Some(bucket) => Err(format!("no square has king bucket {bucket}")),
        None => Ok(king_buckets),
    }
}

/// The network and its new shape.
#[derive(Clone, Debug, clap::Args)]
pub struct ConvertArguments {
    /// The network to convert
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// Where the result goes
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// The changes to the shape
    #[command(flatten)]
    pub shape: ShapeArguments,
}

/// Writes the network in another shape.
///
/// # Errors
/// If the network cannot be read or written, or has no meaning in that shape.
pub fn run(arguments: &ConvertArguments, tell: impl Fn(String)) -> Result<(), TrainError> {
    let net = network_file::read(&arguments.old)?;
    let reason = |reason| TrainError::Shape { path: arguments.old.clone(), reason };
    let converted = reshape(&net, &arguments.shape, 1).map_err(reason)?;
    network_file::write(&arguments.new, &quantise(&converted))?;
    tell(format!("from {}\nto   {}", net.shape, converted.shape));
    Ok(())
}

/// The network in floating point, in the shape asked for; see [`FloatNet::reshaped`].
///
/// # Errors
/// If it has no meaning in that shape: what does not fit.
pub fn reshape(
    net: &QuantisedNet,
    arguments: &ShapeArguments,
    seed: u64,
) -> Result<FloatNet, String> {
    let neurons = net.shape.neurons;
    let network = widen(net).ok_or(format!("{neurons} neurons are no multiple of {BLOCK}"))?;
    network.reshaped(arguments.shape(net.shape), seed)
}

#[cfg(test)]
mod tests {
    use carrybit::eval::nnue::network::SHAPE;

    use super::*;

    #[test]
    fn king_buckets_are_read_as_shapes_print_them() {
        for text in ["0000", "0011/2222/3333", "0123/4567/0123/4567/89ab/cdef/ghij/klmn"] {
            let shape = Shape { king_buckets: king_buckets(text).expect("buckets"), ..SHAPE };
            assert!(shape.is_valid());
            assert!(shape.to_string().contains(&format!("king buckets {text},")), "{shape}");
        }
        for wrong in [
            "",
            "000",
            "0000/1",
            "0022",
            "000?",
            "0/0/0/0",
            "0000/0000/0000/0000/0000/0000/0000/0000/0000",
        ] {
            assert!(king_buckets(wrong).is_err(), "{wrong}");
        }
    }
}
