//! Splits the positions of a game into batches. The engine is cleared before each batch.
//!
//! Several engines can therefore work on one game, an interruption loses little, and with limits
//! other than time the result does not depend on the number of engines. Search a batch from its
//! last position to its first: entries of the hash table help with earlier positions.

use std::ops::Range;

use carrybit_board::{Board, Game};

/// The number of positions in a batch.
const BATCH: usize = 8;

/// The number of plies before a position that are searched for repetitions.
const PAST_PLIES: usize = 150;

/// The batches of a game as ranges of position numbers, from 0.
pub fn ranges(played: &Game) -> impl Iterator<Item = Range<usize>> + use<> {
    let positions = played.moves().len() + 1;
    (0..positions).step_by(BATCH).map(move |start| start..positions.min(start + BATCH))
}

/// A cursor over the positions of a game.
pub struct Positions {
    /// The position after `at` plies: the first of the history.
    board: Board,
    at: usize,
}

impl Positions {
    /// A cursor at the first position.
    pub fn new(played: &Game) -> Positions {
        Positions { board: played.start().clone(), at: 0 }
    }

    /// The positions of a batch. Each is the last of a game, which begins up to 150 plies before
    /// the first position of the batch. Batches must be requested in order.
    ///
    /// The first position of these games is read from its FEN, as by an engine on the page: the
    /// order of a board's pieces, and so of its moves, depends on the moves played before.
    pub fn get(&mut self, played: &Game, range: &Range<usize>) -> Vec<Game> {
        let start = range.start.saturating_sub(PAST_PLIES);
        let mut game = Game::new(self.board.clone());
        played.moves()[self.at..start].iter().for_each(|&mv| game.play(mv));
        self.board = game.board().fen().parse().expect("the FEN of a position");
        self.at = start;
        let mut game = Game::new(self.board.clone());
        let position = |at| {
            let moves = &played.moves()[start + game.moves().len()..at];
            moves.iter().for_each(|&mv| game.play(mv));
            game.clone()
        };
        range.clone().map(position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_a_batch_have_their_history() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(100);
        let (_, played, _) = crate::replay::open(&crate::read(&text)[0]).expect("legal moves");
        let mut positions = Positions::new(&played);
        let mut whole = Game::new(played.start().clone());
        let mut at = 0;
        for range in ranges(&played) {
            assert_eq!(range.start, at);
            let past = at.min(PAST_PLIES);
            for position in positions.get(&played, &range) {
                assert_eq!(position.moves().len(), past + at - range.start);
                let read: Board = position.start().fen().parse().expect("a FEN");
                assert!(position.start().pieces().eq(read.pieces()));
                assert_eq!(position.board(), whole.board());
                assert!(whole.history().ends_with(position.history()));
                if let Some(&mv) = played.moves().get(at) {
                    whole.play(mv);
                }
                at += 1;
            }
            assert_eq!(at, range.end);
        }
        assert_eq!(at, played.moves().len() + 1);
    }
}
