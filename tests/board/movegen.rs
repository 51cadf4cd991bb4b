//! `is_legal`, `gives_check` and staged generation agree with the list of legal moves.

use std::collections::HashSet;

use carrybit_board::{Board, Game, IllegalMove, Move, MoveList, Stage};

use crate::support::{CROWDED, board, random_positions, tricky_positions};

/// Tests all 65536 values of a 16-bit move.
fn assert_exactly_the_generated_are_legal(board: &Board) {
    let generated: HashSet<u16> = board.legal_moves().iter().map(|mv| mv.to_bits()).collect();
    for bits in 0..=u16::MAX {
        let mv = Move::from_bits(bits);
        let expected = generated.contains(&bits);
        assert_eq!(board.is_legal(mv), expected, "{mv} ({bits:#06x}) in {board:?}");
    }
    assert!(!board.is_legal(Move::NONE), "{board:?}");
}

#[test]
fn only_generated_moves_are_legal() {
    let random = random_positions(0x1e6a1, 120, 80);
    let crowded = CROWDED.map(board);
    let tricky = tricky_positions();
    for board in tricky.iter().step_by(3).chain(random.iter().step_by(8)).chain(&crowded) {
        assert_exactly_the_generated_are_legal(board);
    }
    // One of the two pawns that could capture en passant is pinned.
    for fen in [
        "4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
        "2r3k1/8/8/2PpP3/8/8/8/2K5 w - d6 0 1",
        "4k3/8/8/8/2pPp3/8/8/4R1K1 b - d3 0 1",
    ] {
        let board = board(fen);
        let captures = board.legal_moves().iter().filter(|mv| mv.is_en_passant()).count();
        assert_eq!(captures, 1, "{fen}");
        assert_exactly_the_generated_are_legal(&board);
    }
}

#[test]
fn illegal_move_leaves_the_game_unchanged() {
    for fen in ["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"] {
        let start = Game::new(board(fen));
        let legal = start.board().legal_moves();
        for mv in (0..=u16::MAX).map(Move::from_bits) {
            let mut game = start.clone();
            let expected = if legal.contains(&mv) { Ok(()) } else { Err(IllegalMove(mv)) };
            assert_eq!(game.try_play(mv), expected, "{mv} in {fen}");
            assert!(expected.is_ok() || game == start, "{mv} in {fen}");
        }
    }
}

#[test]
fn noisy_and_quiet_moves_are_all_moves_once() {
    for board in random_positions(0x57a6e, 900, 40).into_iter().chain(CROWDED.map(board)) {
        let all = board.legal_moves();
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        board.generate(Stage::Noisy, &mut noisy);
        board.generate(Stage::Quiet, &mut quiet);
        assert!(noisy.iter().all(|mv| mv.is_noisy()), "{board:?}: {:?}", &noisy[..]);
        assert!(!quiet.iter().any(|mv| mv.is_noisy()), "{board:?}: {:?}", &quiet[..]);

        let staged: HashSet<Move> = noisy.iter().chain(quiet.iter()).copied().collect();
        let at_once: HashSet<Move> = all.iter().copied().collect();
        assert_eq!(staged, at_once, "{board:?}");
        assert_eq!(at_once.len(), all.len(), "a move twice in {board:?}");
        assert_eq!(noisy.len() + quiet.len(), all.len(), "a move twice in {board:?}");
        assert_eq!(board.count_legal(), all.len() as u64, "{board:?}");
        assert_eq!(board.has_legal_move(), !all.is_empty(), "{board:?}");
    }
}

#[test]
fn captures_and_checks_agree_with_the_position_after_the_move() {
    let mut checks = 0;
    for board in random_positions(0xc4ec, 600, 40).iter().chain(&tricky_positions()) {
        let enemies = board.pieces_of(!board.side()).count();
        let tester = board.check_tester();
        for &mv in &board.legal_moves() {
            let child = board.make(mv);
            let left = child.pieces_of(child.side()).count();
            assert_eq!(mv.is_capture(), left < enemies, "{mv} in {board:?}");
            let answers = [board.gives_check(mv), tester.gives_check(mv)];
            assert_eq!(answers, [child.in_check(); 2], "{mv} in {board:?}");
            checks += usize::from(child.in_check());
        }
    }
    assert!(checks > 10_000, "only {checks} checks seen");
}
