//! One search from its start to its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::search::report::{BestMove, SearchEvent};
use crate::search::stop_token::StopToken;
use crate::search::threads::ThreadPool;
use crate::search::{self, SearchRequest};

/// Called with the events of a search.
pub(super) type Listener = Box<dyn FnMut(SearchEvent) + Send>;

/// Searches, releases the transposition table, calls `wait_until_due`, and sends the answer
/// exactly once, even if the search panics. Returns the number of nodes.
pub(super) fn search(
    pool: &mut ThreadPool,
    request: Box<SearchRequest>,
    mut listener: Listener,
    wait_until_due: impl FnOnce(&StopToken),
) -> u64 {
    let mut last_best = None;
    let searched = catch_unwind(AssertUnwindSafe(|| {
        search::search(&request, pool, &mut |event| {
            if let SearchEvent::Report(report) = &event
                && report.multi_pv == 1
            {
                last_best = report.pv.first().copied();
            }
            listener(event);
        })
    }));
    let answer = searched.unwrap_or_else(|_| {
        let board = request.game.board();
        log::error!("the search panicked at {}", board.shredder_fen());
        pool.discard();
        let first = || request.limits.first_move(board);
        BestMove { best: last_best.or_else(first), ponder: None }
    });
    let stop_token = Arc::clone(&request.stop_token);
    let nodes = request.shared.nodes();
    drop(request);
    wait_until_due(&stop_token);
    listener(SearchEvent::Finished(answer));
    nodes
}
