//! The seam between the search and its judgement.
//!
//! An evaluator keeps what it wants to know incrementally on a stack of its own: the
//! search pushes before a move is made, hands the pushed observer to
//! [`Board::make`], and pops on its way back.

use crate::board::{Board, Observer};
use crate::score::{MAX_PLY, Score};

/// How many positions an evaluator's stack holds: the root, every ply of the
/// search, and a little room for probes beyond the last ply.
pub const STACK_LEN: usize = MAX_PLY + 8;

/// What a position is worth, kept up to date move by move.
///
/// An evaluation is a function of the position alone: neither the path to it
/// nor anything evaluated before may change it. So an evaluator may remember what it
/// likes, and there is nothing to forget before a new game.
pub trait Evaluator: Send + 'static {
    /// What [`Board::make`] reports the changes of a move to.
    type Changes: Observer;

    /// Starts at a new root: computes everything from scratch and forgets the
    /// stack. A new evaluator must be reset before it can evaluate.
    fn reset(&mut self, board: &Board);

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
}
