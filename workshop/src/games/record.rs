//! A game with the scores of its positions.

use carrybit::board::{Board, Color, Move, Outcome};
use carrybit::score::Score;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Won by this side.
    Win(Color),
    /// Drawn.
    Draw,
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Ending {
        outcome.winner().map_or(Ending::Draw, Ending::Win)
    }
}

/// A game with the scores of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Where it began.
    pub start: Board,
    /// The moves played, each with the score of its search, in centipawns from White's view.
    pub moves: Vec<(Move, Score)>,
    /// How it ended.
    pub ending: Ending,
}

/// Whether a position is quiet, given the move played there: only such positions are trained
/// on.
pub fn is_quiet(board: &Board, mv: Move) -> bool {
    !board.in_check() && !mv.is_capture() && !mv.is_promotion()
}
