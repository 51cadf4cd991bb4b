//! The exercises of the course in `docs/learn`: their solutions pass, and a reader tests an
//! exercise with `cargo test --locked --test board exercises::chapter_1 -- --ignored`.

#[path = "../../docs/learn/exercises.rs"]
mod exercise;
#[path = "../../docs/learn/solutions.rs"]
mod solution;

use std::collections::BTreeSet;
use std::iter::successors;

use carrybit::internals::eval::nnue::network::{KING_BUCKETS, PIECE_FEATURES, SHAPE};
use carrybit_board::difference::{REACH, STEP};
use carrybit_board::square::{ALL_STEPS, KNIGHT_JUMPS};
use carrybit_board::{Board, Color, Kind, Move, PieceByte, Square};

use crate::support::naive::Diagram;
use crate::support::{Rng, board, find_move, random_positions};

/// A test for each chapter, of the solution and of the exercise.
macro_rules! chapters {
    ($($chapter:ident $function:ident),+) => {
        mod solutions {
            $(#[test]
            fn $chapter() {
                super::$chapter(super::solution::$function);
            })+
        }
        mod exercises {
            $(#[test]
            #[ignore = "an exercise for the reader; run with -- --ignored"]
            fn $chapter() {
                super::$chapter(super::exercise::$function);
            })+
        }
    };
}

chapters!(
    chapter_1 square, chapter_2 stays_on_board, chapter_3 bishop_attacks, chapter_4 pieces_between,
    chapter_5 exchange, chapter_6 reach, chapter_7 alpha_beta, chapter_8 update, chapter_9 feature
);

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
    // Chapter 9.
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

fn chapter_1(square: fn(u8, u8) -> u8) {
    for sq in Square::all() {
        let (file, rank) = (sq.file(), sq.rank());
        let (found, expected) = (square(file, rank), number(sq));
        assert_eq!(
            found, expected,
            "\n{sq} has file {file} and rank {rank}. Its number is {expected:#04x}, but \
             square({file}, {rank}) is {found:#04x}.\n"
        );
    }
}

fn chapter_2(stays_on_board: fn(u8, u8) -> bool) {
    for from in Square::all() {
        for step in ALL_STEPS.into_iter().chain(KNIGHT_JUMPS) {
            let (to, from_number) = (from.step(step), number(from));
            let expected = to.is_on_board();
            assert_eq!(
                stays_on_board(from_number, step),
                expected,
                "\n{from} is {from_number:#04x}. The step {step:#04x} leads to {:#04x}, {}: the \
                 answer is {expected}.\n",
                from_number.wrapping_add(step),
                if expected { to.to_string() } else { "off the board".to_owned() }
            );
        }
    }
}

fn chapter_3(bishop_attacks: fn(u8, u8) -> bool) {
    for from in Square::all() {
        for to in Square::all() {
            let delta = from.delta_to(to);
            let expected = REACH[0][usize::from(delta)] & Kind::Bishop.bit() != 0;
            let answer = if expected { "attacks" } else { "does not attack" };
            let (from_number, to_number) = (number(from), number(to));
            assert_eq!(
                bishop_attacks(from_number, to_number),
                expected,
                "\nA bishop on {from} ({from_number:#04x}) {answer} {to} ({to_number:#04x}). The \
                 difference is {}.\n",
                i32::from(to_number) - i32::from(from_number)
            );
        }
    }
}

