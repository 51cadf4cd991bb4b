//! Moves in order of promise, generated no earlier than needed: the table's
//! move, captures that lose nothing, quiet moves by history, losing captures.

use crate::board::{Board, Kind, Move, MoveList, Stage};

use super::history::{Context, History};
use super::params::{SEE_VALUES, good_capture_history_div, victim_weight};

/// Where the picker has got to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Listed,
    Done,
}

/// Under-promotions come after all other quiet moves.
const UNDERPROMOTION_SCORE: i32 = -1_000_000;

/// Hands out the moves of one node. Lives in the node's frame and is reset for
/// each new node at that ply; it keeps no reference to the board.
pub struct Picker {
    phase: Phase,
    table_move: Move,
    /// What the noisy moves must win, if nothing else is wanted, in centipawns.
    noisy_threshold: Option<i32>,
    /// Noisy moves, then quiet ones. `moves[..bad]` are losing captures put by.
    moves: MoveList,
    scores: [i32; MoveList::CAPACITY],
    next: usize,
    bad: usize,
    next_bad: usize,
}

impl Picker {
    /// A picker without moves.
    #[must_use]
    pub fn new() -> Picker {
        Picker {
            phase: Phase::Done,
            table_move: Move::NONE,
            noisy_threshold: None,
            moves: MoveList::new(),
            scores: [0; MoveList::CAPACITY],
            next: 0,
            bad: 0,
            next_bad: 0,
        }
    }

    /// Starts on all moves of a node. `table_move` must be legal or none.
    pub fn reset(&mut self, table_move: Move) {
        self.phase = if table_move.is_none() { Phase::GenerateNoisy } else { Phase::TableMove };
        self.table_move = table_move;
        self.noisy_threshold = None;
        self.moves.clear();
        self.next = 0;
        self.bad = 0;
        self.next_bad = 0;
    }

    /// Starts on the moves of a node, the table's move aside, which has been
    /// handed out before.
    pub fn reset_after(&mut self, table_move: Move) {
        self.reset(table_move);
        self.phase = Phase::GenerateNoisy;
    }

    /// Starts on given moves, in the order in which they come.
    pub fn reset_listed(&mut self, moves: impl Iterator<Item = Move>) {
        self.reset(Move::NONE);
        self.phase = Phase::Listed;
        for mv in moves {
            self.moves.push(mv);
        }
    }

    /// Starts on the noisy moves alone; those that win less than `threshold`
    /// centipawns by exchanges are left out.
    pub fn reset_noisy(&mut self, table_move: Move, threshold: i32) {
        self.reset(if table_move.is_noisy() { table_move } else { Move::NONE });
        self.noisy_threshold = Some(threshold);
    }

    /// No quiet move shall follow.
    pub fn skip_quiets(&mut self) {
        if matches!(self.phase, Phase::GenerateQuiet | Phase::Quiet) {
            self.phase = Phase::BadNoisy;
        }
    }

    /// The next move. `context` must be that of `board` where quiet moves are
    /// wanted, too.
    pub fn next(&mut self, board: &Board, history: &History, context: &Context) -> Option<Move> {
        loop {
            match self.phase {
                Phase::TableMove => {
                    self.phase = Phase::GenerateNoisy;
                    return Some(self.table_move);
                }
                Phase::GenerateNoisy => {
                    board.generate(Stage::Noisy, &mut self.moves);
                    for i in 0..self.moves.len() {
                        self.scores[i] = noisy_score(board, self.moves[i], history);
                    }
                    self.phase = Phase::GoodNoisy;
                }
                Phase::GoodNoisy => match self.select() {
                    Some(mv) if self.is_good(board, mv, history) => return Some(mv),
                    Some(mv) => {
                        self.moves[self.bad] = mv;
                        self.bad += 1;
                    }
                    None if self.noisy_threshold.is_some() => self.phase = Phase::Done,
                    None => self.phase = Phase::GenerateQuiet,
                },
                Phase::GenerateQuiet => {
                    let first = self.moves.len();
                    board.generate(Stage::Quiet, &mut self.moves);
                    for i in first..self.moves.len() {
                        self.scores[i] = quiet_score(board, self.moves[i], history, context);
                    }
                    self.phase = Phase::Quiet;
                }
                Phase::Quiet => match self.select() {
                    Some(mv) => return Some(mv),
                    None => self.phase = Phase::BadNoisy,
                },
                Phase::BadNoisy => {
                    if self.next_bad < self.bad {
                        self.next_bad += 1;
                        return Some(self.moves[self.next_bad - 1]);
                    }
                    self.phase = Phase::Done;
                }
                Phase::Listed => {
                    let mv = self.moves.get(self.next).copied();
                    self.next += 1;
                    return mv;
                }
                Phase::Done => return None,
            }
        }
    }

    /// Whether a noisy move wins what is asked for; if nothing is, whether it
    /// loses no more than its history excuses.
    #[inline]
    fn is_good(&self, board: &Board, mv: Move, history: &History) -> bool {
        let excused = || -history.noisy(board, mv) / good_capture_history_div();
        board.see_ge(mv, self.noisy_threshold.unwrap_or_else(excused), &SEE_VALUES)
    }

    /// Takes the best of the moves generated and not yet taken, the table's move
    /// aside. One step of a selection sort: most nodes need only a few moves.
    #[inline]
    fn select(&mut self) -> Option<Move> {
        while self.next < self.moves.len() {
            let mut best = self.next;
            for i in self.next + 1..self.moves.len() {
                if self.scores[i] > self.scores[best] {
                    best = i;
                }
            }
            self.moves.swap(self.next, best);
            self.scores.swap(self.next, best);
            let mv = self.moves[self.next];
            self.next += 1;
            if mv != self.table_move {
                return Some(mv);
            }
        }
        None
    }
}

impl Default for Picker {
    fn default() -> Picker {
        Picker::new()
    }
}

/// The most valuable victim first, as far as experience does not object.
#[inline]
fn noisy_score(board: &Board, mv: Move, history: &History) -> i32 {
    let value = |kind: Kind| SEE_VALUES[kind.index()];
    let victim = board.captured_kind(mv).map_or(0, value);
    let promoted = if mv.is_promotion() { value(Kind::Queen) } else { 0 };
    victim_weight() * (victim + promoted) + history.noisy(board, mv)
}

#[inline]
fn quiet_score(board: &Board, mv: Move, history: &History, context: &Context) -> i32 {
    if mv.is_promotion() { UNDERPROMOTION_SCORE } else { history.quiet_order(board, context, mv) }
}
