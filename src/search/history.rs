//! History heuristics: moves that caused cutoffs are tried earlier and reduced less.
//!
//! Scores persist between searches, within plus and minus [`HISTORY_MAX`] or, in the continuation
//! history, [`CONTINUATION_MAX`]. Quiet moves have a butterfly history (by squares, and whether
//! the enemy attacks them), a pawn history (by pawn structure) and a continuation history (by
//! earlier moves), noisy moves a capture history.

use bytemuck::Zeroable;

use carrybit_board::{Board, Color, Kind, Move, Threats};

use super::params::{continuation, eval_hist, history};

const HISTORY_MAX: i32 = 8192;

/// The limit of an entry of the continuation history.
const CONTINUATION_MAX: i32 = 2 * HISTORY_MAX;

/// The number of `piece_to` indices: 12 pieces on 64 squares.
const PIECE_TO: usize = 12 * 64;

/// The row of the continuation history for no move; it stays zero.
pub(super) const NO_PIECE_TO: usize = PIECE_TO;

/// The continuation history refers to the moves this many plies earlier.
pub(super) const CONTHIST_PLIES: [usize; 4] = [1, 2, 4, 6];

/// Pruning and reductions use only this many of [`CONTHIST_PLIES`], the first ones.
const CLOSE_CONTINUATIONS: usize = 3;

/// Rows of the pawn history (a power of two).
const PAWN_ROWS: usize = 512;

#[inline]
pub(super) fn piece_to(board: &Board, mv: Move) -> usize {
    let kind = board.byte_on(mv.from()).kind_index();
    (board.side().index() * 6 + kind) << 6 | mv.target().to_64()
}

/// A null move is not quiet.
#[inline]
pub(super) fn is_quiet(mv: Move) -> bool {
    !mv.is_null() && !mv.is_noisy()
}

/// The `piece_to` of the moves [`CONTHIST_PLIES`] before, or [`NO_PIECE_TO`].
pub(super) type ConthistRows = [usize; CONTHIST_PLIES.len()];

/// The indices that all moves of a node share.
pub(super) struct HistoryContext {
    side: Color,
    pawn_row: usize,
    conthist_rows: ConthistRows,
    threats: Threats,
}

impl HistoryContext {
    pub(super) const NO_CONTHIST_ROWS: ConthistRows = [NO_PIECE_TO; CONTHIST_PLIES.len()];

    pub(super) fn new(board: &Board, conthist_rows: ConthistRows) -> HistoryContext {
        HistoryContext {
            side: board.side(),
            pawn_row: board.pawn_key() as usize % PAWN_ROWS,
            conthist_rows,
            threats: board.threats(!board.side()),
        }
    }

    /// Whether the enemy attacks neither square of `mv`, so that no recapture can follow, unless
    /// `mv` is a capture en passant.
    #[inline]
    pub(super) fn is_unattacked(&self, mv: Move) -> bool {
        self.threat_index(mv) == 0
    }

    /// The index of the butterfly table for `mv`: 2 if it leaves an attacked square, plus 1 if it
    /// enters one.
    fn threat_index(&self, mv: Move) -> usize {
        usize::from(self.threats.contains(mv.from())) << 1
            | usize::from(self.threats.contains(mv.target()))
    }
}

/// The histories of one search thread.
#[derive(Zeroable)]
pub(super) struct History {
    /// `[side][threat_index][from * 64 + to]`
    butterfly: [[[i16; 64 * 64]; 4]; 2],
    /// `[pawn structure][piece_to]`
    pawn: [[i16; PIECE_TO]; PAWN_ROWS],
    /// `[piece_to of an earlier move][piece_to]`
    continuation: [[i16; PIECE_TO]; PIECE_TO + 1],
    /// `[piece_to][kind of the victim; 6 for none]`
    capture: [[i16; 8]; PIECE_TO],
}

impl History {
    /// The score of a quiet move for move ordering.
    #[inline]
    pub(super) fn quiet_order(&self, board: &Board, context: &HistoryContext, mv: Move) -> i32 {
        let piece_to = piece_to(board, mv);
        let pawn = i32::from(self.pawn[context.pawn_row][piece_to]);
        self.butterfly(context, mv) + pawn + self.continuations(&context.conthist_rows, piece_to)
    }

    /// The score of a quiet move for pruning and reductions.
    #[inline]
    pub(super) fn quiet(&self, board: &Board, context: &HistoryContext, mv: Move) -> i32 {
        let piece_to = piece_to(board, mv);
        let close = &context.conthist_rows[..CLOSE_CONTINUATIONS];
        self.butterfly(context, mv) + self.continuations(close, piece_to)
    }

