//! Move ordering, with moves generated no earlier than needed: hash move, good
//! captures, quiet moves by history, bad captures.

use crate::board::{Board, Kind, Move, MoveList, Stage};

use super::history::{Context, History};
use super::params::{SEE_VALUES, check, good_capture, victim};

/// What the picker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    HashMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    Losing,
    Listed,
    Done,
}

/// Underpromotions come after all other quiet moves.
const UNDERPROMOTION_SCORE: i32 = -1_000_000;

/// Hands out the moves of one node. Lives in the node's frame and is reset for each
/// new node of that ply; keeps no reference to the board.
pub struct Picker {
    phase: Phase,
    hash_move: Move,
    /// What noisy moves must win, in centipawns, if only they are wanted.
    noisy_threshold: Option<i32>,
    /// Noisy moves, then quiet ones.
    moves: MoveList,
    /// The [`key`] of each of them, or [`TAKEN`].
    keys: [i32; MoveList::CAPACITY],
    /// Where the moves of the current phase begin.
    first: usize,
    /// Losing captures, put aside.
    losing: MoveList,
    next_losing: usize,
}

impl Picker {
    /// A picker without moves.
    #[must_use]
    pub fn new() -> Picker {
        Picker {
            phase: Phase::Done,
            hash_move: Move::NONE,
            noisy_threshold: None,
            moves: MoveList::new(),
            keys: [TAKEN; MoveList::CAPACITY],
            first: 0,
            losing: MoveList::new(),
            next_losing: 0,
        }
    }

    /// Starts on all moves of a node. `hash_move` must be legal or none.
    pub fn reset(&mut self, hash_move: Move) {
        self.phase = if hash_move.is_none() { Phase::GenerateNoisy } else { Phase::HashMove };
        self.hash_move = hash_move;
        self.noisy_threshold = None;
        self.moves.clear();
        self.first = 0;
        self.losing.clear();
        self.next_losing = 0;
    }

    /// Starts on all moves of a node but the hash move, which has been handed out
    /// before.
    pub fn reset_after(&mut self, hash_move: Move) {
        self.reset(hash_move);
        self.phase = Phase::GenerateNoisy;
    }

    /// Starts on the moves given, in their order.
    pub fn reset_listed(&mut self, moves: impl Iterator<Item = Move>) {
        self.reset(Move::NONE);
        self.phase = Phase::Listed;
        for mv in moves {
            self.moves.push(mv);
        }
    }

    /// Starts on the noisy moves alone, without those that win less than `threshold`
    /// centipawns by exchanges.
    pub fn reset_noisy(&mut self, hash_move: Move, threshold: i32) {
        self.reset(if hash_move.is_noisy() { hash_move } else { Move::NONE });
        self.noisy_threshold = Some(threshold);
    }

    /// Skips all quiet moves that are left.
    pub fn skip_quiets(&mut self) {
        if matches!(self.phase, Phase::GenerateQuiet | Phase::Quiet) {
            self.phase = Phase::Losing;
        }
    }

    /// The next move. If quiet moves are wanted, `context` must be that of `board`.
    pub fn next(&mut self, board: &Board, history: &History, context: &Context) -> Option<Move> {
        loop {
            match self.phase {
                Phase::HashMove => {
                    self.phase = Phase::GenerateNoisy;
                    return Some(self.hash_move);
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
                    Some(mv) => self.losing.push(mv),
                    None if self.noisy_threshold.is_some() => self.phase = Phase::Done,
                    None => self.phase = Phase::GenerateQuiet,
                },
                Phase::GenerateQuiet => {
                    self.first = self.moves.len();
                    board.generate(Stage::Quiet, &mut self.moves);
                    for i in self.first..self.moves.len() {
                        self.keys[i] = key(quiet_score(board, self.moves[i], history, context), i);
                    }
                    self.phase = Phase::Quiet;
                }
                Phase::Quiet => match self.select() {
                    Some(mv) => return Some(mv),
                    None => self.phase = Phase::Losing,
                },
                Phase::Losing => {
                    let mv = self.losing.get(self.next_losing).copied();
                    self.next_losing += 1;
                    return mv;
                }
                Phase::Listed => {
                    let mv = self.moves.get(self.first).copied();
                    self.first += 1;
                    return mv;
                }
                Phase::Done => return None,
            }
        }
    }

    /// Whether a noisy move wins what is asked for or, if nothing is, loses no more than its
    /// history excuses.
    #[inline]
    fn is_good(&self, board: &Board, mv: Move, history: &History) -> bool {
        let excused = || -history.noisy(board, mv) / good_capture::history_div();
        board.see_ge(mv, self.noisy_threshold.unwrap_or_else(excused), &SEE_VALUES)
    }

    /// Takes the best move left of those generated, the hash move aside. Most nodes need
    /// only a few, so the moves are not sorted; as the loop has no branch for each move,
    /// it compares several keys at a time.
    #[inline]
    fn select(&mut self) -> Option<Move> {
        loop {
            let keys = &self.keys[self.first..self.moves.len()];
            let best = keys.iter().fold(TAKEN, |best, &key| best.max(key));
            if best == TAKEN {
                return None;
            }
            let place = place(best);
            self.keys[place] = TAKEN;
            if self.moves[place] != self.hash_move {
                return Some(self.moves[place]);
            }
        }
    }
}

/// The key of a move that was handed out.
const TAKEN: i32 = i32::MIN;

/// Bits of a key that hold a place.
const PLACE_BITS: u32 = MoveList::CAPACITY.ilog2();
const PLACE_MASK: usize = MoveList::CAPACITY - 1;

/// Orders the move at this place in the list: by score (23 bits, sign included), and
/// among equals the last comes first.
#[inline]
fn key(score: i32, place: usize) -> i32 {
    debug_assert!(score.unsigned_abs() < i32::MAX as u32 >> PLACE_BITS);
    score << PLACE_BITS | place as i32
}

/// The place of the move with this key.
#[inline]
fn place(key: i32) -> usize {
    key as usize & PLACE_MASK
}

impl Default for Picker {
    fn default() -> Picker {
        Picker::new()
    }
}

/// The most valuable victim first, unless history speaks against it.
#[inline]
fn noisy_score(board: &Board, mv: Move, history: &History) -> i32 {
    let value = |kind: Kind| SEE_VALUES[kind.index()];
    let victim = board.captured_kind(mv).map_or(0, value);
    let promoted = if mv.is_promotion() { value(Kind::Queen) } else { 0 };
    victim::weight() * (victim + promoted) + history.noisy(board, mv)
}

/// What history says, and a bonus for a check that costs little.
#[inline]
fn quiet_score(board: &Board, mv: Move, history: &History, context: &Context) -> i32 {
    if mv.is_promotion() {
        return UNDERPROMOTION_SCORE;
    }
    let is_check = board.gives_check(mv) && board.see_ge(mv, -check::max_loss_cp(), &SEE_VALUES);
    history.quiet_order(board, context, mv) + if is_check { check::bonus() } else { 0 }
}
