//! From what a search reports to lines, and when they are printed.
//!
//! A search may report hundreds of lines in a moment (it reaches any depth of a bare
//! endgame at once), but a GUI that reads slowly must not be flooded. So each line books
//! a little time, and lines may run only so far ahead of the clock. The lines of an
//! ordinary search come far enough apart to be printed at once. Those that come too fast
//! are held back: they are dropped if the lines of the next depth come first, otherwise
//! printed as soon as there is time, at the latest before `bestmove`.
//!
//! The lines of one report on the root moves, from `multipv 1` on, are printed together
//! or not at all. (They need not be of the same depth: a search that is stopped has
//! reached the next depth for some of the moves only.)

use std::time::{Duration, Instant};

use crate::board::{Board, Move};
use crate::search::limits::{Outcome, Report};

use super::{wdl, wire};

/// The time that a line books.
const LINE_TIME: Duration = Duration::from_millis(40);

/// Lines are printed while the time is booked no further ahead than this.
const HEAD_START: Duration = Duration::from_millis(800);

/// The time is never booked further ahead than this, however many lines `MultiPV` puts
/// together.
const MAX_AHEAD: Duration = Duration::from_millis(1800);

/// Tells the GUI about one search.
pub(super) struct Narrator {
    root: Board,
    /// The material at the root, on which the conversion of scores depends.
    material: u32,
    chess960: bool,
    show_wdl: bool,
    /// Until when the time is booked.
    booked: Instant,
    /// Rank of the last line; 0 before the first.
    last_rank: usize,
    /// The last lines, if they are held back, in ascending order of rank.
    held: Vec<Report>,
}

impl Narrator {
    /// For a search from `root` that begins `now`, with the options as they are now.
    pub(super) fn new(root: Board, chess960: bool, show_wdl: bool, now: Instant) -> Narrator {
        let material = wdl::material(&root);
        Narrator { root, material, chess960, show_wdl, booked: now, last_rank: 0, held: Vec::new() }
    }

    /// The lines to print when `report` comes at `now`.
    pub(super) fn report(&mut self, report: Report, now: Instant) -> Vec<String> {
        let is_first = report.multi_pv <= self.last_rank;
        self.last_rank = report.multi_pv;
        let is_held = if is_first {
            self.held.clear();
            self.booked > now + HEAD_START
        } else {
            !self.held.is_empty()
        };
        self.held.push(report);
        if is_held { Vec::new() } else { self.release(now) }
    }

    /// When the lines that are held back may be printed, if there are any.
    pub(super) fn due(&self) -> Option<Instant> {
        (!self.held.is_empty()).then(|| self.booked - HEAD_START)
    }

    /// The lines that are held back, to be printed `now`.
    pub(super) fn release(&mut self, now: Instant) -> Vec<String> {
        for _ in &self.held {
            self.booked = (self.booked.max(now) + LINE_TIME).min(now + MAX_AHEAD);
        }
        let held = std::mem::take(&mut self.held);
        held.iter().map(|report| self.info(report)).collect()
    }

    /// The lines to print when the search has ended: `bestmove` comes last.
    pub(super) fn finish(&mut self, outcome: &Outcome, now: Instant) -> Vec<String> {
        let mut lines = self.release(now);
        lines.push(self.best_move(outcome));
        lines
    }

    fn info(&self, report: &Report) -> String {
        let moves: Vec<String> = report.pv.iter().map(|&mv| self.text(mv)).collect();
        wire::info(report, &moves.join(" "), self.material, self.show_wdl)
    }

    fn best_move(&self, outcome: &Outcome) -> String {
        let Some(best) = outcome.best else {
            return "bestmove (none)".to_owned();
        };
        let best = self.text(best);
        match outcome.ponder {
            Some(ponder) => format!("bestmove {best} ponder {}", self.text(ponder)),
            None => format!("bestmove {best}"),
        }
    }

