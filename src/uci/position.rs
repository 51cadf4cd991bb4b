//! Turns the words of `position` into a game, and text into a move.
//!
//! [`fen`](carrybit_board::fen) defines which positions are accepted; unless `UCI_Chess960` is
//! set, `KQkq` mean standard chess. An illegal position is refused as a whole; the first
//! illegal move ends the list of moves. Moves may also be in SAN. Behind four fields of a FEN there
//! may be EPD operations instead of the counters; of these, `hmvc` and `fmvn` set the counters.

use carrybit_board::{Board, CastlingMode, Game, Move, MoveError};

/// The problem of a `position` with neither `startpos` nor `fen`.
pub(super) const UNREADABLE: &str = "position ignored: it needs startpos or fen";

/// The arguments of `position`, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The first position in FEN; `None` for `startpos`.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The meaningless words between `startpos` and `moves`.
    pub ignored: Vec<String>,
    /// The EPD operations without a meaning for the engine.
    pub operations: Vec<String>,
}

impl Setup {
    /// Reads the words after `position`; `None` unless the first is `startpos` or `fen`.
    pub(super) fn parse(words: &[&str]) -> Option<Setup> {
        let (first, rest) = words.split_first()?;
        let has_odd_quotes = |text: &str| text.matches('"').count() % 2 == 1;
        // If a quotation does not end, quotes have no meaning.
        let has_quotations = !has_odd_quotes(&rest.concat());
        let mut is_quoted = false;
        let is_moves = |word: &&str| {
            let is_moves = !is_quoted && word.eq_ignore_ascii_case("moves");
            is_quoted ^= has_quotations && has_odd_quotes(word);
            is_moves
        };
        let moves_at = rest.iter().position(is_moves).unwrap_or(rest.len());
        let (place, moves) = rest.split_at(moves_at);
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let moves = owned(moves.get(1..).unwrap_or_default());
        let mut setup = Setup { fen: None, moves, ignored: Vec::new(), operations: Vec::new() };
        match first.to_ascii_lowercase().as_str() {
            "startpos" => setup.ignored = owned(place),
            "fen" => {
                let (fen, operations) = without_operations(place);
                (setup.fen, setup.operations) = (Some(fen), operations);
            }
            _ => return None,
        }
        Some(setup)
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

/// The number of fields of a FEN in front of the counters.
const FIELDS: usize = 4;

/// The FEN in `words`, with the counters of the EPD operations behind it, and the opcodes of its
/// other operations.
fn without_operations(words: &[&str]) -> (String, Vec<String>) {
    let begins_operation = |word: &&str| word.starts_with(|c: char| c == ';' || c.is_alphabetic());
    let begin = words.iter().skip(FIELDS).position(begins_operation);
    let (fields, operations) = words.split_at(begin.map_or(words.len(), |at| FIELDS + at));
    let mut counters = [None; 2];
    let mut ignored = Vec::new();
    let mut is_quoted = false;
    let text = operations.join(" ");
    let ends_operation = |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    };
    for operation in text.split(ends_operation) {
        let mut words = operation.split_whitespace();
        let Some(opcode) = words.next() else { continue };
        let number = words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let counter = ["hmvc", "fmvn"].iter().position(|name| opcode.eq_ignore_ascii_case(name));
        match counter {
            Some(counter) if number.is_some() && fields.len() == FIELDS => {
                counters[counter] = number;
            }
            _ => ignored.push(opcode.to_owned()),
        }
    }
    let mut fen = fields.join(" ");
    if counters != [None; 2] {
        let [halfmove, fullmove] = counters;
        fen = format!("{fen} {} {}", halfmove.unwrap_or("0"), fullmove.unwrap_or("1"));
    }
    (fen, ignored)
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
