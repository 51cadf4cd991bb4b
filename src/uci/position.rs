//! The `position` command: from its words to a [`Record`], and from text to a move.
//!
//! Positions are accepted as leniently as [`fen`](crate::board::fen) reads them; unless
//! `UCI_Chess960` is set, `KQkq` mean standard chess. A position that cannot be searched
//! is refused as a whole; a move that cannot be played ends the list of moves. Moves may
//! also be in SAN, as people write them.

use crate::board::{Board, Move, SanError, Square};

use super::record::Record;

/// Where the game of a `position` command begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of standard chess.
    Startpos,
    /// A position in FEN, not yet checked.
    Fen(String),
}

/// What a `position` command says, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The first position.
    pub start: Start,
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
            "startpos" => Some(Setup { start: Start::Startpos, moves, ignored: owned(place) }),
            "fen" => Some(Setup { start: Start::Fen(place.join(" ")), moves, ignored: Vec::new() }),
            _ => None,
        }
    }

    /// The game as far as it can be played, and what was ignored, if anything. See
    /// [`Board::from_fen`] for `chess960`.
    ///
    /// # Errors
    /// The FEN cannot be read, or the position cannot be searched; says why.
    pub fn record(&self, chess960: bool) -> Result<(Record, Vec<String>), String> {
        let board = match &self.start {
            Start::Startpos => Board::default(),
            Start::Fen(fen) => Board::from_fen(fen, chess960)
                .map_err(|error| format!("position ignored: {error}"))?,
        };
        let mut record = Record::new(board);
        let mut problems = Vec::new();
        if !self.ignored.is_empty() {
            problems.push(format!("not understood in position: {}", self.ignored.join(" ")));
        }
        for text in &self.moves {
            if text == "0000" && !record.board().in_check() {
                record.play(None);
                continue;
            }
            match read_move(record.board(), text) {
                Ok(mv) => record.play(Some(mv)),
                Err(error) => {
                    problems.push(unplayable(text, &error));
                    break;
                }
            }
        }
        Ok((record, problems))
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
/// Castling may be written as the king's step or as king takes own rook, whatever the
/// value of `UCI_Chess960`. Where the king's step can also be a plain king move, as in
/// Chess960, only king takes rook is castling.
#[must_use]
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
/// There is none, or more than one: `B1c3` is a move of a bishop in SAN, and one from b1 in
/// UCI's notation, where the case of letters is ignored.
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

    fn played(fen: &str, text: &str) -> Option<String> {
        let board: Board = fen.parse().expect("a valid FEN");
        find_move(&board, text).map(|mv| mv.to_string())
    }

    #[test]
    fn castling_is_understood_in_both_forms() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (text, mv) in [("e1g1", "e1h1"), ("e1h1", "e1h1"), ("e1c1", "e1a1"), ("E1A1", "e1a1")] {
            assert_eq!(played(fen, text).as_deref(), Some(mv), "{text}");
        }
        let without_rights = "r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1";
        assert_eq!(played(without_rights, "e1g1"), None);
        assert_eq!(played(without_rights, "e1h1"), None);
    }

    #[test]
    fn a_single_step_of_the_king_is_not_castling() {
        let fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
        assert_eq!(played(fen, "f1g1").as_deref(), Some("f1g1"));
        assert_eq!(played(fen, "f1h1").as_deref(), Some("f1h1"));
    }

    #[test]
    fn every_move_written_is_read_as_itself() {
        for fen in [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "4k3/8/8/8/8/8/6PP/5K1R w H - 0 1",
            "4k3/8/8/8/8/8/PP6/RK6 w A - 0 1",
            "4k3/8/8/8/8/8/6PP/4KR2 w F - 0 1",
        ] {
            let board: Board = fen.parse().expect("a valid FEN");
            for &mv in board.legal_moves().iter() {
                for chess960 in [false, true] {
                    let text = board.uci(mv, chess960);
                    assert_eq!(find_move(&board, &text), Some(mv), "{text} in {fen}");
                }
            }
        }
    }

    #[test]
    fn moves_after_position_are_read_in_san_too() {
        let reached = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let setup = Setup::parse(&words).expect("a position");
            let (record, problems) = setup.record(false).expect("a legal position");
            (record.board().fen(false), problems)
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
        let (_, problems) = setup.record(false).expect("a legal position");
        assert!(problems[0].starts_with("ambiguous move B1c3: "), "{problems:?}");
    }

    #[test]
    fn promotions_need_their_letter_and_nothing_else() {
        let fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        assert_eq!(played(fen, "a7a8Q").as_deref(), Some("a7a8q"));
        for text in ["a7a8", "a7a8=Q", "a7a8k", "a7a8qq", "a7", "é7a8q", "", "0000"] {
            assert_eq!(played(fen, text), None, "{text}");
        }
    }
}
