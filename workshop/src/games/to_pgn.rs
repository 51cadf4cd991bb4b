//! Writes the games of a shard as PGN.
//!
//! Each move has its score in a comment, in the format of [`score_text`], so that
//! [`from_pgn`](super::from_pgn) can restore the game.

use std::io::Write;
use std::path::PathBuf;

use carrybit::{Board, Color, Game};
use pgn::{Line, Numbering, Ply, Remark};

use super::error::GamesError;
use super::record::{GameRecord, GameResult};
use super::score_text;
use super::shard::Shard;

/// The games to write.
#[derive(Clone, Debug, clap::Args)]
pub struct ToPgnArguments {
    /// The shard
    pub shard: PathBuf,

    /// The number of a single game, from 1; the default is all games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub game: Option<u64>,
}

/// Writes the games of a shard to `out`.
pub fn write(arguments: &ToPgnArguments, out: &mut impl Write) -> Result<(), GamesError> {
    let path = &arguments.shard;
    let shard = Shard::read(path)?;
    let games = shard.games() as u64;
    let numbers = match arguments.game {
        None => 1..=games,
        Some(number) if number <= games => number..=number,
        Some(number) => return Err(GamesError::NoSuchGame(path.clone(), number, games)),
    };
    let event = path.file_name().unwrap_or_default().to_string_lossy();
    for number in numbers {
        let record = shard.record(number as usize - 1)?;
        writeln!(out, "{}", text(record, &event, number))?;
    }
    Ok(())
}

fn text(record: GameRecord, event: &str, number: u64) -> String {
    let start = &record.start;
    let result = match record.result {
        GameResult::Win(Color::White) => "1-0",
        GameResult::Win(Color::Black) => "0-1",
        GameResult::Draw => "1/2-1/2",
    };
    let number = number.to_string();
    let mut tags = vec![
        ("Event", event),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", &number),
        ("White", "?"),
        ("Black", "?"),
        ("Result", result),
    ];
    let is_chess960 = start.has_chess960_castling();
    let fen = if is_chess960 { start.shredder_fen() } else { start.fen() };
    if is_chess960 {
        tags.push(("Variant", "Chess960"));
    }
    if *start != Board::default() {
        tags.extend([("SetUp", "1"), ("FEN", &fen)]);
    }
    let tags = tags.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let numbering = Numbering { number: start.fullmove(), is_black: start.side() == Color::Black };
    let mut game = Game::new(record.start);
    let mut moves = Vec::with_capacity(record.moves.len());
    for (mv, white_score) in record.moves {
        let board = game.board();
        let score = if board.side() == Color::White { white_score } else { -white_score };
        let after = vec![Remark::Comment(score_text::write(score))];
        moves.push(Ply { text: board.san(mv), after, ..Ply::default() });
        game.play(mv);
    }
    let moves = Line { moves, ..Line::default() };
    pgn::Game { tags, moves, result: Some(result.to_owned()) }.write(numbering)
}
