//! Turns the words of `position` into a game, and text into a move.
//!
//! Positions are accepted as leniently as [`fen`](crate::board::fen) reads them; unless
//! `UCI_Chess960` is set, `KQkq` mean standard chess. A position that cannot be searched
//! is refused as a whole; the first move that cannot be played ends the list of moves.
//! Moves may also be in SAN, as people write them.

use crate::board::{Board, Move, SanError, Square};

use super::history::GameHistory;

/// The arguments of `position`, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The first position in FEN; `None` for `startpos`.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The words between `startpos` and `moves`, which have no meaning.
    pub ignored: Vec<String>,
}

impl Setup {
    /// Reads what follows the word `position`; `None` if it begins with neither
    /// `startpos` nor `fen`.
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

    /// The game as far as it can be played, and problems with the rest. See
    /// [`Board::from_fen`] for `chess960`.
    ///
    /// # Errors
    /// The FEN cannot be read, or the position cannot be searched; says why.
    pub fn history(&self, chess960: bool) -> Result<(GameHistory, Vec<String>), String> {
        let board = match &self.fen {
            None => Board::default(),
            Some(fen) => Board::from_fen(fen, chess960)
                .map_err(|error| format!("position ignored: {error}"))?,
        };
        let mut history = GameHistory::new(board);
        let mut problems = Vec::new();
        if !self.ignored.is_empty() {
            problems.push(format!("not understood in position: {}", self.ignored.join(" ")));
        }
        for text in &self.moves {
            if text == "0000" && !history.board().in_check() {
                history.play(None);
                continue;
            }
            match read_move(history.board(), text) {
                Ok(mv) => history.play(Some(mv)),
                Err(error) => {
                    problems.push(unplayable(text, &error));
                    break;
                }
            }
        }
        Ok((history, problems))
    }
}

/// Why the moves of a game end before `text`.
fn unplayable(text: &str, error: &SanError) -> String {
    let kind = if matches!(error, SanError::Ambiguous(_)) { "ambiguous" } else { "illegal" };
    format!(
        "{kind} move {text:.20}: it and all later moves are ignored (moves after \"moves\" must \
         be legal, in UCI notation, like e2e4, or in SAN, like Nf3)"
    )
}

/// The legal move that `text` means in long algebraic notation, in upper or lower case.
/// Castling may be written as the king's step or as king takes own rook, whether or not
/// `UCI_Chess960` is set. If the king's step can also be a plain king move, as in
/// Chess960, only king takes rook is castling.
pub fn find_move(board: &Board, text: &str) -> Option<Move> {
    let text = text.to_ascii_lowercase();
    let from: Square = text.get(..2)?.parse().ok()?;
    let mut moves = board.legal_moves().to_vec();
    moves.retain(|mv| mv.from() == from);
    let written = moves.iter().copied().find(|&mv| board.uci(mv, true) == text);
    let step = |mv: Move| format!("{from}{}", Board::castled_king(mv));
    written.or_else(|| moves.iter().copied().find(|&mv| mv.is_castling() && step(mv) == text))
}

/// The legal move that `text` means in UCI's notation as [`find_move`] reads it, or else in
/// SAN.
///
/// # Errors
/// There is no such move, or more than one: `B1c3` is a move of a bishop in SAN, and one
/// from b1 in UCI's notation, which ignores the case of letters.
pub(super) fn read_move(board: &Board, text: &str) -> Result<Move, SanError> {
    let found = find_move(board, text);
    if let Some(mv) = found
        && !text.starts_with('B')
    {
        return Ok(mv);
    }
    match (found, board.parse_san(text)) {
        (Some(mv), Ok(san)) if mv != san => Err(SanError::Ambiguous(text.to_owned())),
        (Some(mv), Err(SanError::NoMove(_) | SanError::Illegal(_))) => Ok(mv),
        (_, read) => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_step_of_the_king_is_not_castling() {
        let board: Board = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().expect("a valid FEN");
        for text in ["f1g1", "f1h1"] {
            assert_eq!(find_move(&board, text).map(|mv| mv.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn moves_after_position_are_read_in_san_too() {
        let reached = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let setup = Setup::parse(&words).expect("a position");
            let (history, problems) = setup.history(false).expect("a legal position");
            (history.board().fen(false), problems)
        };
        let uci = reached("startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 f7f5 e4f5");
        assert!(uci.1.is_empty(), "{uci:?}");
        for san in ["e4 e5 Nf3 Nc6 Bb5 a6 O-O f5 exf5", "e4 e7e5 Ng1-f3 B8C6 F1B5 a6 0-0 f5! ef5"] {
            assert_eq!(reached(&format!("startpos moves {san}")), uci);
        }
    }

    #[test]
    fn mixed_case_that_means_two_moves_is_ambiguous() {
        // A bishop on e1 and a knight on b1 may go to c3.
        let board: Board = "4k3/8/8/8/8/8/8/KN2B3 w - - 0 1".parse().expect("a valid FEN");
        let read = |text| read_move(&board, text).map(|mv| mv.to_string());
        assert_eq!(read("B1c3"), Err(SanError::Ambiguous("B1c3".to_owned())));
        assert_eq!(read("b1c3").as_deref(), Ok("b1c3"));
        assert_eq!(read("B1C3").as_deref(), Ok("b1c3"));
        assert_eq!(read("Bc3").as_deref(), Ok("e1c3"));
        assert_eq!(read("B1f2").as_deref(), Ok("e1f2"));
        let setup = Setup::parse(&["fen", &board.fen(false), "moves", "B1c3"]).expect("a FEN");
        let (_, problems) = setup.history(false).expect("a legal position");
        assert!(problems[0].starts_with("ambiguous move B1c3: "), "{problems:?}");
    }
}
