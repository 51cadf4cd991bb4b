//! Static exchange evaluation agrees with data files and with its definition.

use std::collections::BTreeSet;

use carrybit_board::{Board, Color, Kind, Move, PieceByte, Square};

use crate::support::naive::Diagram;
use crate::support::{board, find_move, random_positions, read_data, rows};

/// Pawn, knight, bishop, rook, queen, king, with the values of the data files.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

fn is_worth(board: &Board, mv: Move, see: i32) -> bool {
    board.see_ge(mv, see, &VALUES) && !board.see_ge(mv, see + 1, &VALUES)
}

fn assert_exactly(board: &Board, mv: Move, see: i32) {
    assert!(is_worth(board, mv, see), "{mv} is not worth {see} in {board:?}");
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

fn value(piece: PieceByte) -> i32 {
    piece.kind().map_or(0, |kind| VALUES[kind.index()])
}

/// The gain of `us` from capturing on `to` with its least valuable attacker, or 0 if not capturing
/// is better. Finds all attackers, x-rays included, anew for each capture. If several attackers
/// have the least value, the gain may depend on the choice: returns all possible gains.
fn outcomes_of_capturing(diagram: &Diagram, to: Square, us: Color) -> BTreeSet<i32> {
    let kind_on = |from: &Square| diagram.byte_on(*from).kind();
    let attackers = diagram.attackers(to, us);
    let Some(cheapest) = attackers.iter().map(kind_on).min() else { return [0].into() };
    let mut outcomes = BTreeSet::new();
    for from in attackers.into_iter().filter(|from| kind_on(from) == cheapest) {
        let mut after = diagram.without(from);
        after.set(to, diagram.byte_on(from));
        if cheapest == Some(Kind::King) && !after.attackers(to, !us).is_empty() {
            return [0].into();
        }
        let answers = outcomes_of_capturing(&after, to, !us);
        outcomes.extend(answers.iter().map(|answer| (value(diagram.byte_on(to)) - answer).max(0)));
    }
    outcomes
}

/// All values that the definition allows for a move.
fn naive_see(board: &Board, mv: Move) -> BTreeSet<i32> {
    let (us, to) = (board.side(), mv.target());
    let mut after = Diagram::of(board).without(mv.from());
    let mut gain = value(board.byte_on(to));
    if mv.is_en_passant() {
        after.set(Square::new(to.file(), mv.from().rank()), PieceByte::EMPTY);
        gain = VALUES[Kind::Pawn.index()];
    }
    let mut placed = board.byte_on(mv.from());
    if let Some(kind) = mv.promotion_kind() {
        placed = PieceByte::new(us, kind);
        gain += VALUES[kind.index()] - VALUES[Kind::Pawn.index()];
    }
    after.set(to, placed);
    outcomes_of_capturing(&after, to, !us).into_iter().map(|answer| gain - answer).collect()
}

#[test]
fn see_agrees_with_its_definition_in_random_games() {
    for board in random_positions(0x5ee, 480, 60).iter().step_by(2) {
        for &mv in board.legal_moves().iter().filter(|mv| !mv.is_castling()) {
            let expected = naive_see(board, mv);
            let found = expected.iter().any(|&see| is_worth(board, mv, see));
            assert!(found, "{mv} is worth none of {expected:?} in {board:?}");
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
