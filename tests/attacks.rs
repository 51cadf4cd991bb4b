//! The difference tables and the king pass agree with walking square by square.

mod support;

use carrybit::board::{Board, Color, Dangers, Kind, Piece, Square};
use support::naive::{Diagram, KING_STEPS, stepped};
use support::{random_boards, random_positions, tricky_positions};

fn positions() -> Vec<Board> {
    let mut boards = random_positions(0xa77a, 600, 40);
    boards.extend(tricky_positions());
    boards
}

#[test]
fn every_square_is_attacked_as_a_ray_walker_finds() {
    for board in positions() {
        let diagram = Diagram::of(&board);
        for by in Color::ALL {
            for sq in Square::all() {
                let expected = !diagram.attackers(sq, by).is_empty();
                assert_eq!(board.is_attacked(sq, by), expected, "{sq} by {by:?} in {board:?}");
                assert_eq!(board.threats(by).contains(sq), expected, "{sq} {by:?} {board:?}");
            }
        }
    }
}

#[test]
fn every_piece_attacks_what_a_ray_walker_finds() {
    for board in positions().iter().step_by(10) {
        let diagram = Diagram::of(board);
        for from in Square::all() {
            for to in Square::all().filter(|&to| to != from) {
                let expected = diagram.attacks(from, to);
                assert_eq!(board.attacks(from, to), expected, "{from} to {to} in {board:?}");
            }
        }
    }
}

#[test]
fn checkers_are_the_pieces_that_attack_the_king() {
    let mut double_checks = 0;
    for board in positions() {
        let expected = Diagram::of(&board).attackers(board.king(board.side()), !board.side());
        let mut checkers: Vec<Square> = board.checkers().collect();
        checkers.sort_unstable();
        assert_eq!(checkers, expected, "{board:?}");
        assert_eq!(board.in_check(), !expected.is_empty());
        double_checks += usize::from(expected.len() == 2);
    }
    assert!(double_checks > 10, "only {double_checks} double checks seen");
}

#[test]
fn pinned_pieces_are_those_whose_removal_exposes_the_king() {
    let mut pins = 0;
    for board in positions() {
        let (us, king) = (board.side(), board.king(board.side()));
        let diagram = Diagram::of(&board);
        let attackers = diagram.attackers(king, !us).len();
        let is_pinned = |&sq: &Square| {
            diagram.piece_on(sq).is_color(us)
                && sq != king
                && diagram.without(sq).attackers(king, !us).len() > attackers
        };
        let expected: Vec<Square> = Square::all().filter(is_pinned).collect();
        let mut pinned: Vec<Square> = board.pinned().collect();
        pinned.sort_unstable();
        assert_eq!(pinned, expected, "{board:?}");
        pins += pinned.len();
    }
    assert!(pins > 1000, "only {pins} pins seen");
}

#[test]
fn the_ring_holds_the_steps_the_king_may_take() {
    for board in positions() {
        let (us, king) = (board.side(), board.king(board.side()));
        let diagram = Diagram::of(&board);
        let open = diagram.without(king);
        for (i, &step) in KING_STEPS.iter().enumerate() {
            let may_step = stepped(king, step).is_some_and(|to| {
                !diagram.piece_on(to).is_color(us) && open.attackers(to, !us).is_empty()
            });
            assert_eq!(
                board.check_info().king_moves >> i & 1 != 0,
                may_step,
                "step {i} in {board:?}"
            );
        }
    }
}

/// Many men, more queens and other officers than a game has, on random squares.
const CROWDS: [&str; 4] =
    ["KQRBNPPPkqrbnppp", "KQQRRBBNNPPkqqrrbbnnpp", "KQQQQQQkrrrnnnbbb", "KPPPPPPkbbnnrrqq"];

/// What a piece is worth to its attacker; a king cannot be lost.
fn rank_of(piece: Piece) -> u8 {
    match piece.kind() {
        Some(Kind::Pawn) => 1,
        Some(Kind::Knight | Kind::Bishop) => 3,
        Some(Kind::Rook) => 5,
        Some(Kind::Queen) => 9,
        Some(Kind::King) | None => 0,
    }
}

#[test]
fn pieces_are_in_the_dangers_that_a_ray_walker_finds() {
    let (mut hanging, mut outranked, mut crowded) = (0, 0, 0);
    let crowds = CROWDS.iter().flat_map(|men| random_boards(0xda6e, men, 500));
    for board in positions().into_iter().chain(crowds) {
        let diagram = Diagram::of(&board);
        let dangers = board.dangers();
        let mut expected = Dangers::default();
        for color in Color::ALL {
            for (sq, piece) in board.pieces(color) {
                let attackers = diagram.attackers(sq, !color);
                let is_lesser = |&from: &Square| {
                    let attacker = diagram.piece_on(from);
                    !attacker.is_kind(Kind::King) && rank_of(attacker) < rank_of(piece)
                };
                let is_hanging = !attackers.is_empty() && diagram.attackers(sq, color).is_empty();
                expected.hanging |= u64::from(is_hanging) << sq.to_64();
                expected.outranked |= u64::from(attackers.iter().any(is_lesser)) << sq.to_64();
            }
        }
        assert_eq!(dangers, expected, "{board:?}");
        hanging += dangers.hanging.count_ones();
        outranked += dangers.outranked.count_ones();
        crowded += u32::from(board.piece_count() > 20);
    }
    assert!(hanging > 5000 && outranked > 5000 && crowded > 100, "{hanging} {outranked} {crowded}");
}

#[test]
fn each_piece_counts_what_its_kind_weighs() {
    const WEIGHTS: [u8; 6] = [1, 3, 31, 5, 0, 17];
    let crowds = CROWDS.iter().flat_map(|men| random_boards(0x3e16, men, 50));
    for board in positions().into_iter().chain(crowds) {
        let pieces = Color::ALL.into_iter().flat_map(|color| board.pieces(color));
        let kinds = pieces.filter_map(|(_, piece)| piece.kind());
        let sum: u32 = kinds.map(|kind| u32::from(WEIGHTS[kind.index()])).sum();
        assert_eq!(board.weigh(WEIGHTS), sum, "{board:?}");
    }
}
