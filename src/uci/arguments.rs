//! Turns the arguments of the process into command lines.

use crate::terminal::hints;

use super::options::OPTIONS;
use super::parser::{Command, CommandError, command_words, is_command_word, parse};
use super::position::UNREADABLE;

/// Joins the arguments into lines. An argument that begins with a command starts a line;
/// any other argument continues the previous line. So `carrybit "perft 5" d` and
/// `carrybit perft 5 d` both run two commands.
///
/// Commands must be in lower case.
///
/// # Errors
/// The first argument or one of the lines is not a command; says why.
pub fn to_lines(arguments: &[String]) -> Result<Vec<String>, String> {
    let mut lines: Vec<String> = Vec::new();
    let starts =
        |argument: &String| is_command_word(argument.split_whitespace().next().unwrap_or_default());
    for (argument, next) in arguments.iter().zip(1..) {
        let has_words = arguments.get(next).is_some_and(|next| !starts(next));
        match lines.last_mut() {
            Some(line) if !starts(argument) || continues(line, argument, has_words) => {
                *line = format!("{line} {argument}");
            }
            None if !starts(argument) => return Err(hints::unknown(argument, command_words())),
            _ => lines.push(argument.clone()),
        }
    }
    for line in &lines {
        match parse(line) {
            Ok(Command::Position(None)) => return Err(UNREADABLE.to_owned()),
            Ok(_) => {}
            Err(CommandError::Unknown) => return Err(format!("unknown command: {line}")),
            Err(CommandError::Refused(problem)) => return Err(problem),
        }
    }
    Ok(lines)
}

/// Whether the argument continues the line although it is the word of a command: `perft` after
/// `go`, `moves` after a position if moves follow, `d` for a castling right of a FEN that goes on, and
/// any word in the name of an option.
fn continues(line: &str, argument: &str, has_words: bool) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match (&words[..], argument) {
        (["go"], "perft") => true,
        (["position", ..], "moves") | (["position", "fen", _, _], "d") => has_words,
        (["setoption", "name", name @ ..], _) => {
            let is_whole =
                |name: &str| OPTIONS.iter().any(|option| option.name.eq_ignore_ascii_case(name));
            !name.contains(&"value") && !is_whole(&name.join(" "))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_starts_a_line_and_other_words_continue_it() {
        for (arguments, expected) in [
            (&[] as &[&str], &[] as &[&str]),
            (&["bench", "5"], &["bench 5"]),
            (&["bench 5 1 16", "d"], &["bench 5 1 16", "d"]),
            (&["go", "perft", "3", "perft", "2"], &["go perft 3", "perft 2"]),
            (
                &["position", "fen", "8/8/8/8/8/8/k7/2K5", "b", "-", "-", "d"],
                &["position fen 8/8/8/8/8/8/k7/2K5 b - -", "d"],
            ),
            (
                &["position", "startpos", "moves", "e2e4", "moves"],
                &["position startpos moves e2e4", "moves"],
            ),
            (&["position startpos", "moves", "e2e4", "d"], &["position startpos moves e2e4", "d"]),
            (&["position", "startpos", "moves"], &["position startpos", "moves"]),
            (&["position startpos", "d", "moves"], &["position startpos", "d", "moves"]),
            (
                &["position", "fen", "1k1r4/8/8/8/8/8/8/4K3", "w", "d", "-", "d"],
                &["position fen 1k1r4/8/8/8/8/8/8/4K3 w d -", "d"],
            ),
            (
                &["setoption", "name", "skill", "level", "value", "5", "level"],
                &["setoption name skill level value 5", "level"],
            ),
            (&["setoption", "name", "Clear", "Hash", "d"], &["setoption name Clear Hash", "d"]),
            (
                &["setoption", "name", "Debug", "Log", "File", "value", "x y"],
                &["setoption name Debug Log File value x y"],
            ),
        ] {
            let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(to_lines(&arguments).expect("commands"), expected);
        }
    }
}
