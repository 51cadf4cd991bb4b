//! Each level of vector instructions gives the same results as the portable code: positions, moves
//! in the same order, attacks. Levels that this processor lacks are skipped with a message.
//!
//! The level holds for the whole process: other tests meanwhile run on it, too.

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::{CROWDED, Rng, Seen, Starts, board, tricky_positions};
use carrybit_board::cpu::{self, Level};
use carrybit_board::{Board, Color, Kind, Move, MoveList, Square, Stage};

/// Serialises the tests that set the level of the process.
fn lock_level() -> MutexGuard<'static, ()> {
    static LEVEL: Mutex<()> = Mutex::new(());
    LEVEL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Thresholds of static exchange evaluation, in the units of [`VALUES`].
const THRESHOLDS: [i32; 5] = [-900, -200, 0, 1, 250];

/// Pawn, knight, bishop, rook, queen, king.
const VALUES: [i32; 6] = [100, 300, 310, 500, 900, 0];

/// All results of the board's backend for one position.
fn answers(board: &Board) -> impl PartialEq + Debug + use<> {
    // A clone has no cached results.
    let moves = board.clone().count_legal();
    let counts = (moves, board.clone().count_replies());
    assert_eq!(board.clone().has_legal_move(), moves != 0, "{board:?}");
    let staged = [Stage::Noisy, Stage::Quiet, Stage::All].map(|stage| {
        let mut list = MoveList::new();
        board.clone().generate(stage, &mut list);
        list.to_vec()
    });
    let tester = board.check_tester();
    // For each move, whether it gives check, and which thresholds its exchange value reaches.
    let of_move = |&mv: &Move| {
        let reaches = |threshold| board.see_ge(mv, threshold, &VALUES);
        (tester.gives_check(mv), THRESHOLDS.map(reaches))
    };
    let of_moves: Vec<_> = board.legal_moves().iter().map(of_move).collect();
    let pieces = Color::ALL.map(|color| (*board.list(color), board.threats(color)));
    let [checkers, pinned]: [Vec<Square>; 2] =
        [board.checkers().collect(), board.pinned().collect()];
    let king_moves = board.check_info().king_moves;
    let position = (board.key(), board.shredder_fen(), pieces, board.threat_features());
    (counts, staged, of_moves, checkers, pinned, king_moves, position)
}

/// The levels to compare with the portable code.
fn vector_levels() -> Vec<Level> {
    let (supported, missing): (Vec<Level>, Vec<Level>) =
        Level::ALL.into_iter().partition(|level| level.is_supported());
    for level in missing {
        // The test harness hides lines of `eprintln`.
        let _ = writeln!(io::stderr(), "SKIPPED: this processor has no {level}");
    }
    supported.into_iter().filter(|&level| level != Level::Scalar).collect()
}

/// Compares all levels on the position after `mv`, and returns it.
fn compare(before: &Board, mv: Move, levels: &[Level]) -> Board {
    let at = |level| {
        cpu::set_level(level).expect("a supported level");
        let after = before.make(mv);
        let answers = answers(&after);
        (after, answers)
    };
    let (after, expected) = at(Level::Scalar);
    for &level in levels {
        let (_, found) = at(level);
        assert!(found == expected, "{level} after {mv} in {before:?}\n{found:#?}\n{expected:#?}");
    }
    after
}

/// Whether the side to move has a promoted piece whose slot comes after that of a pawn.
fn has_piece_after_pawn(board: &Board) -> bool {
    let is_pawn = |&&sq: &&Square| board.byte_on(sq).is_kind(Kind::Pawn);
    let pieces = board.list(board.side()).iter().filter(|&&sq| !board.byte_on(sq).is_empty());
    pieces.skip_while(|sq| !is_pawn(sq)).any(|sq| !is_pawn(&sq))
}

#[test]
fn all_levels_agree_on_random_positions() {
    const POSITIONS: usize = 12_000;
    const LONGEST: usize = 120;
    let _lock = lock_level();
    let levels = vector_levels();
    if levels.is_empty() {
        return;
    }
    let (mut rng, starts) = (Rng(0x51d), Starts::read());
    let mut seen = Seen::default();
    let mut compared = 0;
    while compared < POSITIONS {
        let mut board = starts.pick(&mut rng, compared);
        for _ in 0..LONGEST {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = *rng.pick(&moves);
            board = compare(&board, mv, &levels);
            compared += 1;
            seen.note("check", board.in_check());
            seen.note("pin", board.pinned().next().is_some());
            seen.note("promotion", mv.is_promotion());
            seen.note("piece after pawn", has_piece_after_pawn(&board));
        }
    }
    seen.assert_each_at_least(POSITIONS / 1000);
}

#[test]
fn all_levels_agree_after_moves_of_tricky_and_crowded_positions() {
    let _lock = lock_level();
    let levels = vector_levels();
    for (n, start) in tricky_positions().into_iter().chain(CROWDED.map(board)).enumerate() {
        // A fifth of the moves, another fifth in the next position.
        for &mv in start.legal_moves().iter().skip(n % 5).step_by(5) {
            let _ = compare(&start, mv, &levels);
        }
    }
}

#[test]
fn nearly_full_move_list_is_not_overrun() {
    let most = board("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNQ1KB1 w - - 0 1");
    let _lock = lock_level();
    for level in Level::supported() {
        cpu::set_level(level).expect("a supported level");
        let mut list = MoveList::new();
        for _ in 0..MoveList::CAPACITY - most.legal_moves().len() {
            list.push(Move::NONE);
        }
        most.generate(Stage::All, &mut list);
        assert_eq!(list.len(), MoveList::CAPACITY, "{level}");
        assert!(list.ends_with(&most.legal_moves()), "{level}");
    }
}