fn chapter_4(pieces_between: fn(&[u8; 128], u8, u8, u8) -> usize) {
    // A king on e1 and a rook on e8.
    let mut squares = [0; 128];
    (squares[0x04], squares[0x74]) = (1, 1);
    for (pawn, expected, pawns) in
        [(0x05, 0, "no pawn"), (0x44, 1, "a pawn on e5"), (0x14, 2, "pawns on e5 and e2")]
    {
        squares[pawn] = 1;
        let found = pieces_between(&squares, 0x04, 0x74, 0x10);
        assert_eq!(found, expected, "\nFrom e1 to e8 with {pawns} in between: {expected}.\n");
    }
    for board in random_positions(4, 60, 80) {
        let us = board.side();
        let king = board.king(us);
        let is_occupied = |sq: &Square| !board.byte_on(*sq).is_empty();
        let mut squares = [0; 128];
        Square::all().filter(is_occupied).for_each(|sq| squares[sq.index()] = 1);
        for (from, piece) in board.pieces_of(!us).filter(|(_, piece)| piece.is_slider()) {
            let reach = REACH[(!us).index()][usize::from(from.delta_to(king))];
            if piece.kind().is_none_or(|kind| reach & kind.bit() == 0) {
                continue;
            }
            let step = STEP[usize::from(king.delta_to(from))];
            let walk = successors(Some(king.step(step)), |sq| Some(sq.step(step)));
            let shields: Vec<Square> =
                walk.take_while(|&sq| sq != from).filter(is_occupied).collect();
            let found = pieces_between(&squares, number(king), number(from), step);
            assert_eq!(
                found,
                shields.len(),
                "\nIn {}\nthe king on {king} ({:#04x}) and the piece on {from} ({:#04x}), step \
                 {step:#04x}, have the pieces on {shields:?} between them; your count is \
                 {found}.\n",
                board.fen(),
                number(king),
                number(from)
            );
            // The engine's own answers follow from the count.
            assert_eq!(found == 0, board.checkers().any(|checker| checker == from));
            let is_pin = found == 1 && board.byte_on(shields[0]).is_color(us);
            assert_eq!(is_pin, board.pinned().any(|pinned| shields == [pinned]));
        }
    }
}

/// Pawn to king, in centipawns.
const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

/// The values of the pieces on the target square of `mv`, one after the other. `None` if a side
/// can choose between several pieces of a kind.
fn pieces_on_target(board: &Board, mv: Move) -> Option<Vec<i32>> {
    let value = |piece: PieceByte| piece.kind().map_or(0, |kind| VALUES[kind.index()]);
    let (to, mut diagram) = (mv.target(), Diagram::of(board));
    let mut values = vec![value(diagram.byte_on(to))];
    let (mut side, mut attacker) = (board.side(), mv.from());
    loop {
        let piece = diagram.byte_on(attacker);
        values.push(value(piece));
        diagram = diagram.without(attacker);
        diagram.set(to, piece);
        side = !side;
        let kind_of = |sq: &Square| diagram.byte_on(*sq).kind();
        let attackers = diagram.attackers(to, side);
        let Some(cheapest) = attackers.iter().map(kind_of).min() else { return Some(values) };
        let mut of_kind = attackers.iter().filter(|sq| kind_of(sq) == cheapest);
        attacker = *of_kind.next()?;
        if of_kind.next().is_some() {
            return None;
        }
        // A king captures only undefended pieces.
        if cheapest == Some(Kind::King) && !diagram.attackers(to, !side).is_empty() {
            return Some(values);
        }
    }
}

fn chapter_5(exchange: fn(&[i32]) -> i32) {
    for (values, expected) in [
        (&[100, 500][..], 100),
        (&[100, 500, 100], -400),
        (&[100, 320, 320, 500, 500, 900], 100),
        (&[100, 320, 100, 500, 320, 900, 500], -220),
    ] {
        let found = exchange(values);
        assert_eq!(found, expected, "\nexchange(&{values:?}) is {expected}, not {found}.\n");
    }
    let mut long = 0;
    for board in random_positions(5, 150, 80) {
        for mv in board.legal_moves().iter().copied() {
            let is_plain = mv.is_capture() && !mv.is_en_passant() && !mv.is_promotion();
            let Some(values) = is_plain.then(|| pieces_on_target(&board, mv)).flatten() else {
                continue;
            };
            let found = exchange(&values);
            assert!(
                board.see_ge(mv, found, &VALUES) && !board.see_ge(mv, found + 1, &VALUES),
                "\n{mv} in {}:\nthe engine's exchange does not win {found}, your answer for \
                 exchange(&{values:?}).\n",
                board.fen()
            );
            long += usize::from(values.len() > 3);
        }
    }
    assert!(long > 100, "{long} long exchanges");
}

