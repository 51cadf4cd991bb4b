//! Move ordering in stages, each generated only when needed: TT move, good captures, quiet
//! moves by history, bad captures.

use carrybit_board::{Board, CheckTester, Kind, Move, MoveList, Stage};

use super::history::{History, HistoryContext};
use super::params::{SEE_VALUES, good_noisy, mvv, order_check};

#[derive(Clone, Copy)]
enum Phase {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    /// The list `last`.
    Last,
}

/// Underpromotions come after all other quiet moves.
const UNDERPROMOTION_SCORE: i32 = -1_000_000;

/// The moves of one node. Part of the search stack, and reset for each new node.
pub(super) struct Picker {
    phase: Phase,
    tt_move: Move,
    /// Centipawns that moves must win, if only noisy moves are generated.
    noisy_threshold: Option<i32>,
    skips_quiets: bool,
    /// Noisy moves, then quiet ones.
    moves: MoveList,
    /// The [`key`] of each move, or [`TAKEN`].
    keys: [i32; MoveList::CAPACITY],
    /// Index of the first move of the current phase in `moves`.
    first: usize,
    /// Bad captures, or all moves at the root, in the order in which they are returned.
    last: MoveList,
    next_last: usize,
}

impl Picker {
    pub(super) fn new() -> Picker {
        Picker {
            phase: Phase::Last,
            tt_move: Move::NONE,
            noisy_threshold: None,
            skips_quiets: false,
            moves: MoveList::new(),
            keys: [TAKEN; MoveList::CAPACITY],
            first: 0,
            last: MoveList::new(),
            next_last: 0,
        }
    }

    /// `tt_move` must be legal or none.
    pub(super) fn reset(&mut self, tt_move: Move) {
        self.phase = if tt_move.is_null() { Phase::GenerateNoisy } else { Phase::TtMove };
        self.tt_move = tt_move;
        self.noisy_threshold = None;
        self.skips_quiets = false;
        self.moves.clear();
        self.first = 0;
        self.last.clear();
        self.next_last = 0;
    }

    pub(super) fn reset_after(&mut self, tt_move: Move) {
        self.reset(tt_move);
        self.phase = Phase::GenerateNoisy;
    }

    pub(super) fn reset_root(&mut self, moves: impl Iterator<Item = Move>) {
        self.reset(Move::NONE);
        self.phase = Phase::Last;
        for mv in moves {
            self.last.push(mv);
        }
    }

    /// For `tt_move`, if it is noisy, and then only the noisy moves that win at least `threshold`
    /// centipawns by exchanges.
    pub(super) fn reset_noisy(&mut self, tt_move: Move, threshold: i32) {
        self.reset(if tt_move.is_noisy() { tt_move } else { Move::NONE });
        self.noisy_threshold = Some(threshold);
    }

    /// Leaves out all quiet moves from now on, except the TT move.
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// The next move. `context` is unused after [`reset_noisy`](Picker::reset_noisy).
    pub(super) fn next(
        &mut self,
        board: &Board,
        history: &History,
        context: &HistoryContext,
    ) -> Option<Move> {
        loop {
            match self.phase {
                Phase::TtMove => {
                    self.phase = Phase::GenerateNoisy;
                    return Some(self.tt_move);
                }
                Phase::GenerateNoisy => {
                    board.generate(Stage::Noisy, &mut self.moves);
                    for i in 0..self.moves.len() {
                        self.keys[i] = key(noisy_score(board, self.moves[i], history), i);
                    }
                    self.phase = Phase::GoodNoisy;
                }
                Phase::GoodNoisy => match self.select() {
                    Some(mv) if self.is_good(board, mv, history) => return Some(mv),
                    Some(mv) => self.last.push(mv),
                    None if self.noisy_threshold.is_some() => return None,
                    None => self.phase = Phase::GenerateQuiet,
                },
                Phase::GenerateQuiet | Phase::Quiet if self.skips_quiets => {
                    self.phase = Phase::Last;
                }
                Phase::GenerateQuiet => {
                    self.first = self.moves.len();
                    board.generate(Stage::Quiet, &mut self.moves);
                    let checks = board.check_tester();
                    for i in self.first..self.moves.len() {
                        let score = quiet_score(board, self.moves[i], history, context, &checks);
                        self.keys[i] = key(score, i);
                    }
                    self.phase = Phase::Quiet;
                }
                Phase::Quiet => match self.select() {
                    Some(mv) => return Some(mv),
                    None => self.phase = Phase::Last,
                },
                Phase::Last => {
                    self.next_last += 1;
                    return self.last.get(self.next_last - 1).copied();
                }
            }
        }
    }

    /// Whether a noisy move wins at least the threshold by exchanges. Without a threshold, the
    /// limit depends on the move's history.
    #[inline]
    fn is_good(&self, board: &Board, mv: Move, history: &History) -> bool {
        let by_history = || -history.noisy(board, mv) / good_noisy::history_div();
        board.see_ge(mv, self.noisy_threshold.unwrap_or_else(by_history), &SEE_VALUES)
    }

    /// Takes the best move left, except the TT move. The moves are not sorted, because most
    /// nodes need only a few of them. The loop has no branch per move, so that it is vectorised.
    #[inline]
    fn select(&mut self) -> Option<Move> {
        loop {
            let keys = &self.keys[self.first..self.moves.len()];
            let best = keys.iter().fold(TAKEN, |best, &key| best.max(key));
            if best == TAKEN {
                return None;
            }
            let place = best as usize & (MoveList::CAPACITY - 1);
            self.keys[place] = TAKEN;
            if self.moves[place] != self.tt_move {
                return Some(self.moves[place]);
            }
        }
    }
}

/// The key of a move that was returned.
const TAKEN: i32 = i32::MIN;

const PLACE_BITS: u32 = MoveList::CAPACITY.ilog2();

/// The sort key of the move at this place in the list: its score (23 bits, sign included), then
/// its place. Of moves with equal scores, the last in the list comes first.
fn key(score: i32, place: usize) -> i32 {
    debug_assert!(score.unsigned_abs() < i32::MAX as u32 >> PLACE_BITS);
    score << PLACE_BITS | place as i32
}

/// MVV (most valuable victim first), plus the capture history.
#[inline]
fn noisy_score(board: &Board, mv: Move, history: &History) -> i32 {
    let value = |kind: Kind| SEE_VALUES[kind.index()];
    let victim = board.captured_kind(mv).map_or(0, value);
    let promoted = if mv.is_promotion() { value(Kind::Queen) } else { 0 };
    mvv::weight() * (victim + promoted) + history.noisy(board, mv)
}

/// The history score, plus a bonus for a check that loses little by SEE.
#[inline]
fn quiet_score(
    board: &Board,
    mv: Move,
    history: &History,
    context: &HistoryContext,
    checks: &CheckTester<'_>,
) -> i32 {
    if mv.is_promotion() {
        return UNDERPROMOTION_SCORE;
    }
    let is_check =
        checks.gives_check(mv) && board.see_ge(mv, -order_check::max_loss_cp(), &SEE_VALUES);
    history.quiet_order(board, context, mv) + if is_check { order_check::bonus() } else { 0 }
}
