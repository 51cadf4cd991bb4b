//! A game in progress: the position, the keys that repetition needs, and the outcome.

use alloc::vec::Vec;
use core::fmt;

use super::draw::{
    EARLIER_FOR_FIVEFOLD, EARLIER_FOR_THREEFOLD, FIFTY_MOVES_PLIES, SEVENTY_FIVE_MOVES_PLIES,
    earlier, halfmove_limit,
};
use super::{Board, Color, Move, MoveError};

/// The outcome of a finished game by the laws of chess. Its text is the result in PGN.
///
/// ```
/// use carrybit_board::{Board, Color, Outcome};
///
/// let board: Board = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse()?;
/// assert_eq!(board.status().map(Outcome::reason), Some("stalemate"));
/// assert_eq!(Outcome::Checkmate(Color::White).to_string(), "1-0");
/// # Ok::<(), carrybit_board::FenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// Seventy-five moves of each side without a capture or a pawn move, which end a game without
    /// a claim. Only [`Game::automatic_outcome`] returns it.
    SeventyFiveMoves,
    /// The position has occurred five times, which ends a game without a claim. Only
    /// [`Game::automatic_outcome`] returns it.
    Fivefold,
}

impl Outcome {
    /// The side that has won; `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        if let Outcome::Checkmate(winner) = self { Some(winner) } else { None }
    }

    /// The reason in words, such as `checkmate`.
    pub fn reason(self) -> &'static str {
        match self {
            Outcome::Checkmate(_) => "checkmate",
            Outcome::Stalemate => "stalemate",
            Outcome::InsufficientMaterial => "insufficient material",
            Outcome::FiftyMoves => "fifty-move rule",
            Outcome::Threefold => "threefold repetition",
            Outcome::SeventyFiveMoves => "seventy-five-move rule",
            Outcome::Fivefold => "fivefold repetition",
        }
    }
}

/// `1-0`, `0-1` or `1/2-1/2`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.winner() {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        })
    }
}

impl Board {
    /// The outcome that the position decides without its history: checkmate, stalemate or
    /// insufficient material. `None` if the game goes on; [`Board::in_check`] tells whether the side
    /// to move is in check. [`Game::outcome`] also detects draws by repetition and by the fifty-move
    /// rule.
    pub fn status(&self) -> Option<Outcome> {
        if self.has_legal_move() {
            return self.is_insufficient_material().then_some(Outcome::InsufficientMaterial);
        }
        let mated = Outcome::Checkmate(!self.side());
        Some(if self.in_check() { mated } else { Outcome::Stalemate })
    }

    /// The position after a move; this one is unchanged.
    ///
    /// # Errors
    /// If the move is not legal.
    pub fn try_play(&self, mv: Move) -> Result<Board, IllegalMove> {
        if self.is_legal(mv) { Ok(self.make(mv)) } else { Err(IllegalMove(mv)) }
    }
}

/// A move that is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove(
    /// The move.
    pub Move,
);

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not legal here", self.0)
    }
}

impl core::error::Error for IllegalMove {}

/// A game: its first position, its moves, and the position reached.
///
/// ```
/// use carrybit_board::{Game, Outcome};
///
/// let mut game = Game::default();
/// for san in "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8".split(' ') {
///     assert_eq!(game.outcome(), None);
///     game.play_san(san)?;
/// }
/// assert_eq!(game.outcome(), Some(Outcome::Threefold));
/// assert_eq!((game.occurrences(), game.claimable_draw()), (3, Some(Outcome::Threefold)));
/// assert_eq!(game.automatic_outcome(), None);
/// let last = game.undo().map(|mv| mv.to_string());
/// assert_eq!((last.as_deref(), game.moves().len()), (Some("f6g8"), 7));
/// # Ok::<(), carrybit_board::MoveError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    start: Board,
    moves: Vec<Move>,
    board: Board,
    history: Vec<u64>,
}

/// A game that starts from the position.
impl From<Board> for Game {
    fn from(board: Board) -> Game {
        Game::new(board)
    }
}

/// A game that starts from the position.
impl From<&Board> for Game {
    fn from(board: &Board) -> Game {
        Game::new(board.clone())
    }
}

/// A copy.
impl From<&Game> for Game {
    fn from(game: &Game) -> Game {
        game.clone()
    }
}

impl Game {
    /// A game that starts from `board`, without earlier positions, whatever its halfmove clock.
    pub fn new(board: Board) -> Game {
        Game { start: board.clone(), moves: Vec::new(), board, history: Vec::new() }
    }

