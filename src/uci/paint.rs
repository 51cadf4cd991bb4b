//! Colours for people: what `d` and `eval` show, painted for a terminal that has them.
//! The text stays the same.

use anstyle::{AnsiColor, Style};

/// The pieces of White.
const WHITE: Style = Style::new().bold();
/// The pieces of Black.
const BLACK: Style = AnsiColor::Cyan.on_default().bold();
/// The lines between the squares.
const EDGE: Style = Style::new().dimmed();
/// What is good for White.
const GOOD: Style = AnsiColor::Green.on_default();
/// What is bad for White.
const BAD: Style = AnsiColor::Red.on_default();
/// A remark.
pub(super) const REMARK: Style = AnsiColor::Yellow.on_default();

/// A line of a board whose squares may show pieces or signed numbers, painted; any other
/// line as it is.
pub(super) fn board_line(line: &str) -> String {
    if !line.trim_start().starts_with(['|', '+']) {
        return line.to_owned();
    }
    let mut painted = String::new();
    // The signs of numbers belong to them, those of edges do not.
    for cell in line.split_inclusive('|') {
        let (content, edge) = cell.strip_suffix('|').map_or((cell, ""), |content| (content, "|"));
        painted += &match style(content.trim()) {
            Some(style) => format!("{style}{content}{style:#}"),
            None => content.to_owned(),
        };
        if !edge.is_empty() {
            painted += &format!("{EDGE}{edge}{EDGE:#}");
        }
    }
    painted
}

/// The style of what is on a square, or of an edge.
fn style(content: &str) -> Option<Style> {
    match content.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Some(WHITE),
        [letter] if letter.is_ascii_lowercase() => Some(BLACK),
        b"+0" => None,
        [b'+', b'0'..=b'9', ..] => Some(GOOD),
        [b'-', b'0'..=b'9', ..] => Some(BAD),
        [b'+', b'-', ..] => Some(EDGE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without escape sequences.
    fn plain(text: &str) -> String {
        let mut pieces = text.split('\u{1b}');
        let first = pieces.next().unwrap_or_default().to_owned();
        first
            + &pieces
                .filter_map(|piece| piece.split_once('m'))
                .map(|(_, rest)| rest)
                .collect::<String>()
    }

    #[test]
    fn paint_changes_no_text() {
        for line in
            [" | r |   | K | 8", " +---+---+---+", "|   P   |   q   |", "|   +123|   -456|", ""]
        {
            let painted = board_line(line);
            assert_eq!(plain(&painted), line);
            assert_eq!(painted == line, line.is_empty(), "{line}");
        }
        for line in ["   a   b   c", "Fen: 8/8/8/8/8/8/8/8 w - - 0 1", "Key: 0123"] {
            assert_eq!(board_line(line), line);
        }
    }
}
