//! Making a move gives the same position as building it from scratch.

use carrybit::{Board, Color, Move, Square};

use crate::support::{
    Rng, Seen, board, chess960_starts, random_game, random_positions, tricky_positions,
};

/// Compares a position reached by moves with a fresh one from its FEN.
fn assert_as_fresh(made: &Board, context: &str) {
    assert_eq!(made.check_invariants(), Ok(()), "{context}");
    let fresh = board(&made.shredder_fen());
    assert_eq!(*made, fresh, "{context}");
    let keys = |board: &Board| {
        let of_sides = Color::ALL.map(|color| board.non_pawn_key(color));
        (board.key(), board.pawn_key(), board.minor_key(), board.major_key(), of_sides)
    };
    assert_eq!(keys(made), keys(&fresh), "{context}");
}

/// A piece keeps its slot in the piece list; the slot of a captured one becomes empty.
fn assert_slots(board: &Board, mv: Move, child: &Board, context: &str) {
    for color in Color::ALL {
        for (&before, &now) in board.list(color).iter().zip(child.list(color)) {
            let moved = color == board.side() && (before == mv.from() || before == mv.target());
            let captured = color != board.side() && now == Square::NONE;
            assert!(before == now || moved || captured, "{context}");
            assert!(!moved || mv.is_castling() || now == mv.target(), "{context}");
        }
    }
}

#[test]
fn made_positions_equal_fresh_ones() {
    let mut seen = Seen::default();
    let mut visit = |board: &Board, mv: Move| {
        let context = format!("after {mv} in {board:?}");
        let before = (board.shredder_fen(), board.key());
        let child = board.make(mv);
        assert_eq!((board.shredder_fen(), board.key()), before, "{context}");
        assert_ne!(child.key(), board.key(), "{context}");
        assert_as_fresh(&child, &context);
        assert_slots(board, mv, &child, &context);
        let rights = |board: &Board| board.shredder_fen().split(' ').nth(2).map(str::to_owned);
        if !mv.is_special() && rights(board) == rights(&child) {
            assert_eq!(board.key_after(mv), child.key(), "{context}");
        }
        seen.note("capture", mv.is_capture());
        seen.note("castling", mv.is_castling());
        seen.note("en passant", mv.is_en_passant());
        seen.note("promotion", mv.is_promotion());
        seen.note("promotion with capture", mv.is_promotion() && mv.is_capture());
        seen.note("double push", mv.is_double_push());
    };
    let mut rng = Rng(0x3a4e);
    let starts = chess960_starts();
    for _ in 0..300 {
        random_game(&mut rng, &Board::default(), 400, &mut visit);
        let start = board(&starts[rng.below(starts.len())]);
        random_game(&mut rng, &start, 200, &mut visit);
    }
    for start in tricky_positions() {
        random_game(&mut rng, &start, 8, &mut visit);
    }
    seen.assert_each_at_least(25);
}

#[test]
fn keys_depend_on_side_rights_and_en_passant() {
    let keys = ["w KQkq d6", "w KQkq -", "b KQkq -", "w Qkq -", "w Kkq -", "w KQq -", "w KQk -"]
        .map(|rest| board(&format!("r3k2r/8/8/3pP3/8/8/8/R3K2R {rest} 0 1")).key());
    for (i, key) in keys.iter().enumerate() {
        assert!(!keys[..i].contains(key), "position {i} has the key of another one");
    }
}

#[test]
fn null_move_changes_only_the_side() {
    for board in random_positions(0x9a55, 200, 60) {
        if board.in_check() {
            continue;
        }
        let passed = board.make_null();
        assert_eq!(passed.side(), !board.side());
        assert_eq!(passed.en_passant(), None);
        assert!(Square::all().all(|sq| passed.byte_on(sq) == board.byte_on(sq)));
        assert_ne!(passed.key(), board.key());
        assert_as_fresh(&passed, &format!("after passing in {board:?}"));
        if board.en_passant().is_none() && !passed.in_check() {
            assert_eq!(passed.make_null().key(), board.key(), "{board:?}");
        }
    }
}
