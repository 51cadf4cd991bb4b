//! Evaluates the positions of a file, one FEN a line, on all processors:
//! `cargo run --release --example evaluate_all -- FILE`.

use std::error::Error;
use std::fs;
use std::io::{self, Write};

use carrybit::evaluate;
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: evaluate_all FILE")?;
    io::stdout().write_all(evaluate_all(&fs::read_to_string(path)?).as_bytes())?;
    Ok(())
}

/// A line for each FEN: the evaluation from the view of the side to move, and the FEN.
fn evaluate_all(fens: &str) -> String {
    let lines: Vec<String> = fens
        .par_lines()
        .map(|fen| match fen.parse() {
            Ok(board) => {
                let score = evaluate(&board).map_or("in check".to_owned(), |it| it.to_string());
                format!("{score}\t{fen}\n")
            }
            Err(error) => format!("{error}\t{fen}\n"),
        })
        .collect();
    lines.concat()
}

#[test]
fn thousand_positions_are_evaluated_in_order() {
    let (fen, check) = ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "4k3/8/8/8/8/8/8/4R1K1 b - - 0 1");
    let text = evaluate_all(&[fen, check, "nothing"].join("\n"));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with('+') && lines[1].starts_with("in check\t"), "{text}");
    assert!(lines[2].ends_with("\tnothing"), "{text}");
    let many = evaluate_all(&format!("{fen}\n").repeat(1000));
    assert!(many.lines().count() == 1000 && many.lines().all(|line| line == lines[0]));
}
