//! The search stack: what is kept for each ply of the current line.

use std::mem;

use crate::board::{Board, Move};
use crate::score::{MAX_PLY, NO_EVAL, Score};

use super::correction::Indices;
use super::history::{CONTINUED_PLIES, Context, NO_MOVE};
use super::picker::Picker;

/// Frames before the root's: as far as a node looks back.
const BEFORE_ROOT: usize = 6;

/// The static evaluation of a node in its stages, in centipawns; all
/// [`NO_EVAL`] in check.
#[derive(Clone, Copy, Debug)]
pub struct StaticEval {
    /// As the evaluator gave it; this goes into the transposition table.
    pub raw: Score,
    /// With the correction history added, and faded by the fifty-move clock. A known
    /// ending stays as it is.
    pub corrected: Score,
    /// What the correction history added.
    pub correction: Score,
    /// The score in the transposition table where that says more, else `corrected`.
    pub refined: Score,
    /// Whether the pieces left decide the position.
    pub is_known: bool,
}

impl StaticEval {
    /// In check: there is none.
    pub const NONE: StaticEval = StaticEval {
        raw: NO_EVAL,
        corrected: NO_EVAL,
        correction: 0,
        refined: NO_EVAL,
        is_known: false,
    };
}

/// What a node keeps, also for its descendants to see.
pub struct Frame {
    /// The static evaluation of the position.
    pub static_eval: StaticEval,
    /// The move being searched; none for a null move.
    pub mv: Move,
    /// Its cell in the continuation history; [`NO_MOVE`] for a null move.
    pub cell: usize,
    /// The move that a singular search leaves out; none otherwise.
    pub excluded: Move,
    /// Plies since the last capture or pawn move, null moves counted in.
    pub reversible: u16,
    /// Whether the position is or was on a principal variation.
    pub was_pv: bool,
    /// By how many plies the move being searched is reduced; 0 once the node it leads to has
    /// taken it into account.
    reduction: i32,
    /// How often nodes of this ply failed high since their grandparent was entered.
    pub cutoffs: i32,
    /// How often this line was extended by more than one ply.
    pub doubles: i32,
    /// Where the histories of the node's moves are looked up.
    pub context: Context,
    /// Hands out the node's moves.
    pub picker: Picker,
    /// Moves searched here so far without a cutoff.
    pub failed: Vec<Move>,
    /// The principal variation from here, as far as it is known.
    pub pv: Vec<Move>,
}

impl Frame {
    fn new() -> Frame {
        Frame {
            static_eval: StaticEval::NONE,
            mv: Move::NONE,
            cell: NO_MOVE,
            excluded: Move::NONE,
            reversible: 0,
            was_pv: false,
            reduction: 0,
            cutoffs: 0,
            doubles: 0,
            context: Context::empty(),
            picker: Picker::new(),
            failed: Vec::with_capacity(64),
            pv: Vec::with_capacity(MAX_PLY),
        }
    }
}

/// The frames of a line, indexed by ply from the root.
pub struct Frames(Vec<Frame>);

impl Frames {
    /// Room for a line of [`MAX_PLY`] plies and a little more.
    #[must_use]
    pub fn new() -> Frames {
        Frames((0..BEFORE_ROOT + MAX_PLY + 4).map(|_| Frame::new()).collect())
    }

    /// Forgets the last search's line.
    pub fn reset(&mut self) {
        for frame in &mut self.0 {
            frame.static_eval = StaticEval::NONE;
            frame.mv = Move::NONE;
            frame.cell = NO_MOVE;
            frame.excluded = Move::NONE;
            frame.reduction = 0;
            frame.cutoffs = 0;
            frame.doubles = 0;
            frame.pv.clear();
        }
    }

    /// The frame of this ply.
    #[inline]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[BEFORE_ROOT + ply]
    }

    /// The frame `back` (1 to 6) plies before this one.
    #[inline]
    #[must_use]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[BEFORE_ROOT + ply - back]
    }

    /// Notes that the move being searched at this ply is reduced by so many plies.
    #[inline]
    pub fn set_reduction(&mut self, ply: usize, plies: i32) {
        self.at(ply).reduction = plies;
    }

    /// By how many plies the move that led here is reduced. Each node counts that once: when
    /// it verifies its null move, at a depth that already includes it, this is 0 (Stockfish).
    #[inline]
    pub fn take_reduction(&mut self, ply: usize) -> i32 {
        mem::take(&mut self.0[BEFORE_ROOT + ply - 1].reduction)
    }

    /// The cells of the earlier moves under which this ply's moves are looked up.
    #[inline]
    #[must_use]
    pub fn cells_before(&self, ply: usize) -> [usize; CONTINUED_PLIES.len()] {
        CONTINUED_PLIES.map(|back| self.before(ply, back).cell)
    }

    /// Where the corrections of `board` at this ply are looked up.
    #[inline]
    #[must_use]
    pub fn indices(&self, board: &Board, ply: usize) -> Indices {
        Indices::new(board, [1, 2].map(|back| self.before(ply, back).cell))
    }

    /// Makes `mv`, followed by the next ply's line, the line of this ply.
    pub fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.0.split_at_mut(BEFORE_ROOT + ply + 1);
        let pv = &mut head[BEFORE_ROOT + ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&tail[0].pv);
    }
}

impl Default for Frames {
    fn default() -> Frames {
        Frames::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_counts_a_reduction_once() {
        let mut frames = Frames::new();
        frames.set_reduction(3, 2);
        assert_eq!([4, 4].map(|ply| frames.take_reduction(ply)), [2, 0]);
    }
}
