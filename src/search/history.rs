//! What earlier cut-offs taught: moves that refuted something before are tried
//! earlier and searched deeper, those that failed later and shallower.
//!
//! All scores stay within plus and minus [`HISTORY_MAX`]; they are kept from
//! search to search. A quiet move is looked up under its squares and whether
//! the enemy attacks them, under the pawns, and as a reply to the moves before
//! it; a noisy one under what it captures.

use crate::board::{Board, Color, Move, Threats};

use super::params::{eval, history, unanswered};

/// Scores stay within plus and minus this.
pub const HISTORY_MAX: i32 = 8192;

/// Cells of a table over (piece, square it goes to): twelve pieces times 64.
const CELLS: usize = 12 * 64;

/// The row of a table over (piece, square) that stands for no move; it stays
/// zero for ever.
pub const NO_MOVE: usize = CELLS;

/// How many plies back lie the moves that a quiet move is looked up as a reply to.
pub const REPLIES_TO: [usize; 4] = [1, 2, 4, 6];

/// How many of them, from the first on, count when a move is pruned or reduced.
const CLOSE_REPLIES: usize = 3;

/// Rows of the table over pawn structures (a power of two).
const PAWN_ROWS: usize = 512;

/// The cell of a piece that goes to a square: 12 * 64 of them.
#[inline]
#[must_use]
pub fn cell(board: &Board, mv: Move) -> usize {
    let kind = board.piece_on(mv.from()).kind_index();
    (board.side().index() * 6 + kind) << 6 | mv.to().to_64()
}

/// Where the moves of one node are looked up.
#[derive(Clone)]
pub struct Context {
    side: Color,
    pawn_row: usize,
    /// The cells of the moves [`REPLIES_TO`] plies back, or [`NO_MOVE`].
    before: [usize; REPLIES_TO.len()],
    /// What the enemy attacks.
    threats: Threats,
}

impl Context {
    /// No moves before: as at the root.
    pub const NOTHING_BEFORE: [usize; REPLIES_TO.len()] = [NO_MOVE; REPLIES_TO.len()];

    /// For the moves of `board`, reached by the moves with the cells `before`.
    #[must_use]
    pub fn new(board: &Board, before: [usize; REPLIES_TO.len()]) -> Context {
        Context {
            side: board.side(),
            pawn_row: board.pawn_key() as usize % PAWN_ROWS,
            before,
            threats: board.threats(!board.side()),
        }
    }

    /// Of the start position of a line; a placeholder.
    #[must_use]
    pub const fn empty() -> Context {
        Context {
            side: Color::White,
            pawn_row: 0,
            before: Context::NOTHING_BEFORE,
            threats: Threats::NONE,
        }
    }

    /// Which of the four butterfly tables `mv` belongs to: it leaves, or enters,
    /// an attacked square.
    #[inline]
    fn danger(&self, mv: Move) -> usize {
        usize::from(self.threats.contains(mv.from())) << 1
            | usize::from(self.threats.contains(mv.to()))
    }
}

/// The tables of one search thread.
pub struct History {
    /// `[side][danger][from * 64 + to]`
    butterfly: Box<[[[i16; 64 * 64]; 4]]>,
    /// `[pawn structure][cell]`
    pawn: Box<[[i16; CELLS]]>,
    /// `[cell of a move before][cell]`
    continuation: Box<[[i16; CELLS]]>,
    /// `[cell][kind of the victim; 6 for none]`
    capture: Box<[[i16; 8]]>,
}

