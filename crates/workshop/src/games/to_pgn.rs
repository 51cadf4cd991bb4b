//! Writes the games of a shard as PGN.
//!
//! Each move has its score in a comment, in the format of [`score_text`], so that
//! [`from_pgn`](super::from_pgn) can restore the game.

use std::io::Write;
use std::path::PathBuf;

use carrybit::{Color, Game};
use pgn::Remark;

use super::shard::Shard;
use super::{GameRecord, score_text};
use crate::error::Error;

#[derive(Clone, Debug, clap::Args)]
pub struct ToPgnArguments {
    /// The shard
    pub shard: PathBuf,

    /// The number of a single game, from 1; the default is all games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub game: Option<u64>,
}

/// Writes the games of a shard to `out`.
pub fn write(arguments: &ToPgnArguments, out: &mut impl Write) -> Result<(), Error> {
    let path = &arguments.shard;
    let shard = Shard::read(path)?;
    let games = shard.games() as u64;
    let numbers = match arguments.game {
        None => 1..=games,
        Some(number) if number <= games => number..=number,
        Some(number) => {
            return Err(Error::of(path, format!("no game {number}; the shard has {games} games")));
        }
    };
    let event = path.file_name().unwrap_or_default().to_string_lossy();
    for number in numbers {
        let record = shard.record(number as usize - 1)?;
        writeln!(out, "{}", text(record, &event, number))?;
    }
    Ok(())
}

fn text(record: GameRecord, event: &str, number: u64) -> String {
    let mut played = Game::new(record.start);
    let mut scores = Vec::with_capacity(record.moves.len());
    for (mv, white_score) in record.moves {
        let is_white = played.board().side() == Color::White;
        scores.push(score_text::write(if is_white { white_score } else { -white_score }));
        played.play(mv);
    }
    let mut game = pgn::Game::from(&played);
    for (ply, score) in game.moves.moves.iter_mut().zip(scores) {
        ply.after.push(Remark::Comment(score));
    }
    let result = match record.winner {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    };
    game.set_tag("Event", event);
    game.set_tag("Round", &number.to_string());
    game.set_tag("Result", result);
    game.result = Some(result.to_owned());
    game.to_string()
}
