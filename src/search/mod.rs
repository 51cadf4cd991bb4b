//! The search: iterative deepening of an alpha-beta search.
//!
//! `deepening` runs the iterations. `node` searches an interior node, `pruning` has its pruning
//! and reductions, `quiescence` searches a leaf, and [`params`] has the tuned numbers. Each of
//! the [`threads`] has its own histories; all share the transposition table and the correction
//! history.

pub mod clock;
mod corrhist;
pub mod counters;
mod deepening;
mod fifty;
mod history;
pub mod limits;
mod node;
pub mod params;
mod picker;
mod prober;
mod pruning;
mod quiescence;
pub mod report;
mod request;
mod root_move;
mod searcher;
pub mod settings;
mod stack;
pub mod stop_token;
pub mod strength;
mod sync;
pub mod threads;
pub mod transposition;

pub use request::SearchRequest;

use crate::score;

use report::{BestMove, Report, SearchEvent};
use searcher::Searcher;
use threads::{AbortOnDrop, ThreadPool};

/// Searches with this thread and the others of `pool` until a limit is reached or
/// `request.stop_token` stops it. Reports each iteration and returns the move to play, without
/// waiting for a stop or ponderhit. The move is the first one of the last report with rank
/// 1, except at limited strength if several lines are requested.
pub fn search(
    request: &SearchRequest,
    pool: &mut ThreadPool,
    report: &mut dyn FnMut(SearchEvent),
) -> BestMove {
    let replaced = fifty::replace(request, pool);
    search_once(replaced.as_ref().unwrap_or(request), pool, report)
}

fn search_once(
    request: &SearchRequest,
    pool: &mut ThreadPool,
    report: &mut dyn FnMut(SearchEvent),
) -> BestMove {
    let abort = AbortOnDrop(&request.stop_token);
    let ThreadPool { main: data, workers, .. } = pool;
    let mut searcher = Searcher::new(request, 0, data);
    if searcher.root_moves.is_empty() {
        let board = request.game.board();
        // `search_moves` may have left out all legal moves.
        let is_mated = board.in_check() && !board.has_legal_move();
        let score = if is_mated { score::mated_at(0) } else { score::DRAW };
        let time = request.stop_token.elapsed();
        report(SearchEvent::Report(Report { multi_pv: 1, score, time, ..Report::default() }));
        return BestMove { best: None, ponder: None };
    }
    let (workers_search, worker_results) = threads::start_search(workers, request);
    searcher.deepen(report);
    drop(abort);
    drop(workers_search);
    let mut results = vec![searcher.result()];
    results.extend(worker_results);
    results.sort_by_key(|result| result.number);
    let (limits, lines) = (&request.limits, request.settings.multi_pv);
    // With several lines, a fixed depth or `go mate` there is no vote.
    let main_decides = lines > 1 || limits.depth.is_some() || limits.mate.is_some();
    let best = match request.strength {
        Some(strength) => searcher.choose(strength),
        None if main_decides => &results[0].best,
        None => &results[threads::best_thread(&results)].best,
    };
    // With several lines, each keeps its rank.
    if best.mv != searcher.root_moves[0].mv && lines == 1 {
        report(SearchEvent::Report(searcher.make_report(best, 0)));
    }
    BestMove { best: Some(best.mv), ponder: searcher.ponder_move(best) }
}
