//! History heuristics, or what earlier cutoffs taught: moves that caused one are tried
//! earlier and searched deeper, moves that failed to, later and shallower.
//!
//! All scores stay within plus and minus [`HISTORY_MAX`] (those of the continuation history
//! within a limit of their own) and are kept from search to search. A quiet move has scores
//! by its squares and whether the enemy attacks them (butterfly history), by the pawn
//! structure, and by the moves before it (continuation history); a noisy move by what it
//! captures. What each of them learns and weighs is a parameter.

use std::iter;

use bytemuck::Zeroable;

use crate::board::{Board, Color, Move, Threats};

use super::params::{butterfly, capture, continuation, eval, history, pawn, unanswered};

/// Scores stay within plus and minus this, those of the continuation history aside.
pub const HISTORY_MAX: i32 = 8192;

/// Cells of a table indexed by piece and target square: 12 times 64.
const CELLS: usize = 12 * 64;

/// The row of the continuation history that stands for no move; it stays zero.
pub const NO_MOVE: usize = CELLS;

/// A quiet move is looked up as a continuation of the moves this many plies before it.
pub const CONTINUED_PLIES: [usize; 4] = [1, 2, 4, 6];

/// How many of these, from the first on, count in pruning and reductions.
const CLOSE_CONTINUATIONS: usize = 3;

/// Rows of the pawn history (a power of two).
const PAWN_ROWS: usize = 512;

/// The cell of a move, by its piece and target square.
#[inline]
#[must_use]
pub fn cell(board: &Board, mv: Move) -> usize {
    let kind = board.piece_on(mv.from()).kind_index();
    (board.side().index() * 6 + kind) << 6 | mv.to().to_64()
}

/// Where the histories of one node's moves are looked up.
#[derive(Clone)]
pub struct Context {
    side: Color,
    pawn_row: usize,
    /// The cells of the moves [`CONTINUED_PLIES`] before, or [`NO_MOVE`].
    before: [usize; CONTINUED_PLIES.len()],
    /// What the enemy attacks.
    threats: Threats,
}

impl Context {
    /// No moves before, as at the root.
    pub const NOTHING_BEFORE: [usize; CONTINUED_PLIES.len()] = [NO_MOVE; CONTINUED_PLIES.len()];

    /// For the moves of `board`, reached by the moves with the cells `before`.
    #[must_use]
    pub fn new(board: &Board, before: [usize; CONTINUED_PLIES.len()]) -> Context {
        Context {
            side: board.side(),
            pawn_row: board.pawn_key() as usize % PAWN_ROWS,
            before,
            threats: board.threats(!board.side()),
        }
    }

    /// A placeholder.
    #[must_use]
    pub const fn empty() -> Context {
        Context {
            side: Color::White,
            pawn_row: 0,
            before: Context::NOTHING_BEFORE,
            threats: Threats::NONE,
        }
    }

    /// Which of the four butterfly tables `mv` belongs to: whether it leaves an attacked
    /// square, and whether it enters one.
    #[inline]
    fn danger(&self, mv: Move) -> usize {
        usize::from(self.threats.contains(mv.from())) << 1
            | usize::from(self.threats.contains(mv.to()))
    }
}

/// The histories of one search thread, without experience if all is 0.
#[derive(Zeroable)]
pub struct History {
    /// `[side][danger][from * 64 + to]`
    butterfly: [[[i16; 64 * 64]; 4]; 2],
    /// `[pawn structure][cell]`
    pawn: [[i16; CELLS]; PAWN_ROWS],
    /// `[cell of an earlier move][cell]`
    continuation: [[i16; CELLS]; CELLS + 1],
    /// `[cell][kind of the victim; 6 for none]`
    capture: [[i16; 8]; CELLS],
}

impl History {
    /// The score of a quiet move for move ordering: the weighed sum of all histories.
    #[inline]
    #[must_use]
    pub fn quiet_order(&self, board: &Board, context: &Context, mv: Move) -> i32 {
        let cell = cell(board, mv);
        let weights = [
            continuation::order_last_16(),
            continuation::order_2_16(),
            continuation::order_4_16(),
            continuation::order_6_16(),
        ];
        let continuation: i32 = iter::zip(context.before, weights)
            .map(|(row, weight)| i32::from(self.continuation[row][cell]) * weight)
            .sum();
        let pawn = i32::from(self.pawn[context.pawn_row][cell]) * pawn::order_16();
        (self.butterfly(context, mv) * butterfly::order_16() + pawn + continuation) >> 4
    }

    /// The score of a quiet move for pruning and reductions: the sum of the histories
    /// that say most.
    #[inline]
    #[must_use]
    pub fn quiet(&self, board: &Board, context: &Context, mv: Move) -> i32 {
        let cell = cell(board, mv);
        let continuation: i32 = context.before[..CLOSE_CONTINUATIONS]
            .iter()
            .map(|&row| i32::from(self.continuation[row][cell]))
            .sum();
        self.butterfly(context, mv) + continuation
    }

