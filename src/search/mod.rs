//! The search: iterative deepening of an alpha-beta search.
//!
//! `deepening` runs the iterations. `node` searches an interior node, `pruning` has its pruning
//! and reductions, `quiescence` searches a leaf, and [`params`] has the tuned numbers. Each of
//! the [`threads`] has its own histories; all share the transposition table and the correction
//! history.

pub mod clock;
mod corrhist;
mod deepening;
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

pub use request::{SearchRequest, SharedCounters};

use std::sync::Arc;

use carrybit_board::Move;
use carrybit_board::draw::FIFTY_MOVES_PLIES;

use crate::score;

use report::{BestMove, Bound, Report};
use searcher::Searcher;
use threads::{AbortOnDrop, ThreadPool};

/// The most nodes of the search for a move that is better than a draw by the fifty-move rule.
const LOOK_NODES: u64 = 200_000;

/// Searches with this thread and the others of `pool` until a limit is reached or
/// `request.stop_token` stops it. Reports each iteration and returns the move to play, without
/// waiting for a stop or ponderhit. The move is the first one of the last report with rank
/// 1, except at limited strength if several lines are requested.
pub fn search(
    request: &SearchRequest,
    pool: &mut ThreadPool,
    report: &mut dyn FnMut(Report),
) -> BestMove {
    let replaced = without_fifty_move_draw(request, pool);
    let request = replaced.as_ref().unwrap_or(request);
    search_once(request, pool, &mut |mut line| {
        // Clients warn about a line that goes on after the draw.
        if request.is_unclaimed {
            line.pv.truncate(1);
        }
        report(line);
    })
}

/// Replaces a request at halfmove clock 99. All quiet moves count as drawn then, and a search that
/// finds nothing better would choose among them by chance. But a draw that no player claims does
/// not end the game.
///
/// A first search, with at most a quarter of time and nodes and [`LOOK_NODES`], shows whether a move
/// is better than a draw. The new request is for the quiet moves, as if no player claimed the draw,
/// if no move is better.
fn without_fifty_move_draw(
    request: &SearchRequest,
    pool: &mut ThreadPool,
) -> Option<SearchRequest> {
    let board = request.game.board();
    // Several lines are an analysis: it shows the draw, and all moves.
    let is_analysis = request.limits.mate.is_some() || request.settings.multi_pv > 1;
    if board.halfmove() != FIFTY_MOVES_PLIES - 1 || is_analysis {
        return None;
    }
    let is_wanted = |mv: &Move| request.limits.allow(mv) && board.make(*mv).halfmove() > 0;
    let quiet_moves: Vec<Move> = board.legal_moves().into_iter().filter(is_wanted).collect();
    let mut look = SearchRequest {
        clock: request.clock.quarter(),
        shared: Arc::new(SharedCounters::new(request.shared.0.len())),
        strength: None,
        stop_token: Arc::new(request.stop_token.part()),
        ..request.clone()
    };
    let quarter = |nodes: u64| (nodes / 4).max(1);
    look.limits.nodes = Some(look.limits.nodes.map_or(LOOK_NODES, quarter).min(LOOK_NODES));
    look.limits.soft_nodes = look.limits.soft_nodes.map(quarter);
    let mut last_score = None;
    let best = search_once(&look, pool, &mut |report| {
        if (report.multi_pv, report.bound) == (1, Bound::Exact) {
            last_score = Some(report.score);
        }
    });
    let mut request = request.clone();
    let used = look.shared.nodes();
    let left = |nodes: u64| nodes.saturating_sub(used).max(1);
    request.limits.nodes = request.limits.nodes.map(left);
    request.limits.soft_nodes = request.limits.soft_nodes.map(left);
    if last_score == Some(score::DRAW) && best.best.is_some_and(|mv| quiet_moves.contains(&mv)) {
        request.limits.search_moves = quiet_moves;
        request.is_unclaimed = true;
    }
    Some(request)
}

fn search_once(
    request: &SearchRequest,
    pool: &mut ThreadPool,
    report: &mut dyn FnMut(Report),
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
        report(Report { multi_pv: 1, score, time, ..Report::default() });
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
    // With several lines, a fixed depth, `go mate` or limited strength there is no vote.
    let main_decides =
        lines > 1 || limits.depth.is_some() || limits.mate.is_some() || request.strength.is_some();
    let chosen = if main_decides { 0 } else { threads::best_thread(&results) };
    let best = match request.strength {
        Some(strength) => searcher.choose(strength),
        None => &results[chosen].best,
    };
    // With several lines, each keeps its rank. Another thread's line may begin with the same move.
    let is_reported = chosen == 0 && best.mv == searcher.root_moves[0].mv;
    if !is_reported && lines == 1 {
        report(searcher.make_report(best, 0));
    }
    BestMove { best: Some(best.mv), ponder: searcher.ponder_move(best) }
}
