//! Each level of vector instructions gives the same results as the portable code: positions, moves
//! in the same order, attacks. Levels that this processor lacks are skipped with a message.
//!
//! The level holds for the whole process: other tests meanwhile run on it, too.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::{
    CROWDED, PERFT_FILES, Rng, Seen, Starts, board, perft_lines, read_data, tricky_positions,
};
use carrybit_board::cpu::{self, Level};
use carrybit_board::{Board, Color, Kind, Move, MoveList, Square, Stage, ThreatFeatures, Threats};

/// Serialises the tests that set the level of the process.
fn lock_level() -> MutexGuard<'static, ()> {
    static LEVEL: Mutex<()> = Mutex::new(());
    LEVEL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All results of the board's backend for one position.
#[derive(PartialEq, Debug)]
struct Answers {
    key: u64,
    fen: String,
    lists: [[Square; 16]; 2],
    checkers: Vec<Square>,
    pinned: Vec<Square>,
    king_moves: u8,
    noisy: Vec<Move>,
    quiet: Vec<Move>,
    all: Vec<Move>,
    count: u64,
    threat_features: ThreatFeatures,
    threats: [Threats; 2],
    checks: Vec<bool>,
    /// For each move, which of [`THRESHOLDS`] its exchange value reaches.
    exchanges: Vec<[bool; THRESHOLDS.len()]>,
}

/// Thresholds of static exchange evaluation, in the units of [`VALUES`].
const THRESHOLDS: [i32; 5] = [-900, -200, 0, 1, 250];

/// Pawn, knight, bishop, rook, queen, king.
const VALUES: [i32; 6] = [100, 300, 310, 500, 900, 0];

impl Answers {
    fn of(board: &Board) -> Answers {
        // A clone has no cached results.
        let count = board.clone().count_legal();
        let stage = |stage| {
            let mut list = MoveList::new();
            board.clone().generate(stage, &mut list);
            list.to_vec()
        };
        let exchanges = board
            .legal_moves()
            .iter()
            .map(|&mv| THRESHOLDS.map(|threshold| board.see_ge(mv, threshold, &VALUES)))
            .collect();
        let tester = board.check_tester();
        Answers {
            count,
            checks: board.legal_moves().iter().map(|&mv| tester.gives_check(mv)).collect(),
            exchanges,
            noisy: stage(Stage::Noisy),
            quiet: stage(Stage::Quiet),
            all: stage(Stage::All),
            key: board.key(),
            fen: board.shredder_fen(),
            lists: Color::ALL.map(|color| *board.list(color)),
            checkers: board.checkers().collect(),
            pinned: board.pinned().collect(),
            king_moves: board.check_info().king_moves,
            threat_features: board.threat_features(),
            threats: Color::ALL.map(|by| board.threats(by)),
        }
    }
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
        let answers = Answers::of(&after);
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

/// Compares `positions` positions of random games from [`Starts`].
fn compare_random_positions(seed: u64, positions: usize) {
    const LONGEST: usize = 120;
    let _lock = lock_level();
    let levels = vector_levels();
    if levels.is_empty() {
        return;
    }
    let (mut rng, starts) = (Rng(seed), Starts::read());
    let mut seen = Seen::default();
    let mut compared = 0;
    while compared < positions {
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
    seen.assert_each_at_least(positions / 1000);
}

#[test]
fn all_levels_agree_on_random_positions() {
    compare_random_positions(0x51d, 60_000);
}

#[test]
#[ignore = "takes minutes"]
fn all_levels_agree_on_many_random_positions() {
    compare_random_positions(0x51d_000, 2_000_000);
}

#[test]
fn all_levels_agree_after_every_move_of_tricky_and_crowded_positions() {
    let _lock = lock_level();
    let levels = vector_levels();
    for start in tricky_positions().into_iter().chain(CROWDED.map(board)) {
        for &mv in &start.legal_moves() {
            let _ = compare(&start, mv, &levels);
        }
    }
}

/// Counts leaves. Without `make_all`, counts the moves of the last one or two plies without making
/// them.
fn perft(board: &Board, depth: u32, make_all: bool) -> u64 {
    match depth {
        0 => return 1,
        1 if !make_all => return board.count_legal(),
        2 if !make_all => return board.count_replies(),
        _ => {}
    }
    let moves = board.legal_moves();
    moves.iter().map(|&mv| perft(&board.make(mv), depth - 1, make_all)).sum()
}

#[test]
fn all_levels_count_the_perft_suites() {
    const MOST_LEAVES: u64 = 5_000;
    let _lock = lock_level();
    for level in Level::supported() {
        cpu::set_level(level).expect("a supported level");
        for name in PERFT_FILES {
            for line in perft_lines(&read_data(&format!("perft/{name}"))) {
                let board = board(&line.fen);
                let feasible = line.counts.iter().rev().find(|(_, leaves)| *leaves <= MOST_LEAVES);
                if let Some(&(depth, expected)) = feasible {
                    assert_eq!(perft(&board, depth, false), expected, "{level} {}", line.fen);
                    assert_eq!(perft(&board, depth, true), expected, "{level} {}", line.fen);
                }
            }
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
