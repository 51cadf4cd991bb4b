//! Iterative deepening with aspiration windows.

use std::cmp::Reverse;

use crate::score::{self, DRAW, INFINITE, MAX_DEPTH, MAX_PLY, Score};

use super::clock::{TimeFactors, last_score};
use super::params::{aspiration, seek_mate};
use super::report::{Bound, LONG_SEARCH, Report};
use super::root_move::RootMove;
use super::searcher::{NodeResult, Searcher, Stopped};

/// Each thread widens its first window by its number modulo this, in centipawns (Stockfish).
const WINDOW_VARIETY: usize = 8;

/// Minimum depth of the score that is kept for the next search.
const COMPARABLE_DEPTH: i32 = 8;

/// In a tablebase win, this depth is enough for progress.
const TB_WIN_DEPTH: i32 = 16;

impl Searcher<'_> {
    /// Runs iterations until the search is done, or on workers until it is aborted.
    pub(super) fn deepen(&mut self, report: &mut dyn FnMut(Report)) {
        let is_main = self.number == 0;
        let wanted_depth = if is_main { self.request.limits.depth } else { None };
        let max_depth = wanted_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let pv_count = self.request.pv_count().min(self.root_moves.len());
        let mut time_factors = TimeFactors::default();
        let board = self.request.game.board();
        let last_score = last_score(self.last_scores, board);
        for depth in 1..=max_depth {
            self.root_depth = depth;
            self.seeks_mate = self.root_moves[0].result.score >= seek_mate::min_cp();
            let last_best = self.root_moves[0].mv;
            // The first `pv_count` moves keep their order. Of the others, those that were hard to
            // refute come first.
            self.root_moves[pv_count..]
                .sort_by_key(|root_move| Reverse((root_move.tb_rank, root_move.nodes)));
            for pv_index in 0..pv_count {
                self.pv_index = pv_index;
                if self.aspirate(report).and_then(|()| self.search_mate()).is_err() {
                    // Keep the current results: a move that raised alpha is better than the
                    // best one of the last iteration.
                    self.sort_root_moves(pv_index);
                    // With an upper bound, the line may be worse than those before it.
                    if self.root_moves[pv_index].current.bound != Bound::Upper {
                        sort_by_score(&mut self.root_moves[..=pv_index]);
                    }
                    if self.root_moves[0].result.score == -INFINITE {
                        self.choose_at_a_glance();
                        self.evaluator.reset(board);
                        self.root_moves[0].result.score = self.static_score(board);
                    }
                    self.report_lines(pv_index + 1, report);
                    return;
                }
                sort_by_score(&mut self.root_moves[..=pv_index]);
                if pv_index + 1 < pv_count {
                    self.report_early(report);
                }
            }
            self.completed_depth = depth;
            self.report_lines(pv_count, report);
            let best = &self.root_moves[0];
            let score = best.result.score;
            let nodes: u64 = self.root_moves.iter().map(|root_move| root_move.nodes).sum();
            let effort = best.nodes as f64 / nodes.max(1) as f64;
            self.time_scale =
                time_factors.update(depth, best.mv == last_best, score, last_score, effort);
            if depth >= COMPARABLE_DEPTH {
                self.last_scores[board.side().index()] = Some((board.fullmove(), score));
            }
            if is_main && self.is_done() {
                return;
            }
        }
    }

    /// Without any result, puts the move first after which the static evaluation is best.
    fn choose_at_a_glance(&mut self) {
        let tb_rank = self.root_moves[0].tb_rank;
        let (mut first, mut best_score) = (0, -INFINITE);
        for at in 0..self.root_moves.len() {
            let RootMove { mv, tb_rank: rank, .. } = self.root_moves[at];
            if mv.is_null() || rank != tb_rank {
                break;
            }
            let child = self.request.game.board().make(mv);
            let score = match (child.has_legal_move(), child.in_check()) {
                (false, true) => score::mate_at(1),
                (false, false) => DRAW,
                (true, _) => {
                    self.evaluator.reset(&child);
                    -self.static_score(&child)
                }
            };
            if score > best_score {
                (first, best_score) = (at, score);
            }
        }
        self.root_moves[..=first].rotate_right(1);
    }

    /// Whether to move at once in a game: a forced move, or a tablebase win.
    pub(super) fn plays_at_once(&self) -> bool {
        let is_on_clock = self.request.limits.clock.is_some()
            && !self.request.limits.infinite
            && self.request.stop_token.on_clock().is_some();
        let best = &self.root_moves[0];
        let is_deep = score::is_mate(best.result.score) || self.completed_depth >= TB_WIN_DEPTH;
        let is_won = best.tb_score.is_some_and(score::is_win) && is_deep;
        self.completed_depth > 0 && is_on_clock && (self.root_moves.len() == 1 || is_won)
    }

    fn is_done(&self) -> bool {
        let limits = &self.request.limits;
        let mate = limits.mate.zip(score::mate_in_moves(self.root_moves[0].current.score));
        self.plays_at_once()
            || mate.is_some_and(|(wanted, found)| found.unsigned_abs() <= wanted.unsigned_abs())
            || limits.soft_nodes.is_some_and(|soft| self.request.shared.nodes() >= soft)
            || self.must_stop()
            || self.request.is_past_soft(self.time_scale)
    }

    /// Aspiration windows: searches one line of an iteration with a window around its last
    /// score, and widens the side that fails. After a fail high the search is shallower: the
    /// move is good, only its score is unknown.
    fn aspirate(&mut self, report: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        let (line, depth) = (self.pv_index, self.root_depth);
        let last = self.root_moves[line].result.score;
        let mut delta = aspiration::cp() + (self.number % WINDOW_VARIETY) as Score;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= aspiration::min_depth() && last != -INFINITE && !score::is_decisive(last) {
            (alpha, beta) = (last - delta, last + delta);
        }
        let mut reduction = 0;
        loop {
            self.seldepth = 0;
            let score = self.search_root((depth - reduction).max(1), alpha, beta)?;
            self.sort_root_moves(line);
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduction = 0;
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                reduction = (reduction + 1).min(aspiration::max_reduction_plies());
            } else {
                return Ok(());
            }
            delta += delta / 2;
            if delta > aspiration::open_cp() || score::is_decisive(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
                reduction = 0;
            }
            self.report_early(report);
        }
    }

    fn search_root(&mut self, depth: i32, alpha: Score, beta: Score) -> NodeResult {
        for root_move in &mut self.root_moves[self.pv_index..] {
            root_move.current.score = -INFINITE;
        }
        self.negamax::<true, true>(self.request.game.board(), 0, depth, alpha, beta, false)
    }

    /// In a long search, reports bounds and first lines before the iteration is complete.
    fn report_early(&self, report: &mut dyn FnMut(Report)) {
        // Lines only for limited strength are not shown.
        let is_shown = self.pv_index < self.request.settings.multi_pv;
        if is_shown && self.request.stop_token.elapsed() >= LONG_SEARCH {
            self.report_lines(self.pv_index + 1, report);
        }
    }

    /// `go mate`: searches with a window that only a mate reaches, so that hardly anything is
    /// pruned. Without a mate the root moves stay unchanged.
    fn search_mate(&mut self) -> Result<(), Stopped> {
        let Some(moves) = self.request.limits.mate else { return Ok(()) };
        let plies = (moves.unsigned_abs() as usize).saturating_mul(2).saturating_sub(1);
        if self.pv_index > 0 || plies > MAX_PLY || score::is_loss(self.root_moves[0].result.score) {
            return Ok(());
        }
        let before = self.root_moves.clone();
        let alpha = score::mate_at(plies) - 1;
        let searched = self.search_root(self.root_depth, alpha, INFINITE);
        if self.root_moves.iter().any(|root_move| root_move.current.score > alpha) {
            self.sort_root_moves(0);
        } else {
            self.root_moves = before;
        }
        searched.map(|_| ())
    }

    /// Sorts the root moves from `line` on by current score, and records the best one's result
    /// if it has one.
    fn sort_root_moves(&mut self, line: usize) {
        sort_by_score(&mut self.root_moves[line..]);
        let best = &mut self.root_moves[line];
        if best.current.score != -INFINITE {
            best.result.clone_from(&best.current);
        }
    }
}

