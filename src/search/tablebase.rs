//! What the search makes of the endgame tables: at the root they choose among the
//! moves, below it they end nodes.

use crate::board::{Board, Game, Move};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, INFINITE, MAX_DEPTH, NO_EVAL, Score};
use crate::tablebase::root::RankedMove;
use crate::tablebase::{MAX_TABLEBASE_PIECES, Tablebases, Wdl, piece_count};

use super::Searcher;
use super::limits::Bound;
use super::transposition::Entry;
use super::window::Window;

/// A table's score counts in the transposition table as searched so much deeper.
const TRUST_PLIES: i32 = 6;

/// What a win or loss is worth that the fifty-move rule spoils: a little more or
/// less than a draw, for the opponent may err.
const SPOILT_CP: Score = 2;

/// When the tables are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The least depth at which positions with the most pieces that there are
    /// tables for are looked up; those with fewer always are.
    pub min_depth: i32,
    /// Positions with more pieces than this are not looked up.
    pub max_pieces: usize,
    /// Whether the fifty-move rule holds: else what it spoils counts as won.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { min_depth: 1, max_pieces: MAX_TABLEBASE_PIECES, fifty_moves: true }
    }
}

/// What a table says about a node: a score, and what it is a bound of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) score: Score,
    pub(super) bound: Bound,
}

impl Verdict {
    /// Whether that is all a search with this window could find out.
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

/// The tables during one search.
pub(super) struct Endgames<'a> {
    tables: &'a Tablebases,
    probing: Probing,
    /// Nodes with more pieces are not looked up; 0 if none are.
    max_pieces: usize,
    /// The score of the root if the tables know it.
    root_score: Option<Score>,
    /// How many positions have been looked up and found.
    pub(super) hits: u64,
}

impl<'a> Endgames<'a> {
    /// Prepares for a search of the game's position: of its moves `wanted`, only
    /// the best are left if the tables know them.
    pub(super) fn at_root(
        tables: &'a Tablebases,
        probing: Probing,
        game: &Game,
        wanted: &mut Vec<Move>,
    ) -> Endgames<'a> {
        let max_pieces = tables.max_pieces().min(probing.max_pieces);
        let mut endgames = Endgames { tables, probing, max_pieces, root_score: None, hits: 0 };
        if max_pieces > 0 && piece_count(game.board()) <= max_pieces {
            endgames.choose(game, wanted);
        }
        endgames
    }

    fn choose(&mut self, game: &Game, wanted: &mut Vec<Move>) {
        let fifty_moves = self.probing.fifty_moves;
        let Some(ranking) = self.tables.rank_moves(game, wanted, fifty_moves) else {
            return;
        };
        let Some(best) = ranking.moves.iter().max_by_key(|ranked| ranked.rank) else {
            return;
        };
        self.hits += ranking.moves.len() as u64;
        let is_best = |ranked: &&RankedMove| ranked.rank == best.rank;
        *wanted = ranking.moves.iter().filter(is_best).map(|ranked| ranked.mv).collect();
        self.root_score = Some(self.verdict(best.wdl, 0).score);
        // The moves left all keep the outcome. Below them the search is more use
        // without the tables, which know of no mates; only a win that nobody
        // tells how to make progress in is still looked after.
        if ranking.by_dtz || best.wdl <= Wdl::Draw {
            self.max_pieces = 0;
        }
    }

    /// The score to report for a root move that the search gives `score`: that of
    /// the tables if they know the root, but a mate found says more.
    pub(super) fn reported(&self, score: Score) -> Score {
        match self.root_score {
            Some(known) if !score::is_mate(score) => known,
            _ => score,
        }
    }

    #[inline]
    fn probe(&mut self, board: &Board, ply: usize, depth: i32) -> Option<Verdict> {
        // Only just after a capture or pawn move is the outcome known for sure.
        if self.max_pieces == 0 || board.halfmove() != 0 {
            return None;
        }
        let pieces = piece_count(board);
        let is_due = pieces < self.tables.max_pieces() || depth >= self.probing.min_depth;
        if pieces > self.max_pieces || !is_due {
            return None;
        }
        let wdl = self.tables.probe_wdl(board)?;
        self.hits += 1;
        Some(self.verdict(wdl, ply))
    }

    fn verdict(&self, wdl: Wdl, ply: usize) -> Verdict {
        let (score, bound) = match wdl {
            Wdl::CursedWin if self.probing.fifty_moves => (DRAW + SPOILT_CP, Bound::Exact),
            Wdl::BlessedLoss if self.probing.fifty_moves => (DRAW - SPOILT_CP, Bound::Exact),
            Wdl::Draw => (DRAW, Bound::Exact),
            // There may be a mate, which is better still.
            Wdl::Win | Wdl::CursedWin => (score::tablebase_win_at(ply), Bound::Lower),
            Wdl::Loss | Wdl::BlessedLoss => (-score::tablebase_win_at(ply), Bound::Upper),
        };
        Verdict { score, bound }
    }
}

impl<E: Evaluator> Searcher<'_, E> {
    /// What the endgame tables say about a node below the root, if it is one to
    /// look up.
    #[inline]
    pub(super) fn probe_tablebases(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
    ) -> Option<Verdict> {
        if self.frames.before(ply, 1).mv.is_none() {
            // After a null move the clock says nothing.
            return None;
        }
        let verdict = self.endgames.probe(board, ply, depth)?;
        self.counters.set_tablebase_hits(self.endgames.hits);
        Some(verdict)
    }

    /// Puts what the endgame tables say about a node into the transposition
    /// table, from where it is had again faster.
    pub(super) fn store_verdict(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        verdict: Verdict,
        pv: bool,
    ) {
        let entry = Entry {
            mv: Move::NONE,
            score: verdict.score,
            eval: NO_EVAL,
            depth: (depth + TRUST_PLIES).min(MAX_DEPTH),
            bound: Some(verdict.bound),
            pv,
        };
        self.task.table.store(board.key(), ply, entry);
    }
}