    /// The score of a noisy move.
    #[inline]
    #[must_use]
    pub fn noisy(&self, board: &Board, mv: Move) -> i32 {
        i32::from(self.capture[cell(board, mv)][victim(board, mv)])
    }

    #[inline]
    fn butterfly(&self, context: &Context, mv: Move) -> i32 {
        i32::from(self.butterfly[context.side.index()][context.danger(mv)][from_to(mv)])
    }

    /// Learns that `best` was good at `depth`, and the moves tried before it were not.
    pub fn learn(
        &mut self,
        board: &Board,
        context: &Context,
        best: Move,
        failed: &[Move],
        depth: i32,
    ) {
        let (bonus, malus) = (bonus(depth), malus(depth));
        if best.is_noisy() {
            self.add_noisy(board, best, bonus);
        } else {
            self.add_quiet(context, best, cell(board, best), bonus);
        }
        for &mv in failed {
            if mv.is_noisy() {
                self.add_noisy(board, mv, -malus);
            } else if !best.is_noisy() {
                self.add_quiet(context, mv, cell(board, mv), -malus);
            }
        }
    }

    /// Learns how a reduced quiet move did in the re-search without reduction.
    pub fn learn_continuation(
        &mut self,
        board: &Board,
        context: &Context,
        mv: Move,
        depth: i32,
        good: bool,
    ) {
        let change = if good { bonus(depth) } else { -malus(depth) };
        self.add_continuation(context, cell(board, mv), change);
    }

    /// Learns that the quiet move `mv` with this `cell`, looked up in the `context` of
    /// its own node, left the opponent without a good reply.
    pub fn learn_unanswered(&mut self, context: &Context, mv: Move, cell: usize, depth: i32) {
        let change = bonus(depth) * unanswered::bonus_percent() / 100;
        self.add_quiet(context, mv, cell, change);
    }

    /// Learns by how much the quiet move `mv`, looked up in the `context` of its own
    /// node, raised the static evaluation for the side that played it.
    pub fn learn_eval(&mut self, context: &Context, mv: Move, rise_cp: i32) {
        let change = (eval::bonus_per_cp() * rise_cp).clamp(-eval::malus_max(), eval::bonus_max());
        let table = &mut self.butterfly[context.side.index()][context.danger(mv)];
        add(&mut table[from_to(mv)], change, HISTORY_MAX);
    }

    fn add_noisy(&mut self, board: &Board, mv: Move, change: i32) {
        let change = rated(change, capture::bonus_16(), capture::malus_16());
        add(&mut self.capture[cell(board, mv)][victim(board, mv)], change, HISTORY_MAX);
    }

    fn add_quiet(&mut self, context: &Context, mv: Move, cell: usize, change: i32) {
        let table = &mut self.butterfly[context.side.index()][context.danger(mv)];
        let by_squares = rated(change, butterfly::bonus_16(), butterfly::malus_16());
        add(&mut table[from_to(mv)], by_squares, HISTORY_MAX);
        let by_pawns = rated(change, pawn::bonus_16(), pawn::malus_16());
        add(&mut self.pawn[context.pawn_row][cell], by_pawns, HISTORY_MAX);
        self.add_continuation(context, cell, change);
    }

    fn add_continuation(&mut self, context: &Context, cell: usize, change: i32) {
        let change = rated(change, continuation::bonus_16(), continuation::malus_16());
        for &row in context.before.iter().filter(|&&row| row != NO_MOVE) {
            add(&mut self.continuation[row][cell], change, continuation::max());
        }
    }
}

/// A change, as much of it as one history takes.
#[inline]
fn rated(change: i32, bonus_16: i32, malus_16: i32) -> i32 {
    let rate_16 = if change > 0 { bonus_16 } else { malus_16 };
    (change * rate_16 / 16).clamp(-HISTORY_MAX / 2, HISTORY_MAX / 2)
}

/// The index of `mv` in a butterfly table.
#[inline]
fn from_to(mv: Move) -> usize {
    mv.from().to_64() << 6 | mv.to().to_64()
}

/// The kind that a noisy move captures, as an index; 6 for a promotion without capture.
#[inline]
fn victim(board: &Board, mv: Move) -> usize {
    const NOTHING: usize = 6;
    board.captured_kind(mv).map_or(NOTHING, crate::board::Kind::index)
}

/// What a success at `depth` adds.
#[inline]
fn bonus(depth: i32) -> i32 {
    (history::bonus_per_depth() * depth - history::bonus_offset()).clamp(0, history::bonus_max())
}

/// What a failure at `depth` takes off.
#[inline]
fn malus(depth: i32) -> i32 {
    (history::malus_per_depth() * depth - history::malus_offset()).clamp(0, history::malus_max())
}

/// Adds `change` with gravity: the nearer the score already is to its limit, the less
/// it moves in that direction. A change within `-max..=max` never takes the score out of
/// that range.
#[inline]
fn add(score: &mut i16, change: i32, max: i32) {
    let old = i32::from(*score);
    *score = (old + change - old * change.abs() / max) as i16;
}
