//! Compares move numbers with the count of the moves: a number that does not fit means that moves
//! are missing.

/// A move number; 0 if only its dots were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveNumber {
    pub(super) value: u16,
    /// The number of dots: usually 1 or none before White's moves and 3 before Black's.
    pub(super) dots: usize,
}

/// The numbering of a line of moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbering {
    /// The number of plies before the line, counted from move 1 of White; negative if the numbers
    /// are too small for it.
    first: i64,
    /// A number before one of the first `free` moves is right by definition; the next ones are
    /// compared with it.
    free: usize,
    /// The last number.
    last: i64,
}

impl Numbering {
    /// The numbering of a game from this FEN. Its move number is often wrong, and so is ignored.
    pub(super) fn of_fen(fen: &str) -> Numbering {
        let is_black = fen.split_whitespace().nth(1) == Some("b");
        Numbering { first: i64::from(is_black), free: usize::MAX, last: 0 }
    }

    /// The numbering of a variation to the last one of `moves` moves. Some annotators number its
    /// first move wrongly.
    pub(super) fn of_variation(self, moves: usize) -> Numbering {
        let first = self.first + moves.saturating_sub(1) as i64;
        Numbering { first, free: self.free.max(1), last: 0 }
    }

    /// Compares the number before the move after `at` moves of the line. If it does not fit, returns
    /// a message, and counts on from this number.
    #[inline]
    pub(super) fn check(&mut self, at: usize, number: MoveNumber) -> Option<String> {
        let MoveNumber { value, dots } = number;
        let (at, value, is_free) = (at as i64, i64::from(value), at < self.free);
        let ply = self.first + at;
        let (expected, is_black) = (ply.div_euclid(2) + 1, ply.rem_euclid(2) == 1);
        // `1. e4 1. e5` repeats the number.
        let is_repeated = self.last == value;
        (self.free, self.last) = (0, value);
        if is_free {
            self.first += 2 * (value - expected);
            return None;
        }
        let fits_side = if dots >= 3 { is_black } else { !is_black || dots == 2 || is_repeated };
        if value == expected && fits_side {
            return None;
        }
        self.first = 2 * (value - 1) + i64::from(dots >= 3) - at;
        Some(gap(number, expected, is_black))
    }
}

/// The message about a number that does not fit.
#[cold]
fn gap(number: MoveNumber, expected: i64, is_black: bool) -> String {
    let MoveNumber { value, dots } = number;
    let [is, next] = [dots >= 3, is_black].map(|is_black| if is_black { "..." } else { "." });
    format!(
        "move number {value}{is} follows where {expected}{next} is next: moves before it are \
             missing or were not read"
    )
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// The numbers that do not fit, and those that were next.
    fn gaps(text: &str) -> Vec<String> {
        let warnings = read(text).into_iter().flat_map(|entry| entry.warnings);
        let gap = |reason: String| {
            let (number, rest) =
                reason.strip_prefix("move number ")?.split_once(" follows where ")?;
            Some(format!("{number} for {}", rest.split_once(" is next")?.0))
        };
        warnings.filter_map(|warning| gap(warning.reason)).collect()
    }

    #[test]
    fn number_that_does_not_fit_is_reported_once_for_each_gap() {
        for (text, expected) in [
            ("1. d4 d5 3. Nf3 Nf6 4. c4 *", &["3. for 2."][..]),
            ("1. d4 d5 2. c4 3. Nf3 Nf6 4. e3 *", &["3. for 2..."]),
            ("1. d4 2. c4 e6 5. e3 *", &["2. for 1...", "5. for 3."]),
            ("1. d4 d5 e6 2. c4 *", &["2. for 2..."]),
            ("1. d4 d5 2... e6 3. c4 *", &["2... for 2."]),
            ("3. Nf3 d5 4. d4 *", &["3. for 1."]),
            ("1. d4 d5 2. ?? foo e6 3. c4 *", &["3. for 2..."]),
            ("1. e4 e5 (1... c5 3. Nf3) 2. Nf3 *", &["3. for 2."]),
            ("[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 9\"]\n\n31... Kd7 33. Kd2 *", &["33. for 32."]),
            ("1 e4 e5 3 Nf3 *", &["3. for 2."]),
            ("1e4 e5 3Nf3 *", &["3. for 2."]),
        ] {
            assert_eq!(gaps(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_in_unusual_forms_are_no_gaps() {
        for moves in [
            "1. e4 e5 2. Nf3 Nc6 (2... d6 3. d4 (3. Bc4 Be7) exd4) 3. Bb5 {a} 3... a6 *",
            "1. e4 1. e5 2. Nf3 2. Nc6 *",
            "1. e4 1. ... e5 2. Nf3 2... Nc6 3.-- 3... Z0 *",
            "1 e4 … e5 2 Nf3 Nc6 *",
            "1e4 e5 2Nf3 Nc6 3.0-0 *",
            "1.. e4 e5 2.. Nf3 *",
            "e4 e5 2. Nf3 Nc6 *",
            "1. e4 (9. d4 d5 10. c4) 1... e5 ((1... c5 2. Nf3)) 2. Nf3 *",
            "1 . e4 see game 7 1... e5 *",
        ] {
            assert_eq!(gaps(moves), [""; 0], "{moves}");
        }
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(gaps(&format!("[FEN \"{start}\"]\n\n5. e4 e5 6. Nf3 *")), [""; 0]);
        let fen = |side| format!("[FEN \"4k3/8/8/8/8/8/8/4K3 {side} - - 0 9\"]\n\n");
        for (side, moves) in [
            ("w", "1. Kd2 Kd7 2. Ke2 *"),
            ("w", "31. Kd2 (31. Kd1 Kd7 32. Kd2) 31... Kd7 32. Ke2 *"),
            ("b", "1... Kd7 2. Ke2 *"),
            ("b", "12. Kd7 13. Ke2 Ke8 *"),
            ("b", "Kd7 (Kd8 13. Kd1) 13. Ke2 *"),
        ] {
            assert_eq!(gaps(&(fen(side) + moves)), [""; 0], "{moves}");
        }
    }
}
