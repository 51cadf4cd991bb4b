//! The last move before a draw by the fifty-move rule. All quiet moves count as drawn then, and a
//! search that finds nothing better would choose among them by chance. But a draw that no player
//! claims does not end the game.

use std::sync::Arc;

use crate::score::DRAW;
use carrybit_board::Move;
use carrybit_board::draw::FIFTY_MOVES_PLIES;

use super::counters::SharedCounters;
use super::report::{Bound, Report, SearchEvent};
use super::request::SearchRequest;
use super::threads::ThreadPool;

/// The most nodes of the search for a move that is better than a draw.
const LOOK_NODES: u64 = 200_000;

/// Replaces a request at halfmove clock 99. A first search, with at most a quarter of time and nodes
/// and [`LOOK_NODES`], shows whether a move is better than a draw. The new request is for the quiet
/// moves, as if no player claimed the draw, if no move is better.
pub(super) fn replace(request: &SearchRequest, pool: &mut ThreadPool) -> Option<SearchRequest> {
    let board = request.game.board();
    if board.halfmove() + 1 != FIFTY_MOVES_PLIES || request.limits.mate.is_some() {
        return None;
    }
    let wanted = &request.limits.search_moves;
    let is_wanted = |mv: &Move| wanted.is_empty() || wanted.contains(mv);
    let is_quiet = |mv: &Move| board.make(*mv).halfmove() > 0;
    let moves = board.legal_moves().into_iter();
    let quiet_moves: Vec<Move> = moves.filter(is_wanted).filter(is_quiet).collect();
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
    let mut score = None;
    let best = super::search_once(&look, pool, &mut |event| {
        if let SearchEvent::Report(Report {
            multi_pv: 1, bound: Bound::Exact, score: last, ..
        }) = event
        {
            score = Some(last);
        }
    });
    let mut request = request.clone();
    let used = look.shared.nodes();
    let left = |nodes: u64| nodes.saturating_sub(used).max(1);
    request.limits.nodes = request.limits.nodes.map(left);
    request.limits.soft_nodes = request.limits.soft_nodes.map(left);
    if score == Some(DRAW) && best.best.is_some_and(|mv| quiet_moves.contains(&mv)) {
        request.limits.search_moves = quiet_moves;
        request.is_unclaimed = true;
    }
    Some(request)
}
