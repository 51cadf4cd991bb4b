//! From what a search reports to lines, and when they are printed.
//!
//! A search may report hundreds of lines in a moment (it reaches any depth of a bare
//! endgame at once), and later none for minutes.
//!
//! The lines of an ordinary search come far enough apart to be printed at once. Those that
//! come too fast for the [`Throttle`] are held back: they are dropped if the lines of the
//! next depth come first, otherwise printed as soon as there is room, at the latest before
//! `bestmove`. The lines of one report on the root moves, from `multipv 1` on, are printed
//! together or not at all. (They need not be of the same depth: a search that is long, or
//! is stopped, also reports what it has searched of an iteration.)
//!
//! Once a search is long, the narrator also asks how far it has come. At least once a
//! second there is a line with nodes, speed and the like, be it a report or a line of its
//! own, and a `currmove` as soon as the search is found at another root move. Both end
//! when the search has only its answer left to give.

use std::time::Duration;

use crate::board::{Board, Move};
use crate::host::Instant;
use crate::search::limits::{CurrentMove, Outcome, Report, Snapshot};

use super::throttle::Throttle;
use super::{wdl, wire};

/// After this time without nodes and speed they are printed again: less than a second, as
/// the line may be late.
const FIGURES_AFTER: Duration = Duration::from_millis(900);

/// How often a long search is asked for its root move.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The reports of a search's first moments wake no other thread, which would take the
/// processor from a search that may be over soon.
pub(super) const QUIET: Duration = Duration::from_millis(10);

/// The lines that a [`Snapshot`] can lead to.
const SNAPSHOT_LINES: usize = 2;

/// Tells the GUI about one search.
pub(super) struct Narrator {
    root: Board,
    /// The material at the root, on which the conversion of scores depends.
    material: u32,
    chess960: bool,
    show_wdl: bool,
    throttle: Throttle,
    /// Rank of the last line; 0 before the first.
    last_rank: usize,
    /// How many lines the reports on the root moves have, as far as is known.
    lines: usize,
    /// The last lines, if they are held back, in ascending order of rank.
    held: Vec<Report>,
    /// When nodes and speed are to be printed, if no report comes first.
    figures_due: Instant,
    /// When to ask for the root move.
    look_due: Instant,
    /// The last `currmove`.
    current_move: Option<CurrentMove>,
    /// Whether the search has only its answer left to give.
    is_over: bool,
}

impl Narrator {
    /// For a search from `root` that begins `now`, with the options as they are now.
    pub(super) fn new(root: Board, chess960: bool, show_wdl: bool, now: Instant) -> Narrator {
        let throttle = Throttle::new(now);
        Narrator {
            material: wdl::material(&root),
            root,
            chess960,
            show_wdl,
            last_rank: 0,
            lines: 1,
            held: Vec::new(),
            figures_due: throttle.long_from(),
            look_due: throttle.long_from(),
            throttle,
            current_move: None,
            is_over: false,
        }
    }

    /// The lines to print when `report` comes at `now`.
    pub(super) fn report(&mut self, report: Report, now: Instant) -> Vec<String> {
        let is_first = report.multi_pv <= self.last_rank;
        self.last_rank = report.multi_pv;
        self.lines = self.lines.max(report.multi_pv);
        let is_held = if is_first {
            self.held.clear();
            self.room_for(self.lines, now) > now
        } else {
            !self.held.is_empty()
        };
        self.held.push(report);
        if is_held { Vec::new() } else { self.release(now) }
    }

