//! A game in progress: the position, and what repetition needs to remember.
//!
//! A [`Board`] knows nothing of its past. [`Game`] keeps the keys of the positions
//! that may still come back; [`is_repetition`](super::draw::is_repetition) reads them.

use super::changes::NoObserver;
use super::moves::Move;
use super::position::Board;

/// A position with the history that led to it.
///
/// ```
/// use carrybit::board::Board;
/// use carrybit::board::draw::is_repetition;
/// use carrybit::board::game::Game;
///
/// let mut game = Game::new(Board::default());
/// for text in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ') {
///     let moves = game.board().legal_moves();
///     let mv = moves.iter().copied().find(|mv| mv.to_string() == text);
///     game.play(mv.expect("the move is legal"));
/// }
/// let (board, history) = (game.board(), game.history());
/// assert_eq!(history.len(), 8);
/// assert!(is_repetition(history, board.key(), board.halfmove(), history.len()));
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

    /// Plays a legal move.
    ///
    /// # Panics
    /// In debug builds, if the move is not legal. In release builds the position
    /// is then anybody's guess: ask [`Board::is_legal`] first where moves come
    /// from outside.
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.board.is_legal(mv), "{mv} in {}", self.board.fen(true));
        let next = self.board.make(mv, &mut NoObserver);
        if next.halfmove() == 0 {
            self.history.clear();
        } else {
            self.history.push(self.board.key());
        }
        self.board = next;
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
