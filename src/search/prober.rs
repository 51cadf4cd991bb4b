//! Tablebases in the search: they rank the root moves and cut off nodes.

use std::cmp::Reverse;

use crate::score::{self, DRAW, Score};
use carrybit_board::draw::FiftyMoveRule;
use carrybit_board::{Board, Game, Move};
use carrybit_syzygy::{RankedMove, Tablebases, Wdl};

use super::report::Bound;
use super::root_move::RootMove;
use super::settings::Probing;

/// A cursed win is this much better than a draw, and a blessed loss this much worse: the
/// opponent may err.
const CURSED_CP: Score = 2;

pub(super) struct TbProber<'a> {
    tablebases: &'a Tablebases,
    probing: Probing,
    /// Nodes with more pieces are not probed; 0 probes none.
    max_pieces: usize,
    pub(super) hits: u64,
}

impl<'a> TbProber<'a> {
    pub(super) fn new(tablebases: &'a Tablebases, probing: Probing) -> TbProber<'a> {
        let max_pieces = tablebases.max_pieces().min(probing.max_pieces);
        TbProber { tablebases, probing, max_pieces, hits: 0 }
    }

    /// The `wanted` moves, best first, if the tablebases have the game's position. Without
    /// `keeps_all`, only moves as good as the best.
    pub(super) fn rank_root(
        &mut self,
        game: &Game,
        fifty_move_rule: FiftyMoveRule,
        wanted: &[Move],
        keeps_all: bool,
    ) -> Option<Vec<RootMove>> {
        if self.max_pieces == 0 || game.board().piece_count() > self.max_pieces {
            return None;
        }
        let fifty_moves = self.probing.fifty_moves;
        let mut ranking =
            self.tablebases.rank_moves_by(fifty_move_rule, game, wanted, fifty_moves)?;
        self.hits += ranking.moves.len() as u64;
        ranking.moves.sort_by_key(|ranked| Reverse(ranked.rank));
        let best = *ranking.moves.first()?;
        ranking.moves.retain(|ranked| keeps_all || ranked.rank == best.rank);
        let root_move = |ranked: RankedMove| {
            let (tb_rank, tb_score) = (ranked.rank, Some(self.score(ranked.wdl, 0).0));
            RootMove { tb_rank, tb_score, ..RootMove::new(ranked.mv) }
        };
        let root_moves = ranking.moves.into_iter().map(root_move).collect();
        // Stop probing: the best moves keep the outcome, and the search finds mates better
        // without tablebases, which contain none. Only a win that was ranked without DTZ tables
        // still needs probes, to make progress.
        if ranking.by_dtz || best.wdl <= Wdl::Draw {
            self.max_pieces = 0;
        }
        Some(root_moves)
    }

    /// The tablebase score of a node and its bound; `None` if it is not probed or not found.
    #[inline]
    pub(super) fn probe(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
    ) -> Option<(Score, Bound)> {
        // WDL tables assume a fifty-move clock of 0.
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
        Some(self.score(wdl, ply))
    }

    fn score(&self, wdl: Wdl, ply: usize) -> (Score, Bound) {
        match wdl {
            Wdl::CursedWin if self.probing.fifty_moves => (DRAW + CURSED_CP, Bound::Exact),
            Wdl::BlessedLoss if self.probing.fifty_moves => (DRAW - CURSED_CP, Bound::Exact),
            Wdl::Draw => (DRAW, Bound::Exact),
            // A bound: there may be a mate.
            Wdl::Win | Wdl::CursedWin => (score::tablebase_win_at(ply), Bound::Lower),
            Wdl::Loss | Wdl::BlessedLoss => (-score::tablebase_win_at(ply), Bound::Upper),
        }
    }
}
