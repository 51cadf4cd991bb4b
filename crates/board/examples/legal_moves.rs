//! Prints the legal moves of a position in SAN, and the outcome if the game is over.
//!
//! `cargo run -p carrybit-board --example legal_moves -- "8/8/8/8/8/6k1/7p/7K w - - 0 1"`
#![allow(clippy::print_stdout, reason = "the moves are the output")]

use std::error::Error;

use carrybit_board::{Board, Outcome};

/// The moves in SAN in one line, and the outcome.
fn describe(board: &Board) -> String {
    let moves: Vec<String> = board.legal_moves().iter().map(|&mv| board.san(mv)).collect();
    let outcome = board.status().map_or("the game goes on", Outcome::reason);
    format!("{} moves: {}\n{outcome}", moves.len(), moves.join(" "))
}

fn main() -> Result<(), Box<dyn Error>> {
    let board = match std::env::args().nth(1) {
        Some(fen) => fen.parse()?,
        None => Board::default(),
    };
    println!("{}{}", board.diagram(), describe(&board));
    Ok(())
}

#[test]
fn stalemate_has_no_moves_and_a_reason() {
    let board: Board = "8/8/8/8/8/6k1/7p/7K w - - 0 1".parse().expect("a valid FEN");
    assert_eq!(describe(&board), "0 moves: \nstalemate");
}

#[test]
fn start_position_has_twenty_moves() {
    let text = describe(&Board::default());
    assert!(text.starts_with("20 moves: ") && text.ends_with("the game goes on"), "{text}");
    assert!(text.contains(" Nf3 ") && text.contains(" e4"), "{text}");
}