impl History {
    /// A history without experience.
    #[must_use]
    pub fn new() -> History {
        History {
            butterfly: vec![[[0; 64 * 64]; 4]; 2].into(),
            pawn: vec![[0; CELLS]; PAWN_ROWS].into(),
            continuation: vec![[0; CELLS]; CELLS + 1].into(),
            capture: vec![[0; 8]; CELLS].into(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.capture.as_flattened_mut().fill(0);
    }

    /// What is known of a quiet move, for ordering: the sum of all its scores.
    #[inline]
    #[must_use]
    pub fn quiet_order(&self, board: &Board, context: &Context, mv: Move) -> i32 {
        let cell = cell(board, mv);
        let replies: i32 =
            context.before.iter().map(|&row| i32::from(self.continuation[row][cell])).sum();
        self.butterfly(context, mv) + i32::from(self.pawn[context.pawn_row][cell]) + replies
    }

    /// What is known of a quiet move, for pruning and reductions: the scores
    /// that are most to the point.
    #[inline]
    #[must_use]
    pub fn quiet(&self, board: &Board, context: &Context, mv: Move) -> i32 {
        let cell = cell(board, mv);
        let replies: i32 = context.before[..CLOSE_REPLIES]
            .iter()
            .map(|&row| i32::from(self.continuation[row][cell]))
            .sum();
        self.butterfly(context, mv) + replies
    }

    /// What is known of a noisy move.
    #[inline]
    #[must_use]
    pub fn noisy(&self, board: &Board, mv: Move) -> i32 {
        i32::from(self.capture[cell(board, mv)][victim(board, mv)])
    }

    #[inline]
    fn butterfly(&self, context: &Context, mv: Move) -> i32 {
        i32::from(self.butterfly[context.side.index()][context.danger(mv)][from_to(mv)])
    }

    /// Learns that, at `depth`, `best` was good and the moves tried before it
    /// were not.
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

    /// Learns how a reduced quiet move fared in a search without reduction.
    pub fn learn_reply(
        &mut self,
        board: &Board,
        context: &Context,
        mv: Move,
        depth: i32,
        good: bool,
    ) {
        let change = if good { bonus(depth) } else { -malus(depth) };
        self.add_replies(context, cell(board, mv), change);
    }

    /// Learns that the quiet move `mv` with that `cell`, looked up in the
    /// `context` of its own node, left the opponent without a good answer.
    pub fn learn_unanswered(&mut self, context: &Context, mv: Move, cell: usize, depth: i32) {
        let change = bonus(depth) * unanswered::bonus_percent() / 100;
        self.add_quiet(context, mv, cell, change);
    }

    /// Learns that after the quiet move `mv`, looked up in the `context` of its own
    /// node, the static evaluation had risen by so much for the side that made it.
    pub fn learn_eval(&mut self, context: &Context, mv: Move, rise_cp: i32) {
        let change = (eval::bonus_per_cp() * rise_cp).clamp(-eval::malus_max(), eval::bonus_max());
        add(&mut self.butterfly[context.side.index()][context.danger(mv)][from_to(mv)], change);
    }

    fn add_noisy(&mut self, board: &Board, mv: Move, change: i32) {
        add(&mut self.capture[cell(board, mv)][victim(board, mv)], change);
    }

    fn add_quiet(&mut self, context: &Context, mv: Move, cell: usize, change: i32) {
        let table = &mut self.butterfly[context.side.index()][context.danger(mv)];
        add(&mut table[from_to(mv)], change);
        add(&mut self.pawn[context.pawn_row][cell], change);
        self.add_replies(context, cell, change);
    }

    fn add_replies(&mut self, context: &Context, cell: usize, change: i32) {
        for &row in context.before.iter().filter(|&&row| row != NO_MOVE) {
            add(&mut self.continuation[row][cell], change);
        }
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// `mv`'s cell of a 64 x 64 table.
#[inline]
fn from_to(mv: Move) -> usize {
    mv.from().to_64() << 6 | mv.to().to_64()
}

/// What a noisy move captures, as an index; 6 for a mere promotion.
#[inline]
fn victim(board: &Board, mv: Move) -> usize {
    const NOTHING: usize = 6;
    board.captured_kind(mv).map_or(NOTHING, crate::board::Kind::index)
}

/// What success at `depth` is worth.
#[inline]
fn bonus(depth: i32) -> i32 {
    (history::bonus_per_depth() * depth - history::bonus_offset()).clamp(0, history::bonus_max())
}

/// What failure at `depth` costs.
#[inline]
fn malus(depth: i32) -> i32 {
    (history::malus_per_depth() * depth - history::malus_offset()).clamp(0, history::malus_max())
}

/// Adds `change` with gravity: the nearer a score is to its limit, the less of a
/// change in that direction is left. Never leaves `-HISTORY_MAX..=HISTORY_MAX`
/// for a change within the same range.
#[inline]
fn add(score: &mut i16, change: i32) {
    let old = i32::from(*score);
    *score = (old + change - old * change.abs() / HISTORY_MAX) as i16;
}
