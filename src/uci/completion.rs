//! The words that may stand next in a line, for a person who presses the Tab key.

use super::go::KEYWORDS;
use super::options::OPTIONS;
use super::parser::command_words;

/// What may follow `position`.
const PLACES: [&str; 2] = ["startpos", "fen"];

/// Where the last word of `before` begins, and all words that begin like it and have a
/// meaning there; an option's name counts as one word.
#[must_use]
pub fn completions(before: &str) -> (usize, Vec<&'static str>) {
    let of = |start: usize, words: &mut dyn Iterator<Item = &'static str>| {
        let begun = before[start..].to_ascii_lowercase();
        let fits = |word: &&str| word.to_ascii_lowercase().starts_with(&begun);
        (start, words.filter(fits).collect())
    };
    let start = before.rfind(' ').map_or(0, |space| space + 1);
    let whole = before[..start].to_ascii_lowercase();
    let words: Vec<&str> = whole.split_whitespace().collect();
    match words[..] {
        [] => of(start, &mut command_words()),
        ["go" | "play", ..] => of(start, &mut KEYWORDS.into_iter()),
        ["position"] => of(start, &mut PLACES.into_iter()),
        ["setoption"] => of(start, &mut ["name"].into_iter()),
        ["setoption", "name", ..] if !words.contains(&"value") => {
            let name = whole.find(" name ").map_or(start, |at| at + " name ".len());
            of(name, &mut OPTIONS.iter().map(|option| option.name))
        }
        _ => (start, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_begun_is_completed() {
        for (before, start, words) in [
            ("he", 0, &["help"] as &[&str]),
            ("un", 0, &["undo"]),
            ("go de", 3, &["depth"]),
            ("GO DE", 3, &["depth"]),
            ("SetOption Name mo", 15, &["Move Overhead"]),
            ("position ", 9, &["startpos", "fen"]),
            ("setoption na", 10, &["name"]),
            ("setoption name mo", 15, &["Move Overhead"]),
            ("setoption name Move ov", 15, &["Move Overhead"]),
            ("setoption name Hash value ", 26, &[]),
            ("é", 0, &[]),
            ("perft é", 6, &[]),
        ] {
            assert_eq!(completions(before), (start, words.to_vec()), "{before}");
        }
    }
}