/// A stable sort by tablebase rank, then score.
fn sort_by_score(root_moves: &mut [RootMove]) {
    root_moves.sort_by_key(|root_move| Reverse((root_move.tb_rank, root_move.current.score)));
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::eval::nnue::Network;
    use crate::host::Instant;
    use crate::search::limits::{ClockState, Limits};
    use crate::search::request::SearchRequest;
    use crate::search::search;
    use crate::search::searcher::ThreadData;
    use crate::search::stop_token::StopToken;
    use crate::search::threads::ThreadPool;
    use crate::search::transposition::TranspositionTable;
    use crate::sys::large_pages::LargeBox;
    use carrybit_board::{Board, CastlingMode, Game, Move};

    fn request(game: impl Into<Game>, limits: Limits) -> SearchRequest {
        let stop_token = StopToken::new(Instant::now(), false, limits.ponder);
        let table = Arc::new(TranspositionTable::new(1).0);
        SearchRequest::new(game.into(), limits, table, stop_token)
    }

    pub(in crate::search) fn thread_data() -> ThreadData {
        ThreadData::new(&Network::embedded(), Arc::new(LargeBox::zeroed()))
    }

    #[test]
    fn only_move_is_played_at_once_even_after_a_ponderhit() {
        let clock = ClockState { time: Duration::from_secs(3600), ..ClockState::default() };
        for (moves, completed, is_over) in [(1, 1, true), (1, 0, false), (2, 1, false)] {
            let search_moves = Game::default().board().legal_moves()[..moves].to_vec();
            let limits =
                Limits { clock: Some(clock), ponder: true, search_moves, ..Limits::default() };
            let request = request(Game::default(), limits);
            let mut data = thread_data();
            let mut searcher = Searcher::new(&request, 0, &mut data);
            searcher.completed_depth = completed;
            assert!(!searcher.is_time_over(), "still pondering");
            request.stop_token.ponderhit(Instant::now());
            assert_eq!(searcher.is_time_over(), is_over);
        }
    }

    #[test]
    fn failed_mate_search_leaves_the_effort_as_it_was() {
        let effort = |mate| {
            let limits = Limits { depth: Some(1), mate, ..Limits::default() };
            let request = request(Game::default(), limits);
            let mut data = thread_data();
            let mut searcher = Searcher::new(&request, 0, &mut data);
            searcher.deepen(&mut |_| {});
            let nodes: Vec<u64> = searcher.root_moves.iter().map(|found| found.nodes).collect();
            (searcher.nodes, nodes)
        };
        let ((all, by_move), (with_mate, by_move_with_mate)) = (effort(None), effort(Some(2)));
        assert!(with_mate > all);
        assert_eq!(by_move_with_mate, by_move);
    }

    #[test]
    fn check_without_moves_to_search_is_no_mate() {
        let board: Board = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1".parse().expect("a FEN");
        let limits = Limits { search_moves: vec![Move::NONE], ..Limits::depth(1) };
        let (request, mut scores) = (request(board, limits), Vec::new());
        let mut pool = ThreadPool::new(Network::embedded());
        let answer = search(&request, &mut pool, &mut |report| scores.push(report.score));
        assert_eq!((answer.best, scores), (None, vec![score::DRAW]));
    }

    #[test]
    fn tablebase_score_of_a_root_move_is_reported_as_exact() {
        let (request, mut data) = (request(Game::default(), Limits::depth(1)), thread_data());
        let mut searcher = Searcher::new(&request, 0, &mut data);
        let best = &mut searcher.root_moves[0];
        best.tb_score = Some(score::DRAW);
        (best.result.score, best.result.bound) = (300, Bound::Lower);
        let report = searcher.make_report(&searcher.root_moves[0], 0);
        assert_eq!((report.score, report.bound), (score::DRAW, Bound::Exact));
    }

    /// The first root move and its score after a search without time for a result.
    fn search_without_time(fen: &str) -> (String, Score) {
        let request =
            request(fen.parse::<Board>().expect("a FEN"), Limits::move_time(Duration::ZERO));
        request.stop_token.abort();
        thread::sleep(Duration::from_millis(1));
        let mut data = thread_data();
        let mut searcher = Searcher::new(&request, 0, &mut data);
        searcher.deepen(&mut |_| {});
        assert_eq!(searcher.nodes, 1);
        let first = &searcher.root_moves[0];
        (first.mv.uci(CastlingMode::Standard), first.result.score)
    }

    #[test]
    fn search_stopped_before_any_result_plays_what_looks_best() {
        for (fen, best) in [
            ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"),
            ("4k3/8/8/3q4/8/4N3/8/4K2R w - - 0 1", "e3d5"),
            ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f8"),
        ] {
            assert_eq!(search_without_time(fen).0, best, "{fen}");
        }
    }

    #[test]
    fn search_stopped_before_any_result_has_the_score_of_a_known_ending() {
        assert_eq!(search_without_time("8/8/8/3k4/8/8/8/K5NN w - - 0 1").1, score::DRAW);
    }

    #[test]
    fn lines_of_a_stopped_search_are_in_order() {
        let fen = "r1b1k2r/2Bp3p/p1p5/1p2n1p1/Q3P2N/P1P1NpPK/R2P3P/5B1R b kq - 1 22";
        let board: Board = fen.parse().expect("a FEN");
        let mut pool = ThreadPool::new(Network::embedded());
        for nodes in (100..1000).step_by(23) {
            let mut request = request(board.clone(), Limits::nodes(nodes));
            Arc::make_mut(&mut request.settings).multi_pv = 3;
            let mut lines = Vec::new();
            pool.clear();
            search(&request, &mut pool, &mut |report| {
                lines.truncate(report.multi_pv - 1);
                lines.push(report);
            });
            let in_order = |pair: &[Report]| {
                let is_exact = pair.iter().all(|line| line.bound == Bound::Exact);
                pair[0].depth != pair[1].depth || !is_exact || pair[0].score >= pair[1].score
            };
            assert!(lines.windows(2).all(in_order), "after {nodes} nodes");
        }
    }
}
