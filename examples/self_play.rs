//! Plays a game of the engine against itself and writes it as PGN:
//! `cargo run --release --example self_play`.

use std::error::Error;
use std::io::{self, Write};

use carrybit::{Engine, Game, Limits};

/// The longest game, in plies.
const MAX_PLIES: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    io::stdout().write_all(self_play(20_000).as_bytes())?;
    Ok(())
}

/// A game with this number of nodes for each move, as PGN.
fn self_play(nodes: u64) -> String {
    let (mut engine, mut game) = (Engine::new(), Game::default());
    while game.outcome().is_none() && game.moves().len() < MAX_PLIES {
        engine.set_game(game.clone());
        game.play(engine.best_move(Limits::nodes(nodes)).expect("the game is not over"));
    }
    let mut game = carrybit_pgn::Game::from(&game);
    for side in ["White", "Black"] {
        game.set_tag(side, &format!("Carrybit {}", carrybit::VERSION));
    }
    game.to_string()
}

#[test]
fn game_is_read_back_with_its_result() {
    let text = self_play(200);
    let read: carrybit_pgn::Game = text.parse().expect("a game");
    let game = read.replay().expect("legal moves");
    let result = game.outcome().map_or("*".to_owned(), |outcome| outcome.to_string());
    assert_eq!(read.tag("Result"), Some(result.as_str()), "{text}");
    assert!(game.moves().len() > 20, "{text}");
}
