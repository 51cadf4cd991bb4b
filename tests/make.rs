//! Making a move gives the same position as building it from scratch.

mod support;

use std::collections::HashMap;

use carrybit::board::{Board, Color, Kind, Move, Square};
use support::{
    Rng, after, board, chess960_starts, random_game, random_positions, tricky_positions,
};

fn assert_same_keys(board: &Board, fresh: &Board, context: &str) {
    assert_eq!(board.key(), fresh.key(), "{context}");
    assert_eq!(board.pawn_key(), fresh.pawn_key(), "{context}");
    assert_eq!(board.minor_key(), fresh.minor_key(), "{context}");
    assert_eq!(board.major_key(), fresh.major_key(), "{context}");
    for color in Color::ALL {
        assert_eq!(board.non_pawn_key(color), fresh.non_pawn_key(color), "{context}");
    }
}

/// Compares a position reached by moves with the one from its FEN.
fn assert_as_fresh(made: &Board, context: &str) {
    assert_eq!(made.check_invariants(), Ok(()), "{context}");
    let fresh = board(&made.fen(true));
    assert_eq!(made.fen(true), fresh.fen(true), "{context}");
    assert_same_keys(made, &fresh, context);
    for color in Color::ALL {
        let sorted = |board: &Board| {
            let mut pieces: Vec<Square> = board.pieces(color).map(|(sq, _)| sq).collect();
            pieces.sort_unstable();
            pieces
        };
        assert_eq!(sorted(made), sorted(&fresh), "{context}");
        assert_eq!(made.king(color), fresh.king(color), "{context}");
    }
    assert_eq!(made.check_info().king_moves, fresh.check_info().king_moves, "{context}");
    assert!(made.checkers().all(|sq| fresh.checkers().any(|other| other == sq)), "{context}");
}

/// Counts the kinds of moves, so that a test can show that it has seen them all.
#[derive(Default)]
struct Seen(HashMap<&'static str, usize>);

impl Seen {
    fn note(&mut self, mv: Move) {
        let kinds = [
            ("capture", mv.is_capture()),
            ("castling", mv.is_castling()),
            ("en passant", mv.is_en_passant()),
            ("promotion", mv.is_promotion()),
            ("promotion with capture", mv.is_promotion() && mv.is_capture()),
            ("double push", mv.is_double_push()),
        ];
        for (name, is_so) in kinds {
            *self.0.entry(name).or_default() += usize::from(is_so);
        }
    }

    fn assert_each_at_least(&self, least: usize) {
        assert!(self.0.values().all(|&count| count >= least), "{:?}", self.0);
    }
}

/// Visits every position and move of many random games.
fn walk(seed: u64, mut visit: impl FnMut(&Board, Move)) {
    let mut rng = Rng(seed);
    let starts = chess960_starts();
    for _ in 0..300 {
        random_game(&mut rng, &Board::default(), 400, &mut visit);
        let start = board(&starts[rng.below(starts.len())]);
        random_game(&mut rng, &start, 200, &mut visit);
    }
    for start in tricky_positions() {
        random_game(&mut rng, &start, 8, &mut visit);
    }
}

#[test]
fn lists_keys_and_check_info_equal_those_of_a_fresh_position() {
    let mut seen = Seen::default();
    walk(0x3a4e, |board, mv| {
        let context = format!("after {mv} in {board:?}");
        assert_as_fresh(&board.make(mv), &context);
        seen.note(mv);
    });
    seen.assert_each_at_least(25);
}

#[test]
fn a_piece_keeps_its_slot_and_a_captured_one_leaves_its_slot_empty() {
    walk(0x5107, |board, mv| {
        let child = board.make(mv);
        for color in Color::ALL {
            for (&before, &now) in board.list(color).iter().zip(child.list(color)) {
                let moved = color == board.side() && (before == mv.from() || before == mv.to());
                let captured = color != board.side() && now == Square::NONE;
                assert!(before == now || moved || captured, "{mv} in {board:?}");
                if moved && !mv.is_castling() {
                    assert_eq!(now, mv.to(), "{mv} in {board:?}");
                }
            }
        }
    });
}

#[test]
fn clocks_and_rights_follow_the_rules() {
    walk(0xc10c, |board, mv| {
        let child = board.make(mv);
        let pawn_move = board.piece_on(mv.from()).is_kind(Kind::Pawn);
        let expected = if pawn_move || mv.is_capture() { 0 } else { board.halfmove() + 1 };
        assert_eq!(child.halfmove(), expected, "{mv} in {board:?}");
        let black_moved = u16::from(board.side() == Color::Black);
        assert_eq!(child.fullmove(), board.fullmove() + black_moved, "{mv} in {board:?}");
        assert_eq!(child.side(), !board.side());
    });
}

#[test]
fn the_same_position_by_another_way_has_the_same_key() {
    let start = Board::default();
    let one = after(&start, "g1f3 g8f6 b1c3 b8c6");
    let other = after(&start, "b1c3 b8c6 g1f3 g8f6");
    assert_eq!(one.key(), other.key());
    // Four knight moves bring everything back but the clocks.
    let back = after(&start, "g1f3 g8f6 f3g1 f6g8");
    assert_eq!(back.key(), start.key());
    // A king that moved and came back has lost its castling rights.
    let opened = after(&start, "e2e4 e7e5");
    let wandered = after(&opened, "e1e2 e8e7 e2e1 e7e8");
    assert_ne!(wandered.key(), opened.key());
    assert!(!wandered.has_castling_rights());
}

#[test]
fn an_en_passant_square_counts_only_if_the_capture_is_legal() {
    let start = Board::default();
    // No pawn beside it: the same position as by single steps, a move later.
    assert_eq!(after(&start, "e2e4").ep(), Square::NONE);
    let double = after(&start, "e2e4 e7e6 e4e5 d7d5");
    assert_eq!(double.ep().to_string(), "d6");
    // The capture would expose the king along the rank.
    let pinned = board("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1");
    assert_eq!(pinned.ep(), Square::NONE);
    assert_eq!(pinned.key(), board("8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1").key());
}

#[test]
fn keys_tell_apart_side_rights_and_en_passant() {
    let keys = [
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w - - 0 1",
    ]
    .map(|fen| board(fen).key());
    for (i, key) in keys.iter().enumerate() {
        assert!(!keys[..i].contains(key), "position {i} has the key of another one");
    }
}

#[test]
fn passing_changes_the_side_and_nothing_on_the_board() {
    for board in random_positions(0x9a55, 200, 60) {
        if board.in_check() {
            continue;
        }
        let passed = board.make_null();
        assert_eq!(passed.side(), !board.side());
        assert_eq!(passed.ep(), Square::NONE);
        assert!(Square::all().all(|sq| passed.piece_on(sq) == board.piece_on(sq)));
        assert_ne!(passed.key(), board.key());
        assert_as_fresh(&passed, &format!("after passing in {board:?}"));
        if board.ep() == Square::NONE && !passed.in_check() {
            assert_eq!(passed.make_null().key(), board.key(), "{board:?}");
        }
    }
}

#[test]
fn the_key_told_ahead_is_exact_for_ordinary_moves() {
    walk(0x6e7, |board, mv| {
        let child = board.make(mv);
        let rights = |board: &Board| board.fen(true).split(' ').nth(2).map(str::to_owned);
        if !mv.is_special() && rights(board) == rights(&child) {
            assert_eq!(board.key_after(mv), child.key(), "{mv} in {board:?}");
        }
    });
}
