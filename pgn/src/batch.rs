//! Splits the positions of a game into batches. The engine is cleared before each batch.
//!
//! Several engines can therefore work on one game, an interruption loses little, and with limits
//! other than time the result does not depend on the number of engines. Search a batch from its
//! last position to its first: entries of the hash table help with earlier positions.

use std::ops::Range;

use carrybit::{Board, Game};

use crate::replay::{Replay, Step};

/// The number of positions in a batch.
const BATCH: usize = 8;

/// The number of plies before a position that are searched for repetitions.
const PAST_PLIES: usize = 150;

/// The batches of a game as ranges of position numbers, from 0.
pub fn ranges(replay: &Replay) -> impl Iterator<Item = Range<usize>> + use<> {
    let positions = replay.steps.len() + 1;
    (0..positions).step_by(BATCH).map(move |start| start..positions.min(start + BATCH))
}

/// A cursor over the positions of a game.
pub struct Positions {
    /// The position after `at` plies: the first of the history.
    board: Board,
    at: usize,
}

/// The positions of a batch and their history.
pub struct Batch<'a> {
    /// The first position of the history.
    pub board: Board,
    /// The moves from `board` to the last position.
    pub steps: &'a [Step],
    /// The number of moves from `board` to the first position of the batch.
    pub past: usize,
}

impl Positions {
    /// A cursor at the first position.
    pub fn new(replay: &Replay) -> Positions {
        Positions { board: replay.start.clone(), at: 0 }
    }

    /// A batch, with up to 150 plies of history before its first position. Batches must be
    /// requested in order.
    ///
    /// The first position is read from its FEN, as by an engine on the page: the order of a
    /// board's pieces, and so of its moves, depends on the moves played before.
    pub fn get<'a>(&mut self, replay: &'a Replay, range: &Range<usize>) -> Batch<'a> {
        let start = range.start.saturating_sub(PAST_PLIES);
        let mut game = Game::new(self.board.clone());
        replay.steps[self.at..start].iter().for_each(|step| step.play(&mut game));
        self.board = game.board().fen().parse().expect("the FEN of a position");
        self.at = start;
        let steps = &replay.steps[start..range.end - 1];
        Batch { board: self.board.clone(), steps, past: range.start - start }
    }
}

impl Batch<'_> {
    /// The positions, each with its history.
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
    fn positions_of_a_batch_have_their_history() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(100);
        let (_, replay, _) = crate::replay::open(&crate::read(&text)[0]).expect("legal moves");
        let mut positions = Positions::new(&replay);
        let mut whole = Game::new(replay.start.clone());
        let mut at = 0;
        for range in ranges(&replay) {
            assert_eq!(range.start, at);
            let batch = positions.get(&replay, &range);
            assert_eq!(batch.past, range.start.min(PAST_PLIES));
            let read: Board = batch.board.fen().parse().expect("a FEN");
            assert!(batch.board.pieces().eq(read.pieces()));
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
