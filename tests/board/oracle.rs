//! In random games, the board agrees with the independent crate cozy-chess on legal moves,
//! checkers and pins, in standard chess and Chess960.

use std::collections::HashSet;

use carrybit::{Board, CastlingMode, Square};

use crate::support::{Rng, chess960_starts, random_double_chess960, tricky_positions};

fn bits(squares: impl Iterator<Item = Square>) -> u64 {
    squares.fold(0, |set, sq| set | 1 << sq.to_64())
}

fn compare(board: &Board, oracle: &cozy_chess::Board) {
    let mut theirs = HashSet::new();
    oracle.generate_moves(|moves| {
        theirs.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    let moves = board.legal_moves();
    let ours: HashSet<String> = moves.iter().map(|mv| mv.uci(CastlingMode::Chess960)).collect();
    assert_eq!(ours, theirs, "{board:?}");
    let counts = (moves.len(), board.count_legal(), board.in_check());
    let expected = (theirs.len(), theirs.len() as u64, !oracle.checkers().is_empty());
    assert_eq!(counts, expected, "{board:?}");
    assert_eq!(bits(board.checkers()), oracle.checkers().0, "{board:?}");
    let own_pins = oracle.pinned() & oracle.colors(oracle.side_to_move());
    assert_eq!(bits(board.pinned()), own_pins.0, "{board:?}");
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
            compare(&board, &oracle);
            compared += 1;
            if !board.has_legal_move() || board.halfmove() == 100 {
                break;
            }
            let mv = *rng.pick(&board.legal_moves());
            oracle.play(mv.uci(CastlingMode::Chess960).parse().expect("a move"));
            board = board.make(mv);
        }
    }
    assert!(compared > least_compared, "only {compared} positions");
}

#[test]
fn random_games_agree() {
    let (mut rng, starts) = (Rng(3), chess960_starts());
    compare_games(1, (0..150).map(|_| Board::default()), 300, 25_000);
    compare_games(3, (0..500).map(|_| random_double_chess960(&mut rng, &starts)), 60, 20_000);
    compare_games(4, tricky_positions(), 40, 30_000);
}
