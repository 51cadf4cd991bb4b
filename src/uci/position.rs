//! Turns the words of `position` into a game, and text into a move.
//!
//! [`fen`](crate::board::fen) says which positions are accepted; unless `UCI_Chess960` is
//! set, `KQkq` mean standard chess. An illegal position is refused as a whole; the first
//! illegal move ends the list of moves. Moves may also be in SAN.

use crate::board::{Board, Move, SanError, Square};

use super::history::GameHistory;

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

    /// The game up to the first illegal move, and messages about ignored words. See
    /// [`Board::from_fen`] for `chess960`.
    ///
    /// # Errors
    /// The FEN cannot be read, or the position is illegal; says why.
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
                    let is_ambiguous = matches!(error, SanError::Ambiguous(_));
                    let kind = if is_ambiguous { "ambiguous" } else { "illegal" };
                    problems.push(format!(
                        "{kind} move {text:.20}: it and all later moves are ignored (moves after \
                         \"moves\" must be legal, in UCI notation, like e2e4, or in SAN, like Nf3)"
                    ));
                    break;
                }
            }
        }
        Ok((history, problems))
    }
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

/// The legal move that `text` means, in UCI's notation by [`find_move`] or in SAN.
///
/// # Errors
/// There is no such move, or more than one: `B1c3` is a bishop's move in SAN, and a move from
/// b1 in UCI's notation, whose letters may have any case.
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
    fn mixed_case_that_means_two_moves_is_ambiguous() {
        // A bishop on e1 and a knight on b1 may go to c3.
        let board: Board = "4k3/8/8/8/8/8/8/KN2B3 w - - 0 1".parse().expect("a valid FEN");
        let read = |text| read_move(&board, text).map(|mv| mv.to_string());
        assert_eq!(read("B1c3"), Err(SanError::Ambiguous("B1c3".to_owned())));
        for (text, mv) in [("b1c3", "b1c3"), ("B1C3", "b1c3"), ("Bc3", "e1c3"), ("B1f2", "e1f2")] {
            assert_eq!(read(text).as_deref(), Ok(mv));
        }
        let setup = Setup::parse(&["fen", &board.fen(false), "moves", "B1c3"]).expect("a FEN");
        let (_, problems) = setup.history(false).expect("a legal position");
        assert!(problems[0].starts_with("ambiguous move B1c3: "), "{problems:?}");
    }
}
