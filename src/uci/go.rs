//! The command `go`: turns its words into the [`Limits`] of a search, and starts it.
//!
//! The words may come in any order, and all of them count. A word that cannot be read is
//! skipped and reported; numbers out of range are clamped. If every limit is unreadable, or only
//! the clock of the side to move is missing, the search takes 100 ms instead of forever. An unknown
//! word with a number behind it counts as an unreadable limit.

use std::time::Duration;

use crate::host::Instant;
use crate::score::{MAX_DEPTH, MAX_PLY};
use crate::search::limits::{ClockState, Limits};
use crate::search::report::SearchEvent;
use crate::terminal::spelling::guesses;
use crate::terminal::table::Table;
use carrybit_board::{Board, Color, Move};

use super::options::tuning;
use super::position::read_move;
use super::report::{InfoPrinter, QUIET};
use super::schedule::{Job, JobKind};
use super::{Dialogue, Event, Failure};

/// The arguments of `go`. Clocks and increments are `[White, Black]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// `wtime` and `btime`. A negative number is a clock that has run down: zero.
    pub clocks: [Option<Duration>; 2],
    /// `winc` and `binc`.
    pub increments: [Option<Duration>; 2],
    /// `movestogo`; 0 is as if it were missing.
    pub moves_to_go: Option<u32>,
    /// All other limits.
    pub other: Limits,
    /// `searchmoves`, not yet checked.
    pub search_moves: Vec<String>,
    /// Whether a limit could not be read.
    pub lost_limit: bool,
    /// The words that could not be read.
    pub ignored: Vec<String>,
}

/// The time to search if all limits are unreadable or the clock is missing.
const LOST_LIMIT_MOVE_TIME: Duration = Duration::from_millis(100);

/// A keyword that takes a number, and a function that clamps and sets the limit.
type NumberKeyword = (&'static str, fn(&mut Go, i128));

const NUMBERS: [NumberKeyword; 9] = [
    ("wtime", |go, value| go.clocks[Color::White.index()] = Some(millis(value))),
    ("btime", |go, value| go.clocks[Color::Black.index()] = Some(millis(value))),
    ("winc", |go, value| go.increments[Color::White.index()] = Some(millis(value))),
    ("binc", |go, value| go.increments[Color::Black.index()] = Some(millis(value))),
    ("movestogo", |go, value| go.moves_to_go = Some(value.clamp(0, u32::MAX.into()) as u32)),
    ("movetime", |go, value| go.other.move_time = Some(millis(value.max(1)))),
    ("depth", |go, value| go.other.depth = Some(value.clamp(1, MAX_DEPTH.into()) as i32)),
    ("nodes", |go, value| go.other.nodes = Some(value.clamp(1, u64::MAX.into()) as u64)),
    // Either side may be mated, so the sign does not matter.
    ("mate", |go, value| {
        go.other.mate = Some(value.saturating_abs().clamp(1, MAX_PLY as i128 / 2) as i32);
    }),
];

fn millis(value: i128) -> Duration {
    Duration::from_millis(value.clamp(0, i64::MAX.into()) as u64)
}

pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    ["searchmoves", "ponder", "infinite"].into_iter().chain(NUMBERS.map(|(word, _)| word))
}

impl Go {
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
            "infinite" => self.other.infinite = true,
            "ponder" => self.other.ponder = true,
            "searchmoves" => {
                let moves = after.iter().take_while(|word| !is_keyword(word));
                let before = self.search_moves.len();
                self.search_moves.extend(moves.map(|&word| word.to_owned()));
                // A number among the moves belongs to an unreadable limit; the null move does not.
                let is_number = |word: &String| word != "0000" && integer(word).is_some();
                self.lost_limit |= self.search_moves[before..].iter().any(is_number);
                return Some(self.search_moves.len() - before);
            }
            _ => {
                let (_, set) = NUMBERS.iter().find(|(word, _)| *word == keyword)?;
                let text = after.first().filter(|word| !is_keyword(word));
                match text.and_then(|text| integer(text)) {
                    Some(value) => set(self, value),
                    None => {
                        self.lost_limit = true;
                        self.ignored.push(format!("{keyword} {}", text?));
                    }
                }
                return Some(1);
            }
        }
        Some(0)
    }

    /// Whether only the clock of this side would end the search, and is missing.
    pub(super) fn lacks_clock(&self, side: Color) -> bool {
        let is_timed =
            self.clocks != [None; 2] || self.increments != [None; 2] || self.moves_to_go.is_some();
        is_timed && !self.other.is_given() && self.clocks[side.index()].is_none()
    }

    /// Names the ignored words, if there are any.
    pub(super) fn problem(&self) -> Option<String> {
        let guesses = guesses(&self.ignored, &keywords().collect::<Vec<_>>());
        (!guesses.is_empty()).then(|| format!("not understood in go: {guesses}"))
    }

    /// The limits of the search from `board`. The other side's clock does not matter.
    /// Without any limit the search is infinite, unless a limit was lost or the clock is missing.
    /// Illegal `searchmoves` are left out; if none remains, all moves are searched.
    pub fn limits(&self, board: &Board) -> Limits {
        let us = board.side().index();
        let mut limits = self.other.clone();
        limits.clock = self.clocks[us].map(|time| ClockState {
            time,
            increment: self.increments[us].unwrap_or_default(),
            moves_to_go: self.moves_to_go.filter(|&moves| moves > 0),
        });
        for mv in self.search_moves.iter().flat_map(|text| read_move(board, text)) {
            if !limits.search_moves.contains(&mv) {
                limits.search_moves.push(mv);
            }
        }
        if !limits.is_given() {
            if self.lost_limit || self.lacks_clock(board.side()) {
                limits.move_time = Some(LOST_LIMIT_MOVE_TIME);
            } else {
                limits.infinite = true;
            }
        }
        limits
    }
}