fn chapter_6(reach: fn(u64) -> u64) {
    for board in random_positions(6, 20, 60) {
        for from in Square::all() {
            // Ray, place on the ray and square of each lane on the board.
            let lanes: Vec<(usize, usize, Square)> = (0..8)
                .flat_map(|ray| {
                    let step = ALL_STEPS[ray];
                    let squares = successors(Some(from.step(step)), move |sq| Some(sq.step(step)));
                    let on_board = squares.take_while(|sq| sq.is_on_board());
                    on_board.enumerate().map(move |(i, sq)| (ray, i, sq))
                })
                .collect();
            let occupied = lanes
                .iter()
                .filter(|(.., sq)| !board.byte_on(*sq).is_empty())
                .fold(0, |set, (ray, i, _)| set | 1_u64 << (8 * ray + i));
            let reached = reach(occupied);
            for (ray, i, to) in lanes {
                let expected = board.is_clear_between(from, to);
                assert_eq!(
                    reached >> (8 * ray + i) & 1 != 0,
                    expected,
                    "\nreach({occupied:#018x}) is {reached:#018x}.\nIn byte {ray} (occupied {:#04x}, \
                     reach {:#04x}), bit {i} is wrong: a queen on {from} {} {to} in\n{}\n",
                    occupied >> (8 * ray) & 0xff,
                    reached >> (8 * ray) & 0xff,
                    if expected { "reaches" } else { "does not reach" },
                    board.fen()
                );
            }
        }
    }
}

/// The score of a tree without cutoffs.
fn negamax(leaves: &[i32]) -> i32 {
    if let [leaf] = leaves {
        return *leaf;
    }
    let scores = leaves.chunks(leaves.len() / 3).map(|child| -negamax(child));
    scores.max().expect("three moves")
}

fn chapter_7(alpha_beta: fn(&[i32], i32, i32, &mut usize) -> i32) {
    let assert_visits = |leaves: &[i32], expected: usize| {
        let mut visited = 0;
        let (score, right) = (alpha_beta(leaves, -1000, 1000, &mut visited), negamax(leaves));
        assert_eq!(score, right, "\nThe score of the tree {leaves:?} is {right}, not {score}.\n");
        assert_eq!(
            visited, expected,
            "\nIn the tree {leaves:?} alpha-beta visits {expected} leaves, not {visited}.\n"
        );
    };
    // The chapter's tree, and the same with the best move first.
    assert_visits(&[30, 50, 40, 20, 70, 90, 60, 40, 50], 7);
    assert_visits(&[60, 40, 50, 30, 50, 40, 20, 70, 90], 5);
    let mut rng = Rng(7);
    for plies in 1..=6 {
        for _ in 0..50 {
            let leaves: Vec<i32> =
                (0..3_usize.pow(plies)).map(|_| rng.below(200) as i32 - 100).collect();
            let mut expected = 0;
            solution::alpha_beta(&leaves, -1000, 1000, &mut expected);
            assert_visits(&leaves, expected);
        }
    }
}

fn chapter_8(update: fn(i32, i32) -> i32) {
    for (score, change, expected) in
        [(0, 340, 340), (340, 340, 666), (8192, 340, 8192), (8192, -340, 7512), (-340, 340, 14)]
    {
        let found = update(score, change);
        assert_eq!(found, expected, "\nupdate({score}, {change}) is {expected}, not {found}.\n");
    }
    let mut rng = Rng(8);
    let mut score = 0;
    for _ in 0..10_000 {
        let change = rng.below(2 * 8192 + 1) as i32 - 8192;
        let new = update(score, change);
        assert!(
            new.abs() <= 8192,
            "\nupdate({score}, {change}) is {new}; a score stays within -8192 to 8192.\n"
        );
        score = new;
    }
}

fn chapter_9(feature: fn(u8, u8, bool, usize) -> usize) {
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
