//! From the arguments of the process to command lines.

use super::command::CommandError;
use super::hints;
use super::parser::{self, is_command_word};

/// Why the arguments of the process are not commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The first argument does not begin with a command.
    #[error("{}", hints::unknown(.0))]
    NoCommand(String),
    /// A command is incomplete, or cannot be read.
    #[error("{0}")]
    Command(#[from] CommandError),
}

/// Joins the arguments into lines: an argument that begins with a command starts a line,
/// any other one continues the line before, so that both `carrybit "perft 5" d` and
/// `carrybit perft 5 d` run two commands.
///
/// Commands are recognised in lower case only, so that the words of an option's name
/// (`Debug Log File`) are not taken for any; `go perft` is one command, and so is
/// `position startpos moves`.
///
/// # Errors
/// The first argument or one of the lines is not a command.
pub fn to_lines(arguments: &[String]) -> Result<Vec<String>, ArgumentError> {
    let mut lines: Vec<String> = Vec::new();
    for argument in arguments {
        let first_word = argument.split_whitespace().next().unwrap_or("");
        match lines.last_mut() {
            Some(line) if !is_command_word(first_word) || goes_on(line, argument) => {
                *line = format!("{line} {argument}");
            }
            None if !is_command_word(first_word) => {
                return Err(ArgumentError::NoCommand(argument.clone()));
            }
            _ => lines.push(argument.clone()),
        }
    }
    for line in &lines {
        parser::parse(line)?;
    }
    Ok(lines)
}

/// Whether the argument continues the line although it is a command by itself.
fn goes_on(line: &str, argument: &str) -> bool {
    match argument {
        "perft" => line == "go",
        "moves" => line.starts_with("position "),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(arguments: &[&str]) -> Result<Vec<String>, ArgumentError> {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        to_lines(&arguments)
    }

    #[test]
    fn a_command_begins_a_line_and_other_words_go_on() {
        for (arguments, expected) in [
            (&[] as &[&str], &[] as &[&str]),
            (&["bench"], &["bench"]),
            (&["bench", "5"], &["bench 5"]),
            (&["bench 5 1 16", "d"], &["bench 5 1 16", "d"]),
            (&["go", "perft", "3", "perft", "2"], &["go perft 3", "perft 2"]),
            (&["go depth 3", "perft 2"], &["go depth 3", "perft 2"]),
            (
                &["position", "fen", "8/8/8/8/8/8/k7/2K5", "b", "-", "-", "d"],
                &["position fen 8/8/8/8/8/8/k7/2K5 b - -", "d"],
            ),
            (
                &["position", "startpos", "moves", "e2e4", "moves"],
                &["position startpos moves e2e4 moves"],
            ),
            (
                &["position startpos moves e2e4", "d", "moves"],
                &["position startpos moves e2e4", "d", "moves"],
            ),
            (
                &["setoption", "name", "Debug", "Log", "File", "value", "x y"],
                &["setoption name Debug Log File value x y"],
            ),
        ] {
            assert_eq!(lines(arguments).expect("commands"), expected);
        }
    }

    #[test]
    fn the_first_argument_must_be_a_command() {
        for word in ["5", ""] {
            let error = ArgumentError::NoCommand(word.to_owned());
            assert_eq!(lines(&[word, "bench"]), Err(error));
        }
    }

    #[test]
    fn every_line_must_be_a_whole_command() {
        let error = ArgumentError::Command(CommandError::Perft);
        assert_eq!(lines(&["bench", "perft"]), Err(error));
        let error = ArgumentError::Command(CommandError::Unknown("debug maybe".to_owned()));
        assert_eq!(lines(&["debug", "maybe", "d"]), Err(error));
    }
}
