//! Self-play: a player that searches each position with about the same number of nodes, and
//! openings for its games.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use fastrand::Rng;

use crate::eval::nnue::Network;
use crate::score::{NO_EVAL, Score};
use crate::search::limits::{HARD_PER_SOFT_NODES, Limits};
use crate::search::report::{Bound, Report};
use crate::search::stop_token::StopToken;
use crate::search::threads::ThreadPool;
use crate::search::transposition::{TranspositionTable, TtEntry};
use crate::search::{SearchRequest, search};
use carrybit_board::random::scramble;
use carrybit_board::{Board, Game, Move};

/// Size of a player's transposition table in megabytes: enough for some moves of a thousand
/// nodes each, and within the cache of a processor.
const HASH_MB: usize = 1;

/// Openings with a larger advantage at depth 1, in centipawns, are not searched further.
const GLANCE_CP: Score = 500;

/// Openings with a larger advantage after a search, in centipawns, are discarded. In games of
/// 400 nodes a move with network n4a, the side that was 200 to 400 ahead won 76 % and lost
/// 15 %.
const MAX_ADVANTAGE_CP: Score = 200;

/// A search in check, or whose best move is a capture or a promotion, ends after this part of its
/// nodes: such a position is not trained on, and this saves a fifth of the nodes of a game.
const UNQUIET_PART: u64 = 3;

/// Positions of a tree that were searched less deeply, in plies, have no label.
const TREE_MIN_DEPTH: i32 = 3;

/// Openings to try; nearly half of those from the start position are accepted.
const ATTEMPTS: usize = 10_000;

/// Describes the rules of each search and of the openings; stored in shard metadata. Change the
/// text when the rules change, and only then.
pub fn rules() -> String {
    format!(
        "hash {HASH_MB} MB, at most {HARD_PER_SOFT_NODES} times the nodes, 1/{UNQUIET_PART} of \
         them if not quiet, no bounds; openings within {GLANCE_CP} cp at a glance; openings \
         within {MAX_ADVANTAGE_CP} cp after a search"
    )
}

/// The reason why no opening was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningError {
    /// The player was stopped.
    Stopped,
    /// No opening was playable.
    NoOpening,
}

/// Searches positions on the calling thread. Its results depend only on the searches since it
/// was last cleared.
pub struct SelfPlayer {
    pool: ThreadPool,
    table: Arc<TranspositionTable>,
    stop: Arc<AtomicBool>,
}

impl SelfPlayer {
    /// A player that evaluates with `network`; setting `stop` aborts its searches.
    pub fn new(network: Arc<Network>, stop: Arc<AtomicBool>) -> SelfPlayer {
        // The table is smaller if memory is short.
        let (table, _) = TranspositionTable::new(HASH_MB);
        SelfPlayer { pool: ThreadPool::new(network), table: Arc::new(table), stop }
    }

    /// Clears the table and all histories, as before a new game.
    pub fn clear(&mut self) {
        self.pool.clear();
        self.table.clear();
    }

    /// Finds a level opening: plays `random_plies` random moves, or one more, from one of `starts`.
    /// A search of about `nodes` nodes then tests whether the position is level.
    ///
    /// # Errors
    /// The player was stopped, or every attempt failed.
    ///
    /// # Panics
    /// If there are no `starts`, or one of them has no legal move.
    pub fn find_opening(
        &mut self,
        rng: &mut Rng,
        starts: &[Board],
        random_plies: usize,
        nodes: u64,
    ) -> Result<Game, OpeningError> {
        for _ in 0..ATTEMPTS {
            let start = &starts[rng.usize(..starts.len())];
            let Some(game) = random_opening(rng, start, random_plies) else { continue };
            let mut is_level = |nodes: u64, max_cp: Score| {
                let (_, score) = self.search(&game, nodes).ok_or(OpeningError::Stopped)?;
                Ok(score.abs() <= max_cp)
            };
            if is_level(1, GLANCE_CP)? && is_level(nodes, MAX_ADVANTAGE_CP)? {
                return Ok(Game::new(game.board().clone()));
            }
        }
        Err(OpeningError::NoOpening)
    }

    /// The move of a search of about `nodes` nodes, fewer if the position is not quiet, and its last
    /// exact score, from the side to move's view. `None` if the player was stopped.
    pub fn search(&mut self, game: &Game, nodes: u64) -> Option<(Move, Score)> {
        if self.is_stopped() {
            return None;
        }
        let (reports, best) = self.reports(game, Limits::nodes(nodes).with_soft_nodes());
        let exact = reports.iter().rfind(|report| report.bound == Bound::Exact);
        let score = exact.or(reports.last()).map(|report| report.score);
        // The result of a stopped search depends on when it was stopped.
        if self.is_stopped() { None } else { best.zip(score) }
    }

