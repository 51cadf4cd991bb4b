//! A network with the arithmetic that works it out.

use std::sync::Arc;

use crate::board::{Board, Color};
use crate::score::{self, Score};
use crate::sys::cpu::Level;

use super::features::View;
use super::network::{self, Network, Row};
use super::sight::{Changes, Sight};
use super::simd::Kernels;

/// A network and the kernels that work it out.
pub(super) struct Model {
    network: Arc<Network>,
    kernels: Kernels,
}

impl Model {
    /// The network, worked out with the instructions of that level, as far as the
    /// processor has them.
    pub(super) fn new(network: Arc<Network>, level: Level) -> Model {
        Model { network, kernels: Kernels::new(level) }
    }

    /// The neurons of an empty board.
    pub(super) fn biases(&self) -> &Row {
        &self.network.feature_biases
    }

    /// The neurons of a view after these changes.
    #[inline]
    pub(super) fn update(&self, view: View, from: &Row, to: &mut Row, changes: &Changes) {
        let Network { feature_weights, .. } = &*self.network;
        self.kernels.update(
            from,
            to,
            feature_weights,
            view.turn(),
            changes.added(),
            changes.removed(),
        );
    }

    /// The neurons of one side's view of a position, from scratch.
    pub(super) fn neurons(&self, sight: &Sight, view: View) -> Row {
        let mut changes = Changes::NONE;
        sight.changes_since(&Sight::EMPTY, &mut changes);
        let mut neurons = Row::ZERO;
        self.update(view, self.biases(), &mut neurons, &changes);
        neurons
    }

    /// The neurons of both sides' views, by colour.
    pub(super) fn both_neurons(&self, board: &Board) -> [Row; 2] {
        let sight = Sight::of(board);
        Color::ALL.map(|color| self.neurons(&sight, View::of(board, color)))
    }

    /// What the position is worth to `side`, whose turn it is, in centipawns, by the
    /// output of this `bucket`. `neurons` are by colour of the view.
    #[inline]
    pub(super) fn output(&self, neurons: &[Row; 2], side: Color, bucket: usize) -> Score {
        let (ours, theirs) = (&neurons[side.index()], &neurons[(!side).index()]);
        let Network { output_weights, output_biases, scale, .. } = &*self.network;
        let sum = self.kernels.output(ours, theirs, &output_weights[bucket]);
        score::clamp_eval(network::centipawns(sum, output_biases[bucket], *scale))
    }
}
