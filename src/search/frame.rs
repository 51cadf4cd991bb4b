//! What the search keeps for each ply of its current line.

use crate::board::Move;
use crate::score::{MAX_PLY, Score, UNKNOWN};

use super::picker::Picker;

/// Frames before the root's: `ply - 1` and `ply - 2` always exist.
const BEFORE_ROOT: usize = 2;

/// What a node leaves for its descendants to see.
pub struct Frame {
    /// Static evaluation of the position; [`UNKNOWN`] in check.
    pub eval: Score,
    /// The move being searched; none for a null move.
    pub mv: Move,
    /// The node's moves.
    pub picker: Picker,
    /// Quiet moves searched here so far without a cut-off.
    pub failed_quiets: Vec<Move>,
    /// The best line from here, as far as it is known.
    pub pv: Vec<Move>,
}

impl Frame {
    fn new() -> Frame {
        Frame {
            eval: UNKNOWN,
            mv: Move::NONE,
            picker: Picker::new(),
            failed_quiets: Vec::with_capacity(64),
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
            frame.eval = UNKNOWN;
            frame.mv = Move::NONE;
            frame.pv.clear();
        }
    }

    /// The frame of this ply.
    #[inline]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[BEFORE_ROOT + ply]
    }

    /// The frame `back` (1 or 2) plies before this one.
    #[inline]
    #[must_use]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[BEFORE_ROOT + ply - back]
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