impl Dialogue {
    pub(super) fn go(&mut self, go: &Go, at: Instant) {
        if let Some(problem) = &self.refused_position {
            self.output.message(&format!("no move without a position: {problem}"));
        }
        if let Some(problem) = go.problem() {
            self.refuse(&problem);
        }
        if go.lacks_clock(self.board().side()) {
            self.refuse("go has no clock for the side to move");
        }
        if self.refused_position.is_none() {
            self.refuse_illegal_search_moves(go);
        }
        let root = self.engine.game().board();
        let mut limits = tuning::adjust(go.limits(root));
        if self.refused_position.is_some() {
            // No move is legal there.
            limits.search_moves = vec![Move::NONE];
        }
        let table = self.terminal.columns.map(|columns| Table::new(root, columns()));
        if let Some(table) = &table
            && self.refused_position.is_none()
            && root.has_legal_move()
        {
            self.output.print_all(table.header());
        }
        let mut printer = InfoPrinter::new(root, self.castling_mode, self.show_wdl, Instant::now());
        printer.table = table;
        if printer.table.is_some()
            && !limits.infinite
            && limits.mate.is_none()
            && let Some(level) = self.limited_level()
        {
            self.output.print(&format!("At {level}; level off is full strength"));
        }
        self.search(JobKind::Search(Box::new(printer)), limits, at);
    }

    pub(super) fn refuse_illegal_search_moves(&mut self, go: &Go) {
        let (board, moves) = (self.board(), go.search_moves.iter().map(String::as_str));
        let illegal: Vec<&str> = moves.filter(|text| read_move(board, text).is_err()).collect();
        if !illegal.is_empty() {
            self.refuse(&format!("illegal searchmoves: {}", illegal.join(", ")));
        }
    }

    pub(super) fn print_deferred_message(&mut self) {
        if let Some(message) = self.deferred_message.take() {
            self.output.message(&message);
        }
    }

    /// Starts a search whose command was read at `at`, unless the command was an argument and a
    /// part of it was refused.
    pub(super) fn search(&mut self, kind: JobKind, limits: Limits, at: Instant) {
        if matches!(self.failure, Some(Failure::Refused(_))) {
            return;
        }
        self.print_deferred_message();
        self.job = Some(Job::search(kind, &limits));
        let events = self.events();
        // Without a search thread, this thread searches, and already has the lock that
        // `finish_search` takes.
        let has_thread = self.engine.start_thread();
        let finish_search = self.finish_search.clone().filter(|_| has_thread);
        let quiet_until = Instant::now() + QUIET;
        // Without a position there is nothing to report.
        let has_moves = limits.search_moves != [Move::NONE];
        self.engine.go(limits, at, move |event| {
            let is_report = matches!(event, SearchEvent::Report(_));
            if is_report && !has_moves {
                return;
            }
            let is_quiet = is_report && Instant::now() < quiet_until;
            let event = Event::Search(event);
            // Ignore the error: the dialogue may be over.
            let _ = match &finish_search {
                Some(finish_search) if !is_report => return finish_search(event),
                _ if is_quiet => events.send_quietly(event),
                _ => events.send(event),
            };
        });
    }
}

fn is_keyword(word: &str) -> bool {
    keywords().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The whole number in `text`: perhaps a sign, digits, and perhaps a fraction, which is cut
/// off (a GUI's `1000.5` is still a clock). A number too large for the type becomes its
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
        for (text, value) in [("0", 0), ("-50", -50), ("+7", 7), ("1000.5", 1000), ("007", 7)] {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in ["", "-", ".5", "1e5", "12a", "--1", "１"] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert_eq!(integer(&"9".repeat(60)), Some(i128::MAX));
    }
}