    fn continuations(&self, rows: &[usize], piece_to: usize) -> i32 {
        rows.iter().map(|&row| i32::from(self.continuation[row][piece_to])).sum()
    }

    #[inline]
    pub(super) fn noisy(&self, board: &Board, mv: Move) -> i32 {
        i32::from(self.capture[piece_to(board, mv)][victim(board, mv)])
    }

    fn butterfly(&self, context: &HistoryContext, mv: Move) -> i32 {
        i32::from(self.butterfly[context.side.index()][context.threat_index(mv)][from_to(mv)])
    }

    /// After a cutoff or a raise of alpha: bonus for `best`, malus for the moves before it.
    pub(super) fn update(
        &mut self,
        board: &Board,
        context: &HistoryContext,
        best: Move,
        tried: &[Move],
        depth: i32,
    ) {
        let (bonus, malus) = (bonus(depth), malus(depth));
        if best.is_noisy() {
            self.add_noisy(board, best, bonus);
        } else {
            self.add_quiet(context, best, piece_to(board, best), bonus);
        }
        for &mv in tried {
            if mv.is_noisy() {
                self.add_noisy(board, mv, -malus);
            } else if !best.is_noisy() {
                self.add_quiet(context, mv, piece_to(board, mv), -malus);
            }
        }
    }

    /// Rewards the quiet move `mv`, which raised its side's static evaluation by `rise`, or
    /// penalises it if `rise` is negative. `context` belongs to the node where it was made.
    pub(super) fn eval_diff_bonus(
        &mut self,
        context: &HistoryContext,
        mv: Move,
        piece_to: usize,
        rise: i32,
    ) {
        let change = (eval_hist::bonus_per_cp() * rise)
            .clamp(-eval_hist::malus_max(), eval_hist::bonus_max());
        let table = &mut self.butterfly[context.side.index()][context.threat_index(mv)];
        add(&mut table[from_to(mv)], change, HISTORY_MAX);
        self.add_continuation(context, piece_to, change * eval_hist::continuation_16() / 16);
    }

    fn add_noisy(&mut self, board: &Board, mv: Move, change: i32) {
        add(&mut self.capture[piece_to(board, mv)][victim(board, mv)], change, HISTORY_MAX);
    }

    pub(super) fn add_quiet(
        &mut self,
        context: &HistoryContext,
        mv: Move,
        piece_to: usize,
        change: i32,
    ) {
        let table = &mut self.butterfly[context.side.index()][context.threat_index(mv)];
        add(&mut table[from_to(mv)], change, HISTORY_MAX);
        add(&mut self.pawn[context.pawn_row][piece_to], change, HISTORY_MAX);
        self.add_continuation(context, piece_to, change * continuation::bonus_16() / 16);
    }

    pub(super) fn add_continuation(
        &mut self,
        context: &HistoryContext,
        piece_to: usize,
        change: i32,
    ) {
        // The gravity comes from the sum of the entries (Clockwork): where they agree, none of them
        // grows any more, and one that disagrees follows the others.
        let sum = self.continuations(&context.conthist_rows, piece_to);
        let change = change - sum * change.abs() / continuation::sum_max();
        for &row in context.conthist_rows.iter().filter(|&&row| row != NO_PIECE_TO) {
            let entry = &mut self.continuation[row][piece_to];
            let moved = i32::from(*entry) + change;
            *entry = moved.clamp(-CONTINUATION_MAX, CONTINUATION_MAX) as i16;
        }
    }
}

fn from_to(mv: Move) -> usize {
    mv.from().to_64() << 6 | mv.target().to_64()
}

/// The kind captured; 6 for a promotion without capture.
fn victim(board: &Board, mv: Move) -> usize {
    board.captured_kind(mv).map_or(6, Kind::index)
}

pub(super) fn bonus(depth: i32) -> i32 {
    (history::bonus_per_depth() * depth - history::bonus_offset()).clamp(0, history::bonus_max())
}

pub(super) fn malus(depth: i32) -> i32 {
    (history::malus_per_depth() * depth - history::malus_offset()).clamp(0, history::malus_max())
}

/// Adds `change` with gravity: the nearer the score is to its limit, the less it moves towards
/// it. A change within `-max..=max` keeps the score in that range.
fn add(score: &mut i16, change: i32, max: i32) {
    let old = i32::from(*score);
    *score = (old + change - old * change.abs() / max) as i16;
}
