//! Which root moves keep the outcome and make progress.
//!
//! Staying in won positions is not enough to win: the fifty-move clock runs, and one can
//! move back and forth for ever. As long as the clock leaves room, all moves that win in
//! time are equal, and the search may choose among them. When it gets tight, positions
//! have been repeated, or a player may claim a draw already, only the move that zeroes the
//! clock soonest will do. (Idea of these ranks: Stockfish.)

use crate::board::draw::{ClockRule, FIFTY_MOVES_PLIES, is_repetition};
use crate::board::{Board, Game, Move};

use super::probe::{before_zeroing, is_zeroing, one_ply_earlier};
use super::{Tablebases, Wdl};

/// The rank of a certain win; that of a certain loss is its negative.
const SURE: i32 = 100_000;
/// The rank of a win that the fifty-move rule endangers, before its distance is
/// subtracted.
const DOUBTFUL: i32 = SURE / 2;
/// The rank of a cursed win if there are no DTZ tables; that of a blessed loss is its
/// negative.
const SPOILT: i32 = 100;

/// The game is drawn when the fifty-move clock reaches this many plies.
const CLOCK_LIMIT: i32 = FIFTY_MOVES_PLIES as i32;

/// A root move, and what the tablebases say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The greater the better; moves of the same rank are equally good.
    pub rank: i32,
    /// The outcome after the move, from the mover's view, with the fifty-move clock as it
    /// stands: a win that comes too late is cursed. (Without DTZ tables the clock does not
    /// count.)
    pub wdl: Wdl,
}

/// What the tablebases say about all moves in question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves in the order given.
    pub moves: Vec<RankedMove>,
    /// Whether there were DTZ tables for all of them: then moves of the best rank make
    /// progress, and no further help is needed.
    pub by_dtz: bool,
}

impl Tablebases {
    /// Ranks `moves`, which must be legal in the game's position. With DTZ tables, always
    /// playing a move of the best rank wins what is won and holds what is drawn; with WDL
    /// tables only, it keeps the outcome but may not make progress. `None` if a table is
    /// missing for any of the moves.
    #[must_use]
    pub fn rank_moves(&self, game: &Game, moves: &[Move], fifty_moves: bool) -> Option<Ranking> {
        // Whether the position itself is known is cheaper to ask than all its moves.
        self.probe_wdl(game.board())?;
        let root = RootState::of(game, fifty_moves);
        let rank = |by_dtz: bool| -> Option<Vec<RankedMove>> {
            let rank_one = |&mv| {
                if by_dtz { self.rank_by_dtz(&root, mv) } else { self.rank_by_wdl(&root, mv) }
            };
            moves.iter().map(rank_one).collect()
        };
        if let Some(moves) = rank(true) {
            return Some(Ranking { moves, by_dtz: true });
        }
        Some(Ranking { moves: rank(false)?, by_dtz: false })
    }

    fn rank_by_dtz(&self, root: &RootState<'_>, mv: Move) -> Option<RankedMove> {
        let child = root.board.make(mv);
        let distance = if is_zeroing(root.board, mv) {
            before_zeroing(-self.probe_wdl(&child)?)
        } else if root.is_draw(&child) {
            0
        } else {
            one_ply_earlier(-self.probe_dtz(&child)?, &child)
        };
        Some(root.rank_distance(mv, distance))
    }

    fn rank_by_wdl(&self, root: &RootState<'_>, mv: Move) -> Option<RankedMove> {
        let child = root.board.make(mv);
        let known = if root.is_draw(&child) { Wdl::Draw } else { -self.probe_wdl(&child)? };
        let wdl = match known {
            Wdl::CursedWin if !root.fifty_moves => Wdl::Win,
            Wdl::BlessedLoss if !root.fifty_moves => Wdl::Loss,
            _ => known,
        };
        let rank = match wdl {
            Wdl::Loss => -SURE,
            Wdl::BlessedLoss => -SPOILT,
            Wdl::Draw => 0,
            Wdl::CursedWin => SPOILT,
            Wdl::Win => SURE,
        };
        Some(RankedMove { mv, rank, wdl })
    }
}

/// What the ranks depend on besides the move.
struct RootState<'a> {
    board: &'a Board,
    /// The keys of the positions that may come back, the root's last.
    keys: Vec<u64>,
    /// Whether one of them has come back since the clock was last at zero, or a player may
    /// claim a draw: then a win is to make progress with every move.
    is_urgent: bool,
    clock_rule: ClockRule,
    /// Plies on the fifty-move clock; fewer if the game has passed its limit.
    clock: i32,
    /// Whether the fifty-move rule holds.
    fifty_moves: bool,
}

impl<'a> RootState<'a> {
    fn of(game: &'a Game, fifty_moves: bool) -> RootState<'a> {
        let board = game.board();
        let mut keys = game.history().to_vec();
        keys.push(board.key());
        let has_twin = |(i, key): (usize, &u64)| keys[..i].contains(key);
        let clock_rule = ClockRule::of(board);
        let is_urgent = clock_rule.is_past_claim() || keys.iter().enumerate().any(has_twin);
        let clock = i32::from(clock_rule.clock(board.halfmove()));
        RootState { board, keys, is_urgent, clock_rule, clock, fifty_moves }
    }

    /// Whether the game is drawn after the move that led to `child`.
    fn is_draw(&self, child: &Board) -> bool {
        is_repetition(&self.keys, child.key(), child.halfmove(), self.keys.len())
            || (self.fifty_moves && self.clock_rule.is_draw(child))
    }

    /// The rank of a move whose distance to zeroing, counted from before it, is this.
    fn rank_distance(&self, mv: Move, distance: i32) -> RankedMove {
        let plies = distance.abs();
        let is_in_time = plies + self.clock < CLOCK_LIMIT;
        let (rank, wdl) = match distance.signum() {
            1 if is_in_time && !self.is_urgent => (SURE, Wdl::Win),
            1 => {
                let wins = !self.fifty_moves || plies + self.clock <= CLOCK_LIMIT;
                let wdl = if wins { Wdl::Win } else { Wdl::CursedWin };
                (DOUBTFUL - plies - self.clock, wdl)
            }
            // A loss is certain if the winner needs less than half of what the clock
            // has left; otherwise every ply of resistance may save the game.
            -1 if 2 * plies + self.clock < CLOCK_LIMIT => (-SURE, Wdl::Loss),
            -1 => {
                let loses = !self.fifty_moves || plies + self.clock <= CLOCK_LIMIT;
                let wdl = if loses { Wdl::Loss } else { Wdl::BlessedLoss };
                (-DOUBTFUL + plies + self.clock, wdl)
            }
            _ => (0, Wdl::Draw),
        };
        RankedMove { mv, rank, wdl }
    }
}
