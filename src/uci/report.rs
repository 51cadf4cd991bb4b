//! Decides which reports of a search are printed, and when.
//!
//! A search may report hundreds of lines in a moment (in a bare endgame it reaches every
//! depth at once), and then none for minutes. Each report is printed at once unless the last
//! second has too many lines. Otherwise it is pending: the next report replaces it, and it is
//! printed as soon as there is room, at the latest before `bestmove`. The lines of one
//! report, from `multipv 1` on, are printed together. (They may differ in depth: a search
//! that is long, or stopped, also reports a part of an iteration.)
//!
//! A long search prints nodes and speed at least once a second: with a report, or alone, with
//! `currmove` if the root move has changed. That ends when only `bestmove` is left.
//!
//! For a person the reports are rows of a [`Table`], without these statistics.

use std::collections::VecDeque;
use std::time::Duration;

use crate::eval::wdl;
use crate::host::Instant;
use crate::search::report::{BestMove, CurrentMove, LONG_SEARCH, Report, Snapshot};
use crate::terminal::table::Table;
use carrybit_board::{Board, CastlingMode, Move};

use super::format;

const SECOND: Duration = Duration::from_secs(1);

/// The maximum number of lines in a second of a long search. Only a report of more than 7
/// lines may exceed it.
const MAX_PER_SECOND: usize = 15;
/// The maximum number of lines in a second before the search becomes long. Only a report of more
/// than 14 lines may exceed it.
const MAX_PER_SECOND_AT_FIRST: usize = 30;

/// The time between lines with nodes and speed: less than a second, because a line may be
/// late.
const STATS_AFTER: Duration = Duration::from_millis(900);

/// The maximum number of lines for a [`Snapshot`].
const SNAPSHOT_LINES: usize = 2;

/// For this long after the start of a search, reports do not wake the main thread: it would
/// take the processor from a search that may end soon.
pub(super) const QUIET: Duration = Duration::from_millis(10);

pub(super) struct InfoPrinter {
    /// The material at the root, on which the conversion of scores depends.
    material: u32,
    castling_mode: CastlingMode,
    show_wdl: bool,
    /// If there is a table, it has the reports instead of `info` lines.
    pub(super) table: Option<Table>,
    /// The time from which the search is a long one.
    long_from: Instant,
    /// The times of the lines of the last second.
    printed: VecDeque<Instant>,
    /// The largest number of lines in any report so far.
    lines: usize,
    /// The rank (`multipv`) of the last line; 0 before the first.
    last_rank: usize,
    /// The lines of the last report if they are not yet printed, in ascending order of rank.
    pending: Vec<Report>,
    /// The time to print nodes and speed, unless a report comes first.
    stats_due: Instant,
    current_move: Option<CurrentMove>,
    /// Whether only `bestmove` is left.
    is_over: bool,
}

impl InfoPrinter {
    pub(super) fn new(
        root: &Board,
        castling_mode: CastlingMode,
        show_wdl: bool,
        now: Instant,
    ) -> InfoPrinter {
        let long_from = now + LONG_SEARCH;
        InfoPrinter {
            material: wdl::material(root),
            castling_mode,
            show_wdl,
            table: None,
            long_from,
            printed: VecDeque::new(),
            lines: 1,
            last_rank: 0,
            pending: Vec::new(),
            stats_due: long_from,
            current_move: None,
            is_over: false,
        }
    }

    /// Takes a report. Returns the lines to print now.
    pub(super) fn report(&mut self, report: Report, now: Instant) -> Vec<String> {
        let is_first = report.multi_pv <= self.last_rank;
        self.last_rank = report.multi_pv;
        self.lines = self.lines.max(report.multi_pv);
        let is_held = if is_first {
            self.pending.clear();
            self.room_for(self.lines, now) > now
        } else {
            !self.pending.is_empty()
        };
        self.pending.push(report);
        if is_held { Vec::new() } else { self.release(now) }
    }

