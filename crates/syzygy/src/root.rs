//! Ranks of root moves: which of them keep the outcome and make progress.
//!
//! A side that only keeps its win may never mate: it can move back and forth until the game is
//! drawn by the fifty-move rule. While the fifty-move clock is low enough, all moves that win in
//! time rank equal, and the search chooses among them. If it is too high, a position has been
//! repeated, or a player may claim a draw, the move that zeroes the clock soonest ranks best.
//! (Idea: Stockfish.)

use std::collections::HashSet;

use carrybit_board::draw::{FIFTY_MOVES_PLIES, FiftyMoveRule, is_repetition};
use carrybit_board::{Board, Game, Move};

use super::probe::{before_zeroing, is_zeroing, one_ply_earlier};
use super::{Tablebases, Wdl};

// Ranks of wins; those of losses are their negatives.

/// A certain win.
const SURE: i32 = 100_000;
/// A win that the fifty-move rule endangers, before its distance is subtracted.
const DOUBTFUL: i32 = SURE / 2;
/// A cursed win without DTZ tables.
const CURSED: i32 = 100;

const CLOCK_LIMIT: i32 = FIFTY_MOVES_PLIES as i32;

/// A root move with its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// Higher is better; only the order has a meaning, and many moves share a rank.
    pub rank: i32,
    /// The outcome after the move, from the mover's view. With DTZ tables it includes the
    /// current fifty-move clock: a win that comes too late is cursed.
    pub wdl: Wdl,
}

/// The ranks of root moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves in the order given.
    pub moves: Vec<RankedMove>,
    /// Whether DTZ tables ranked the moves. Then those of the best rank keep a win within fifty moves;
    /// to choose the quickest, compare [`Tablebases::probe_dtz`] after each.
    pub by_dtz: bool,
}

impl Tablebases {
    /// Ranks `moves`, which must be legal in the game's position. With DTZ tables, moves of the
    /// best rank win won games and hold drawn ones. With WDL tables only, they keep the outcome
    /// but may make no progress. If `fifty_moves` is false, the fifty-move rule does not count, and
    /// cursed wins are wins. `None` if a table is missing for any of the moves.
    pub fn rank_moves(&self, game: &Game, moves: &[Move], fifty_moves: bool) -> Option<Ranking> {
        self.rank_moves_by(FiftyMoveRule::of(game.board()), game, moves, fifty_moves)
    }

    /// Like [`rank_moves`](Tablebases::rank_moves), with this rule.
    pub fn rank_moves_by(
        &self,
        fifty_move_rule: FiftyMoveRule,
        game: &Game,
        moves: &[Move],
        fifty_moves: bool,
    ) -> Option<Ranking> {
        let board = game.board();
        // Fails early, before the probes of all moves.
        self.probe_wdl(board)?;
        // The positions of the game, the root's last.
        let mut keys = game.history().to_vec();
        keys.push(board.key());
        // Counted from the root if its clock is past an unclaimed fifty-move draw
        // ([`FiftyMoveRule`]).
        let clock = i32::from(fifty_move_rule.shifted(board.halfmove()));
        let mut seen = HashSet::new();
        let has_repeated = keys.iter().any(|key| !seen.insert(key));
        let is_urgent = fifty_move_rule.is_past_claim() || has_repeated;
        let is_draw = |child: &Board| {
            is_repetition(&keys, child.key(), child.halfmove(), keys.len())
                || (fifty_moves && fifty_move_rule.is_draw(child))
        };
        let by_dtz = |mv: Move, child: &Board| {
            let distance = if is_zeroing(board, mv) {
                before_zeroing(-self.probe_wdl(child)?)
            } else if is_draw(child) {
                0
            } else {
                one_ply_earlier(-self.probe_dtz(child)?, child)
            };
            Some(rank_of_distance(distance, clock, is_urgent, fifty_moves))
        };
        let by_wdl = |child: &Board| {
            let wdl = if is_draw(child) { Wdl::Draw } else { -self.probe_wdl(child)? };
            Some(match wdl {
                Wdl::CursedWin if fifty_moves => (CURSED, wdl),
                Wdl::BlessedLoss if fifty_moves => (-CURSED, wdl),
                Wdl::CursedWin | Wdl::Win => (SURE, Wdl::Win),
                Wdl::BlessedLoss | Wdl::Loss => (-SURE, Wdl::Loss),
                Wdl::Draw => (0, wdl),
            })
        };
        [true, false].into_iter().find_map(|is_dtz| {
            let ranked = moves.iter().map(|&mv| {
                let child = board.make(mv);
                let (rank, wdl) = if is_dtz { by_dtz(mv, &child)? } else { by_wdl(&child)? };
                Some(RankedMove { mv, rank, wdl })
            });
            Some(Ranking { moves: ranked.collect::<Option<_>>()?, by_dtz: is_dtz })
        })
    }
}

/// The rank and the outcome of a move. `distance` is the distance to zeroing before the move. If
/// `is_urgent`, each move of a win must make progress.
fn rank_of_distance(distance: i32, clock: i32, is_urgent: bool, fifty_moves: bool) -> (i32, Wdl) {
    let plies = distance.abs();
    let is_in_time = !fifty_moves || plies + clock <= CLOCK_LIMIT;
    match distance.signum() {
        1 if plies + clock < CLOCK_LIMIT && !is_urgent => (SURE, Wdl::Win),
        1 => (DOUBTFUL - plies - clock, if is_in_time { Wdl::Win } else { Wdl::CursedWin }),
        // A loss is certain if the winner needs less than half of the plies left on the clock.
        // Otherwise longer resistance may save the game.
        -1 if 2 * plies + clock < CLOCK_LIMIT => (-SURE, Wdl::Loss),
        -1 => (-DOUBTFUL + plies + clock, if is_in_time { Wdl::Loss } else { Wdl::BlessedLoss }),
        _ => (0, Wdl::Draw),
    }
}
