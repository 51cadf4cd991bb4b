//! One game of the engine against itself, determined by a seed.

use carrybit::internals::selfplay::{self, OpeningError, SelfPlayer};
use carrybit::{Board, Color};
use fastrand::Rng;

use super::record::GameRecord;
use super::referee::{self, Referee};
use super::starts::Starts;

/// Describes the rules of each game; stored in the settings of a shard. The text must change if
/// and only if the rules change.
pub fn rules() -> String {
    format!("{}; {}", selfplay::rules(), referee::rules())
}

/// The number of positions drawn from earlier games for each opening, which begins at one of them.
const CANDIDATES: usize = 16;
/// The number of random moves from such a position, or one more.
const PLIES_FROM_GAMES: usize = 1;

/// Plays the game of `seed`: an opening of `random_plies` random moves, or one more, then
/// about `nodes` nodes for each move. With `starts`, about half of the games begin near one of
/// their positions instead.
pub fn play_game(
    player: &mut SelfPlayer,
    seed: u64,
    random_plies: usize,
    nodes: u64,
    starts: Option<&Starts>,
) -> Result<GameRecord, OpeningError> {
    player.clear();
    let mut rng = Rng::with_seed(seed);
    let (boards, plies) = match starts {
        Some(starts) if rng.bool() => {
            ((0..CANDIDATES).map(|_| starts.draw(&mut rng)).collect(), PLIES_FROM_GAMES)
        }
        _ => (vec![Board::default()], random_plies),
    };
    let mut game = player.find_opening(&mut rng, &boards, plies, nodes)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use carrybit::Game;
    use carrybit::internals::eval::nnue::Network;

    use super::*;

    #[test]
    fn equal_seeds_give_equal_legal_games() {
        let (mut player, mut other) = (
            SelfPlayer::new(Network::embedded(), Arc::default()),
            SelfPlayer::new(Network::embedded(), Arc::default()),
        );
        let first = play_game(&mut player, 1, 8, 50, None).expect("a game");
        let second = play_game(&mut player, 2, 8, 50, None).expect("a game");
        assert_ne!(first, second);
        assert_eq!(play_game(&mut player, 1, 8, 50, None).as_ref(), Ok(&first));
        assert_eq!(play_game(&mut other, 2, 8, 50, None), Ok(second));
        let mut game = Game::new(first.start);
        for (i, &(mv, _)) in first.moves.iter().enumerate() {
            assert!(game.board().is_legal(mv));
            assert_eq!(game.outcome(), None, "after {i} moves");
            game.play(mv);
        }
        assert!(first.moves.len() > 10);
    }

    #[test]
    fn stop_flag_interrupts_a_search() {
        const FOREVER: u64 = u64::MAX;
        let stop = Arc::new(AtomicBool::new(false));
        let mut player = SelfPlayer::new(Network::embedded(), Arc::clone(&stop));
        std::thread::scope(|scope| {
            let played = scope.spawn(move || (play_game(&mut player, 1, 8, FOREVER, None), player));
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
            let (played, mut player) = played.join().expect("no panic");
            assert_eq!(played, Err(OpeningError::Stopped));
            assert_eq!(play_game(&mut player, 1, 8, 50, None), Err(OpeningError::Stopped));
        });
    }
}
