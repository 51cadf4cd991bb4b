//! The arguments of the process -> command lines.

use super::command::is_command_word;

/// Puts the arguments together to lines: an argument that begins with a command
/// begins a line, any other one goes on with the line before, so that both
/// `carrybit "perft 5" d` and `carrybit perft 5 d` run two commands.
///
/// Commands are recognised in lower case only, so that the words of an option's
/// name (`Debug Log File`) are none; and `go perft` is one command.
///
/// # Errors
/// The first argument, if it is no command.
pub fn to_lines(arguments: &[String]) -> Result<Vec<String>, String> {
    let mut lines: Vec<String> = Vec::new();
    for argument in arguments {
        let first_word = argument.split_whitespace().next().unwrap_or("");
        match lines.last_mut() {
            Some(line) if !is_command_word(first_word) || (line == "go" && argument == "perft") => {
                *line = format!("{line} {argument}");
            }
            None if !is_command_word(first_word) => return Err(argument.clone()),
            _ => lines.push(argument.clone()),
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(arguments: &[&str]) -> Result<Vec<String>, String> {
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
                &["setoption", "name", "Debug", "Log", "File", "value", "x y"],
                &["setoption name Debug Log File value x y"],
            ),
        ] {
            assert_eq!(lines(arguments).expect("commands"), expected);
        }
    }

    #[test]
    fn the_first_argument_must_be_a_command() {
        assert_eq!(lines(&["5", "bench"]), Err("5".to_owned()));
        assert_eq!(lines(&[""]), Err(String::new()));
    }
}
