//! What the search makes of the tablebases: at the root they choose among the moves,
//! below it they cut nodes off.

use std::cmp::Reverse;

use crate::board::{Board, Game, Move};
use crate::score::{self, DRAW, INFINITE, Score};
use crate::tablebase::root::RankedMove;
use crate::tablebase::{MAX_TABLEBASE_PIECES, Tablebases, Wdl};

use super::limits::Bound;
use super::window::Window;

/// How much better than a draw a cursed win is, and how much worse a blessed loss: the
/// opponent may err.
const SPOILT_CP: Score = 2;

/// When the tablebases are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The least depth at which positions with as many pieces as the largest tablebase
    /// are probed; those with fewer always are.
    pub min_depth: i32,
    /// Positions with more pieces than this are not probed.
    pub max_pieces: usize,
    /// Whether the fifty-move rule holds; if not, cursed wins count as wins.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { min_depth: 1, max_pieces: MAX_TABLEBASE_PIECES, fifty_moves: true }
    }
}

/// What a tablebase says about a node: a score, and what it is a bound of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) score: Score,
    pub(super) bound: Bound,
}

impl Verdict {
    /// Whether that is all that a search with this window could find out.
    pub(super) fn settles(self, window: Window) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= window.beta,
            Bound::Upper => self.score <= window.alpha,
        }
    }

    /// The least and the greatest score that the node can have.
    pub(super) fn limits(self) -> (Score, Score) {
        match self.bound {
            Bound::Exact => (self.score, self.score),
            Bound::Lower => (self.score, INFINITE),
            Bound::Upper => (-INFINITE, self.score),
        }
    }
}

/// Probes the tablebases during one search.
pub(super) struct Prober<'a> {
    tablebases: &'a Tablebases,
    probing: Probing,
    /// Nodes with more pieces are not probed; 0 for none at all.
    max_pieces: usize,
    /// How many positions have been found.
    pub(super) hits: u64,
}

impl<'a> Prober<'a> {
    /// Prepares for a search of the game's position. If it is in the tablebases, returns
    /// the `wanted` moves with their scores, the best first; only moves as good as the best
    /// are left unless `keeps_all`.
    pub(super) fn at_root(
        tablebases: &'a Tablebases,
        probing: Probing,
        game: &Game,
        wanted: &[Move],
        keeps_all: bool,
    ) -> (Prober<'a>, Option<Vec<(RankedMove, Score)>>) {
        let max_pieces = tablebases.max_pieces().min(probing.max_pieces);
        let mut prober = Prober { tablebases, probing, max_pieces, hits: 0 };
        let is_small = max_pieces > 0 && game.board().piece_count() <= max_pieces;
        let ranked = is_small.then(|| prober.rank(game, wanted, keeps_all)).flatten();
        (prober, ranked)
    }

    fn rank(
        &mut self,
        game: &Game,
        wanted: &[Move],
        keeps_all: bool,
    ) -> Option<Vec<(RankedMove, Score)>> {
        let fifty_moves = self.probing.fifty_moves;
        let mut ranking = self.tablebases.rank_moves(game, wanted, fifty_moves)?;
        self.hits += ranking.moves.len() as u64;
        ranking.moves.sort_by_key(|ranked| Reverse(ranked.rank));
        let best = *ranking.moves.first()?;
        let is_kept = |ranked: &RankedMove| keeps_all || ranked.rank == best.rank;
        let scored = |ranked: RankedMove| (ranked, self.verdict(ranked.wdl, 0).score);
        let moves = ranking.moves.into_iter().filter(is_kept).map(scored).collect();
        // From moves that keep the outcome the search does better without the tablebases,
        // which know no mates. Only a win without DTZ tables still needs them, as nothing
        // else shows how to make progress.
        if ranking.by_dtz || best.wdl <= Wdl::Draw {
            self.max_pieces = 0;
        }
        Some(moves)
    }

    #[inline]
    pub(super) fn probe(&mut self, board: &Board, ply: usize, depth: i32) -> Option<Verdict> {
        // Only right after a capture or a pawn move is the outcome certain.
        if self.max_pieces == 0 || board.halfmove() != 0 {
            return None;
        }
        let pieces = board.piece_count();
        let is_due = pieces < self.tablebases.max_pieces() || depth >= self.probing.min_depth;
        if pieces > self.max_pieces || !is_due {
            return None;
        }
        let wdl = self.tablebases.probe_wdl(board)?;
        self.hits += 1;
        Some(self.verdict(wdl, ply))
    }

    fn verdict(&self, wdl: Wdl, ply: usize) -> Verdict {
        let (score, bound) = match wdl {
            Wdl::CursedWin if self.probing.fifty_moves => (DRAW + SPOILT_CP, Bound::Exact),
            Wdl::BlessedLoss if self.probing.fifty_moves => (DRAW - SPOILT_CP, Bound::Exact),
            Wdl::Draw => (DRAW, Bound::Exact),
            // There may be a mate, which is even better.
            Wdl::Win | Wdl::CursedWin => (score::tablebase_win_at(ply), Bound::Lower),
            Wdl::Loss | Wdl::BlessedLoss => (-score::tablebase_win_at(ply), Bound::Upper),
        };
        Verdict { score, bound }
    }
}
