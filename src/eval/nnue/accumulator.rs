//! The evaluator: a stack of accumulators, two for each position of the line.
//!
//! Updates are lazy: an accumulator is computed when its position is evaluated, from the last
//! position of the line that has one. The changed features come from diffing two
//! [`FeatureState`]s, not from the moves. If the king enters another king bucket or another
//! half of the board, its perspective changes. Then a refresh starts from the last accumulator
//! of the new perspective (Finny table).

use std::sync::Arc;

use crate::score::{self, MAX_PLY, Score};
use carrybit_board::cpu::{Level, level};
use carrybit_board::{Board, Color};

use super::feature_state::{FeatureDiff, FeatureState};
use super::features::{PERSPECTIVES, Perspective};
use super::network::{Accumulator, Network, SHAPE, centipawns};
use super::simd::Kernels;

/// The root, each ply of the search, and a few plies beyond.
const STACK_LEN: usize = MAX_PLY + 8;

#[derive(Clone, Debug)]
struct AccumulatorEntry {
    /// If false, the other fields are those of an earlier position.
    is_computed: bool,
    state: FeatureState,
    perspectives: [Perspective; 2],
    accumulators: [Accumulator; 2],
}

/// An entry of the Finny table: the last accumulator of a perspective, and its position.
#[derive(Clone, Debug)]
struct RefreshEntry {
    state: FeatureState,
    accumulator: Accumulator,
}

/// The evaluator: a network, and the accumulators of a line of moves.
pub struct Nnue {
    network: Arc<Network>,
    kernels: Kernels,
    /// From the root to the current position, which is at `ply`.
    stack: Box<[AccumulatorEntry]>,
    ply: usize,
    /// The Finny table, by [`Perspective::index`].
    refresh_table: Box<[RefreshEntry]>,
    /// Scratch memory.
    diff: FeatureDiff,
}

impl Nnue {
    /// An evaluator with the vector instructions [in use](level).
    pub fn new(network: Arc<Network>) -> Nnue {
        Nnue::with_level(network, level())
    }

    /// An evaluator with the instructions of `level`, or portable code if the processor lacks
    /// them.
    pub fn with_level(network: Arc<Network>, level: Level) -> Nnue {
        let board = Board::default();
        let entry = AccumulatorEntry {
            is_computed: false,
            state: FeatureState::EMPTY,
            perspectives: Color::ALL.map(|color| Perspective::of(&board, color)),
            accumulators: [network.feature_biases; 2],
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

    /// Sets a new root. Call it before the first evaluation.
    pub fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.enter(board);
        for color in Color::ALL {
            self.refresh(color);
        }
    }

    /// Adds an entry to the stack, for the position after a move. A null move needs none, as it
    /// changes no feature.
    ///
    /// # Panics
    /// If the line has more than [`MAX_PLY`] + 7 moves.
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
    /// [`clamp_eval`](score::clamp_eval); a function of the position alone.
    ///
    /// `board` is the position after the moves pushed; its side to move is not in check.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        self.prepare(board);
        let accumulators = &self.stack[self.ply].accumulators;
        debug_assert_eq!(*accumulators, self.compute_from_scratch(board, &FeatureState::of(board)));
        self.output(accumulators, board.side(), SHAPE.output_bucket(board.piece_count()))
    }

    /// Computes the accumulators of the current position, if they are not yet.
    #[inline]
    pub fn prepare(&mut self, board: &Board) {
        if !self.stack[self.ply].is_computed {
            self.compute(board);
        }
    }

    /// The evaluation in centipawns for `side`, the side to move, by one output bucket.
    #[inline]
    pub(super) fn output(
        &self,
        accumulators: &[Accumulator; 2],
        side: Color,
        bucket: usize,
    ) -> Score {
        let (ours, theirs) = (&accumulators[side.index()], &accumulators[(!side).index()]);
        let output = self.kernels.output(ours, theirs, &self.network.stacks[bucket]);
        score::clamp_eval(centipawns(output, self.network.scale))
    }

    /// The accumulators of a state, with the kings of `board`.
    pub(super) fn compute_from_scratch(
        &self,
        board: &Board,
        state: &FeatureState,
    ) -> [Accumulator; 2] {
        let (weights, biases) = (&self.network.feature_weights, &self.network.feature_biases);
        let mut diff = FeatureDiff::NONE;
        state.diff(&FeatureState::EMPTY, &mut diff);
        Color::ALL.map(|color| {
            let perspective = Perspective::of(board, color);
            let mut accumulator = *biases;
            self.kernels.update(biases, &mut accumulator, weights, perspective, &diff);
            accumulator
        })
    }

    /// Fills the current entry for `board`, except for the accumulators, which the caller computes.
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
        let weights = &self.network.feature_weights;
        let (before, current) = self.stack.split_at_mut(self.ply);
        let AccumulatorEntry { state, perspectives, accumulators, .. } = &mut current[0];
        let last = before.iter().rev().find(|entry| entry.is_computed).expect("the root is ready");
        self.kernels.diff(&last.state, state, &mut self.diff);
        let needs_refresh = [0, 1].map(|side| last.perspectives[side] != perspectives[side]);
        for side in [0, 1].into_iter().filter(|&side| !needs_refresh[side]) {
            let (from, to) = (&last.accumulators[side], &mut accumulators[side]);
            self.kernels.update(from, to, weights, perspectives[side], &self.diff);
        }
        for color in Color::ALL {
            if needs_refresh[color.index()] {
                self.refresh(color);
            }
        }
    }

    /// Computes one accumulator of the current position from the Finny table.
    #[cold]
    fn refresh(&mut self, color: Color) {
        let weights = &self.network.feature_weights;
        let AccumulatorEntry { state, perspectives, accumulators, .. } = &mut self.stack[self.ply];
        let perspective = perspectives[color.index()];
        let accumulator = &mut accumulators[color.index()];
        let last = &mut self.refresh_table[perspective.index()];
        self.kernels.diff(&last.state, state, &mut self.diff);
        self.kernels.update(&last.accumulator, accumulator, weights, perspective, &self.diff);
        *last = RefreshEntry { state: *state, accumulator: *accumulator };
    }
}
