//! Text that fits the columns of a terminal, and a search as a table in such a width.

use crate::eval::wdl;
use crate::score::mate_in_moves;
use crate::search::report::{BestMove, Bound, Report};
use carrybit_board::{Board, Move};

use super::show;

/// Breaks a text between words into lines of at most `width` characters; a longer word is a line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The table of a search: a row for each report.
pub(crate) struct Table {
    root: Board,
    material: u32,
    width: usize,
}

impl Table {
    /// The table of a search from `root`, on a terminal with this number of columns.
    pub(crate) fn new(root: &Board, columns: usize) -> Table {
        // Some terminals begin a new line after a character in the last column.
        Table { root: root.clone(), material: wdl::material(root), width: columns - 1 }
    }

    pub(crate) fn header(&self) -> [String; 2] {
        let side = self.root.side();
        [
            format!("{side:?} is to move; score and chances (in %) are {side:?}'s."),
            "Depth     Time     Score  Win Draw Loss  Line".to_owned(),
        ]
    }

    pub(crate) fn row(&self, report: &Report) -> String {
        let score = match mate_in_moves(report.score) {
            Some(moves) => format!("#{moves}"),
            None => {
                format!("{:+.2}", f64::from(wdl::shown_cp(report.score, self.material)) / 100.0)
            }
        };
        let (score, chances) = match report.bound {
            Bound::Exact => {
                let [win, _, loss] = wdl::wdl(report.score, self.material).map(|n| (n + 5) / 10);
                let draw = 100_u32.saturating_sub(win + loss);
                (score, format!("{win:>3} {draw:>4} {loss:>4}"))
            }
            Bound::Lower => (format!(">{score}"), String::new()),
            Bound::Upper => (format!("<{score}"), String::new()),
        };
        let (depth, time) = (report.depth, report.time.as_secs_f64());
        let row = format!("{depth:>5}  {time:>5.1} s  {score:>8}  {chances:>13}  ");
        // The best move is always shown.
        let room = self.width.saturating_sub(row.len());
        row + &wrap(&self.moves(&report.pv), room).swap_remove(0)
    }

    /// The moves of a line in SAN. A number and its move are one word.
    fn moves(&self, pv: &[Move]) -> String {
        let mut text = String::new();
        for (san, ply) in self.root.san_line(pv).iter().zip(self.root.ply()..) {
            text += &match (ply % 2, text.is_empty()) {
                (0, _) => format!("{}.{san} ", ply / 2 + 1),
                (_, true) => format!("{}...{san} ", ply / 2 + 1),
                _ => format!("{san} "),
            };
        }
        text.trim_end().to_owned()
    }

    /// The last line: the move to play, and the answer that the search expects.
    pub(crate) fn best(&self, answer: &BestMove) -> String {
        let Some(best) = answer.best else {
            let end = self.root.status().map(show::outcome);
            return end.unwrap_or_else(|| "No move".to_owned());
        };
        let after = self.root.make(best);
        let ponder = answer.ponder.map(|mv| format!(", then {}", show::numbered(&after, mv)));
        format!("Best move: {}{}", show::numbered(&self.root, best), ponder.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible to me", 5), ["incomprehensible", "to me"]);
    }

    #[test]
    fn row_has_the_moves_that_fit() {
        let root: Board = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 40".parse().expect("a legal position");
        let mut game = carrybit_board::Game::new(root.clone());
        for san in ["Kd7", "e4", "Kd6", "Kd2"] {
            game.play_san(san).expect("a legal move");
        }
        let mut report = Report {
            depth: 7,
            time: std::time::Duration::from_secs(75),
            pv: game.moves().into(),
            ..Report::default()
        };
        let row = |report: &Report, columns| Table::new(&root, columns).row(report);
        let start = "    7   75.0 s     +0.00    0  100    0  ";
        assert_eq!(row(&report, 80), format!("{start}40...Kd7 41.e4 Kd6 42.Kd2"));
        assert_eq!(row(&report, 63), format!("{start}40...Kd7 41.e4 Kd6"));
        assert_eq!(row(&report, 20), format!("{start}40...Kd7"));
        (report.bound, report.score) = (Bound::Lower, 0);
        assert_eq!(row(&report, 20), "    7   75.0 s    >+0.00                 40...Kd7");
    }
}
