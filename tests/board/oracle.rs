//! In random games, the board agrees with the independent crate cozy-chess on legal moves,
//! checkers, pins and en passant, in standard chess and Chess960.

use std::collections::HashMap;

use carrybit::{Board, Kind, Move, Square};

use crate::support::{
    Rng, board, chess960_starts, double_chess960, random_double_chess960, tricky_positions,
};

/// A move in a form common to both crates: from, to (castling: the rook), promotion.
type Plain = (usize, usize, Option<char>);

fn plain(mv: Move) -> Plain {
    (mv.from().to_64(), mv.target().to_64(), mv.promotion_kind().map(Kind::letter))
}

fn moves_of(oracle: &cozy_chess::Board) -> HashMap<Plain, cozy_chess::Move> {
    let plain =
        |mv: cozy_chess::Move| (mv.from as usize, mv.to as usize, mv.promotion.map(char::from));
    let mut moves = HashMap::new();
    oracle.generate_moves(|piece_moves| {
        moves.extend(piece_moves.into_iter().map(|mv| (plain(mv), mv)));
        false
    });
    moves
}

fn squares_of(set: cozy_chess::BitBoard) -> Vec<usize> {
    set.into_iter().map(|sq| sq as usize).collect()
}

fn sorted(squares: impl Iterator<Item = Square>) -> Vec<usize> {
    let mut numbers: Vec<usize> = squares.map(Square::to_64).collect();
    numbers.sort_unstable();
    numbers
}

/// Compares a position and returns the oracle's moves.
fn compare(board: &Board, oracle: &cozy_chess::Board) -> HashMap<Plain, cozy_chess::Move> {
    let theirs = moves_of(oracle);
    let ours = board.legal_moves();
    assert_eq!(ours.len(), theirs.len(), "{board:?}: {:?}", &ours[..]);
    assert_eq!(board.count_legal(), theirs.len() as u64, "{board:?}");
    for &mv in &ours {
        assert!(theirs.contains_key(&plain(mv)), "{mv} is not legal in {board:?}");
    }
    assert_eq!(board.in_check(), !oracle.checkers().is_empty(), "{board:?}");
    assert_eq!(sorted(board.checkers()), squares_of(oracle.checkers()), "{board:?}");
    let own_pins = oracle.pinned() & oracle.colors(oracle.side_to_move());
    assert_eq!(sorted(board.pinned()), squares_of(own_pins), "{board:?}");
    assert_eq!(board.en_passant().is_some(), can_capture_en_passant(oracle, &theirs), "{board:?}");
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

/// Plays a random game from each start on both boards. More than `least_compared` positions must
/// be compared.
fn compare_games(
    seed: u64,
    starts: impl IntoIterator<Item = Board>,
    plies: usize,
    least_compared: usize,
) {
    let mut rng = Rng(seed);
    let mut compared = 0;
    for start in starts {
        let mut board = start.clone();
        // cozy-chess refuses positions with checks that cannot arise in a game.
        let Ok(mut oracle) = cozy_chess::Board::from_fen(&start.shredder_fen(), true) else {
            continue;
        };
        for _ in 0..plies {
            let theirs = compare(&board, &oracle);
            compared += 1;
            if theirs.is_empty() || board.halfmove() == 100 {
                break;
            }
            let mv = *rng.pick(&board.legal_moves());
            oracle.play(theirs[&plain(mv)]);
            board = board.make(mv);
        }
    }
    assert!(compared > least_compared, "only {compared} positions");
}

#[test]
fn random_games_agree() {
    let (mut rng, starts) = (Rng(3), chess960_starts());
    compare_games(1, (0..300).map(|_| Board::default()), 300, 50_000);
    compare_games(2, starts.iter().map(|fen| board(fen)), 60, 40_000);
    compare_games(3, (0..1000).map(|_| random_double_chess960(&mut rng, &starts)), 60, 40_000);
    compare_games(4, tricky_positions(), 40, 30_000);
}

#[test]
#[ignore = "takes minutes"]
fn games_from_every_double_chess960_start_agree() {
    let starts = &chess960_starts();
    let pairs = starts.iter().flat_map(|white| starts.iter().map(move |black| (white, black)));
    compare_games(5, pairs.map(|(white, black)| board(&double_chess960(white, black))), 20, 1);
}
