//! Building a position without a FEN: from single pieces, or by the number of a Chess960 start
//! position.

use alloc::format;
use alloc::string::String;

use super::fen::{MAX_COUNTER, Placement, is_castling_rook};
use super::{Board, CastlingSide, Color, FenError, Kind, Piece, PieceByte, Square};

/// A position to be set up piece by piece.
///
/// A new builder has an empty board with White to move and no castling rights. One made from a
/// [`Board`] has its position, to be edited.
///
/// ```
/// use carrybit_board::{Board, BoardBuilder, CastlingSide, Color, Kind, Square};
///
/// let board = BoardBuilder::new()
///     .put(Square::E1, Color::White, Kind::King)
///     .put(Square::H1, Color::White, Kind::Rook)
///     .put(Square::E8, Color::Black, Kind::King)
///     .castling_rook(Color::White, CastlingSide::King, Some(Square::H1))
///     .build()?;
/// assert_eq!(board.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
///
/// let edited = BoardBuilder::from(&board).remove(Square::H1).side(Color::Black).build()?;
/// assert_eq!(edited.fen(), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
/// # Ok::<(), carrybit_board::FenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardBuilder {
    squares: [PieceByte; 128],
    side: Color,
    rooks: [Square; 4],
    ep: Square,
    halfmove: u16,
    fullmove: u16,
}

impl BoardBuilder {
    /// An empty board with White to move, the halfmove clock 0 and the move number 1.
    pub const fn new() -> BoardBuilder {
        BoardBuilder {
            squares: [PieceByte::EMPTY; 128],
            side: Color::White,
            rooks: [Square::NONE; 4],
            ep: Square::NONE,
            halfmove: 0,
            fullmove: 1,
        }
    }

    /// Puts a piece on a square, in place of any other.
    ///
    /// # Panics
    /// If the square is off the board.
    pub fn put(&mut self, sq: Square, color: Color, kind: Kind) -> &mut BoardBuilder {
        self.set(sq, PieceByte::new(color, kind))
    }

    /// Empties a square.
    ///
    /// # Panics
    /// If the square is off the board.
    pub fn remove(&mut self, sq: Square) -> &mut BoardBuilder {
        self.set(sq, PieceByte::EMPTY)
    }

    fn set(&mut self, sq: Square, piece: PieceByte) -> &mut BoardBuilder {
        assert!(sq.is_on_board(), "{sq:?} is off the board");
        self.squares[sq.index()] = piece;
        self
    }

    /// The piece on a square.
    pub fn piece_on(&self, sq: Square) -> Option<Piece> {
        self.squares[sq.index()].piece()
    }

    /// Sets the side to move.
    pub fn side(&mut self, side: Color) -> &mut BoardBuilder {
        self.side = side;
        self
    }

    /// Sets the square of the rook with which `color` may castle on that side, or takes the right
    /// away. [`BoardBuilder::build`] drops a right without king and rook in place.
    pub fn castling_rook(
        &mut self,
        color: Color,
        side: CastlingSide,
        rook: Option<Square>,
    ) -> &mut BoardBuilder {
        self.rooks[color.index() * 2 + side as usize] = rook.unwrap_or(Square::NONE);
        self
    }

    /// Sets the square behind a pawn that has just moved two ranks. [`BoardBuilder::build`] drops
    /// it if no capture there is legal.
    pub fn en_passant(&mut self, sq: Option<Square>) -> &mut BoardBuilder {
        self.ep = sq.unwrap_or(Square::NONE);
        self
    }

    /// Sets the plies since the last capture or pawn move; at most 9,999 count.
    pub fn halfmove(&mut self, plies: u16) -> &mut BoardBuilder {
        self.halfmove = plies;
        self
    }

    /// Sets the number of the move, which is clamped to 1..=9,999.
    pub fn fullmove(&mut self, number: u16) -> &mut BoardBuilder {
        self.fullmove = number;
        self
    }

    /// The position, if it is one that can be played on.
    ///
    /// # Errors
    /// As for a FEN with these pieces, the first error found.
    pub fn build(&self) -> Result<Board, FenError> {
        let squares = &self.squares;
        let placement = Placement::of(squares);
        let kings = placement.check()?;
        let mut rooks = self.rooks;
        for (index, rook) in rooks.iter_mut().enumerate() {
            let (color, side) = (Color::ALL[index / 2], CastlingSide::ALL[index % 2]);
            let king = kings[color.index()];
            let is_on_side = (*rook > king) == (side == CastlingSide::King);
            if !is_on_side || !is_castling_rook(squares, king, *rook, color) {
                *rook = Square::NONE;
            }
        }
        let halfmove = self.halfmove.min(MAX_COUNTER);
        let fullmove = self.fullmove.clamp(1, MAX_COUNTER);
        placement.board(self.side, rooks, self.ep, halfmove, fullmove)
    }
}

impl Default for BoardBuilder {
    fn default() -> BoardBuilder {
        BoardBuilder::new()
    }
}

/// The position of the board, to be edited.
impl From<&Board> for BoardBuilder {
    fn from(board: &Board) -> BoardBuilder {
        BoardBuilder {
            squares: board.squares,
            side: board.side,
            rooks: board.castling_rooks,
            ep: board.ep,
            halfmove: board.halfmove,
            fullmove: board.fullmove,
        }
    }
}

impl Board {
    /// The Chess960 start position with a number from 0 to 959 in Scharnagl's order; `None` for
    /// higher numbers. Number 518 is the start position of standard chess.
    ///
    /// ```
    /// use carrybit_board::Board;
    ///
    /// assert_eq!(Board::chess960_start(518), Some(Board::default()));
    /// let first = Board::chess960_start(0).expect("0 is below 960");
    /// assert!(first.fen().starts_with("bbqnnrkr/pppppppp/"));
    /// assert_eq!(Board::chess960_start(960), None);
    /// ```
    pub fn chess960_start(number: u16) -> Option<Board> {
        const KNIGHTS: [[usize; 2]; 10] =
            [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
        if number >= 960 {
            return None;
        }
        let number = usize::from(number);
        let mut rank = ['.'; 8];
        rank[2 * (number % 4) + 1] = 'b';
        rank[2 * (number / 4 % 4)] = 'b';
        // Each piece goes to the nth of the files that are still free; of the knights, the right
        // one goes first, so that the number of the left one stays.
        let [left, right] = KNIGHTS[number / 96];
        let (queen, knights) = ((number / 16 % 6, 'q'), [(right, 'n'), (left, 'n')]);
        let rooks_and_king = [(0, 'r'), (0, 'k'), (0, 'r')];
        for (nth, piece) in [queen].into_iter().chain(knights).chain(rooks_and_king) {
            let mut free = rank.iter_mut().filter(|file| **file == '.');
            *free.nth(nth).expect("a free file") = piece;
        }
        let black = String::from_iter(rank);
        let white = black.to_uppercase();
        format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq").parse().ok()
    }
}
