//! Legal moves as the independent crate cozy-chess finds them.

use cozy_chess::{Board, File, Move};

/// A position of cozy-chess.
#[derive(Clone, Debug)]
pub(crate) struct Position(Board);

impl Position {
    pub(crate) fn start() -> Position {
        Position(Board::default())
    }

    /// Returns `None` if cozy-chess refuses the position: it cannot arise in a game.
    pub(crate) fn from_shredder_fen(fen: &str) -> Option<Position> {
        Board::from_fen(fen, true).ok().map(Position)
    }

    pub(crate) fn is_white_to_move(&self) -> bool {
        self.0.side_to_move() == cozy_chess::Color::White
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.0.generate_moves(|piece_moves| {
            moves.extend(piece_moves);
            false
        });
        moves
    }

    /// The legal moves in the engine's notation. Castling is written as king takes rook if
    /// `chess960` is set, or if king or rook did not start on their squares of standard chess.
    pub(crate) fn legal_moves(&self, chess960: bool) -> Vec<String> {
        self.moves().into_iter().map(|mv| self.text(mv, chess960)).collect()
    }

    fn text(&self, mv: Move, chess960: bool) -> String {
        let is_castling = self.0.color_on(mv.to) == Some(self.0.side_to_move());
        let castled_file = match mv.to.file() {
            File::A => Some(File::C),
            File::H => Some(File::G),
            _ => None,
        };
        match castled_file {
            Some(file) if is_castling && !chess960 && mv.from.file() == File::E => {
                format!("{}{}", mv.from, cozy_chess::Square::new(file, mv.to.rank()))
            }
            _ => mv.to_string(),
        }
    }

    /// The position after a move in the notation of [`legal_moves`](Position::legal_moves);
    /// `None` if it is not legal.
    pub(crate) fn after(&self, text: &str, chess960: bool) -> Option<Position> {
        let mv = self.moves().into_iter().find(|&mv| self.text(mv, chess960) == text)?;
        let mut board = self.0.clone();
        board.play(mv);
        Some(Position(board))
    }

    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let count = |mv| {
            let mut board = self.0.clone();
            board.play(mv);
            Position(board).perft(depth - 1)
        };
        self.moves().into_iter().map(count).sum()
    }
}
