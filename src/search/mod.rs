//! How a move is chosen: iterative deepening of an alpha-beta search.
//!
//! [`search`] runs one iteration after the other (`deepening`) and reports each. The
//! nodes are in `negamax` and `quiescence`, every decision to search less or more in
//! `pruning`, the numbers behind them in [`params`]. What a thread learns stays in its
//! [`Memory`]; [`threads`] share the transposition table ([`transposition`]) and the correction
//! history.

pub mod limits;

pub mod control;

mod sync;

pub mod clock;

pub mod handicap;

mod deepening;

pub mod transposition;

pub mod shared;

mod searcher;

pub mod threads;

mod node;

mod window;

mod frame;

mod correction;

mod history;

mod picker;

mod static_eval;

mod trials;

mod learning;

mod negamax;

mod quiescence;

mod pruning;

pub mod params;

pub mod prober;

mod tablebase;

pub use searcher::{Memory, Task};

use crate::score;

use limits::{Bound, Outcome, Report, SearchEvent};
use searcher::Searcher;
use shared::CallOff;
use threads::Crew;

/// Searches with threads of `crew`, this one among them, until a limit is reached
/// or `task.control` stops it. Reports each iteration, and returns the move to
/// play. Does not wait for a stop or ponderhit once there is nothing left to do.
/// The best move returned begins the last line reported, unless several lines are
/// asked for and there is a handicap.
pub fn search(task: &Task, crew: &mut Crew, report: &mut dyn FnMut(SearchEvent)) -> Outcome {
    // Whatever happens, helpers and timekeeper stop.
    let call_off = CallOff(&task.control);
    let (memory, helpers) = crew.muster();
    let mut searcher = Searcher::new(task, 0, memory);
    if searcher.root_moves.is_empty() {
        report(SearchEvent::Report(no_move_report(task)));
        return Outcome { best: None, ponder: None };
    }
    let helper_findings = helpers.send(task);
    searcher.deepen(report);
    drop(call_off);
    let mut findings = vec![searcher.finding()];
    let helper_findings = helper_findings.wait();
    if task.is_put_to_the_vote() {
        findings.extend(helper_findings);
    }
    let best = match task.handicap {
        Some(handicap) => searcher.choose(handicap),
        None => &findings[threads::elect(&findings)].best,
    };
    // If several lines are asked for, each keeps its rank.
    if best.mv != searcher.root_moves[0].mv && task.multi_pv == 1 {
        report(SearchEvent::Report(searcher.report(best, 0)));
    }
    Outcome { best: Some(best.mv), ponder: searcher.expected_reply(best) }
}

/// The report on a root without legal moves: checkmate or stalemate.
fn no_move_report(task: &Task) -> Report {
    let is_mate = task.game.board().in_check();
    Report {
        depth: 0,
        seldepth: 0,
        multi_pv: 1,
        score: if is_mate { score::mated_at(0) } else { score::DRAW },
        bound: Bound::Exact,
        nodes: 0,
        hashfull: 0,
        tb_hits: 0,
        time: task.control.elapsed(),
        pv: Vec::new(),
    }
}
