//! Turns the words of `go` into the [`Limits`] of a search.
//!
//! The words may come in any order, and all of them count. A word that cannot be read is
//! skipped and reported; numbers out of range are clamped. If every limit is unreadable,
//! the search takes 100 ms instead of forever. An unknown word with a number behind it
//! counts as an unreadable limit.

use crate::board::{Board, Color};
use crate::score::{MAX_DEPTH, MAX_PLY};
use crate::search::limits::{ClockState, Limits};
use crate::terminal::spelling::guesses;

use super::position::read_move;

/// The arguments of `go`. Times are in milliseconds, `[White, Black]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// `wtime` and `btime`. Zero or less is a real clock that has run down.
    pub clocks: [Option<i64>; 2],
    /// `winc` and `binc`, 0 or more.
    pub increments: [i64; 2],
    /// `movestogo`, 1 or more.
    pub moves_to_go: Option<u32>,
    /// All other limits.
    pub other: Limits,
    /// `searchmoves`, not yet checked.
    pub search_moves: Vec<String>,
    /// Whether the ignored words include a limit that could not be read.
    pub lost_limit: bool,
    /// The words that could not be read.
    pub ignored: Vec<String>,
}

/// The time to search if all limits are unreadable, in milliseconds.
const LOST_LIMIT_MOVE_TIME_MS: u64 = 100;

/// The words with a meaning after `go`.
pub(super) const KEYWORDS: [&str; 12] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
];

impl Go {
    /// Reads what follows the word `go`.
    pub(super) fn parse(words: &[&str]) -> Go {
        let mut go = Go::default();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            let used = go.read(&word.to_ascii_lowercase(), after);
            if used.is_none() {
                let limit = after.first().and_then(|text| integer(text));
                go.lost_limit |= limit.is_some();
                go.ignored.push((*word).to_owned());
            }
            rest = &after[used.unwrap_or(0)..];
        }
        go
    }

    /// Reads one keyword and its argument. Returns how many of the following words belong
    /// to it, or `None` if the keyword is unknown.
    fn read(&mut self, keyword: &str, after: &[&str]) -> Option<usize> {
        match keyword {
            "infinite" => {
                self.other.infinite = true;
                Some(0)
            }
            "ponder" => {
                self.other.ponder = true;
                Some(0)
            }
            "searchmoves" => {
                let moves = after.iter().take_while(|word| !is_keyword(word));
                let before = self.search_moves.len();
                self.search_moves.extend(moves.map(|&word| word.to_owned()));
                Some(self.search_moves.len() - before)
            }
            _ if is_keyword(keyword) => {
                let text = after.first().filter(|word| !is_keyword(word));
                match text.and_then(|text| integer(text)) {
                    Some(value) => self.set_number(keyword, value),
                    None => {
                        self.lost_limit = true;
                        self.ignored.push(format!("{keyword} {}", text?));
                    }
                }
                Some(1)
            }
            _ => None,
        }
    }

    /// Sets the limit of this name, clamped to its range.
    fn set_number(&mut self, keyword: &str, value: i128) {
        let millis = value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        match keyword {
            "wtime" => self.clocks[Color::White.index()] = Some(millis),
            "btime" => self.clocks[Color::Black.index()] = Some(millis),
            "winc" => self.increments[Color::White.index()] = millis.max(0),
            "binc" => self.increments[Color::Black.index()] = millis.max(0),
            "movestogo" => {
                let moves = value.clamp(0, u32::MAX.into()) as u32;
                self.moves_to_go = (moves > 0).then_some(moves);
            }
            "movetime" => self.other.move_time_ms = Some(millis.max(1).unsigned_abs()),
            "depth" => self.other.depth = Some(value.clamp(1, MAX_DEPTH.into()) as i32),
            "nodes" => self.other.nodes = Some(value.clamp(1, u64::MAX.into()) as u64),
            // Either side may be mated, so the sign does not matter.
            "mate" => {
                let moves = value.saturating_abs().clamp(1, MAX_PLY as i128 / 2);
                self.other.mate = Some(moves as i32);
            }
            _ => {}
        }
    }

    /// Names the ignored words, if there are any.
    pub(super) fn problem(&self) -> Option<String> {
        let guesses = guesses(&self.ignored, &KEYWORDS);
        (!guesses.is_empty()).then(|| format!("not understood in go: {guesses}"))
    }

    /// The moves to search that are not legal on `board`.
    pub(super) fn illegal_search_moves(&self, board: &Board) -> Vec<&str> {
        let moves = self.search_moves.iter().map(String::as_str);
        moves.filter(|text| read_move(board, text).is_err()).collect()
    }

    /// The limits of the search from `board`. The other side's clock does not matter.
    /// Without any limit the search is infinite, unless a limit was lost. Illegal moves
    /// to search are left out; if none remains, all moves are searched.
    pub fn limits(&self, board: &Board) -> Limits {
        let us = board.side().index();
        let mut limits = self.other.clone();
        limits.clock = self.clocks[us].map(|time_ms| ClockState {
            time_ms,
            increment_ms: self.increments[us],
            moves_to_go: self.moves_to_go,
        });
        for mv in self.search_moves.iter().flat_map(|text| read_move(board, text)) {
            if !limits.search_moves.contains(&mv) {
                limits.search_moves.push(mv);
            }
        }
        if !have_end(&limits) && limits.mate.is_none() && !limits.infinite {
            if self.lost_limit {
                limits.move_time_ms = Some(LOST_LIMIT_MOVE_TIME_MS);
            } else {
                limits.infinite = true;
            }
        }
        limits
    }
}

/// Whether a search reaches one of the `limits` sooner or later. (There may be no mate.)
pub(super) fn have_end(limits: &Limits) -> bool {
    limits.clock.is_some()
        || limits.move_time_ms.is_some()
        || limits.depth.is_some()
        || limits.nodes.is_some()
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The whole number in `text`: a sign, digits, and perhaps a fraction, which is cut off
/// (a GUI's `1000.5` is still a clock). A number too large for the type becomes its
/// largest value. `None` if it is not a number.
pub(super) fn integer(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (digits, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !all_digits(digits) || !all_digits(fraction) {
        return None;
    }
    // With digits only, it can fail only by being too large.
    let magnitude = digits.parse().unwrap_or(i128::MAX);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_leniently_and_words_refused() {
        for (text, value) in [
            ("0", Some(0)),
            ("-50", Some(-50)),
            ("+7", Some(7)),
            ("1000.5", Some(1000)),
            ("007", Some(7)),
            ("", None),
            ("-", None),
            (".5", None),
            ("1e5", None),
            ("12a", None),
            ("--1", None),
            ("１", None),
        ] {
            assert_eq!(integer(text), value, "{text}");
        }
        assert_eq!(integer(&"9".repeat(60)), Some(i128::MAX));
    }
}