    /// The time of the next line if there is no further report.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        if !self.pending.is_empty() {
            return Some(self.room_for(self.pending.len(), now));
        }
        (!self.is_over).then(|| self.stats_due.max(self.room_for(SNAPSHOT_LINES, now)))
    }

    /// The lines that are [due](InfoPrinter::due). There is no `snapshot` if only `bestmove`
    /// is left.
    pub(super) fn poll(&mut self, snapshot: Option<Snapshot>, now: Instant) -> Vec<String> {
        if !self.pending.is_empty() {
            return self.release(now);
        }
        self.is_over = snapshot.is_none();
        let Some(snapshot) = snapshot else { return Vec::new() };
        self.stats_due = now + STATS_AFTER;
        if self.table.is_some() {
            return Vec::new();
        }
        let mut lines = vec![format::stats_line(&snapshot)];
        if let Some(current) = snapshot.current_move
            && self.current_move.replace(current) != Some(current)
        {
            lines.push(format::current_move(current, &self.text(current.mv)));
        }
        self.count(lines.len(), now);
        lines
    }

    /// The lines to print when the search has ended: `bestmove` comes last.
    pub(super) fn finish(&mut self, answer: &BestMove, now: Instant) -> Vec<String> {
        let mut lines = self.release(now);
        if let Some(table) = &self.table {
            lines.push(table.best(answer));
            return lines;
        }
        let [best, ponder] = [answer.best, answer.ponder].map(|mv| mv.map(|mv| self.text(mv)));
        let best = best.unwrap_or_else(|| "(none)".to_owned());
        lines.push(match ponder {
            Some(ponder) => format!("bestmove {best} ponder {ponder}"),
            None => format!("bestmove {best}"),
        });
        lines
    }

    fn release(&mut self, now: Instant) -> Vec<String> {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            self.count(pending.len(), now);
            self.stats_due = self.long_from.max(now + STATS_AFTER);
        }
        match &self.table {
            // Depth 0 reports a score without a move.
            Some(table) => {
                pending.iter().filter(|report| report.depth > 0).map(|r| table.row(r)).collect()
            }
            None => pending.iter().map(|report| self.info(report)).collect(),
        }
    }

    fn count(&mut self, lines: usize, now: Instant) {
        self.printed.retain(|&printed| printed + SECOND > now);
        self.printed.extend(std::iter::repeat_n(now, lines));
    }

    /// The time at which there is room for `lines` lines, a last report and `bestmove`.
    fn room_for(&self, lines: usize, now: Instant) -> Instant {
        let most = if now < self.long_from { MAX_PER_SECOND_AT_FIRST } else { MAX_PER_SECOND };
        let others = most.saturating_sub(lines + self.lines + 1);
        self.printed.iter().rev().nth(others).map_or(now, |&surplus| surplus + SECOND)
    }

    fn info(&self, report: &Report) -> String {
        let moves: Vec<String> = report.pv.iter().map(|&mv| self.text(mv)).collect();
        format::info(report, &moves.join(" "), self.material, self.show_wdl)
    }

    fn text(&self, mv: Move) -> String {
        mv.uci(self.castling_mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::report::Bound;

    const STEP: Duration = Duration::from_millis(7);

    fn printer() -> (InfoPrinter, Instant) {
        let now = Instant::now();
        (InfoPrinter::new(&Board::default(), CastlingMode::Standard, false, now), now)
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

    fn snapshot(time: Duration, current_move: Option<CurrentMove>) -> Snapshot {
        let nodes = 1000 * time.as_millis() as u64;
        Snapshot { current_move, nodes, hashfull: 7, tb_hits: 9, time }
    }

    fn places(lines: &[String]) -> Vec<(i32, usize)> {
        let place = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!((words[1], words[5]), ("depth", "multipv"), "{line}");
            (words[2].parse().expect("a depth"), words[6].parse().expect("a rank"))
        };
        lines.iter().map(place).collect()
    }

    #[test]
    fn first_depths_are_printed_at_once_and_the_last_before_bestmove() {
        let (mut printer, now) = printer();
        let lines: Vec<String> =
            (1..=240).flat_map(|depth| printer.report(report(depth, 1), now)).collect();
        let expected: Vec<(i32, usize)> = (1..=28).map(|depth| (depth, 1)).collect();
        assert_eq!(places(&lines), expected);
        let due = printer.due(now).expect("a line is pending");
        assert!(due > now && due < now + LONG_SEARCH);
        let mut last = printer.finish(&BestMove { best: None, ponder: None }, now);
        assert_eq!(last.pop().as_deref(), Some("bestmove (none)"));
        assert_eq!(places(&last), [(240, 1)]);
    }

    #[test]
    fn lines_of_one_report_stay_together() {
        let (mut printer, now) = printer();
        let mut lines = Vec::new();
        for depth in 1..=20 {
            for rank in 1..=50 {
                lines.extend(printer.report(report(depth, rank), now));
            }
        }
        let ranks = |depth| (1..=50).map(|rank| (depth, rank)).collect::<Vec<_>>();
        assert_eq!(places(&lines), ranks(1));
        let due = printer.due(now).expect("lines are pending");
        assert!(due > now + SECOND / 2);
        assert_eq!(places(&printer.poll(None, due)), ranks(20));
        // A stopped search reports a part of the next depth, even if a part was released.
        assert_eq!(printer.report(report(21, 1), due), Vec::<String>::new());
        assert_eq!(places(&printer.release(due)), [(21, 1)]);
        assert_eq!(places(&printer.report(report(20, 2), due)), [(20, 2)]);
    }

    #[test]
    fn long_search_prints_nodes_and_new_root_moves_until_only_bestmove_is_left() {
        let (mut printer, start) = printer();
        let moves = Board::default().legal_moves();
        let reported = LONG_SEARCH - SECOND / 10;
        assert_eq!(printer.report(report(20, 1), start + reported).len(), 1);
        let (mut stats, mut current_moves) = (Vec::new(), Vec::new());
        let mut now = start;
        while now < start + 60 * SECOND {
            now = now.max(printer.due(now).expect("the search is not over"));
            let time = now - start;
            // Ten seconds for each root move.
            let number = time.as_secs() as usize / 10;
            let current = CurrentMove { mv: moves[number], number, depth: 30 };
            for line in printer.poll(Some(snapshot(time, Some(current))), now) {
                let is_move = line.contains(" currmove ");
                if is_move { &mut current_moves } else { &mut stats }.push((time, line));
            }
        }
        assert_eq!(stats[0].0, reported + STATS_AFTER);
        assert_eq!(stats[0].1, "info nodes 3800000 nps 1000000 hashfull 7 tbhits 9 time 3800");
        assert!(stats.is_sorted_by(|(a, _), (b, _)| *b - *a < SECOND));
        assert_eq!(current_moves.len(), 7);
        let second = format!("info depth 30 currmove {} currmovenumber 1", moves[1]);
        assert_eq!(current_moves[1].1, second);
        assert_eq!(printer.poll(None, now), Vec::<String>::new());
        assert_eq!(printer.due(now), None);
    }

    #[test]
    fn second_has_at_most_thirty_lines_later_fifteen_and_always_nodes() {
        for ranks in 1..=7 {
            let (mut printer, start) = printer();
            let mut lines = Vec::new();
            let (mut now, end) = (start, start + LONG_SEARCH + 10 * SECOND);
            let mut number = 0;
            while now < end {
                // Each step has a report and another root move.
                number += 1;
                let mut printed = Vec::new();
                for rank in 1..=ranks {
                    printed.extend(printer.report(report(number, rank), now));
                }
                if printer.due(now).is_some_and(|due| due <= now) {
                    let mv = Board::default().legal_moves()[number as usize % 20];
                    let current = CurrentMove { mv, number: 1, depth: number };
                    printed.extend(printer.poll(Some(snapshot(now - start, Some(current))), now));
                }
                lines.extend(printed.into_iter().map(|line| (now - start, line)));
                now += STEP;
            }
            let last = printer.finish(&BestMove { best: None, ponder: None }, now);
            assert!(last.len() <= ranks + 1);
            lines.extend(last.into_iter().map(|line| (now - start, line)));
            for &(from, _) in &lines {
                let in_second = lines.iter().filter(|(at, _)| (from..from + SECOND).contains(at));
                let is_long = from >= LONG_SEARCH;
                let most = if is_long { MAX_PER_SECOND } else { MAX_PER_SECOND_AT_FIRST };
                assert!(in_second.count() <= most, "{ranks}: {lines:#?}");
            }
            let stats = lines.iter().filter(|(_, line)| line.contains(" nodes "));
            let is_often = stats.is_sorted_by(|(a, _), (b, _)| *b - *a <= SECOND + STEP);
            assert!(is_often, "{ranks}: {lines:#?}");
        }
    }
}
