//! Games of the crate `carrybit_board` as PGN, and back.

use std::str::FromStr;

use carrybit_board::{Board, Game as Played};

use crate::replay::{bad_move, first_position, is_chess960, read_move_or_pass, start};
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
    /// An error in a tag has line 1. [`replay_until_error`](Game::replay_until_error) returns the
    /// moves before an illegal one.
    pub fn replay(&self) -> Result<Played, PgnError> {
        let (played, error) = self.replay_until_error()?;
        error.map_or(Ok(played), Err)
    }

    /// Plays the moves, without the variations, up to the first that is not legal. Returns the
    /// game up to there, and the error.
    ///
    /// ```
    /// let game: carrybit_pgn::Game = "1. e4 e5 2. Ke3 Nf6 *".parse()?;
    /// let (played, error) = game.replay_until_error()?;
    /// assert_eq!(played.moves().len(), 2);
    /// assert_eq!(error.expect("an error").reason, "move 2. Ke3 is not legal");
    /// # Ok::<(), carrybit_pgn::PgnError>(())
    /// ```
    ///
    /// # Errors
    /// If the first position is not valid, or the variant is not supported.
    pub fn replay_until_error(&self) -> Result<(Played, Option<PgnError>), PgnError> {
        let mut played = Played::new(first_position(self, "", 1)?);
        for ply in &self.moves.moves {
            // Nearly all moves are in SAN; the general code has precedence for none of these.
            if played.play_san(&ply.text).is_ok() {
                continue;
            }
            match read_move_or_pass(played.board(), &ply.text) {
                Ok(mv) => played.play(mv),
                Err(reason) => {
                    let error = bad_move(played.board(), ply.line, &reason);
                    return Ok((played, Some(error)));
                }
            }
        }
        Ok((played, None))
    }

    /// Whether the game is Chess960: the `Variant` tag names it, or a king or rook that may castle
    /// does not start on its square of standard chess.
    pub fn is_chess960(&self) -> bool {
        let has_castling = |board: Board| board.has_chess960_castling();
        is_chess960(self) == Ok(true) || start(self).is_ok_and(has_castling)
    }
}

/// The moves in SAN, the tags of the standard with unknown values, the result by the rules, and the
/// first position unless it is the usual one, in Chess960 as Shredder-FEN.
impl From<&Played> for Game {
    fn from(played: &Played) -> Game {
        let result = played.outcome().map_or("*".to_owned(), |outcome| outcome.to_string());
        let start = played.start();
        let mut board = start.clone();
        let ply = |mv: &carrybit_board::Move| {
            let (text, after) = match mv.is_null() {
                true => ("--".into(), board.make_null()),
                false => (board.san(*mv).into(), board.make(*mv)),
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
