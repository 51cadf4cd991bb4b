//! The engine as a person's opponent: its answer to a move, and what it says about it.

use crate::board::{Color, Move};
use crate::score::mate_in_moves;
use crate::search::limits::{Bound, Report};

use super::go::Go;
use super::record::Record;
use super::{hints, wdl};

/// How long it thinks unless told otherwise, in milliseconds.
pub(super) const MOVE_TIME_MS: u64 = 1000;

/// The engine as an opponent.
pub(super) struct Opponent {
    /// Within which limits it thinks about each move.
    pub(super) go: Go,
    /// Whose moves it makes.
    pub(super) side: Color,
}

/// The limits of an opponent that was given none.
pub(super) fn usual_limits() -> Go {
    Go { move_time: Some(MOVE_TIME_MS), ..Go::default() }
}

/// A move being thought about.
#[derive(Default)]
pub(super) struct Reply {
    /// The last report on the best line.
    last: Option<Report>,
}

impl Reply {
    /// Notes what the search reports.
    pub(super) fn hear(&mut self, report: Report) {
        if report.multi_pv <= 1 && report.bound == Bound::Exact {
            self.last = Some(report);
        }
    }

    /// The line that tells of the move `best`, which is about to be played in `record`.
    pub(super) fn line(&self, record: &Record, best: Move) -> String {
        let mv = record.numbered(best);
        let Some(report) = &self.last else { return mv };
        let board = record.board();
        let side = hints::name(board.side());
        let score = match mate_in_moves(report.score) {
            Some(moves) if moves > 0 => format!("{side} mates in {moves}"),
            Some(moves) => format!("{side} is mated in {}", -moves),
            None => {
                let cp = wdl::shown_cp(report.score, wdl::material(board));
                format!("{:+.2} for {side}", f64::from(cp) / 100.0)
            }
        };
        format!("{mv}  ({score}, depth {})", report.depth)
    }
}
