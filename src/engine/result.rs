//! Scores, lines and the result of a search as programs see them.

use std::fmt;
use std::ops::Neg;
use std::time::Duration;

use carrybit_board::{Board, Move};

use crate::eval::wdl;
use crate::score;
use crate::search::report::{Bound, Report};

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal one (or none among
    /// [`Limits::search_moves`](crate::Limits::search_moves)). At
    /// [limited strength](super::Engine::set_elo) with
    /// [several lines](super::Engine::set_multi_pv), it may not be the best.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score of the best line; of the position if there is no legal move.
    pub score: Score,
    /// Whether the score is exact; a stopped search may end with a bound.
    pub bound: Bound,
    /// The principal variation. It begins with the best move; at limited strength, `best` may be
    /// another one.
    pub pv: Vec<Move>,
    /// The depth of the iteration that found the line, in plies. If the search was stopped, that
    /// iteration may be incomplete.
    pub depth: i32,
    /// The nodes of all threads.
    pub nodes: u64,
    /// The time from the start of the search until this result was taken.
    pub time: Duration,
    /// The deepest ply reached up to the report of the line.
    pub seldepth: usize,
    /// The permille of the transposition table that the search had written by that report, estimated
    /// from its first entries.
    pub hashfull: u32,
    /// The positions found in tablebases up to that report.
    pub tb_hits: u64,
    /// The lines at the end of the search, the best first: as many as
    /// [requested](super::Engine::set_multi_pv), if there are that many moves. After a stop, their
    /// depths may differ, and a score may be a bound. Empty without a legal move.
    pub lines: Vec<Line>,
}

/// A line that a search reports while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The rank of the line, from 1; above 1 only if [several](super::Engine::set_multi_pv) are
    /// searched.
    pub rank: usize,
    /// The depth of the iteration, in plies.
    pub depth: i32,
    /// The score of the first move.
    pub score: Score,
    /// Whether the score is exact or a bound, which only long and stopped searches report.
    pub bound: Bound,
    /// The moves; all are legal.
    pub pv: Vec<Move>,
    /// The nodes so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The permille of the transposition table that the search has written, estimated from its first
    /// entries.
    pub hashfull: u32,
    /// The positions found in tablebases.
    pub tb_hits: u64,
}

impl Line {
    pub(super) fn new(report: Report, board: &Board) -> Line {
        let Report { multi_pv: rank, depth, seldepth, score, bound, .. } = report;
        let Report { nodes, hashfull, tb_hits, time, pv, .. } = report;
        let score = Score::new(score, board);
        Line { rank, depth, score, bound, pv, nodes, time, seldepth, hashfull, tb_hits }
    }
}

/// A score from the view of the side to move. Greater is better, among scores of one position: how
/// much a pawn is worth depends on the material.
///
/// ```
/// use carrybit::{Engine, Limits};
///
/// let mut engine = Engine::new();
/// engine.set_game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse::<carrybit::Board>()?);
/// let score = engine.search(Limits::depth(3)).score;
/// assert_eq!((score.mate(), score.cp(), score.to_string()), (Some(1), None, "#1".to_owned()));
/// # Ok::<(), carrybit::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score {
    internal: score::Score,
    /// The material of the position, on which the conversion depends.
    material: u32,
}

impl Score {
    /// The score of a search or evaluation of `board`.
    pub(super) fn new(internal: score::Score, board: &Board) -> Score {
        // Equal mates must compare as equal.
        let material = if score::is_decisive(internal) { 0 } else { wdl::material(board) };
        Score { internal, material }
    }

    /// The score in centipawns, as GUIs show it: at 100, half of the games are won. A tablebase win
    /// is 20,000 less the plies to the tablebase. `None` for a mate.
    pub fn cp(self) -> Option<i32> {
        self.mate().is_none().then(|| wdl::shown_cp(self.internal, self.material))
    }

    /// The moves to mate: positive if the side to move mates, negative if it gets mated, 0 if one
    /// side is mated already ([`wdl`](Score::wdl) shows which). `None` if no mate was found.
    pub fn mate(self) -> Option<i32> {
        score::mate_in_moves(self.internal)
    }

    /// The score of `board` that has about this [`cp`](Score::cp).
    ///
    /// ```
    /// use carrybit::{Board, Score};
    ///
    /// let score = Score::from_cp(100, &Board::default());
    /// assert!((0.49..0.51).contains(&(f64::from(score.wdl()[0]) / 1000.0)));
    /// ```
    pub fn from_cp(cp: i32, board: &Board) -> Score {
        Score::new(wdl::internal_cp(cp, wdl::material(board)), board)
    }

    /// The score in centipawns, and a mate as `mate_cp` less its moves (or the negative): a single
    /// number to compare and to draw.
    pub fn cp_or_mate(self, mate_cp: i32) -> i32 {
        let by_mate = |moves: i32| match self.internal > 0 {
            true => mate_cp - moves,
            false => -mate_cp - moves,
        };
        self.mate().map_or_else(|| self.cp().unwrap_or(0), by_mate)
    }

    /// The expected points of a game, 0 to 1: wins and half of the draws.
    pub fn expectation(self) -> f64 {
        let [win, draw, _] = self.wdl();
        (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
    }

    /// The expected wins, draws and losses in 1000 games.
    pub fn wdl(self) -> [u32; 3] {
        wdl::wdl(self.internal, self.material)
    }
}

/// The score from the view of the other side.
impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score { internal: -self.internal, ..self }
    }
}

/// In pawns, `+0.34`, or in moves to mate, `#3` and `#-2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_pawns = || format!("{:+.2}", f64::from(self.cp().unwrap_or(0)) / 100.0);
        f.pad(&self.mate().map_or_else(in_pawns, |moves| format!("#{moves}")))
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_print_as_guis_show_them_and_change_sides() {
        let board = Board::default();
        let text = |score| Score::new(score, &board).to_string();
        assert_eq!([text(score::mate_at(5)), text(score::mated_at(4))], ["#3", "#-2"]);
        assert_eq!([text(0), text(score::mated_at(0))], ["+0.00", "#0"]);
        let mates = [score::mate_at(5), score::mated_at(4), score::mated_at(0)];
        let numbers = mates.map(|score| Score::new(score, &board).cp_or_mate(10_000));
        assert_eq!(numbers, [9_997, -9_998, -10_000]);
        for cp in [-2500, -40, 0, 1, 99, 5_000] {
            assert!((Score::from_cp(cp, &board).cp_or_mate(10_000) - cp).abs() <= 1, "{cp}");
        }
        assert!((Score::new(0, &board).expectation() - 0.5).abs() < 0.01);
        let score = Score::new(150, &board);
        assert_eq!((-score).cp(), score.cp().map(|cp| -cp));
        let [win, draw, loss] = score.wdl();
        assert_eq!((-score).wdl(), [loss, draw, win]);
        assert!(score > -score && win + draw + loss == 1000);
    }
}
