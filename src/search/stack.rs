//! The search stack: per-ply data of the current line.

use crate::score::{MAX_PLY, NO_EVAL, Score};
use carrybit_board::{Board, Move};

use super::corrhist::CorrHistKeys;
use super::history::{CONTHIST_PLIES, ConthistRows, HistoryContext, NO_PIECE_TO};
use super::picker::Picker;

/// Entries before the root's; a node reads at most this many plies back.
const BEFORE_ROOT: usize = 6;

pub(super) struct StackEntry {
    /// The network's output, or the score of a known ending; stored in the transposition table.
    /// Both evaluations are [`NO_EVAL`] in check.
    pub(super) raw_eval: Score,
    /// Scaled down by the fifty-move clock and corrected, except in known endings.
    pub(super) static_eval: Score,
    /// The correction history's part of `static_eval`.
    pub(super) correction: Score,
    pub(super) is_known_ending: bool,
    /// The move being searched; [`Move::NONE`] for a null move.
    pub(super) mv: Move,
    /// [`NO_PIECE_TO`] for a null move.
    pub(super) piece_to: usize,
    /// The move that a singular search excludes.
    pub(super) excluded: Move,
    /// Plies since the last capture or pawn move, null moves included.
    pub(super) rule50: u16,
    /// The position is, or was, on a principal variation.
    pub(super) tt_pv: bool,
    /// The reduction of the move being searched, in plies.
    pub(super) reduction: i32,
    /// How many nodes at this ply failed high since the node two plies before was entered.
    pub(super) cutoff_count: i32,
    /// Double and triple extensions on this line.
    pub(super) double_extensions: i32,
    pub(super) context: HistoryContext,
    pub(super) picker: Picker,
    pub(super) tried: Vec<Move>,
    pub(super) pv: Vec<Move>,
}

/// Indexed by ply from the root. A search writes each field before it reads it, or resets it even
/// if it is stopped; entries before the root are never written.
pub(super) struct SearchStack(Vec<StackEntry>);

impl SearchStack {
    pub(super) fn new() -> SearchStack {
        let entry = || StackEntry {
            raw_eval: NO_EVAL,
            static_eval: NO_EVAL,
            correction: 0,
            is_known_ending: false,
            mv: Move::NONE,
            piece_to: NO_PIECE_TO,
            excluded: Move::NONE,
            rule50: 0,
            tt_pv: false,
            reduction: 0,
            cutoff_count: 0,
            double_extensions: 0,
            context: HistoryContext::new(&Board::default(), HistoryContext::NO_CONTHIST_ROWS),
            picker: Picker::new(),
            tried: Vec::with_capacity(64),
            pv: Vec::with_capacity(MAX_PLY),
        };
        SearchStack((0..BEFORE_ROOT + MAX_PLY + 4).map(|_| entry()).collect())
    }

    #[inline]
    pub(super) fn at(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[BEFORE_ROOT + ply]
    }

    /// The entry `back` (1 to 6) plies before this one.
    #[inline]
    pub(super) fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.0[BEFORE_ROOT + ply - back]
    }

    #[inline]
    pub(super) fn conthist_rows(&self, ply: usize) -> ConthistRows {
        CONTHIST_PLIES.map(|back| self.before(ply, back).piece_to)
    }

    #[inline]
    pub(super) fn corrhist_keys(&self, board: &Board, ply: usize) -> CorrHistKeys {
        CorrHistKeys::new(board, [1, 2].map(|back| self.before(ply, back).piece_to))
    }

    /// Sets this ply's line to `mv`, followed by the next ply's line.
    pub(super) fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.0.split_at_mut(BEFORE_ROOT + ply + 1);
        let pv = &mut head[BEFORE_ROOT + ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&tail[0].pv);
    }
}
