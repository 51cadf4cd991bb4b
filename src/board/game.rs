//! A game in progress: the position, the keys that repetition needs, and the outcome.

use super::draw::{clock_limit, is_threefold};
use super::{Board, Color, Move};

/// The outcome of a finished game by the laws of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Checkmate, won by this side.
    Checkmate(Color),
    /// No legal move, and no check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// The position has occurred three times.
    Threefold,
}

impl Outcome {
    /// The side that has won; `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        if let Outcome::Checkmate(winner) = self { Some(winner) } else { None }
    }
}

impl Board {
    /// The outcome that the position decides without its history: checkmate, stalemate or
    /// insufficient material.
    pub fn status(&self) -> Option<Outcome> {
        if self.has_legal_move() {
            return self.is_insufficient_material().then_some(Outcome::InsufficientMaterial);
        }
        let mated = Outcome::Checkmate(!self.side());
        Some(if self.in_check() { mated } else { Outcome::Stalemate })
    }
}

/// A move that is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not legal here")]
pub struct IllegalMove(
    /// The move.
    pub Move,
);

/// A position with the history that led to it.
///
/// ```
/// use carrybit::board::{Game, Outcome};
///
/// let mut game = Game::default();
/// for text in "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8".split(' ') {
///     assert_eq!(game.outcome(), None);
///     game.play(game.board().parse_san(text)?);
/// }
/// assert_eq!(game.outcome(), Some(Outcome::Threefold));
/// # Ok::<(), carrybit::board::SanError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    board: Board,
    history: Vec<u64>,
}

impl Game {
    /// A game that starts from `board`, without earlier positions, whatever its halfmove clock.
    pub fn new(board: Board) -> Game {
        Game { board, history: Vec::new() }
    }

    /// The current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The keys of the earlier positions that may recur, oldest first: those since the last
    /// capture, pawn move or null move.
    pub fn history(&self) -> &[u64] {
        &self.history
    }

    /// The outcome, if the game is over. Draws are claimed as soon as possible; but a game
    /// that starts after fifty moves without a capture or a pawn move goes on for another
    /// 50 plies.
    pub fn outcome(&self) -> Option<Outcome> {
        let clock = self.board.halfmove();
        // 0 if the clock has been reset since.
        let clock_at_start = usize::from(clock).saturating_sub(self.history.len()) as u16;
        if let Some(outcome) = self.board.status() {
            Some(outcome)
        } else if clock >= clock_limit(clock_at_start) {
            Some(Outcome::FiftyMoves)
        } else {
            let repeats = is_threefold(&self.history, self.board.key(), clock);
            repeats.then_some(Outcome::Threefold)
        }
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// If it is not; the game is then unchanged.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.board.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        let next = self.board.make(mv);
        if next.halfmove() == 0 {
            self.history.clear();
        } else {
            self.history.push(self.board.key());
        }
        self.board = next;
        Ok(())
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// If the move is not legal; for moves from outside, use [`try_play`](Game::try_play).
    pub fn play(&mut self, mv: Move) {
        if let Err(error) = self.try_play(mv) {
            panic!("{error}: {}", self.board.fen(true));
        }
    }

    /// Plays a null move, which the rules do not allow but some programs need.
    /// Nothing before it counts as repeated afterwards.
    ///
    /// # Panics
    /// In debug builds, if the side to move is in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.board.in_check(), "a null move in check: {}", self.board.fen(true));
        self.board = self.board.make_null();
        self.history.clear();
    }
}
