//! In random games, this board and the independent crate cozy-chess agree on
//! legal moves, checkers, pins and en passant, in standard chess and Chess960.

mod support;

use std::collections::HashMap;

use carrybit::board::{Board, Kind, Move, Square};
use cozy_chess::BitBoard;
use support::{
    Rng, board, chess960_starts, double_chess960, random_double_chess960, tricky_positions,
};

/// A move as both sides can write it: from, to (castling: the rook), promotion.
type Plain = (usize, usize, Option<char>);

fn plain(mv: Move) -> Plain {
    (mv.from().to_64(), mv.to().to_64(), mv.promotion_kind().map(Kind::letter))
}

fn plain_cozy(mv: cozy_chess::Move) -> Plain {
    (mv.from as usize, mv.to as usize, mv.promotion.map(char::from))
}

fn moves_of(oracle: &cozy_chess::Board) -> HashMap<Plain, cozy_chess::Move> {
    let mut moves = HashMap::new();
    oracle.generate_moves(|piece_moves| {
        moves.extend(piece_moves.into_iter().map(|mv| (plain_cozy(mv), mv)));
        false
    });
    moves
}

fn squares_of(set: BitBoard) -> Vec<usize> {
    set.into_iter().map(|sq| sq as usize).collect()
}

fn sorted(squares: impl Iterator<Item = Square>) -> Vec<usize> {
    let mut numbers: Vec<usize> = squares.map(Square::to_64).collect();
    numbers.sort_unstable();
    numbers
}

/// Compares both views of a position and returns the oracle's moves.
fn compare(board: &Board, oracle: &cozy_chess::Board) -> HashMap<Plain, cozy_chess::Move> {
    let theirs = moves_of(oracle);
    let ours = board.legal_moves();
    assert_eq!(ours.len(), theirs.len(), "{board:?}: {:?}", &ours[..]);
    assert_eq!(board.count_legal(), theirs.len() as u64, "{board:?}");
    for &mv in ours.iter() {
        assert!(theirs.contains_key(&plain(mv)), "{mv} is not legal in {board:?}");
    }
    assert_eq!(sorted(board.checkers()), squares_of(oracle.checkers()), "{board:?}");
    let own_pins = oracle.pinned() & oracle.colors(oracle.side_to_move());
    assert_eq!(sorted(board.pinned()), squares_of(own_pins), "{board:?}");
    assert_eq!(board.ep() != Square::NONE, can_capture_en_passant(oracle, &theirs), "{board:?}");
    theirs
}

fn can_capture_en_passant(
    oracle: &cozy_chess::Board,
    moves: &HashMap<Plain, cozy_chess::Move>,
) -> bool {
    let Some(file) = oracle.en_passant() else { return false };
    let rank = cozy_chess::Rank::Sixth.relative_to(oracle.side_to_move());
    moves.values().any(|mv| {
        mv.to == cozy_chess::Square::new(file, rank)
            && oracle.piece_on(mv.from) == Some(cozy_chess::Piece::Pawn)
            && mv.from.file() != mv.to.file()
    })
}

/// Plays a random game on both boards. Returns the number of positions compared.
fn play_both(rng: &mut Rng, start: &Board, plies: usize) -> usize {
    let mut board = start.clone();
    let Ok(mut oracle) = cozy_chess::Board::from_fen(&start.fen(true), true) else {
        // The oracle refuses positions whose checks cannot arise in a game.
        return 0;
    };
    for ply in 0..plies {
        let theirs = compare(&board, &oracle);
        if theirs.is_empty() || board.halfmove() == 100 {
            return ply + 1;
        }
        let mv = *rng.pick(&board.legal_moves());
        oracle.play(theirs[&plain(mv)]);
        board = board.make(mv);
    }
    plies
}

#[test]
fn random_games_of_standard_chess() {
    let mut rng = Rng(1);
    let compared: usize = (0..300).map(|_| play_both(&mut rng, &Board::default(), 300)).sum();
    assert!(compared > 50_000, "only {compared} positions");
}

#[test]
fn random_games_from_every_start_of_chess960() {
    let mut rng = Rng(2);
    for start in chess960_starts() {
        play_both(&mut rng, &board(&start), 60);
    }
}

#[test]
fn random_games_of_double_chess960() {
    let mut rng = Rng(3);
    let starts = chess960_starts();
    for _ in 0..1000 {
        let start = random_double_chess960(&mut rng, &starts);
        play_both(&mut rng, &start, 60);
    }
}

#[test]
fn random_games_from_tricky_positions() {
    let mut rng = Rng(4);
    let positions = tricky_positions();
    let compared: usize = positions.iter().map(|start| play_both(&mut rng, start, 40)).sum();
    assert!(compared > 30_000, "only {compared} positions");
}

#[test]
#[ignore = "takes minutes"]
fn every_start_of_double_chess960() {
    let mut rng = Rng(5);
    let starts = chess960_starts();
    for white in &starts {
        for black in &starts {
            play_both(&mut rng, &board(&double_chess960(white, black)), 20);
        }
    }
}
