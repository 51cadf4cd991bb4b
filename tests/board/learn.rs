//! The examples in the chapters of `docs/learn`, and a solution that needs the
//! network. `docs/learn/engine/tests` tests the others.

use std::collections::BTreeSet;

use carrybit::internals::eval::nnue::network::{KING_BUCKETS, PIECE_FEATURES, SHAPE};
use carrybit_board::difference::{REACH, STEP};
use carrybit_board::{Color, Move, Square};
use carrybit_course::solutions::feature;

use crate::support::{after, board, find_move, random_positions};

/// The examples that the chapters work through by hand.
#[test]
fn examples_in_the_chapters_are_right() {
    let sq = |name: &str| name.parse::<Square>().expect("a square");
    // Chapters 1 and 2.
    let start = board("6k1/8/1p6/6N1/8/1R2P3/8/6K1 w - - 0 1");
    assert_eq!(find_move(&start, "b3b6").to_bits(), 0x5129);
    assert_eq!(start.legal_moves().len(), 20);
    // Chapter 3.
    for (from, to, delta, kinds, step) in [
        ("b2", "g7", 0x55, 0x14, 0x11),
        ("g3", "h3", 0x01, 0x38, 0x01),
        ("e4", "g5", 0x12, 0x02, 0),
        ("e8", "e1", 0x90, 0x18, 0xf0),
        ("h3", "a4", 0x09, 0, 0),
    ] {
        let found = sq(from).delta_to(sq(to));
        let entry = (REACH[1][usize::from(found)], STEP[usize::from(found)]);
        assert_eq!((found, entry), (delta, (kinds, step)), "{from} to {to}");
    }
    // Chapter 4.
    let check = board("4r2k/8/8/8/1bB5/8/3N4/4K3 w - - 0 1");
    let moves: BTreeSet<String> = check.legal_moves().iter().map(ToString::to_string).collect();
    assert!(moves.iter().eq(["c4e2", "c4e6", "e1d1", "e1f1", "e1f2"]));
    assert_eq!(check.check_info().king_moves, 0b0001_1010);
    // Chapter 5.
    for (fen, gain) in [
        ("3r2k1/8/5n2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1", 100),
        ("3r2k1/8/4pn2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1", -220),
    ] {
        let (exchange, takes) = (board(fen), Move::capture(sq("c3"), sq("d5")));
        assert!(
            exchange.see_ge(takes, gain, &VALUES) && !exchange.see_ge(takes, gain + 1, &VALUES)
        );
    }
    // Chapter 8.
    let ending = board("k1K5/p7/8/8/8/8/P7/8 w - - 0 1");
    for moves in ["a2a3 a7a5 c8c7", "c8c7 a7a5 a2a3"] {
        assert_eq!(after(&ending, moves).key() >> 48, 0xA499, "{moves}");
    }
    // Chapter 11.
    let before = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    let after = before.make(Move::quiet(sq("g1"), sq("f3")));
    for (color, removed, added) in
        [(Color::White, 2369, [2386, 6563]), (Color::Black, 2809, [2794, 6171])]
    {
        let features = |board| BTreeSet::from_iter(SHAPE.active_features(board, color));
        let (old, new) = (features(&before), features(&after));
        assert!((&old - &new).into_iter().eq([removed]) && (&new - &old).into_iter().eq(added));
        assert_eq!(new.len(), 33);
    }
}

/// The number of a square, as in the course.
fn number(sq: Square) -> u8 {
    sq.index() as u8
}

/// Pawn to king, in centipawns.
const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

#[test]
fn exercise_of_features_agrees_with_the_network() {
    for board in random_positions(9, 60, 60) {
        let king = board.king(Color::White);
        let active = SHAPE.active_features(&board, Color::White);
        let of_pieces =
            active.into_iter().filter(|&feature| feature < KING_BUCKETS * PIECE_FEATURES);
        let mut expected: BTreeSet<usize> =
            of_pieces.map(|feature| feature % PIECE_FEATURES).collect();
        for (sq, piece) in Color::ALL.into_iter().flat_map(|color| board.pieces_of(color)) {
            let is_enemy = piece.is_color(Color::Black);
            let found = feature(number(king), number(sq), is_enemy, piece.kind_index());
            assert!(
                expected.remove(&found),
                "\nWhite's king is on {king}. {found}, your feature of {}{sq}, is not active, or is \
                 that of another piece, in {}\n",
                piece.letter(),
                board.fen()
            );
        }
        assert!(expected.is_empty(), "{expected:?} in {}", board.fen());
    }
}
