//! Corrects mistyped words, and reads moves as people type them.

use carrybit_board::{Board, MoveError};

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

/// The text without the comments, variations and marks of a PGN, and whether a comment in braces or a
/// variation is open at its end.
pub(crate) fn without_remarks(text: &str) -> (String, bool) {
    let (mut is_comment, mut is_line_comment, mut depth) = (false, false, 0_usize);
    let mut rest = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => is_line_comment = false,
            _ if is_line_comment => continue,
            ';' if !is_comment => is_line_comment = true,
            '{' => is_comment = true,
            '}' => is_comment = false,
            '(' if !is_comment => depth += 1,
            ')' if !is_comment => depth = depth.saturating_sub(1),
            _ if !is_comment && depth == 0 => rest.push(c),
            _ => continue,
        }
        if "{}()\n".contains(c) {
            rest.push(' ');
        }
    }
    let words = rest.split_whitespace().filter(|word| !word.starts_with('$'));
    (words.collect::<Vec<_>>().join(" "), is_comment || depth > 0)
}

/// Whether the word is the result of a game.
pub(crate) fn is_result(word: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2", "*"].contains(&word)
}

/// Reads each word as a move, legal or not. Skips the numbers of moves and a result at the end.
///
/// # Errors
/// The first word without the form of a move; or the first word, if there are only numbers.
pub(crate) fn moves<'w>(words: &[&'w str]) -> Result<Vec<String>, &'w str> {
    let moves = match words {
        [moves @ .., result] if is_result(result) => moves,
        moves => moves,
    };
    let moves = moves.iter().map(|&word| (without_number(word), word));
    let moves = moves.filter(|(bare, _)| !bare.is_empty());
    let moves: Vec<String> =
        moves.map(|(bare, word)| san(bare).ok_or(word)).collect::<Result<_, _>>()?;
    if moves.is_empty() { Err(words.first().copied().unwrap_or_default()) } else { Ok(moves) }
}

/// The word without the number of a move before it: `e4` of `1.e4`, and nothing of `1...`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() || rest.starts_with(['.', '…']) {
        rest.trim_start_matches(['.', '…'])
    } else {
        word
    }
}

/// The word with the case of letters corrected: SAN without capitals (a small `b` stays the
/// file), or a move in capitals only. `None` if it has not the form of a move.
fn san(word: &str) -> Option<String> {
    let mut readings = [word.to_owned(), word.to_ascii_lowercase()].into_iter().flat_map(|text| {
        let mut capital = text.clone();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        [text, capital]
    });
    readings.find(|text| !matches!(Board::default().parse_san(text), Err(MoveError::NoMove(_))))
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

    #[test]
    fn moves_are_read_in_both_notations_and_piece_letters_in_both_cases() {
        for (line, expected) in [
            ("e2e4", &["e2e4"] as &[&str]),
            ("e4 e5 Nf3", &["e4", "e5", "Nf3"]),
            ("nf3", &["Nf3"]),
            ("bxc3", &["bxc3"]),
            ("o-o", &["o-o"]),
            ("E2E4 A7A8Q NF3", &["e2e4", "a7a8q", "Nf3"]),
            ("1. e4 e5 2.Nf3 2...Nc6 3 O-O 1/2-1/2", &["e4", "e5", "Nf3", "Nc6", "O-O"]),
            ("12... 0-0", &["0-0"]),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(moves(&words).expect("moves"), expected, "{line}");
        }
        assert_eq!(moves(&["1.", "e4", "2.foo"]), Err("2.foo"));
        assert_eq!(moves(&["1.", "1-0"]), Err("1."));
        let line = "1. e4 $1 {best (by test)} e5 (1... c5 (1... e6) 2. c3) 2. Nf3!";
        assert_eq!(without_remarks(line), ("1. e4 e5 2. Nf3!".to_owned(), false));
        assert_eq!(without_remarks("e4{a}e5 ) (1... c5 {goes on"), ("e4 e5".to_owned(), true));
        assert_eq!(without_remarks("e4 ; {a\ne5 {; b}"), ("e4 e5".to_owned(), false));
    }
}
