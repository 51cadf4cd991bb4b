//! How fast lines may be printed: a GUI that reads slowly must not be flooded.
//!
//! A young search has much to say at once: it completes most of its iterations in its
//! first moments. Each of its lines books a little time, and lines may run only so far
//! ahead of the clock. A [long](LONG_SEARCH) search prints few lines in any second,
//! counting those that may have to be added when it is stopped.

use std::collections::VecDeque;
use std::time::Duration;

use crate::host::Instant;
use crate::search::limits::LONG_SEARCH;

/// The time that a line of a young search books.
const LINE_TIME: Duration = Duration::from_millis(40);

/// Lines of a young search are printed while the time is booked no further ahead than
/// this.
const HEAD_START: Duration = Duration::from_millis(800);

/// The time is never booked further ahead than this, however many lines `MultiPV` puts
/// together.
const MAX_AHEAD: Duration = Duration::from_millis(1800);

/// A long search prints no more lines than this in a [`SECOND`], unless lines that belong
/// together are more than that by themselves.
const MAX_PER_SECOND: usize = 15;

const SECOND: Duration = Duration::from_secs(1);

/// Knows when the next lines may be printed.
pub(super) struct Throttle {
    /// From when on the search is a long one.
    long_from: Instant,
    /// Until when the time is booked.
    booked: Instant,
    /// When the lines of the last second were printed.
    printed: VecDeque<Instant>,
}

impl Throttle {
    /// For a search that begins `now`.
    pub(super) fn new(now: Instant) -> Throttle {
        Throttle { long_from: now + LONG_SEARCH, booked: now, printed: VecDeque::new() }
    }

    /// From when on the search is a long one.
    pub(super) fn long_from(&self) -> Instant {
        self.long_from
    }

    /// The earliest time, as it looks `now`, to print so many `lines` together, and still
    /// have room to `reserve` as many lines for a sudden end.
    pub(super) fn due(&self, lines: usize, reserve: usize, now: Instant) -> Instant {
        let young = self.booked - HEAD_START;
        if young.max(now) < self.long_from {
            return young;
        }
        // So many may have been printed in the second before.
        let others = MAX_PER_SECOND.saturating_sub(lines + reserve);
        match self.printed.iter().rev().nth(others) {
            Some(&surplus) => (surplus + SECOND).max(self.long_from),
            None => self.long_from,
        }
    }

    /// Takes note of so many `lines` printed `now`.
    pub(super) fn book(&mut self, lines: usize, now: Instant) {
        while self.printed.front().is_some_and(|&printed| printed + SECOND <= now) {
            self.printed.pop_front();
        }
        for _ in 0..lines {
            self.booked = (self.booked.max(now) + LINE_TIME).min(now + MAX_AHEAD);
            self.printed.push_back(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints groups of so many lines as fast as it may from `from` on, for `time`.
    /// Returns when it printed each line.
    fn flood(throttle: &mut Throttle, lines: usize, from: Instant, time: Duration) -> Vec<Instant> {
        let mut printed = Vec::new();
        let mut now = from;
        while now < from + time {
            throttle.book(lines, now);
            printed.extend(vec![now; lines]);
            now = throttle.due(lines, lines + 1, now).max(now);
        }
        printed
    }

    /// The most lines in any second.
    fn busiest(printed: &[Instant]) -> usize {
        let in_second = |&from: &Instant| {
            printed.iter().filter(|&&at| from <= at && at < from + SECOND).count()
        };
        printed.iter().map(in_second).max().unwrap_or(0)
    }

    #[test]
    fn a_young_search_has_a_head_start_and_then_a_line_for_each_booked_time() {
        let start = Instant::now();
        let mut throttle = Throttle::new(start);
        let printed = flood(&mut throttle, 1, start, 2 * SECOND);
        assert_eq!(printed.iter().filter(|&&at| at == start).count(), 21);
        assert_eq!(printed.len(), 20 + 50);
    }

    #[test]
    fn a_long_search_has_room_for_its_end_in_any_second() {
        for lines in 1..=7 {
            let start = Instant::now();
            let mut throttle = Throttle::new(start);
            let mut printed = flood(&mut throttle, lines, start + LONG_SEARCH, 5 * SECOND);
            // It ends in the busiest moment: its last lines, and `bestmove`.
            let last = *printed.last().expect("there are lines");
            printed.extend(vec![last; lines + 1]);
            assert!(busiest(&printed) <= MAX_PER_SECOND, "{lines}: {printed:?}");
            assert!(printed.len() >= 5 * lines, "{lines} are told once a second at least");
        }
    }

    #[test]
    fn what_was_printed_early_counts_when_the_search_becomes_long() {
        let start = Instant::now();
        let mut throttle = Throttle::new(start);
        let mut printed = flood(&mut throttle, 1, start, LONG_SEARCH);
        let early = printed.len();
        let from = throttle.due(1, 2, start + LONG_SEARCH);
        printed.extend(flood(&mut throttle, 1, from, 2 * SECOND));
        let late = start + LONG_SEARCH - SECOND / 2;
        let straddling = printed.iter().filter(|&&at| late <= at && at < late + SECOND).count();
        assert!(straddling <= MAX_PER_SECOND, "{straddling}");
        assert!(busiest(&printed[early..]) <= MAX_PER_SECOND);
    }

    #[test]
    fn more_lines_than_a_second_has_room_for_have_it_for_themselves() {
        let start = Instant::now();
        let mut throttle = Throttle::new(start);
        let printed = flood(&mut throttle, 50, start + LONG_SEARCH, 5 * SECOND);
        assert_eq!((printed.len(), busiest(&printed)), (250, 50));
    }
}
