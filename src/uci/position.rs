//! Turns the words of `position` into a game, and text into a move.
//!
//! [`fen`](crate::board::fen) defines which positions are accepted; unless `UCI_Chess960` is
//! set, `KQkq` mean standard chess. An illegal position is refused as a whole; the first
//! illegal move ends the list of moves. Moves may also be in SAN.

use crate::board::{Board, CastlingMode, Game, Move, MoveError};

/// The arguments of `position`, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The first position in FEN; `None` for `startpos`.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The meaningless words between `startpos` and `moves`.
    pub ignored: Vec<String>,
}

impl Setup {
    /// Reads the words after `position`; `None` unless the first is `startpos` or `fen`.
    pub(super) fn parse(words: &[&str]) -> Option<Setup> {
        let (first, rest) = words.split_first()?;
        let is_moves = |word: &&str| word.eq_ignore_ascii_case("moves");
        let moves_at = rest.iter().position(is_moves).unwrap_or(rest.len());
        let (place, moves) = rest.split_at(moves_at);
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let moves = owned(moves.get(1..).unwrap_or_default());
        match first.to_ascii_lowercase().as_str() {
            "startpos" => Some(Setup { fen: None, moves, ignored: owned(place) }),
            "fen" => Some(Setup { fen: Some(place.join(" ")), moves, ignored: Vec::new() }),
            _ => None,
        }
    }

    /// The game up to the first illegal move, and messages about ignored words.
    ///
    /// # Errors
    /// The FEN cannot be read, or the position is illegal; says why.
    pub fn game(&self, mode: CastlingMode) -> Result<(Game, Vec<String>), String> {
        let board = match &self.fen {
            None => Board::default(),
            Some(fen) => {
                Board::from_fen(fen, mode).map_err(|error| format!("position ignored: {error}"))?
            }
        };
        let mut game = Game::new(board);
        let mut problems = Vec::new();
        if !self.ignored.is_empty() {
            problems.push(format!("not understood in position: {}", self.ignored.join(" ")));
        }
        for text in &self.moves {
            if text == "0000" && !game.board().in_check() {
                game.play_null();
                continue;
            }
            match read_move(game.board(), text) {
                Ok(mv) => game.play(mv),
                Err(error) => {
                    let is_ambiguous = matches!(error, MoveError::Ambiguous(_));
                    let kind = if is_ambiguous { "ambiguous" } else { "illegal" };
                    problems.push(format!(
                        "{kind} move {text:.20}: it and all later moves are ignored (moves after \
                         \"moves\" must be legal, in UCI notation, like e2e4, or in SAN, like Nf3)"
                    ));
                    break;
                }
            }
        }
        Ok((game, problems))
    }
}

/// The legal move that `text` means, in SAN or in UCI's notation, whose letters may have any case.
/// SAN comes first: `B1c3` is a bishop's move if there is one.
///
/// # Errors
/// There is no such move, or more than one.
pub(super) fn read_move(board: &Board, text: &str) -> Result<Move, MoveError> {
    // The reader of SAN also reads UCI's notation, except in capitals, and is the faster one.
    match board.parse_san(text) {
        Err(MoveError::NoMove(_) | MoveError::Illegal(_)) => board.parse_uci(text),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_both_notations_and_capital_b_is_first_a_bishop() {
        // The knights on b1 and f3 may go to d2, the bishop on e1 and the knight on b1 to c3.
        let board: Board = "4k3/8/8/8/8/5N2/8/KN2B3 w - - 0 1".parse().expect("a valid FEN");
        for (text, mv) in [
            ("b1c3", "b1c3"),
            ("B1C3", "b1c3"),
            ("B1c3", "e1c3"),
            ("B1a3", "b1a3"),
            ("Bc3", "e1c3"),
            ("B1f2", "e1f2"),
        ] {
            assert_eq!(read_move(&board, text).map(|mv| mv.to_string()).as_deref(), Ok(mv));
        }
        let setup = Setup::parse(&["fen", &board.fen(), "moves", "Nd2"]).expect("a FEN");
        let (_, problems) = setup.game(CastlingMode::Standard).expect("a legal position");
        assert!(problems[0].starts_with("ambiguous move Nd2: "), "{problems:?}");
    }
}
