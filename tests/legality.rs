//! The legality test, the check test and the stages agree with plain generation.

mod support;

use std::collections::HashSet;

use carrybit::board::{Board, Move, MoveList, Stage};
use support::{board, random_positions, tricky_positions};

/// Tries every one of the 65536 moves that fit into 16 bits.
fn assert_exactly_the_generated_are_legal(board: &Board) {
    let generated: HashSet<u16> = board.legal_moves().iter().map(|mv| mv.to_bits()).collect();
    for bits in 0..=u16::MAX {
        let mv = Move::from_bits(bits);
        let expected = generated.contains(&bits);
        assert_eq!(board.is_legal(mv), expected, "{mv} ({bits:#06x}) in {board:?}");
    }
}

#[test]
fn exactly_the_generated_moves_are_legal_in_tricky_positions() {
    for board in tricky_positions().iter().step_by(3) {
        assert_exactly_the_generated_are_legal(board);
    }
}

#[test]
fn exactly_the_generated_moves_are_legal_in_random_games() {
    for board in random_positions(0x1e6a1, 120, 80).iter().step_by(8) {
        assert_exactly_the_generated_are_legal(board);
    }
}

#[test]
fn of_two_en_passant_captures_one_may_be_legal() {
    let one_is_pinned = [
        "4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
        "2r3k1/8/8/2PpP3/8/8/8/2K5 w - d6 0 1",
        "4k3/8/8/8/2pPp3/8/8/4R1K1 b - d3 0 1",
    ];
    for fen in one_is_pinned {
        let board = board(fen);
        let captures = board.legal_moves().iter().filter(|mv| mv.is_en_passant()).count();
        assert_eq!(captures, 1, "{fen}");
        assert_exactly_the_generated_are_legal(&board);
    }
}

#[test]
fn no_move_is_never_legal() {
    assert!(tricky_positions().iter().all(|board| !board.is_legal(Move::NONE)));
}

#[test]
fn noisy_and_quiet_moves_together_are_all_moves_once() {
    for board in random_positions(0x57a6e, 900, 40) {
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
fn the_position_with_the_most_moves_fits_the_list() {
    let most = board("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    assert_eq!(most.legal_moves().len(), 218);
    // The most that a FEN may have is one promoted piece more than is possible.
    let more = board("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNQ1KB1 w - - 0 1");
    assert!(more.count_legal() > 218 && more.count_legal() < MoveList::CAPACITY as u64);
}

#[test]
fn stages_are_appended_to_what_the_list_holds() {
    let board = Board::default();
    let mut list = MoveList::new();
    list.push(Move::NONE);
    board.generate(Stage::All, &mut list);
    assert_eq!(list[0], Move::NONE);
    assert_eq!(list[1..], board.legal_moves()[..]);
}

#[test]
fn moves_are_marked_as_captures_if_and_only_if_they_take_something() {
    for board in random_positions(0xca97, 300, 40) {
        let men = |board: &Board| board.pieces(!board.side()).count();
        for &mv in board.legal_moves().iter() {
            let child = board.make(mv);
            let left = child.pieces(child.side()).count();
            assert_eq!(mv.is_capture(), left < men(&board), "{mv} in {board:?}");
        }
    }
}

#[test]
fn a_move_gives_check_if_and_only_if_the_position_after_it_is_check() {
    let mut checks = 0;
    for board in random_positions(0xc4ec, 600, 40).iter().chain(&tricky_positions()) {
        for &mv in board.legal_moves().iter() {
            let expected = board.make(mv).in_check();
            assert_eq!(board.gives_check(mv), expected, "{mv} in {board:?}");
            checks += usize::from(expected);
        }
    }
    assert!(checks > 10_000, "only {checks} checks seen");
}
