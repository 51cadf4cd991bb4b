//! The evaluator: accumulators of each position of the line, for both perspectives.
//!
//! From one position to the next few features change, so an accumulator follows from that of
//! the last position that has one. Updates are computed by diffing [`FeatureState`]s, not from
//! the moves, and positions that are never evaluated cost nothing.

use std::sync::Arc;

use crate::board::{Board, Color};
use crate::score::{self, MAX_PLY, Score};
use crate::sys::cpu::{Level, level};

use super::feature_state::{FeatureDiff, FeatureState};
use super::features::{PERSPECTIVES, Perspective};
use super::network::{Accumulator, Network, SHAPE, centipawns};
use super::simd::Kernels;

/// The root, each ply of the search, and a few plies of probes beyond the last one.
const STACK_LEN: usize = MAX_PLY + 8;

/// A position of the line.
#[derive(Clone, Debug)]
struct AccumulatorEntry {
    /// Whether the rest belongs to the position.
    is_computed: bool,
    state: FeatureState,
    perspectives: [Perspective; 2],
    accumulators: [Accumulator; 2],
}

/// The last accumulator of a perspective.
#[derive(Clone, Debug)]
struct RefreshEntry {
    state: FeatureState,
    accumulator: Accumulator,
}

/// Evaluates with a network; the first layer follows the moves of a line.
pub struct Nnue {
    network: Arc<Network>,
    kernels: Kernels,
    /// From the root to the current position, which is at `ply`.
    stack: Box<[AccumulatorEntry]>,
    ply: usize,
    /// By [`Perspective::index`], for kings that change the perspective (Finny table).
    refresh_table: Box<[RefreshEntry]>,
    /// Room to work in.
    diff: FeatureDiff,
}

impl Nnue {
    /// An evaluator with the best instructions of the processor.
    pub fn new(network: Arc<Network>) -> Nnue {
        Nnue::with_level(network, level())
    }

    /// An evaluator with the instructions of that level, as far as the processor has them.
    pub fn with_level(network: Arc<Network>, level: Level) -> Nnue {
        let board = Board::default();
        let entry = AccumulatorEntry {
            is_computed: false,
            state: FeatureState::EMPTY,
            perspectives: Color::ALL.map(|color| Perspective::of(&board, color)),
            accumulators: [Accumulator::ZERO; 2],
        };
        let refresh =
            RefreshEntry { state: FeatureState::EMPTY, accumulator: network.feature_biases };
        Nnue {
            network,
            kernels: Kernels::new(level),
            stack: vec![entry; STACK_LEN].into_boxed_slice(),
            ply: 0,
            refresh_table: vec![refresh; PERSPECTIVES].into_boxed_slice(),
            diff: FeatureDiff::NONE,
        }
    }

    /// Starts at a new root. A new evaluator must be reset before it can evaluate.
    pub fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.enter(board);
        for color in Color::ALL {
            self.refresh(color);
        }
    }

    /// Call it before a move, or a null move, is made.
    ///
    /// # Panics
    /// If the line has more than [`MAX_PLY`](crate::score::MAX_PLY) + 7 moves.
    #[inline]
    pub fn push(&mut self) {
        self.ply += 1;
        self.stack[self.ply].is_computed = false;
    }

    /// Takes the last [`push`](Nnue::push) back.
    #[inline]
    pub fn pop(&mut self) {
        self.ply -= 1;
    }

    /// The evaluation in centipawns for the side to move, within the range of
    /// [`clamp_eval`](crate::score::clamp_eval); a function of the position alone.
    ///
    /// `board` is the position after the moves pushed; the side to move is not in check.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        if !self.stack[self.ply].is_computed {
            self.compute(board);
        }
        let accumulators = &self.stack[self.ply].accumulators;
        debug_assert_eq!(*accumulators, self.compute_from_scratch(board, &FeatureState::of(board)));
        self.output(accumulators, board.side(), SHAPE.output_bucket(board.piece_count()))
    }

    /// The value for `side`, whose turn it is, in centipawns, by one of the outputs.
    #[inline]
    pub(super) fn output(
        &self,
        accumulators: &[Accumulator; 2],
        side: Color,
        output: usize,
    ) -> Score {
        let (ours, theirs) = (&accumulators[side.index()], &accumulators[(!side).index()]);
        let Network { output_weights, output_biases, scale, .. } = &*self.network;
        let sum = self.kernels.output(ours, theirs, &output_weights[output]);
        score::clamp_eval(centipawns(sum, output_biases[output], *scale))
    }

    /// The accumulators of a state, with the kings of `board`.
    pub(super) fn compute_from_scratch(
        &self,
        board: &Board,
        state: &FeatureState,
    ) -> [Accumulator; 2] {
        let Network { feature_weights, feature_biases, .. } = &*self.network;
        let mut diff = FeatureDiff::NONE;
        state.diff(&FeatureState::EMPTY, &mut diff);
        Color::ALL.map(|color| {
            let perspective = Perspective::of(board, color);
            let mut accumulator = Accumulator::ZERO;
            self.kernels.update(
                feature_biases,
                &mut accumulator,
                feature_weights,
                perspective,
                &diff,
            );
            accumulator
        })
    }

    /// Makes `board` the current position, its accumulators yet to be computed.
    #[inline]
    fn enter(&mut self, board: &Board) {
        let entry = &mut self.stack[self.ply];
        entry.is_computed = true;
        entry.state = FeatureState::of(board);
        entry.perspectives = Color::ALL.map(|color| Perspective::of(board, color));
    }

    /// Computes the accumulators from the last position that has them.
    fn compute(&mut self, board: &Board) {
        self.enter(board);
        let (before, current) = self.stack.split_at_mut(self.ply);
        let current = &mut current[0];
        let known = before.iter().rev().find(|entry| entry.is_computed).expect("the root is");
        current.state.diff(&known.state, &mut self.diff);
        let needs_refresh =
            [0, 1].map(|side| known.perspectives[side] != current.perspectives[side]);
        for side in [0, 1].into_iter().filter(|&side| !needs_refresh[side]) {
            self.kernels.update(
                &known.accumulators[side],
                &mut current.accumulators[side],
                &self.network.feature_weights,
                current.perspectives[side],
                &self.diff,
            );
        }
        for color in Color::ALL {
            if needs_refresh[color.index()] {
                self.refresh(color);
            }
        }
    }

    /// Computes one accumulator of the current position from the last of its perspective.
    #[cold]
    fn refresh(&mut self, color: Color) {
        let AccumulatorEntry { state, perspectives, accumulators, .. } = &mut self.stack[self.ply];
        let perspective = perspectives[color.index()];
        let accumulator = &mut accumulators[color.index()];
        let last = &mut self.refresh_table[perspective.index()];
        state.diff(&last.state, &mut self.diff);
        self.kernels.update(
            &last.accumulator,
            accumulator,
            &self.network.feature_weights,
            perspective,
            &self.diff,
        );
        *last = RefreshEntry { state: *state, accumulator: *accumulator };
    }
}