    /// How a move is written depends only on the move and the mode, so the root board
    /// serves for all moves of a line.
    fn text(&self, mv: Move) -> String {
        self.root.uci(mv, self.chess960)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::Bound;

    /// A narrator, and when its search began.
    fn narrator() -> (Narrator, Instant) {
        let now = Instant::now();
        (Narrator::new(Board::default(), false, false, now), now)
    }

    fn report(depth: i32, multi_pv: usize) -> Report {
        Report {
            depth,
            seldepth: 1,
            multi_pv,
            score: 0,
            bound: Bound::Exact,
            nodes: 1,
            hashfull: 0,
            tb_hits: 0,
            time: Duration::ZERO,
            pv: Vec::new(),
        }
    }

    /// Depth and rank of each line.
    fn places(lines: &[String]) -> Vec<(i32, usize)> {
        let place = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!((words[1], words[5]), ("depth", "multipv"), "{line}");
            (words[2].parse().expect("a depth"), words[6].parse().expect("a rank"))
        };
        lines.iter().map(place).collect()
    }

    #[test]
    fn the_first_depths_are_printed_and_always_the_last() {
        let (mut narrator, now) = narrator();
        let mut lines = Vec::new();
        for depth in 1..=240 {
            lines.extend(narrator.report(report(depth, 1), now));
        }
        let mut outcome = narrator.finish(&Outcome { best: None, ponder: None }, now);
        assert_eq!(outcome.pop().as_deref(), Some("bestmove (none)"));
        let expected: Vec<(i32, usize)> = (1..=21).map(|depth| (depth, 1)).collect();
        assert_eq!(places(&lines), expected);
        assert_eq!(places(&outcome), [(240, 1)]);
    }

    #[test]
    fn in_the_long_run_there_is_a_line_for_each_booked_time() {
        let (mut narrator, start) = narrator();
        let printed = |narrator: &mut Narrator, from: u64| -> usize {
            let lines = (from..from + 2000).map(|millis| {
                let now = start + Duration::from_millis(millis);
                narrator.report(report(millis as i32, 1), now).len()
            });
            lines.sum()
        };
        assert_eq!(printed(&mut narrator, 1), 20 + 50);
        assert_eq!(printed(&mut narrator, 2001), 50);
    }

    #[test]
    fn what_is_held_back_is_due_when_there_is_time() {
        let (mut narrator, now) = narrator();
        assert_eq!(narrator.due(), None);
        while narrator.due().is_none() {
            narrator.report(report(1, 1), now);
        }
        let due = narrator.due().expect("it is held");
        assert_eq!(due, now + LINE_TIME);
        assert_eq!(places(&narrator.release(due)), [(1, 1)]);
        assert_eq!(narrator.due(), None);
    }

    #[test]
    fn the_lines_of_one_report_stay_together() {
        let (mut narrator, now) = narrator();
        let mut lines = Vec::new();
        for depth in 1..=20 {
            for rank in 1..=50 {
                lines.extend(narrator.report(report(depth, rank), now));
            }
        }
        let first: Vec<(i32, usize)> = (1..=50).map(|rank| (1, rank)).collect();
        let last: Vec<(i32, usize)> = (1..=50).map(|rank| (20, rank)).collect();
        assert_eq!(places(&lines), first);
        assert_eq!(narrator.due(), Some(now + MAX_AHEAD - HEAD_START));
        assert_eq!(places(&narrator.release(now)), last);
    }

    #[test]
    fn the_first_line_of_a_search_that_was_stopped_is_not_lost() {
        let (mut narrator, now) = narrator();
        while narrator.due().is_none() {
            narrator.report(report(8, 1), now);
        }
        for (depth, rank) in [(9, 1), (9, 2), (8, 3), (8, 4)] {
            assert_eq!(narrator.report(report(depth, rank), now), Vec::<String>::new());
        }
        assert_eq!(places(&narrator.release(now)), [(9, 1), (9, 2), (8, 3), (8, 4)]);
    }

    #[test]
    fn lines_that_follow_a_part_that_was_due_are_printed_with_it() {
        let (mut narrator, now) = narrator();
        for rank in 1..=50 {
            narrator.report(report(1, rank), now);
        }
        assert_eq!(narrator.report(report(2, 1), now), Vec::<String>::new());
        assert_eq!(places(&narrator.release(now)), [(2, 1)]);
        assert_eq!(places(&narrator.report(report(2, 2), now)), [(2, 2)]);
    }
}
