//! Reads moves as people type them.

use crate::board::{Board, MoveError};

/// Reads each word as a move, legal or not.
///
/// # Errors
/// The first word without the form of a move.
pub(crate) fn moves(words: &[&str]) -> Result<Vec<String>, String> {
    let read = |word: &&str| {
        let san = san(word);
        if looks_like_move(&san) { Ok(san) } else { Err((*word).to_owned()) }
    };
    words.iter().map(read).collect()
}

/// Corrects the case of letters: SAN without capitals (a small `b` stays the file), or a move in
/// capitals only.
fn san(word: &str) -> String {
    let with_capital = |mut word: String| {
        if let Some(first) = word.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        word
    };
    let (word, lower) = (word.to_owned(), word.to_ascii_lowercase());
    let readings = [word.clone(), with_capital(word.clone()), lower.clone(), with_capital(lower)];
    readings.into_iter().find(|reading| looks_like_move(reading)).unwrap_or(word)
}

fn looks_like_move(word: &str) -> bool {
    !matches!(Board::default().parse_san(word), Err(MoveError::NoMove(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_both_notations_and_piece_letters_in_both_cases() {
        for (line, expected) in [
            ("e2e4", &["e2e4"] as &[&str]),
            ("e4 e5 Nf3", &["e4", "e5", "Nf3"]),
            ("nf3", &["Nf3"]),
            ("bxc3", &["bxc3"]),
            ("o-o", &["o-o"]),
            ("E2E4 A7A8Q NF3", &["e2e4", "a7a8q", "Nf3"]),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(moves(&words).expect("moves"), expected, "{line}");
        }
        assert_eq!(moves(&["e4", "foo"]), Err("foo".to_owned()));
    }
}