    /// When there is something to say without a report, as it looks `now`, if ever: lines
    /// that are held back, or how far the search has come.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        if !self.held.is_empty() {
            return Some(self.room_for(self.held.len(), now));
        }
        let wanted = self.figures_due.min(self.look_due);
        (!self.is_over).then(|| wanted.max(self.room_for(SNAPSHOT_LINES, now)))
    }

    /// The lines to print `now` that something is [due](Narrator::due). There is no
    /// `snapshot` once the search has only its answer left to give.
    pub(super) fn go_on(&mut self, snapshot: Option<Snapshot>, now: Instant) -> Vec<String> {
        if !self.held.is_empty() {
            return self.release(now);
        }
        self.is_over = snapshot.is_none();
        let Some(snapshot) = snapshot else { return Vec::new() };
        let mut lines = Vec::new();
        if now >= self.figures_due {
            lines.push(wire::figures(&snapshot));
            self.figures_due = now + FIGURES_AFTER;
        }
        if now >= self.look_due {
            self.look_due = now + LOOK_EVERY;
            if let Some(current) = snapshot.current_move
                && self.current_move.replace(current) != Some(current)
            {
                lines.push(wire::current_move(current, &self.text(current.mv)));
            }
        }
        self.throttle.book(lines.len(), now);
        lines
    }

    /// The lines that are held back, to be printed `now`.
    fn release(&mut self, now: Instant) -> Vec<String> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.throttle.book(held.len(), now);
            self.figures_due = self.throttle.long_from().max(now + FIGURES_AFTER);
        }
        held.iter().map(|report| self.info(report)).collect()
    }

    /// When there is room for so many lines, as it looks `now`. Room for a last report and
    /// `bestmove` is kept.
    fn room_for(&self, lines: usize, now: Instant) -> Instant {
        self.throttle.due(lines, self.lines + 1, now)
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
    use crate::search::limits::{Bound, LONG_SEARCH};

    const SECOND: Duration = Duration::from_secs(1);

    /// The time between two events where they come fast.
    const STEP: Duration = Duration::from_millis(7);

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

    /// Reports until a line is held back. Returns when that is due.
    fn hold(narrator: &mut Narrator, now: Instant) -> Instant {
        while narrator.held.is_empty() {
            narrator.report(report(8, 1), now);
        }
        narrator.due(now).expect("a line is held")
    }

    /// How far a search has come that has lasted for `time`.
    fn snapshot(time: Duration, current_move: Option<CurrentMove>) -> Snapshot {
        let nodes = 1000 * time.as_millis() as u64;
        Snapshot { current_move, nodes, hashfull: 7, tb_hits: 9, time }
    }

    /// What a narrator says by itself up to `end`, and after how long. The search is found
    /// at the root move that `current` has at that time.
    fn monologue(
        narrator: &mut Narrator,
        start: Instant,
        end: Duration,
        current: impl Fn(Duration) -> Option<CurrentMove>,
    ) -> Vec<(Duration, String)> {
        let mut lines = Vec::new();
        let mut now = start;
        while let Some(due) = narrator.due(now)
            && due < start + end
        {
            now = now.max(due);
            let time = now - start;
            let said = narrator.go_on(Some(snapshot(time, current(time))), now);
            lines.extend(said.into_iter().map(|line| (time, line)));
        }
        lines
    }

    /// The times of those lines that contain `part`.
    fn times(lines: &[(Duration, String)], part: &str) -> Vec<Duration> {
        lines.iter().filter(|(_, line)| line.contains(part)).map(|&(time, _)| time).collect()
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
    fn what_is_held_back_is_due_when_there_is_room() {
        let (mut narrator, now) = narrator();
        assert_eq!(narrator.due(now), Some(now + LONG_SEARCH));
        let due = hold(&mut narrator, now);
        assert!(due > now && due < now + LONG_SEARCH);
        assert_eq!(places(&narrator.go_on(None, due)), [(8, 1)]);
        assert!(narrator.held.is_empty());
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
        let due = narrator.due(now).expect("lines are held");
        assert!(due > now + Duration::from_millis(500));
        assert_eq!(places(&narrator.go_on(None, due)), last);
    }

    #[test]
    fn the_first_line_of_a_search_that_was_stopped_is_not_lost() {
        let (mut narrator, now) = narrator();
        hold(&mut narrator, now);
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

    #[test]
    fn a_long_search_says_how_far_it_has_come_each_second() {
        let (mut narrator, start) = narrator();
        let lines = monologue(&mut narrator, start, 60 * SECOND, |_| None);
        let times = times(&lines, "info nodes ");
        assert_eq!(times.len(), lines.len());
        assert_eq!(times[0], LONG_SEARCH);
        assert!(times.is_sorted_by(|a, b| *b - *a > SECOND / 2 && *b - *a < SECOND));
        assert!(times.last() > Some(&(59 * SECOND)));
        let first = "info nodes 3000000 nps 1000000 hashfull 7 tbhits 9 time 3000";
        assert_eq!(lines[0].1, first);
    }

    #[test]
    fn a_report_says_how_far_the_search_has_come_too() {
        let (mut narrator, start) = narrator();
        let reported = LONG_SEARCH - SECOND / 10;
        assert_eq!(narrator.report(report(20, 1), start + reported).len(), 1);
        let lines = monologue(&mut narrator, start, LONG_SEARCH + SECOND, |_| None);
        assert_eq!(times(&lines, "nodes"), [reported + FIGURES_AFTER]);
    }

    #[test]
    fn a_root_move_is_announced_when_the_search_is_found_at_another_one() {
        let (mut narrator, start) = narrator();
        let moves = narrator.root.legal_moves();
        // A move takes two seconds, and later a hundredth of one.
        let current = |time: Duration| {
            let number =
                if time < 20 * SECOND { time.as_secs() / 2 } else { time.as_millis() as u64 / 10 };
            let mv = moves[number as usize % moves.len()];
            Some(CurrentMove { mv, number: number as usize, depth: 30 })
        };
        let lines = monologue(&mut narrator, start, 40 * SECOND, current);
        let first = format!("info depth 30 currmove {} currmovenumber 1", moves[1]);
        assert_eq!(
            lines.iter().map(|(_, line)| line).find(|line| line.contains("currmove")),
            Some(&first)
        );
        let times = times(&lines, " currmove ");
        let slow: Vec<u64> =
            times.iter().filter(|&&time| time < 20 * SECOND).map(Duration::as_secs).collect();
        assert_eq!(slow, [3, 4, 6, 8, 10, 12, 14, 16, 18]);
        assert_eq!(times.len() - slow.len(), 4 * 20, "four a second");
    }

    #[test]
    fn castling_is_announced_as_the_gui_reads_it() {
        let root: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().expect("a valid FEN");
        let mv = root.legal_moves().iter().copied().find(|mv| mv.is_castling()).expect("it can");
        let start = Instant::now();
        for (chess960, text) in [(false, "e1g1"), (true, "e1h1")] {
            let mut narrator = Narrator::new(root.clone(), chess960, false, start);
            let current = Some(CurrentMove { mv, number: 2, depth: 9 });
            let lines = narrator.go_on(Some(snapshot(LONG_SEARCH, current)), start + LONG_SEARCH);
            assert_eq!(lines[1], format!("info depth 9 currmove {text} currmovenumber 2"));
        }
    }

    #[test]
    fn nothing_is_said_of_a_search_that_only_waits_to_answer() {
        let (mut narrator, start) = narrator();
        let due = narrator.due(start).expect("it may become long");
        assert_eq!(narrator.go_on(None, due), Vec::<String>::new());
        assert_eq!(narrator.due(due), None);
    }

    #[test]
    fn a_long_search_prints_few_lines_in_any_second_and_figures_in_all_of_them() {
        for ranks in 1..=5 {
            let (mut narrator, start) = narrator();
            let mut lines = Vec::new();
            let (mut now, end) = (start + LONG_SEARCH, start + LONG_SEARCH + 10 * SECOND);
            let mut number = 0;
            while now < end {
                // It reports, and goes on to other moves, all the time.
                number += 1;
                let mut said = Vec::new();
                for rank in 1..=ranks {
                    said.extend(narrator.report(report(number, rank), now));
                }
                if narrator.due(now).is_some_and(|due| due <= now) {
                    let mv = narrator.root.legal_moves()[number as usize % 20];
                    let current = CurrentMove { mv, number: 1, depth: number };
                    said.extend(narrator.go_on(Some(snapshot(now - start, Some(current))), now));
                }
                lines.extend(said.into_iter().map(|line| (now - start, line)));
                now += STEP;
            }
            let last = narrator.finish(&Outcome { best: None, ponder: None }, now);
            assert!(last.len() <= ranks + 1);
            lines.extend(last.into_iter().map(|line| (now - start, line)));
            for &(from, _) in &lines {
                let in_second = lines.iter().filter(|(at, _)| (from..from + SECOND).contains(at));
                assert!(in_second.count() <= 15, "{ranks}: {lines:#?}");
            }
            let figures = times(&lines, " nodes ");
            assert!(figures.is_sorted_by(|a, b| *b - *a <= SECOND + STEP), "{ranks}: {lines:#?}");
        }
    }
}