    /// Searches about `nodes` nodes. Returns a random share of the positions of the tree, not in
    /// check, that were searched at least three plies deep, and the label of each in centipawns from
    /// the side to move's view: the static evaluation, raised to a lower bound of the score, lowered
    /// to an upper bound, or replaced by an exact score (J. Veness, D. Silver, W. Uther and A. Blair,
    /// *Bootstrapping from Game Tree Search*, 2009). A position may occur several times.
    pub fn tree(&mut self, game: &Game, nodes: u64, share: f64) -> Vec<(Board, Score)> {
        let found = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&found);
        let mut request = self.request(game, Limits::nodes(nodes).with_soft_nodes());
        request.observer = Some(Arc::new(move |board: &Board, entry: &TtEntry| {
            let Some(label) = label(board, entry) else { return };
            let random = scramble(board.key() ^ entry.depth as u64);
            if random as f64 <= share * u64::MAX as f64 {
                keep.lock().expect("no panic").push((board.clone(), label));
            }
        }));
        search(&request, &mut self.pool, &mut |_| {});
        drop(request);
        mem::take(&mut *found.lock().expect("no panic"))
    }

    /// The nodes of a search to `depth` plies.
    pub fn count_nodes(&mut self, game: &Game, depth: i32) -> u64 {
        let (reports, _) = self.reports(game, Limits::depth(depth));
        reports.last().map_or(0, |report| report.nodes)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn request(&self, game: &Game, limits: Limits) -> SearchRequest {
        self.table.new_search();
        let stop_token = StopToken::shared(Arc::clone(&self.stop));
        SearchRequest::new(game.clone(), limits, Arc::clone(&self.table), stop_token)
    }

    /// The reports of a search, and its move.
    fn reports(&mut self, game: &Game, limits: Limits) -> (Vec<Report>, Option<Move>) {
        let request = self.request(game, limits);
        let in_check = game.board().in_check();
        let enough = request.limits.soft_nodes.map(|nodes| nodes / UNQUIET_PART);
        let mut reports = Vec::new();
        let answer = search(&request, &mut self.pool, &mut |report| {
            let is_noisy = |mv: &Move| mv.is_capture() || mv.is_promotion();
            let is_quiet = !in_check && !report.pv.first().is_some_and(is_noisy);
            if !is_quiet && enough.is_some_and(|enough| report.nodes >= enough) {
                request.stop_token.abort();
            }
            reports.push(report);
        });
        (reports, answer.best)
    }
}

/// The label of a position of a tree, in centipawns; see [`SelfPlayer::tree`].
fn label(board: &Board, entry: &TtEntry) -> Option<Score> {
    if entry.depth < TREE_MIN_DEPTH || board.in_check() || entry.raw_eval == NO_EVAL {
        return None;
    }
    entry.bound?;
    Some(if entry.improves_on(entry.raw_eval) { entry.score } else { entry.raw_eval })
}

/// Plays `plies` random moves from `start`, or one more, so that either side may begin. `None`
/// if that ends the game.
fn random_opening(rng: &mut Rng, start: &Board, plies: usize) -> Option<Game> {
    let mut game = Game::new(start.clone());
    for _ in 0..plies + rng.usize(..2) {
        let moves = game.board().legal_moves();
        game.play(moves[rng.usize(..moves.len())]);
        if game.outcome().is_some() {
            return None;
        }
    }
    Some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ends_early_if_the_position_is_not_quiet() {
        let mut player = SelfPlayer::new(Network::embedded(), Arc::default());
        for (fen, is_early) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
            ("rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 1", true),
            ("rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3", true),
        ] {
            const NODES: u64 = 3000;
            let game = Game::new(fen.parse().expect("a FEN"));
            let (reports, _) = player.reports(&game, Limits::nodes(NODES).with_soft_nodes());
            let nodes = reports.last().expect("a report").nodes;
            assert!(nodes >= NODES / UNQUIET_PART, "{fen}");
            assert_eq!(nodes < NODES, is_early, "{fen}: {nodes}");
        }
    }

    #[test]
    fn labels_of_a_tree_keep_to_the_bounds() {
        let board = Board::default();
        let entry = |depth, bound, score| TtEntry {
            mv: Move::NONE,
            score,
            raw_eval: 20,
            depth,
            bound,
            pv: false,
        };
        for (depth, bound, score, expected) in [
            (3, Some(Bound::Lower), 50, Some(50)),
            (3, Some(Bound::Lower), -50, Some(20)),
            (9, Some(Bound::Upper), -50, Some(-50)),
            (9, Some(Bound::Upper), 50, Some(20)),
            (5, Some(Bound::Exact), -7, Some(-7)),
            (2, Some(Bound::Exact), -7, None),
            (3, None, 50, None),
        ] {
            assert_eq!(label(&board, &entry(depth, bound, score)), expected);
        }
    }

    #[test]
    fn tree_gives_a_share_of_its_positions() {
        let mut player = SelfPlayer::new(Network::embedded(), Arc::default());
        let mut count = |share| {
            player.clear();
            player.tree(&Game::default(), 3000, share).len()
        };
        let [all, half, none] = [1.0, 0.5, 0.0].map(&mut count);
        assert!(all > 50 && (all / 4..all).contains(&half) && none == 0, "{all}, {half}, {none}");
    }

    #[test]
    fn openings_are_level() {
        let board = |fen: &str| fen.parse::<Board>().expect("a sound FEN");
        let starts = [board("7k/8/8/8/8/8/8/K4RR1 w - - 0 1"), Board::default()];
        let mut player = SelfPlayer::new(Network::embedded(), Arc::default());
        let mut rng = Rng::with_seed(1);
        for _ in 0..10 {
            let game = player.find_opening(&mut rng, &starts, 4, 50).expect("an opening");
            assert!(game.history().is_empty() && game.board().piece_count() > 20);
        }
    }
}
