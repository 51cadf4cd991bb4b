//! Reads moves as people type them.

use carrybit_board::{Board, MoveError};

/// Reads each word as a move, legal or not.
///
/// # Errors
/// The first word without the form of a move.
pub(crate) fn moves(words: &[&str]) -> Result<Vec<String>, String> {
    words.iter().map(|&word| san(word).ok_or_else(|| word.to_owned())).collect()
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
