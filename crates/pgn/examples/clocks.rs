//! Prints the players, moves and clocks of the games of a file:
//! `cargo run --example clocks -- FILE`

use std::error::Error;
use std::io::{self, Write};

use carrybit_board::Color;
use carrybit_pgn::Reader;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: clocks FILE")?;
    let mut out = io::stdout().lock();
    for entry in Reader::open(path)? {
        let entry = entry?;
        let game = match entry.game {
            Ok(game) => game,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let player = |name| game.tag(name).unwrap_or("?");
        let variant = if game.is_chess960() { " (Chess960)" } else { "" };
        writeln!(out, "{} - {}{variant}", player("White"), player("Black"))?;
        for step in game.walk()? {
            let step = match step {
                Ok(step) if step.depth == 0 => step,
                // In a variation.
                Ok(_) => continue,
                Err(error) => {
                    eprintln!("{error}");
                    continue;
                }
            };
            let dots = if step.board.side() == Color::White { "." } else { "..." };
            let number = format!("{}{dots}", step.board.fullmove());
            match step.ply.clock() {
                Some(time) => {
                    writeln!(out, "{number:7}{:8}{:9.1} s", step.ply.text, time.as_secs_f64())?;
                }
                None => writeln!(out, "{number:7}{}", step.ply.text)?,
            }
        }
        writeln!(out, "{}\n", game.result.as_deref().unwrap_or("*"))?;
    }
    Ok(())
}
