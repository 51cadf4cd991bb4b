//! The positions of a game in batches, each for an engine that has been cleared before.
//!
//! So several engines can work on one game, little is lost by an interruption, and with limits
//! other than time the result does not depend on how many engines there are. The positions of
//! a batch are searched from the last to the first: then the hash table of one helps with
//! those before it.

use std::ops::Range;

use carrybit::board::draw::SEVENTY_FIVE_MOVES_PLIES;
use carrybit::board::{Board, Game};

use crate::replay::{Replay, Step};

/// The positions of a batch.
const BATCH: usize = 8;

/// The plies before a position that may be repeated after it.
const PAST_PLIES: usize = SEVENTY_FIVE_MOVES_PLIES as usize;

/// The batches of a game by the numbers of their positions, from 0.
pub fn ranges(replay: &Replay) -> impl Iterator<Item = Range<usize>> + use<> {
    let positions = replay.steps.len() + 1;
    (0..positions).step_by(BATCH).map(move |start| start..positions.min(start + BATCH))
}

/// Goes through the positions of a game.
pub struct Positions {
    /// The position after `at` plies, at the beginning of the past that counts.
    board: Board,
    at: usize,
}

/// The positions of a batch, and their past.
pub struct Batch<'a> {
    /// The position at the beginning of the past.
    pub board: Board,
    /// The moves from there to the last position.
    pub steps: &'a [Step],
    /// How many moves lead to the first position.
    pub past: usize,
}

impl Positions {
    /// Begins with the first position.
    pub fn new(replay: &Replay) -> Positions {
        Positions { board: replay.start.clone(), at: 0 }
    }

    /// A batch, with up to `PAST_PLIES` before its first position. It must not lie before an
    /// earlier one.
    pub fn get<'a>(&mut self, replay: &'a Replay, range: &Range<usize>) -> Batch<'a> {
        let start = range.start.saturating_sub(PAST_PLIES);
        let mut game = Game::new(self.board.clone());
        replay.steps[self.at..start].iter().for_each(|step| step.play(&mut game));
        (self.board, self.at) = (game.board().clone(), start);
        let steps = &replay.steps[start..range.end - 1];
        Batch { board: self.board.clone(), steps, past: range.start - start }
    }
}

impl Batch<'_> {
    /// The positions, each with its past.
    pub fn games(&self) -> Vec<Game> {
        let mut game = Game::new(self.board.clone());
        let (past, steps) = self.steps.split_at(self.past);
        past.iter().for_each(|step| step.play(&mut game));
        let mut games = vec![game.clone()];
        games.extend(steps.iter().map(|step| {
            step.play(&mut game);
            game.clone()
        }));
        games
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_a_batch_have_their_past() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(100);
        let mut game = crate::read(&text).remove(0).game.expect("a game");
        let (replay, _) = Replay::new(&mut game, &text).expect("legal moves");
        let mut positions = Positions::new(&replay);
        let mut whole = Game::new(replay.start.clone());
        let mut at = 0;
        for range in ranges(&replay) {
            assert_eq!(range.start, at);
            let batch = positions.get(&replay, &range);
            assert_eq!(batch.past, range.start.min(PAST_PLIES));
            for position in batch.games() {
                assert_eq!(position.board(), whole.board());
                assert!(whole.history().ends_with(position.history()));
                replay.steps.get(at).iter().for_each(|step| step.play(&mut whole));
                at += 1;
            }
        }
        assert_eq!(at, replay.steps.len() + 1);
    }
}
