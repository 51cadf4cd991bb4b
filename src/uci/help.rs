//! The answer to `help`.

use super::options::{Kind, OPTIONS, OptionSpec};

/// Carrybit's own commands, and what they do.
const COMMANDS: [(&str, &str); 7] = [
    (
        "bench [depth] [threads] [hash]",
        "searches a set of positions; the last line tells nodes and speed",
    ),
    ("perft <depth>", "counts the legal move sequences, move by move; also go perft <depth>"),
    ("d", "shows the position"),
    ("eval", "shows what the position is worth without searching"),
    ("wait", "holds back what follows until the search, perft or bench has ended"),
    ("help", "shows this"),
    ("quit", "leaves"),
];

/// Commands and options, a line each.
pub(super) fn text() -> String {
    let mut text = String::from(
        "Carrybit is a chess engine to be used with a chess GUI that speaks UCI.\n\
         By hand, try: position startpos moves e2e4, then go movetime 1000.\n\
         Besides the commands of UCI it understands:\n",
    );
    for (usage, meaning) in COMMANDS {
        text += &format!("  {usage:<32} {meaning}\n");
    }
    text += "Options, to be set with setoption name <name> value <value>:\n";
    for option in &OPTIONS {
        text += &format!("  {:<32} {}\n", values(option), option.meaning);
    }
    text
}

/// Name and values of an option.
fn values(option: &OptionSpec) -> String {
    let name = option.name;
    match option.kind {
        Kind::Check { .. } => format!("{name} (true, false)"),
        Kind::Spin { min, max, .. } => format!("{name} ({min} to {max})"),
        Kind::Text { .. } => format!("{name} (text)"),
        Kind::Button { .. } => format!("{name} (no value)"),
    }
}
