//! Corrects mistyped words.

/// Longer words are not compared.
const MAX_LENGTH: usize = 20;

/// The maximum number of unknown words in a message.
const MAX_WORDS: usize = 8;

/// The word of `words` with the fewest wrong letters, at most two. Two letters exchanged
/// count as one wrong letter.
pub(crate) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let tolerance = match word.chars().count() {
        0..=2 => 0,
        3 => 1,
        _ => 2,
    };
    let word = word.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&word, &known.to_lowercase());
    let near = words.into_iter().map(|known| (distance(known), known));
    let close = near.filter(|&(distance, _)| distance <= tolerance);
    close.min_by_key(|&(distance, _)| distance).map(|(_, known)| known)
}

/// The unknown `words`, each followed by the closest of `known`.
pub(crate) fn guesses(words: &[String], known: &[&str]) -> String {
    let guess = |word: &String| match nearest(word, known.iter().copied()) {
        // A known word is named here if its value is missing or, after a space, bad.
        Some(known) if !word.contains(' ') && !known.eq_ignore_ascii_case(word) => {
            format!("{word} (did you mean {known}?)")
        }
        _ => word.clone(),
    };
    let mut named: Vec<String> = words.iter().take(MAX_WORDS).map(guess).collect();
    if words.len() > MAX_WORDS {
        named.push("and more".to_owned());
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["help", "position", "perft", "isready", "go"];

    #[test]
    fn nearest_word_is_found_within_the_tolerance() {
        for (word, known) in [
            ("hlep", Some("help")),
            ("HELP", Some("help")),
            ("postion", Some("position")),
            ("prft", Some("perft")),
            ("xboard", None),
            ("help me", None),
            ("ga", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, KNOWN), known, "{word}");
        }
        assert_eq!(nearest("Move Overhed", ["Hash", "Move Overhead"]), Some("Move Overhead"));
        assert_eq!(nearest(&"help".repeat(1000), KNOWN), None);
    }

    #[test]
    fn unknown_words_get_a_guess_and_are_not_all_named() {
        let words = ["perft", "hlep", "GO"].map(str::to_owned);
        assert_eq!(guesses(&words, &KNOWN), "perft, hlep (did you mean help?), GO");
        assert_eq!(guesses(&["perft 7x".to_owned()], &KNOWN), "perft 7x");
        let words = vec!["hlep".to_owned(); MAX_WORDS + 1];
        let text = guesses(&words, &KNOWN);
        assert_eq!(text.matches("did you mean help?").count(), MAX_WORDS);
        assert!(text.ends_with(", and more"), "{text}");
    }
}
