//! Games of the engine's library as PGN, and back.

use std::str::FromStr;

use carrybit::{Board, Game as Played};

use crate::replay::play;
use crate::{Game, Line, PgnError, Ply, entries};

/// The tags that each game has, in the order of the standard.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

impl Game {
    /// Sets a tag, or adds it behind the others.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Plays the moves, without the variations.
    ///
    /// # Errors
    /// If the first position is not valid, the variant is not supported, or a move is not legal.
    /// An error in a tag has line 1.
    pub fn replay(&self) -> Result<Played, PgnError> {
        let (played, _) = play(&mut self.clone(), "", 1)?;
        Ok(played)
    }
}

/// The moves in SAN, the tags of the standard with unknown values, the result by the rules, and the
/// first position unless it is the usual one, in Chess960 as Shredder-FEN.
impl From<&Played> for Game {
    fn from(played: &Played) -> Game {
        let result = played.outcome().map_or("*".to_owned(), |outcome| outcome.to_string());
        let start = played.start();
        let mut board = start.clone();
        let ply = |mv: &carrybit::Move| {
            let (text, after) = match mv.is_null() {
                true => ("--".to_owned(), board.make_null()),
                false => (board.san(*mv), board.make(*mv)),
            };
            board = after;
            Ply { text, ..Ply::default() }
        };
        let moves = Line { moves: played.moves().iter().map(ply).collect(), ..Line::default() };
        let tags = ROSTER.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let mut game = Game { tags, moves, result: Some(result.clone()) };
        game.set_tag("Result", &result);
        let is_chess960 = start.has_chess960_castling();
        if is_chess960 {
            game.set_tag("Variant", "Chess960");
        }
        if *start != Board::default() {
            game.set_tag("SetUp", "1");
            let fen = if is_chess960 { start.shredder_fen() } else { start.fen() };
            game.set_tag("FEN", &fen);
        }
        game
    }
}

impl FromStr for Game {
    type Err = PgnError;

    /// Reads the first game of a text; [`read`](crate::read) reads all.
    fn from_str(text: &str) -> Result<Game, PgnError> {
        let none = PgnError { line: 1, reason: "no game found".to_owned() };
        entries(text).next().ok_or(none)?.game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn played_games_are_written_and_read_back() {
        for (fen, moves) in [
            (None, "e4 e5 Nf3 -- Nxe5"),
            (Some("4k3/8/8/8/8/8/8/R3K3 b Q - 3 40"), "Kd7 O-O-O+ Kc6"),
            (Some("7k/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"), "O-O Kh7"),
        ] {
            let start = fen.map_or(Board::default(), |fen| fen.parse().expect("a position"));
            let mut played = Played::new(start);
            for san in moves.split(' ') {
                match san {
                    "--" => played.play_null(),
                    _ => drop(played.play_san(san).expect("a legal move")),
                }
            }
            let text = Game::from(&played).to_string();
            let read: Game = text.parse().expect("a game");
            assert_eq!(read.replay().as_ref(), Ok(&played), "{text}");
            assert_eq!(read.to_string(), text);
        }
        assert!("".parse::<Game>().is_err());
        let illegal: Game = "1. e4 e4 *".parse().expect("a game");
        assert!(illegal.replay().is_err_and(|error| error.reason.contains("is not legal")));
    }
}