    /// The first position.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// The moves played. A null move has the text `0000`.
    pub fn moves(&self) -> &[Move] {
        &self.moves
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

    /// The outcome, if the game is over. The third occurrence of a position and fifty moves without
    /// a capture or a pawn move end it, without a claim. A game that starts with a halfmove clock
    /// of 100 or more ends 50 plies later.
    pub fn outcome(&self) -> Option<Outcome> {
        let clock = usize::from(self.board.halfmove());
        // 0 if the clock has been reset since.
        let clock_at_start = clock.saturating_sub(self.history.len()) as u16;
        self.board.status().or_else(|| self.claimable_from(halfmove_limit(clock_at_start)))
    }

    /// How often the current position has occurred in this game, at least once. Positions are
    /// equal if pieces, side to move, castling rights and legal en passant captures are.
    pub fn occurrences(&self) -> usize {
        1 + earlier(&self.history, self.board.key(), self.board.halfmove()).count()
    }

    /// The draw that the side to move can claim in the current position: by the fifty-move rule or
    /// by threefold repetition (FIDE Laws, 9.2 and 9.3). A player can also claim with a move that
    /// leads to such a position; test that by playing the move. `None` after mate or stalemate.
    /// [`Game::outcome`] ends the game there without a claim, except in a game that starts with a
    /// halfmove clock of 100 or more.
    pub fn claimable_draw(&self) -> Option<Outcome> {
        if self.board.status().is_some() { None } else { self.claimable_from(FIFTY_MOVES_PLIES) }
    }

    /// The draw by a halfmove clock of at least `plies`, or by threefold repetition.
    fn claimable_from(&self, plies: u16) -> Option<Outcome> {
        if self.board.halfmove() >= plies {
            return Some(Outcome::FiftyMoves);
        }
        (self.occurrences() > EARLIER_FOR_THREEFOLD).then_some(Outcome::Threefold)
    }

    /// The outcome if the game is over without a claim: by [`Board::status`], by the
    /// seventy-five-move rule or by fivefold repetition (FIDE Laws, 9.6). For play where players
    /// claim draws; [`Game::outcome`] is for engines and servers that end games at the first
    /// chance.
    pub fn automatic_outcome(&self) -> Option<Outcome> {
        self.board.status().or_else(|| {
            if self.board.halfmove() >= SEVENTY_FIVE_MOVES_PLIES {
                Some(Outcome::SeventyFiveMoves)
            } else {
                (self.occurrences() > EARLIER_FOR_FIVEFOLD).then_some(Outcome::Fivefold)
            }
        })
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// If it is not; the game is then unchanged.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.board.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        self.advance(mv);
        Ok(())
    }

    /// Plays a move that is legal.
    fn advance(&mut self, mv: Move) {
        let before = self.board.key();
        self.board.play(mv);
        if self.board.halfmove() == 0 {
            self.history.clear();
        } else {
            self.history.push(before);
        }
        self.moves.push(mv);
    }

    /// Plays a move in [UCI's notation](Board::parse_uci).
    ///
    /// # Errors
    /// If the text is not that of a legal move; the game is then unchanged.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.board.parse_uci(text)?;
        self.advance(mv);
        Ok(mv)
    }

    /// Plays a move in [SAN](Board::parse_san).
    ///
    /// # Errors
    /// If the text is not that of exactly one legal move; the game is then unchanged.
    pub fn play_san(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.board.parse_san(text)?;
        self.advance(mv);
        Ok(mv)
    }

    /// Takes the last move back and returns it; `None` if there is none. Replays the game.
    pub fn undo(&mut self) -> Option<Move> {
        let (&last, moves) = self.moves.split_last()?;
        let mut before = Game::new(self.start.clone());
        moves.iter().for_each(|&mv| before.play(mv));
        *self = before;
        Some(last)
    }

    /// Plays a legal move, or a null move as [`moves`](Game::moves) may contain it.
    ///
    /// # Panics
    /// If the move is not legal, or a null move in check; for moves from outside, use
    /// [`try_play`](Game::try_play).
    pub fn play(&mut self, mv: Move) {
        if mv.is_null() {
            return self.play_null();
        }
        if let Err(error) = self.try_play(mv) {
            panic!("{error}: {}", self.board);
        }
    }

    /// Plays a null move, which the rules do not allow but some programs need.
    /// Nothing before it counts as repeated afterwards.
    ///
    /// # Panics
    /// If the side to move is in check.
    pub fn play_null(&mut self) {
        assert!(!self.board.in_check(), "a null move in check: {}", self.board);
        self.moves.push(Move::NONE);
        self.board = self.board.make_null();
        self.history.clear();
    }
}
