//! One game of the engine against itself, determined by a seed.

use carrybit::internals::selfplay::{self, OpeningError, SelfPlayer};
use carrybit::{Board, Color};
use fastrand::Rng;

use super::record::GameRecord;
use super::referee::{self, Referee};

/// Describes the rules of each game; stored in the settings of a shard. The text must change if
/// and only if the rules change.
pub fn rules() -> String {
    format!("{}; {}", selfplay::rules(), referee::rules())
}

/// Plays the game of `seed`: an opening of `random_plies` random moves, or one more, then
/// about `nodes` nodes for each move.
pub fn play_game(
    player: &mut SelfPlayer,
    seed: u64,
    random_plies: usize,
    nodes: u64,
) -> Result<GameRecord, OpeningError> {
    player.clear();
    let mut rng = Rng::with_seed(seed);
    let mut game = player.find_opening(&mut rng, &[Board::default()], random_plies, nodes)?;
    let start = game.board().clone();
    let mut referee = Referee::default();
    let mut moves = Vec::new();
    loop {
        if let Some(outcome) = game.outcome() {
            return Ok(GameRecord { start, moves, result: outcome.into() });
        }
        let (mv, score) = player.search(&game, nodes).ok_or(OpeningError::Stopped)?;
        let white_score = if game.board().side() == Color::White { score } else { -score };
        moves.push((mv, white_score));
        if let Some(result) = referee.update(white_score, moves.len()) {
            return Ok(GameRecord { start, moves, result });
        }
        game.play(mv);
    }
}
