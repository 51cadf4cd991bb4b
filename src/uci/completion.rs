//! Completes words at the Tab key.

use super::go;
use super::options::OPTIONS;
use super::parser;

/// The start of the last word of `before` (the line up to the cursor), and the words that
/// complete it: commands at the start of the line, limits after `go` and `play`, options after
/// `setoption name`. An option's name counts as one word.
pub fn completions(before: &str) -> (usize, Vec<&'static str>) {
    let mut start = before.rfind(' ').map_or(0, |space| space + 1);
    let whole = before[..start].to_ascii_lowercase();
    let words: Vec<&str> = whole.split_whitespace().collect();
    let choice: Vec<&'static str> = match words[..] {
        [] => parser::command_words().collect(),
        ["go" | "play", ..] => go::keywords().collect(),
        ["position"] => vec!["startpos", "fen"],
        ["setoption"] => vec!["name"],
        ["setoption", "name", ..] if !words.contains(&"value") => {
            start = whole.find(" name ").map_or(start, |at| at + " name ".len());
            OPTIONS.iter().map(|option| option.name).collect()
        }
        _ => Vec::new(),
    };
    let typed = before[start..].to_ascii_lowercase();
    let fits = |word: &&str| word.to_ascii_lowercase().starts_with(&typed);
    (start, choice.into_iter().filter(fits).collect())
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
            assert_eq!(completions(before), (start, words.to_vec()), "{before}");
        }
    }
}
