//! Attacks and threat features agree with a square-by-square walk. (`oracle.rs`
//! compares checkers and pins.)

use carrybit_board::{Board, Color, Square, ThreatFeatures};

use crate::support::naive::Diagram;
use crate::support::{random_boards, random_positions, tricky_positions};

/// More queens and other pieces than a game has, on random squares.
const CROWDS: [&str; 4] =
    ["KQRBNPPPkqrbnppp", "KQQRRBBNNPPkqqrrbbnnpp", "KQQQQQQkrrrnnnbbb", "KPPPPPPkbbnnrrqq"];

fn positions() -> Vec<Board> {
    let mut boards = random_positions(0xa77a, 600, 40);
    boards.extend(tricky_positions());
    boards
}

#[test]
fn attacks_agree_with_a_ray_walk() {
    for (nth, board) in positions().iter().enumerate() {
        let diagram = Diagram::of(board);
        for sq in Square::all() {
            for by in Color::ALL {
                let expected = !diagram.attackers(sq, by).is_empty();
                assert_eq!(board.is_attacked(sq, by), expected, "{sq} by {by:?} in {board:?}");
                assert_eq!(board.threats(by).contains(sq), expected, "{sq} {by:?} {board:?}");
            }
            // Pairs of squares take long: only in every tenth position.
            for to in Square::all().filter(|&to| nth.is_multiple_of(10) && to != sq) {
                let expected = diagram.attacks(sq, to);
                assert_eq!(board.attacks(sq, to), expected, "{sq} to {to} in {board:?}");
            }
        }
    }
}

/// The value of a piece to its attacker, by kind; 0 for a king, which is never captured.
const VALUES: [u8; 6] = [1, 3, 3, 5, 9, 0];

#[test]
fn threat_features_agree_with_a_ray_walk() {
    let (mut hanging, mut attacked_by_lesser, mut crowded) = (0, 0, 0);
    let crowds = CROWDS.into_iter().flat_map(|pieces| random_boards(0xda6e, pieces, 500));
    for board in positions().into_iter().chain(crowds) {
        let diagram = Diagram::of(&board);
        let value = |sq: Square| VALUES[diagram.byte_on(sq).kind_index()];
        let found = board.threat_features();
        let mut expected = ThreatFeatures::default();
        for color in Color::ALL {
            for (sq, _) in board.pieces_of(color) {
                let attackers = diagram.attackers(sq, !color);
                let is_lesser = |&from: &Square| value(from) > 0 && value(from) < value(sq);
                let is_hanging = !attackers.is_empty() && diagram.attackers(sq, color).is_empty();
                expected.hanging |= u64::from(is_hanging) << sq.to_64();
                expected.attacked_by_lesser |=
                    u64::from(attackers.iter().any(is_lesser)) << sq.to_64();
            }
        }
        assert_eq!(found, expected, "{board:?}");
        hanging += found.hanging.count_ones();
        attacked_by_lesser += found.attacked_by_lesser.count_ones();
        crowded += u32::from(board.piece_count() > 20);
    }
    assert!(
        hanging > 5000 && attacked_by_lesser > 5000 && crowded > 100,
        "{hanging} {attacked_by_lesser} {crowded}"
    );
}
