//! What a position is worth: the seam between the search and its judgement.
//!
//! The search is generic over [`Evaluator`], so one can be replaced by another
//! without a line of the search changing. An evaluator keeps what it wants to
//! know incrementally on a stack of its own: the search pushes before a move is
//! made, hands the pushed observer to [`Board::make`], and pops on its way back.
//!
//! There are two: [`Nnue`] asks a network, and [`Hce`] is hand-crafted.

pub mod hce;

pub mod nnue;

pub use hce::Hce;
pub use nnue::Nnue;

use std::sync::Arc;

use crate::board::{Board, Observer};
use crate::score::{MAX_PLY, Score};

use nnue::Network;

/// How many positions an evaluator's stack holds: the root, every ply of the
/// search, and a little room for probes beyond the last ply.
pub const STACK_LEN: usize = MAX_PLY + 8;

/// What a position is worth, kept up to date move by move.
///
/// An evaluation is a function of the position alone: neither the path to it
/// nor anything evaluated before may change it.
pub trait Evaluator: Send + 'static {
    /// What [`Board::make`] reports the changes of a move to.
    type Changes: Observer;

    /// An evaluator with empty caches; it uses the network if it has use for one.
    /// It must be [reset](Evaluator::reset) to a position before it can evaluate.
    fn with_network(network: &Arc<Network>) -> Self
    where
        Self: Sized;

    /// What an evaluator with that network goes by, in a few words.
    fn describe(network: &Network) -> String
    where
        Self: Sized;

    /// Starts at a new root: computes everything from scratch and forgets the
    /// stack. Caches stay, they hold no more than was true before.
    fn reset(&mut self, board: &Board);

    /// Empties all caches, as for a new game.
    fn clear(&mut self);

    /// A move is about to be made: the observer of its changes. For a null move
    /// no change is reported.
    ///
    /// # Panics
    /// If the stack of [`STACK_LEN`] positions is full.
    fn push(&mut self) -> &mut Self::Changes;

    /// Back to the position before the last [`push`](Evaluator::push).
    fn pop(&mut self);

    /// Centipawns from the side to move's view, a pawn being worth about 100,
    /// within the range of [`clamp_eval`](crate::score::clamp_eval).
    ///
    /// `board` is the position that the stack has arrived at. It is never asked
    /// for when the side to move is in check.
    fn evaluate(&mut self, board: &Board) -> Score;

    /// The evaluation of any position taken apart for people, as the `eval`
    /// command prints it. The stack plays no part.
    fn explain(&self, board: &Board) -> String;
}
