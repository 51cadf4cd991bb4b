//! A game in progress: the position, and what repetition needs to remember.
//!
//! A [`Board`] knows nothing of its past. [`Game`] keeps the keys of the positions
//! that may still come back; [`is_threefold`](super::draw::is_threefold) reads them.
use super::moves::Move;
use super::position::Board;

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
/// use carrybit::board::Board;
/// use carrybit::board::draw::is_threefold;
/// use carrybit::board::game::Game;
///
/// let mut game = Game::new(Board::default());
/// for text in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ') {
///     let moves = game.board().legal_moves();
///     let mv = moves.iter().copied().find(|mv| mv.to_string() == text);
///     game.try_play(mv.expect("a move"))?;
/// }
/// let (board, history) = (game.board(), game.history());
/// assert_eq!(history.len(), 8);
/// assert!(is_threefold(history, board.key(), board.halfmove()));
/// # Ok::<(), carrybit::board::game::IllegalMove>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    board: Board,
    history: Vec<u64>,
}

impl Game {
    /// A game that begins at `board`. What came before is not known, even if
    /// the halfmove clock says that there was something.
    #[must_use]
    pub fn new(board: Board) -> Game {
        Game { board, history: Vec::new() }
    }

    /// The position reached.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The keys of the positions before the current one that may come back, the
    /// oldest first: those since the last capture, pawn move or null move.
    #[must_use]
    pub fn history(&self) -> &[u64] {
        &self.history
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// If it is not; the game is then as before.
    ///
    /// ```
    /// use carrybit::board::{Board, Game, Move, Square};
    ///
    /// let mut game = Game::default();
    /// let [e1, e8] = [Square::new(4, 0), Square::new(4, 7)];
    /// assert!(game.try_play(Move::capture(e1, e8)).is_err());
    /// assert_eq!(game.board(), &Board::default());
    /// ```
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
    /// If the move is not legal; where moves come from outside, use
    /// [`try_play`](Game::try_play).
    pub fn play(&mut self, mv: Move) {
        if let Err(error) = self.try_play(mv) {
            panic!("{error}: {}", self.board.fen(true));
        }
    }

    /// Plays a null move, which the rules do not allow but some programs ask for.
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
