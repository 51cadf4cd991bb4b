//! Static exchange evaluation agrees with data files. (`learn.rs` compares it with its definition
//! in random games.)

use carrybit_board::{Board, Move};

use crate::support::{board, find_move, read_data, rows};

/// Pawn, knight, bishop, rook, queen, king, with the values of the data files.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

fn assert_exactly(board: &Board, mv: Move, see: i32) {
    let is_worth = board.see_ge(mv, see, &VALUES) && !board.see_ge(mv, see + 1, &VALUES);
    assert!(is_worth, "{mv} is not worth {see} in {board:?}");
}

#[test]
fn see_agrees_with_the_data_files() {
    for text in ["see_known.csv", "see_generated.csv"].map(read_data) {
        for row in rows(&text, ',') {
            let [fen, mv, see] = row[..] else { panic!("not three columns: {row:?}") };
            let board = board(fen);
            assert_exactly(&board, find_move(&board, mv), see.parse().expect("a number"));
        }
    }
}

#[test]
fn castling_is_worth_zero() {
    let board = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for castling in ["e1h1", "e1a1"] {
        assert_exactly(&board, find_move(&board, castling), 0);
    }
}
