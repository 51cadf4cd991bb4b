//! The evaluation by an efficiently updatable neural network (NNUE; the idea is
//! Yu Nasu's, 2018).
//!
//! [`features`] says what the network sees, [`network`] what it is and what its
//! numbers mean, `accumulator` how its first layer follows the moves, and
//! [`simd`] has the arithmetic. All of it is on integers, and every processor
//! comes to the same result.
//!
//! The engine's own network lies in `carrybit.nnue`, beside this file.

pub mod features;

pub mod network;

pub mod simd;

mod accumulator;

mod explain;

use std::sync::Arc;

use crate::board::{Board, Color};
use crate::processor::{Level, level};
use crate::score::{self, Score};

use self::accumulator::Accumulators;
pub use self::accumulator::Changes;
use self::features::View;
pub use self::network::Network;
use self::network::Row;
use self::simd::Kernels;
use super::Evaluator;

/// A network and the kernels that work it out.
struct Model {
    network: Arc<Network>,
    kernels: Kernels,
}

impl Model {
    /// The weights of a feature.
    #[inline]
    fn row(&self, feature: usize) -> &Row {
        &self.network.feature_weights[feature]
    }

    /// The neurons of one side's view of a position, from scratch.
    fn neurons(&self, board: &Board, color: Color) -> Row {
        let mut neurons = self.network.feature_biases;
        for feature in View::of(board, color).active(board) {
            self.kernels.add(&mut neurons, self.row(feature));
        }
        neurons
    }

    /// What the position is worth to `side`, whose turn it is, in centipawns, by the
    /// output of this `bucket`. `neurons` are by colour of the view.
    #[inline]
    fn output(&self, neurons: &[Row; 2], side: Color, bucket: usize) -> Score {
        let (ours, theirs) = (&neurons[side.index()], &neurons[(!side).index()]);
        let sum = self.kernels.output(ours, theirs, &self.network.output_weights[bucket]);
        score::clamp_eval(network::centipawns(sum, self.network.output_biases[bucket]))
    }
}

/// The evaluator that asks a network.
pub struct Nnue {
    model: Model,
    accumulators: Accumulators,
}

impl Nnue {
    /// An evaluator that asks this network with the instructions of that level, as
    /// far as the processor has them. It must be [reset](Evaluator::reset) to a
    /// position before it can evaluate.
    #[must_use]
    pub fn with_level(network: Arc<Network>, level: Level) -> Nnue {
        let model = Model { network, kernels: Kernels::new(level) };
        Nnue { model, accumulators: Accumulators::new() }
    }
}

impl Evaluator for Nnue {
    type Changes = Changes;

    fn with_network(network: &Arc<Network>) -> Nnue {
        Nnue::with_level(Arc::clone(network), level())
    }

    fn describe(network: &Network) -> String {
        format!("network {:08x}", network.checksum())
    }

    fn reset(&mut self, board: &Board) {
        self.accumulators.reset(&self.model, board);
    }

    /// There is nothing to forget: no cache pays, for evaluating costs too little.
    fn clear(&mut self) {}

    #[inline]
    fn push(&mut self) -> &mut Changes {
        self.accumulators.push()
    }

    #[inline]
    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        let neurons = self.accumulators.get(&self.model, board);
        debug_assert_eq!(*neurons, Color::ALL.map(|color| self.model.neurons(board, color)));
        self.model.output(neurons, board.side(), network::bucket(board.piece_count()))
    }

    fn explain(&self, board: &Board) -> String {
        explain::picture(&self.model, board)
    }
}
