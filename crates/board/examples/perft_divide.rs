//! Counts the legal move sequences after each legal move, to compare with another program.
//!
//! `cargo run --release -p carrybit-board --example perft_divide -- 5`
#![allow(clippy::print_stdout, reason = "the counts are the output")]

use std::error::Error;

use carrybit_board::{Board, perft};

/// The sequences of `depth` moves, by their first move.
fn divide(board: &Board, depth: u32) -> Vec<(String, u64)> {
    let after = |mv| perft(&board.make(mv), depth.saturating_sub(1));
    board.legal_moves().into_iter().map(|mv| (mv.to_string(), after(mv))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(4), |depth| depth.parse())?;
    let board = match arguments.next() {
        Some(fen) => fen.parse()?,
        None => Board::default(),
    };
    let counts = divide(&board, depth);
    counts.iter().for_each(|(mv, count)| println!("{mv}: {count}"));
    println!("{}", counts.iter().map(|(_, count)| count).sum::<u64>());
    Ok(())
}

#[test]
fn counts_of_the_start_position_add_up() {
    let counts = divide(&Board::default(), 3);
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 8_902);
    assert!(counts.contains(&("e2e4".to_owned(), 600)));
}
