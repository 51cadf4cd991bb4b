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

use crate::board::Board;
use crate::score::Score;
use crate::sys::cpu::{Level, level};

use self::accumulator::Accumulators;
use self::model::Model;
pub use self::network::Network;

/// Evaluates with a network; the first layer follows the moves of a line.
pub struct Nnue {
    model: Model,
    accumulators: Accumulators,
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
        Nnue { model, accumulators }
    }

    /// The evaluation of any position taken apart for people, as the `eval`
    /// command prints it, with scores converted to the centipawns that `shown` makes of
    /// them. The stack plays no part.
    #[must_use]
    pub fn explain(&self, board: &Board, shown: impl Fn(Score) -> i32) -> String {
        explain::picture(&self.model, board, shown)
    }

    /// Starts at a new root. A new evaluator must be reset before it can evaluate.
    pub fn reset(&mut self, board: &Board) {
        self.accumulators.reset(&self.model, board);
    }

    /// Call it before a move, or a null move, is made.
    ///
    /// # Panics
    /// If the line has more than [`MAX_PLY`](crate::score::MAX_PLY) + 7 moves.
    #[inline]
    pub fn push(&mut self) {
        self.accumulators.push();
    }

    /// Takes the last [`push`](Nnue::push) back.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// The evaluation in centipawns for the side to move, within the range of
    /// [`clamp_eval`](crate::score::clamp_eval); a function of the position alone.
    ///
    /// `board` is the position after the moves pushed; the side to move is not in check.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        let neurons = self.accumulators.get(&self.model, board);
        debug_assert_eq!(*neurons, self.model.both_neurons(board));
        self.model.output(neurons, board.side(), network::bucket(board.piece_count()))
    }
}
