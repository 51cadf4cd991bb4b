//! How the lines of a person are read: as commands where they are whole ones, else as
//! moves, else with a hint at what may be meant.

use super::command::{Command, CommandError};
use super::hints;
use super::parser::{self, is_command_word};

/// Reads one line of a person. Never panics.
///
/// # Errors
/// The line is neither a whole command nor moves; the error says what may be meant.
pub(super) fn parse(line: &str) -> Result<Command, CommandError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    if first == "exit" {
        return Ok(Command::Quit);
    }
    if !is_command_word(&first) {
        let moves: Vec<String> = words.into_iter().map(san).collect();
        return match moves.iter().position(|word| !hints::looks_like_move(word)) {
            None if moves.is_empty() => Err(CommandError::Unknown(String::new())),
            None => Ok(Command::Moves(moves)),
            Some(0) => Err(CommandError::Hint(hints::unknown(line))),
            Some(at) => Err(CommandError::Hint(format!("{} is not a move", moves[at]))),
        };
    }
    match parser::parse(line) {
        Ok(Command::Go(go)) => match go.problem() {
            Some(problem) => Err(CommandError::Hint(problem)),
            None => Ok(Command::Go(go)),
        },
        Err(CommandError::Unknown(_)) => Err(CommandError::Hint(hints::incomplete(line))),
        result => result,
    }
}

/// The word as a move that can be read, if it is one but for the case of its letters: in
/// SAN without capitals (a small `b` stays the file), or all in capitals.
fn san(word: &str) -> String {
    let mut capital = word.to_owned();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let readings = [word.to_owned(), capital, word.to_ascii_lowercase()];
    let read = readings.into_iter().find(|reading| hints::looks_like_move(reading));
    read.unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(line: &str) -> String {
        match parse(line) {
            Err(CommandError::Hint(text)) => text,
            other => panic!("no hint: {other:?}"),
        }
    }

    #[test]
    fn moves_are_read_in_both_notations_and_piece_letters_in_both_cases() {
        for (line, moves) in [
            ("e2e4", &["e2e4"] as &[&str]),
            ("e4 e5 Nf3", &["e4", "e5", "Nf3"]),
            ("nf3", &["Nf3"]),
            ("bxc3", &["bxc3"]),
            ("o-o", &["o-o"]),
            ("E2E4 A7A8Q", &["e2e4", "a7a8q"]),
        ] {
            let moves = moves.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(parse(line), Ok(Command::Moves(moves)), "{line}");
        }
    }

    #[test]
    fn commands_are_commands_and_not_moves() {
        assert_eq!(parse("d"), Ok(Command::Display));
        assert_eq!(parse("D"), Ok(Command::Display));
        assert_eq!(parse("exit"), Ok(Command::Quit));
        assert_eq!(parse("  "), Err(CommandError::Unknown(String::new())));
        assert_eq!(parse("go perft 3"), Ok(Command::Perft(3)));
    }

    #[test]
    fn what_is_not_understood_gets_a_hint() {
        for (line, text) in [
            ("hlep", "unknown command hlep: did you mean help?"),
            ("e4 foo", "foo is not a move"),
            ("go dept 5", "not understood in go: dept (did you mean depth?), 5"),
            ("go depth x", "not understood in go: depth x"),
            ("setoption Hash 64", "setoption ignored: write setoption name Hash value 64"),
            ("debug", "debug ignored: write debug on or debug off"),
        ] {
            assert_eq!(hint(line), text, "{line}");
        }
    }
}
