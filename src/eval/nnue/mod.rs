//! The evaluation by an efficiently updatable neural network (NNUE; the idea is
//! Yu Nasu's, 2018).
//!
//! [`features`] says what the network sees, [`network`] what it is and what its
//! numbers mean, `quantised` their file, `sight` how one position differs from another,
//! `accumulator` how the first layer follows, [`simd`] has the arithmetic, and `model` puts
//! network and arithmetic together. All of it is on integers, and every processor comes to
//! the same result.
//!
//! The engine's own network lies in `carrybit.nnue`, beside this file; a build embeds
//! another one if `CARRYBIT_EVALFILE` names it.

pub mod features;

pub mod network;

pub mod simd;

mod quantised;

mod model;

mod sight;

mod accumulator;

mod explain;

use std::sync::Arc;

use crate::board::{Board, NoObserver};
use crate::processor::{Level, level};
use crate::score::Score;

use self::accumulator::Accumulators;
use self::model::Model;
pub use self::network::Network;
use super::evaluator::Evaluator;

/// The evaluator that asks a network.
pub struct Nnue {
    model: Model,
    accumulators: Accumulators,
    /// No move need tell what it changes.
    observer: NoObserver,
}

impl Nnue {
    /// An evaluator that asks this network, with the best instructions there are.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Nnue {
        Nnue::with_level(network, level())
    }

    /// An evaluator that asks this network with the instructions of that level, as
    /// far as the processor has them.
    #[must_use]
    pub fn with_level(network: Arc<Network>, level: Level) -> Nnue {
        let model = Model::new(network, level);
        let accumulators = Accumulators::new(&model);
        Nnue { model, accumulators, observer: NoObserver }
    }

    /// The evaluation of any position taken apart for people, as the `eval`
    /// command prints it, with scores converted to the centipawns that `shown` makes of
    /// them. The stack plays no part.
    #[must_use]
    pub fn explain(&self, board: &Board, shown: impl Fn(Score) -> i32) -> String {
        explain::picture(&self.model, board, shown)
    }
}

impl Evaluator for Nnue {
    type Changes = NoObserver;

    fn reset(&mut self, board: &Board) {
        self.accumulators.reset(&self.model, board);
    }

    #[inline]
    fn push(&mut self) -> &mut NoObserver {
        self.accumulators.push();
        &mut self.observer
    }

    #[inline]
    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        let neurons = self.accumulators.get(&self.model, board);
        debug_assert_eq!(*neurons, self.model.both_neurons(board));
        self.model.output(neurons, board.side(), network::bucket(board.piece_count()))
    }
}
