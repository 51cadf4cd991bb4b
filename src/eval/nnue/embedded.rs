//! The network that the engine embeds, and its shape, which the code is compiled for.

use std::borrow::Cow;

use super::quantised::QuantisedNet;
use super::shape::Shape;

/// The file of the network to embed; empty to count pieces instead.
static FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.nnue"));

/// The shape of the engine's network: that of the file to embed. An impossible one fails the build.
pub const SHAPE: Shape = if FILE.is_empty() { Shape::DEFAULT } else { Shape::of_file(FILE) };

/// Neurons of the first layer of the engine's network, for each perspective.
pub const L1: usize = SHAPE.neurons;

/// The number of king buckets of the engine's network.
pub const KING_BUCKETS: usize = SHAPE.king_bucket_count();

/// Features of the engine's network, for each perspective.
pub const FEATURES: usize = SHAPE.feature_count();

/// The neurons of the engine's network are a multiple, for whole vector registers of activations.
pub const ENGINE_NEURONS: usize = 128;

const _: () = assert!(L1.is_multiple_of(ENGINE_NEURONS), "the neurons must be a multiple of 128");

/// The file of the engine's network.
pub(super) fn embedded_file() -> Cow<'static, [u8]> {
    match FILE {
        [] => QuantisedNet::material(SHAPE).to_bytes().into(),
        file => file.into(),
    }
}
