//! Asks another engine for a move, by UCI: `cargo run --example uci_client -- ENGINE`.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use carrybit::{Board, Move};

fn main() -> Result<(), Box<dyn Error>> {
    let engine = std::env::args().nth(1).ok_or("usage: uci_client ENGINE")?;
    let board = Board::default();
    writeln!(io::stdout(), "{}", board.san(best_move(&engine, &board)?))?;
    Ok(())
}

/// The best move by another engine, after a tenth of a second.
fn best_move(engine: &str, board: &Board) -> Result<Move, Box<dyn Error>> {
    let mut child = Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("no input")?;
    writeln!(input, "uci\nposition fen {board}\ngo movetime 100")?;
    for line in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        if let Some(answer) = line?.strip_prefix("bestmove ") {
            writeln!(input, "quit")?;
            child.wait()?;
            return Ok(board.parse_uci(answer.split(' ').next().unwrap_or_default())?);
        }
    }
    Err("the engine ended without a move".into())
}

#[test]
fn engine_answers_with_a_legal_move() {
    let mate: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().expect("a valid position");
    let engine = std::env::current_exe().expect("a path");
    // The test lies in the folder `examples` beside the program.
    let engine = engine.ancestors().nth(2).expect("a folder").join("carrybit");
    if engine.exists() {
        let mv = best_move(engine.to_str().expect("UTF-8"), &mate).expect("a move");
        assert_eq!(mate.san(mv), "Ra8#");
    } else {
        eprintln!("skipped: {} is not built", engine.display());
    }
    assert!(best_move("no-such-engine", &mate).is_err());
}
