//! The libraries that `peers text` compares, behind one trait.

use carrybit_board::CastlingMode;
use shakmaty::Position;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

/// A library of chess rules. Moves given to it are legal, texts need not be.
pub trait Library {
    type Board: Clone;
    type Move: Copy + PartialEq;
    const NAME: &'static str;

    fn parse_fen(fen: &str) -> Option<Self::Board>;
    fn print_fen(board: &Self::Board) -> String;
    /// A legal move in standard UCI notation.
    fn parse_uci(board: &Self::Board, text: &str) -> Option<Self::Move>;
    fn print_uci(board: &Self::Board, mv: Self::Move) -> String;
    fn parse_san(board: &Self::Board, text: &str) -> Option<Self::Move>;
    fn print_san(board: &Self::Board, mv: Self::Move) -> String;
    /// Plays a legal move by the fastest public function.
    fn play(board: &mut Self::Board, mv: Self::Move);
    fn play_copy(board: &Self::Board, mv: Self::Move) -> Self::Board {
        let mut next = board.clone();
        Self::play(&mut next, mv);
        next
    }
    /// Writes the legal moves to a list; returns their number.
    fn legal_moves(board: &Self::Board) -> u64;
    fn count(board: &Self::Board) -> u64;
    /// Calls the library's function for the end of a game by the position alone.
    fn is_mate_or_stalemate(board: &Self::Board) -> bool;
}

pub struct Carrybit;

impl Library for Carrybit {
    type Board = carrybit_board::Board;
    type Move = carrybit_board::Move;
    const NAME: &'static str = "carrybit";

    fn parse_fen(fen: &str) -> Option<Self::Board> {
        fen.parse().ok()
    }

    fn print_fen(board: &Self::Board) -> String {
        board.fen()
    }

    fn parse_uci(board: &Self::Board, text: &str) -> Option<Self::Move> {
        board.parse_uci(text).ok()
    }

    fn print_uci(_: &Self::Board, mv: Self::Move) -> String {
        mv.uci(CastlingMode::Standard)
    }

    fn parse_san(board: &Self::Board, text: &str) -> Option<Self::Move> {
        board.parse_san(text).ok()
    }

    fn print_san(board: &Self::Board, mv: Self::Move) -> String {
        board.san(mv)
    }

    fn play(board: &mut Self::Board, mv: Self::Move) {
        board.play(mv);
    }

    fn play_copy(board: &Self::Board, mv: Self::Move) -> Self::Board {
        board.make(mv)
    }

    fn legal_moves(board: &Self::Board) -> u64 {
        std::hint::black_box(&board.legal_moves()).len() as u64
    }

    fn count(board: &Self::Board) -> u64 {
        board.count_legal()
    }

    fn is_mate_or_stalemate(board: &Self::Board) -> bool {
        use carrybit_board::Outcome::{Checkmate, Stalemate};
        matches!(board.status(), Some(Checkmate(_) | Stalemate))
    }
}

pub struct Cozy;

impl Library for Cozy {
    type Board = cozy_chess::Board;
    type Move = cozy_chess::Move;
    const NAME: &'static str = "cozy-chess";

    fn parse_fen(fen: &str) -> Option<Self::Board> {
        fen.parse().ok()
    }

    fn print_fen(board: &Self::Board) -> String {
        board.to_string()
    }

    fn parse_uci(board: &Self::Board, text: &str) -> Option<Self::Move> {
        // Its parser does not test whether the move is legal.
        cozy_chess::util::parse_uci_move(board, text).ok().filter(|&mv| board.is_legal(mv))
    }

    fn print_uci(board: &Self::Board, mv: Self::Move) -> String {
        cozy_chess::util::display_uci_move(board, mv).to_string()
    }

    fn parse_san(board: &Self::Board, text: &str) -> Option<Self::Move> {
        cozy_chess::util::parse_san_move(board, text).ok()
    }

    fn print_san(board: &Self::Board, mv: Self::Move) -> String {
        cozy_chess::util::display_san_move(board, mv).to_string()
    }

    fn play(board: &mut Self::Board, mv: Self::Move) {
        board.play_unchecked(mv);
    }

    fn legal_moves(board: &Self::Board) -> u64 {
        // The crate has no list of moves: 218 is the most that a position of a game has.
        let mut list = Vec::with_capacity(218);
        board.generate_moves(|moves| {
            list.extend(moves);
            false
        });
        std::hint::black_box(&list).len() as u64
    }

    fn count(board: &Self::Board) -> u64 {
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
        count
    }

    fn is_mate_or_stalemate(board: &Self::Board) -> bool {
        board.status() != cozy_chess::GameStatus::Ongoing && board.halfmove_clock() < 100
    }
}

pub struct Shakmaty;

impl Library for Shakmaty {
    type Board = shakmaty::Chess;
    type Move = shakmaty::Move;
    const NAME: &'static str = "shakmaty";

    fn parse_fen(fen: &str) -> Option<Self::Board> {
        let fen = Fen::from_ascii(fen.as_bytes()).ok()?;
        fen.into_position(shakmaty::CastlingMode::Standard).ok()
    }

    fn print_fen(board: &Self::Board) -> String {
        Fen::from_position(board, shakmaty::EnPassantMode::Legal).to_string()
    }

    fn parse_uci(board: &Self::Board, text: &str) -> Option<Self::Move> {
        UciMove::from_ascii(text.as_bytes()).ok()?.to_move(board).ok()
    }

    fn print_uci(_: &Self::Board, mv: Self::Move) -> String {
        UciMove::from_standard(mv).to_string()
    }

    fn parse_san(board: &Self::Board, text: &str) -> Option<Self::Move> {
        SanPlus::from_ascii(text.as_bytes()).ok()?.san.to_move(board).ok()
    }

    fn print_san(board: &Self::Board, mv: Self::Move) -> String {
        SanPlus::from_move(board.clone(), mv).to_string()
    }

    fn play(board: &mut Self::Board, mv: Self::Move) {
        board.play_unchecked(mv);
    }

    fn legal_moves(board: &Self::Board) -> u64 {
        std::hint::black_box(&board.legal_moves()).len() as u64
    }

    fn count(board: &Self::Board) -> u64 {
        board.legal_moves().len() as u64
    }

    fn is_mate_or_stalemate(board: &Self::Board) -> bool {
        use shakmaty::{KnownOutcome, Outcome};
        // Its outcome also has draws by material.
        match board.outcome() {
            Outcome::Known(KnownOutcome::Draw) => !board.is_insufficient_material(),
            Outcome::Known(_) => true,
            Outcome::Unknown => false,
        }
    }
}
