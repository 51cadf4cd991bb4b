//! A network with the arithmetic that works it out.

use std::sync::Arc;

use crate::board::{Board, Color};
use crate::processor::Level;
use crate::score::{self, Score};

use super::features::View;
use super::network::{self, Network, Row};
use super::simd::Kernels;

/// A network and the kernels that work it out.
pub(super) struct Model {
    network: Arc<Network>,
    pub(super) kernels: Kernels,
}

impl Model {
    /// The network, worked out with the instructions of that level, as far as the
    /// processor has them.
    pub(super) fn new(network: Arc<Network>, level: Level) -> Model {
        Model { network, kernels: Kernels::new(level) }
    }

    /// The weights of a feature.
    #[inline]
    pub(super) fn row(&self, feature: usize) -> &Row {
        &self.network.feature_weights[feature]
    }

    /// The neurons of one side's view of a position, from scratch.
    pub(super) fn neurons(&self, board: &Board, color: Color) -> Row {
        let mut neurons = self.network.feature_biases;
        for feature in View::of(board, color).active(board) {
            self.kernels.add(&mut neurons, self.row(feature));
        }
        neurons
    }

    /// What the position is worth to `side`, whose turn it is, in centipawns, by the
    /// output of this `bucket`. `neurons` are by colour of the view.
    #[inline]
    pub(super) fn output(&self, neurons: &[Row; 2], side: Color, bucket: usize) -> Score {
        let (ours, theirs) = (&neurons[side.index()], &neurons[(!side).index()]);
        let sum = self.kernels.output(ours, theirs, &self.network.output_weights[bucket]);
        score::clamp_eval(network::centipawns(sum, self.network.output_biases[bucket]))
    }
}
