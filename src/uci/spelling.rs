//! What a mistyped word may be meant to be.

/// A word longer than this is not compared with any.
const LONGEST_WORD: usize = 20;

/// How many words that were not understood are named.
const MOST_WORDS: usize = 8;

/// How many letters may be wrong, by the length of the word.
fn tolerance(word: &str) -> usize {
    match word.chars().count() {
        0..=2 => 0,
        3 => 1,
        _ => 2,
    }
}

/// The one of `words` that `word` is most likely meant to be, if it is close to any.
/// Two letters exchanged count as one that is wrong.
pub(super) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // With a blank in it, it is a word that is known and a value that was not understood.
    if word.len() > LONGEST_WORD || word.contains(' ') {
        return None;
    }
    let word = word.to_lowercase();
    let near = words.into_iter().filter_map(|known| {
        let distance = strsim::damerau_levenshtein(&word, &known.to_lowercase());
        (distance <= tolerance(&word)).then_some((distance, known))
    });
    near.min_by_key(|&(distance, _)| distance).map(|(_, known)| known)
}

/// Words that were not understood, each with the one of `known` that it may be meant to
/// be.
pub(super) fn guesses(words: &[String], known: &[&str]) -> String {
    let guess = |word: &String| match nearest(word, known.iter().copied()) {
        // A word that is known may lack what belongs to it.
        Some(known) if !known.eq_ignore_ascii_case(word) => {
            format!("{word} (did you mean {known}?)")
        }
        _ => word.clone(),
    };
    let mut named: Vec<String> = words.iter().take(MOST_WORDS).map(guess).collect();
    if words.len() > MOST_WORDS {
        named.push("and more".to_owned());
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["help", "position", "perft", "isready", "go"];

    #[test]
    fn the_nearest_word_is_found_and_none_is_made_up() {
        for (word, known) in [
            ("hlep", Some("help")),
            ("HELP", Some("help")),
            ("postion", Some("position")),
            ("prft", Some("perft")),
            ("isredy", Some("isready")),
            ("xboard", None),
            ("help me", None),
            ("ga", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, KNOWN), known, "{word}");
        }
        assert_eq!(nearest(&"help".repeat(1000), KNOWN), None);
    }

    #[test]
    fn a_word_that_is_known_is_not_guessed() {
        let words = ["perft", "hlep", "GO"].map(str::to_owned);
        assert_eq!(guesses(&words, &KNOWN), "perft, hlep (did you mean help?), GO");
    }

    #[test]
    fn many_words_are_not_all_named() {
        let words = vec!["hlep".to_owned(); MOST_WORDS + 1];
        let text = guesses(&words, &KNOWN);
        assert_eq!(text.matches("did you mean help?").count(), MOST_WORDS);
        assert!(text.ends_with(", and more"), "{text}");
    }
}
