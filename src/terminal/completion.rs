//! Completes words at the Tab key.

/// The start of the last word of `before` (the line up to the cursor), and the words that
/// complete it: `commands` at the start of the line, `limits` after `go` and `play`, `options`
/// after `setoption name`. An option's name counts as one word.
pub(crate) fn completions(
    before: &str,
    commands: &[&'static str],
    limits: &[&'static str],
    options: &[&'static str],
) -> (usize, Vec<&'static str>) {
    let mut start = before.rfind(' ').map_or(0, |space| space + 1);
    let whole = before[..start].to_ascii_lowercase();
    let words: Vec<&str> = whole.split_whitespace().collect();
    let choice: &[&'static str] = match words[..] {
        [] => commands,
        ["go" | "play", ..] => limits,
        ["position"] => &["startpos", "fen"],
        ["setoption"] => &["name"],
        ["setoption", "name", ..] if !words.contains(&"value") => {
            start = whole.find(" name ").map_or(start, |at| at + " name ".len());
            options
        }
        _ => &[],
    };
    let typed = before[start..].to_ascii_lowercase();
    let fits = |word: &&&str| word.to_ascii_lowercase().starts_with(&typed);
    (start, choice.iter().filter(fits).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_word_is_completed_where_it_has_a_meaning() {
        for (before, start, words) in [
            ("he", 0, &["help"] as &[&str]),
            ("go de", 3, &["depth"]),
            ("GO DE", 3, &["depth"]),
            ("SetOption Name mo", 15, &["Move Overhead"]),
            ("position ", 9, &["startpos", "fen"]),
            ("setoption na", 10, &["name"]),
            ("setoption name Move ov", 15, &["Move Overhead"]),
            ("setoption name Hash value ", 26, &[]),
            ("é", 0, &[]),
            ("perft é", 6, &[]),
        ] {
            let found =
                completions(before, &["help", "perft"], &["depth"], &["Hash", "Move Overhead"]);
            assert_eq!(found, (start, words.to_vec()), "{before}");
        }
    }
}
