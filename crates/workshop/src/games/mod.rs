//! Training games: from self-play, or played elsewhere.
//!
//! Self-play is deterministic: game number n of a shard follows from its settings and n alone, with
//! any number of threads, and games are written in the order of their numbers. So a shard that was
//! cut off at any moment resumes after its last complete game, and becomes the same file, byte for
//! byte, as without the interruption.

use carrybit::internals::score::Score;
use carrybit::{Board, Color, Move};

pub mod from_pgn;
pub mod play;
pub mod random_game;
pub mod score_text;
pub mod selfplay;
pub mod settings;
pub mod shard;
pub mod stats;
pub mod to_pgn;
pub mod trees;

/// A game with the scores of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    pub start: Board,
    /// The moves, each with the score of its search, in centipawns from White's view.
    pub moves: Vec<(Move, Score)>,
    /// `None` after a draw.
    pub winner: Option<Color>,
}

/// Whether a position is quiet, given the move played in it. Other positions are not trained
/// on: a search does not evaluate them statically.
pub fn is_quiet(board: &Board, mv: Move) -> bool {
    !board.in_check() && !mv.is_capture() && !mv.is_promotion()
}
