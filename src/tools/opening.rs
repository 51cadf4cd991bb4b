//! Where a game begins: some random moves away from the start position or that of
//! a book, and not yet decided.

use fastrand::Rng;

use crate::board::{Board, Game};
use crate::score::Score;

use super::ending::ending;

/// An opening is thrown away if a search says that one side is further ahead. In
/// games of 400 nodes a move with network n4a, the side that began 200 to 400 ahead
/// won 76 % and lost 15 %: little is open there.
const MAX_ADVANTAGE_CP: Score = 200;
/// How many openings are tried; of those from the start position nearly half will do.
const ATTEMPTS: usize = 10_000;

/// What is settled about openings, in words.
#[must_use]
pub fn rules() -> String {
    format!("openings within {MAX_ADVANTAGE_CP} cp after a search")
}

/// Plays `plies` random moves from `start`, or one more, so that either side may
/// begin. `None` if that ends the game.
fn stumble(rng: &mut Rng, start: &Board, plies: usize) -> Option<Game> {
    let mut game = Game::new(start.clone());
    for _ in 0..plies + rng.usize(..2) {
        let moves = game.board().legal_moves();
        game.play(moves[rng.usize(..moves.len())]);
        if ending(&game).is_some() {
            return None;
        }
    }
    Some(game)
}

/// Why there is no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplayed {
    /// The work has been called off.
    Stopped,
    /// No opening was playable.
    NoOpening,
}

/// An opening of `plies` random moves or one more from any of `starts` that
/// `score`, a search from the side to move's view, holds to be playable; `score`
/// has none if the work has been called off.
///
/// # Errors
/// If every attempt has failed, or if there is no score.
///
/// # Panics
/// If there are no `starts`, or if one of them has no legal move.
pub fn find(
    rng: &mut Rng,
    starts: &[Board],
    plies: usize,
    mut score: impl FnMut(&Game) -> Option<Score>,
) -> Result<Game, Unplayed> {
    for _ in 0..ATTEMPTS {
        let start = &starts[rng.usize(..starts.len())];
        let Some(game) = stumble(rng, start, plies) else { continue };
        if score(&game).ok_or(Unplayed::Stopped)?.abs() <= MAX_ADVANTAGE_CP {
            return Ok(Game::new(game.board().clone()));
        }
    }
    Err(Unplayed::NoOpening)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_follow_from_the_seed_and_are_level() {
        let fens = |seed| {
            let mut rng = Rng::with_seed(seed);
            let mut fen = || {
                find(&mut rng, &[Board::default()], 8, |_| Some(0))
                    .map(|game| game.board().fen(false))
            };
            [fen(), fen(), fen()]
        };
        assert_eq!(fens(1), fens(1));
        assert_ne!(fens(1), fens(2));
        let mut asked = 0;
        let mut rng = Rng::with_seed(1);
        let found = find(&mut rng, &[Board::default()], 8, |_| {
            asked += 1;
            Some(if asked < 5 { -MAX_ADVANTAGE_CP - 1 } else { 0 })
        });
        assert!(found.is_ok_and(|game| game.history().is_empty()));
        assert_eq!(asked, 5);
        assert_eq!(find(&mut rng, &[Board::default()], 8, |_| None), Err(Unplayed::Stopped));
        let lost = "7k/8/8/8/8/8/8/K5R1 w - - 0 1".parse().expect("a sound FEN");
        assert_eq!(find(&mut rng, &[lost], 0, |_| Some(Score::MAX)), Err(Unplayed::NoOpening));
    }
}
