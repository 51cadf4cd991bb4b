//! One search from its start to its answer, on whatever it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::board::Move;
use crate::search::control::Control;
use crate::search::limits::{Outcome, SearchEvent};
use crate::search::threads::Crew;
use crate::search::{self, Task};

/// Gets what a search says.
pub(super) type Listener = Box<dyn FnMut(SearchEvent) + Send>;

/// Searches, has `wait_until_due` wait until an answer is due, and answers: exactly once,
/// even if the search panics. By then the transposition table is released. Returns the
/// nodes it took.
pub(super) fn run(
    task: Box<Task>,
    mut listener: Listener,
    crew: &mut Crew,
    wait_until_due: impl FnOnce(&Control),
) -> u64 {
    let mut last_line: Vec<Move> = Vec::new();
    let searched = catch_unwind(AssertUnwindSafe(|| {
        search::search(&task, crew, &mut |event| {
            if let SearchEvent::Report(report) = &event
                && report.multi_pv == 1
            {
                last_line.clone_from(&report.pv);
            }
            listener(event);
        })
    }));
    let outcome = searched.unwrap_or_else(|_| {
        let board = task.game.board();
        log::error!("the search panicked at {}", board.fen(true));
        crew.discard();
        let first = || board.legal_moves().first().copied();
        Outcome { best: last_line.first().copied().or_else(first), ponder: None }
    });
    let control = Arc::clone(&task.control);
    let nodes = task.shared.nodes();
    drop(task);
    wait_until_due(&control);
    listener(SearchEvent::Finished(outcome));
    nodes
}
