//! Counts the sequences of legal moves from a position, by first move:
//! `cargo run --release --example perft -- 6 "FEN"`.

use std::error::Error;
use std::io::{self, Write};

use carrybit::{Board, perft};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(5), |depth| depth.parse())?;
    let fen = arguments.next().unwrap_or_else(|| Board::default().fen());
    io::stdout().write_all(divide(&fen.parse()?, depth).as_bytes())?;
    Ok(())
}

/// The count after each move, and their sum.
fn divide(board: &Board, depth: u32) -> String {
    let mut text = String::new();
    for mv in board.legal_moves().into_iter().filter(|_| depth > 0) {
        let count = perft(&board.try_play(mv).expect("a legal move"), depth - 1);
        text += &format!("{mv}: {count}\n");
    }
    text + &format!("total: {}\n", perft(board, depth))
}

#[test]
fn counts_are_those_of_the_start_position() {
    let text = divide(&Board::default(), 4);
    assert!(text.contains("e2e4: 13160\n") && text.ends_with("total: 197281\n"), "{text}");
    assert_eq!(divide(&Board::default(), 0), "total: 1\n");
}
