//! The answer to `help`.

use super::options::{OPTIONS, OptionKind, OptionSpec};
use super::parser::OWN_COMMANDS;

/// The width of the column before the meanings, wider than anything in it.
const WIDTH: usize = 38;

/// Commands and options, a line each.
pub(super) fn text() -> String {
    let mut text = String::from(
        "Carrybit is a chess engine for use with any chess GUI that speaks UCI.\n\
         At a terminal, type e4 to play a move, and play to have it answered. To analyse:\n\
         position startpos moves e2e4, then go movetime 1000.\n\
         In addition to the UCI commands it understands:\n",
    );
    for own in &OWN_COMMANDS {
        let usage = format!("{} {}", own.word, own.arguments);
        text += &format!("  {usage:<WIDTH$} {}\n", own.meaning);
    }
    text += "Type quit or exit to leave. Options, set by setoption name <name> value <value>:\n";
    for option in &OPTIONS {
        text += &format!("  {:<WIDTH$} {}\n", values(option), option.meaning);
    }
    text
}

/// Name and values of an option.
fn values(option: &OptionSpec) -> String {
    let name = option.name;
    match option.kind {
        OptionKind::Check { .. } => format!("{name} (true, false)"),
        OptionKind::Spin { min, max, .. } => format!("{name} ({min} to {max})"),
        OptionKind::Text { .. } => format!("{name} (text)"),
        OptionKind::Button { .. } => format!("{name} (no value)"),
    }
}
