//! Lists the legal moves of a position and searches the best one:
//! `cargo run --release --example best_move -- "FEN"`.

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use carrybit::{Board, Engine, Limits};

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1).unwrap_or_else(|| Board::default().fen());
    io::stdout().write_all(advise(&fen)?.as_bytes())?;
    Ok(())
}

/// A line with the legal moves, and one with the best move, its score and the expected line.
fn advise(fen: &str) -> Result<String, Box<dyn Error>> {
    let board: Board = fen.parse()?;
    let moves: Vec<String> = board.legal_moves().into_iter().map(|mv| board.san(mv)).collect();
    let mut engine = Engine::new();
    engine.set_game(board.clone());
    let result = engine.search(Limits::move_time(Duration::from_millis(500)));
    let line = board.san_line(&result.pv).join(" ");
    Ok(format!("{} moves: {}\nbest, {}: {line}\n", moves.len(), moves.join(" "), result.score))
}

#[test]
fn mate_in_one_is_among_the_moves_and_best() {
    let advice = advise("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("a valid position");
    assert!(advice.contains(" Rb1 ") && advice.ends_with("best, #1: Ra8#\n"), "{advice}");
    assert!(advise("no position").is_err());
}
