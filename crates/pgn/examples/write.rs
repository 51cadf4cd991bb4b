//! Writes a game with a clock, a comment and a variation: `cargo run --example write`

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use carrybit_board::Game as Played;
use carrybit_pgn::commands::Command;
use carrybit_pgn::{Game, Line, Ply, Remark};

fn main() -> Result<(), Box<dyn Error>> {
    let mut played = Played::default();
    for san in ["f3", "e5", "g4", "Qh4#"] {
        played.play_san(san)?;
    }
    // The moves, the result, and the tags that each game has.
    let mut game = Game::from(&played);
    game.set_tag("White", "A");
    game.set_tag("Black", "B");
    let blunder = &mut game.moves.moves[2];
    // `??`
    blunder.nags.push(4);
    blunder.set_command(&Command::Clock(Duration::from_millis(61_500)));
    blunder.after.push(Remark::Comment("This allows mate.".to_owned()));
    let better = Ply { text: "Nc3".into(), ..Ply::default() };
    blunder.after.push(Remark::Variation(Line { moves: vec![better], ..Line::default() }));
    write!(io::stdout(), "{game}")?;
    Ok(())
}
