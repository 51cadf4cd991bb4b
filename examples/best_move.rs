//! Lists the legal moves of a position and asks for the best one:
//! `cargo run --release --example best_move -- "FEN"`.

use std::io::{self, Write};

use carrybit::board::{Board, Game};
use carrybit::engine::Engine;
use carrybit::search::limits::Limits;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen = std::env::args().nth(1).unwrap_or_else(|| Board::default().fen(false));
    io::stdout().write_all(advise(&fen)?.as_bytes())?;
    Ok(())
}

/// One line for each legal move of the position, then a line with the best move.
fn advise(fen: &str) -> Result<String, Box<dyn std::error::Error>> {
    let board: Board = fen.parse()?;
    let mut engine = Engine::new();
    engine.set_game(Game::new(board.clone()));
    let best = engine.best_move(Limits { move_time_ms: Some(500), ..Limits::default() });
    let moves = board.legal_moves();
    let lines: String = moves.iter().map(|&mv| board.uci(mv, false) + "\n").collect();
    Ok(lines + "best: " + &best.map_or("none".to_owned(), |mv| board.uci(mv, false)) + "\n")
}

#[test]
fn a_mate_in_one_is_among_the_moves_and_best() {
    let advice = advise("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("a valid position");
    assert!(advice.contains("a1b1\n") && advice.ends_with("best: a1a8\n"), "{advice}");
    assert!(advise("no position").is_err());
}
