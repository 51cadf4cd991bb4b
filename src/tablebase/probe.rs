//! Probing: reads tables, and searches captures and en passant, which they leave out.
//!
//! To save space, tables hold any convenient value where a capture does at least as well,
//! and they know nothing of en passant. So captures are tried first, and the better of
//! their result and the table's value counts. A DTZ table has values for one side to move
//! only; for the other, all moves are tried.

use crate::board::{Board, Kind, Move};

use super::material::Material;
use super::{Tablebases, Wdl};

/// Added to the distance of a cursed win or a blessed loss.
pub const SPOILT_PLIES: i32 = 100;

impl Tablebases {
    /// The outcome of `board`, as if its fifty-move clock were at zero. `None` if a table
    /// is missing, if there are too many pieces, or if there are castling rights.
    pub fn probe_wdl(&self, board: &Board) -> Option<Wdl> {
        self.can_be_known(board).then(|| self.outcome(board))?
    }

    /// The number of plies to the next capture or pawn move, or to mate, if the winner
    /// hurries and the loser delays: positive if the side to move wins, negative if it
    /// loses, 0 if the position is drawn. [`SPOILT_PLIES`] are added to the distance if
    /// the fifty-move rule makes it a draw. Tables may count in whole moves, so the true
    /// distance can be one ply more. `None` as for
    /// [`probe_wdl`](Tablebases::probe_wdl), where DTZ tables count, too.
    pub fn probe_dtz(&self, board: &Board) -> Option<i32> {
        self.can_be_known(board).then(|| self.distance(board, true))?
    }

    fn can_be_known(&self, board: &Board) -> bool {
        !board.has_castling_rights() && board.piece_count() <= self.max_pieces()
    }

    fn outcome(&self, board: &Board) -> Option<Wdl> {
        self.resolve(board, |_, mv| mv.is_capture()).map(|(wdl, _)| wdl)
    }

    /// The outcome, from trying the moves that `is_tried` accepts and from the table, and
    /// whether one of these moves achieves it.
    fn resolve(&self, board: &Board, is_tried: fn(&Board, Move) -> bool) -> Option<(Wdl, bool)> {
        let moves = board.legal_moves();
        let mut tried = 0;
        let mut best = Wdl::Loss;
        for &mv in moves.iter().filter(|&&mv| is_tried(board, mv)) {
            tried += 1;
            best = best.max(-self.outcome(&board.make(mv))?);
            if best == Wdl::Win {
                return Some((best, true));
            }
        }
        // If there is no other move, the table's value is wrong: a position whose only moves
        // are en passant is stored as mate or stalemate.
        if tried > 0 && tried == moves.len() {
            return Some((best, true));
        }
        let wdl = self.wdl_of_table(board)?;
        if tried > 0 && best >= wdl {
            return Some((best, best > Wdl::Draw));
        }
        Some((wdl, false))
    }

    fn wdl_of_table(&self, board: &Board) -> Option<Wdl> {
        let material = Material::of_board(board)?;
        if material.pieces() == 2 {
            return Some(Wdl::Draw);
        }
        self.wdl_table(material)?.wdl(board, material)
    }

    /// The distance. `may_try_moves` is false for a position after a move that is being
    /// tried because the table has no values for the side to move before it.
    fn distance(&self, board: &Board, may_try_moves: bool) -> Option<i32> {
        let (wdl, by_zeroing) = self.resolve(board, is_zeroing)?;
        if wdl == Wdl::Draw || by_zeroing {
            return Some(before_zeroing(wdl));
        }
        let material = Material::of_board(board)?;
        let table = self.dtz_table(material)?;
        if table.has_side(board, material)? {
            Some(before_zeroing(wdl) + wdl.sign() * table.plies(board, material, wdl)?)
        } else if may_try_moves {
            self.distance_by_moves(board, wdl)
        } else {
            None
        }
    }

    /// The distance found by trying all moves: the shortest win, or the longest loss.
    fn distance_by_moves(&self, board: &Board, wdl: Wdl) -> Option<i32> {
        let mut best = None;
        for &mv in board.legal_moves().iter() {
            let child = board.make(mv);
            let distance = if is_zeroing(board, mv) {
                before_zeroing(-self.outcome(&child)?)
            } else {
                one_ply_earlier(-self.distance(&child, false)?, &child)
            };
            if distance.signum() == wdl.sign() && best.is_none_or(|best| distance < best) {
                best = Some(distance);
            }
        }
        // Without a move the side to move is mated.
        Some(best.unwrap_or(-1))
    }
}

/// The distance before a move that leads to `child`, whose `distance` is given from the
/// mover's view: one ply more, unless the move mates.
pub(super) fn one_ply_earlier(distance: i32, child: &Board) -> i32 {
    if distance == 1 && child.in_check() && !child.has_legal_move() {
        return 1;
    }
    distance + distance.signum()
}

/// The distance of a position in which a capture or a pawn move achieves the outcome at
/// once; 0 for a draw.
pub(super) fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -1 - SPOILT_PLIES,
        Wdl::Draw => 0,
        Wdl::CursedWin => 1 + SPOILT_PLIES,
        Wdl::Win => 1,
    }
}

/// Whether the move is a capture or a pawn move.
pub(super) fn is_zeroing(board: &Board, mv: Move) -> bool {
    mv.is_capture() || board.piece_on(mv.from()).is_kind(Kind::Pawn)
}
