//! A game with the scores of its positions.

use carrybit::internals::score::Score;
use carrybit::{Board, Color, Move, Outcome};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    Win(Color),
    Draw,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> GameResult {
        outcome.winner().map_or(GameResult::Draw, GameResult::Win)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    pub start: Board,
    /// The moves, each with the score of its search, in centipawns from White's view.
    pub moves: Vec<(Move, Score)>,
    pub result: GameResult,
}

/// Whether a position is quiet, given the move played in it. Other positions are not trained
/// on: a search does not evaluate them statically.
pub fn is_quiet(board: &Board, mv: Move) -> bool {
    !board.in_check() && !mv.is_capture() && !mv.is_promotion()
}
