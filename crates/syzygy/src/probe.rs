//! Probing: reads tables, and searches captures and en passant.
//!
//! If a capture is at least as good as the other moves, the value in the table is arbitrary, to
//! compress better. Tables ignore en passant. So a probe searches captures first and returns
//! the better of their result and the table's value. A DTZ table has values for one side to
//! move; for the other side, a probe tries all moves.

use carrybit_board::{Board, Kind, Move};

use super::material::Material;
use super::{Tablebases, Wdl};

/// Added to the distance of a cursed win or a blessed loss, in plies.
pub const CURSED_PLIES: i32 = 100;

impl Tablebases {
    /// The outcome of `board` with its fifty-move clock at zero. `None` if a table is missing,
    /// if there are too many pieces, or if there are castling rights.
    pub fn probe_wdl(&self, board: &Board) -> Option<Wdl> {
        self.can_probe(board).then(|| self.outcome(board))?
    }

    /// The distance to zeroing: plies to the next capture, pawn move or mate, with the
    /// fastest win and the longest defence. Positive if the side to move wins, negative if it loses,
    /// -1 if it is mated, 0 for a draw; [`CURSED_PLIES`] more if the fifty-move rule makes it a draw.
    /// The clock of `board` has no influence; [`rank_moves`](Tablebases::rank_moves) counts it. Tables may
    /// count in moves, so the true distance can be one ply more. `None` as for
    /// [`probe_wdl`](Tablebases::probe_wdl), also for missing DTZ tables.
    pub fn probe_dtz(&self, board: &Board) -> Option<i32> {
        self.can_probe(board).then(|| self.distance(board, true))?
    }

    fn can_probe(&self, board: &Board) -> bool {
        !board.has_any_castling_right() && board.piece_count() <= self.max_pieces()
    }

    fn outcome(&self, board: &Board) -> Option<Wdl> {
        self.resolve(board, |_, mv| mv.is_capture()).map(|(wdl, _)| wdl)
    }

    /// The outcome by the table and by searching the moves that `is_tried` accepts, and whether
    /// one of these moves achieves it.
    fn resolve(&self, board: &Board, is_tried: fn(&Board, Move) -> bool) -> Option<(Wdl, bool)> {
        let moves = board.legal_moves();
        let mut tried = 0;
        // Of equal moves, the one that is not en passant counts: that one is generated first.
        let (mut best, mut is_en_passant) = (Wdl::Loss, false);
        for &mv in moves.iter().filter(|&&mv| is_tried(board, mv)) {
            tried += 1;
            let wdl = -self.outcome(&board.make(mv))?;
            if wdl > best {
                (best, is_en_passant) = (wdl, mv.is_en_passant());
            }
            if best == Wdl::Win {
                return Some((best, true));
            }
        }
        // If no move is left, the table's value may be wrong: if all moves are en passant, the
        // table has a mate or a stalemate.
        if tried > 0 && tried == moves.len() {
            return Some((best, true));
        }
        let wdl = self.wdl_of_table(board)?;
        if tried > 0 && best >= wdl {
            // The DTZ value of a blessed loss that only en passant achieves is that of a loss.
            return Some((best, best > Wdl::Draw || (is_en_passant && best > wdl)));
        }
        Some((wdl, false))
    }

    fn wdl_of_table(&self, board: &Board) -> Option<Wdl> {
        let material = Material::of_board(board)?;
        if material.pieces() == 2 {
            return Some(Wdl::Draw);
        }
        self.table(false, material)?.wdl(board, material)
    }

    /// `may_try_moves` is false after a move of [`distance_by_moves`](Self::distance_by_moves).
    fn distance(&self, board: &Board, may_try_moves: bool) -> Option<i32> {
        let (wdl, by_zeroing) = self.resolve(board, is_zeroing)?;
        if wdl == Wdl::Draw || by_zeroing {
            return Some(before_zeroing(wdl));
        }
        let material = Material::of_board(board)?;
        let table = self.table(true, material)?;
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
        for &mv in &board.legal_moves() {
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
        // Without legal moves it is mate.
        Some(best.unwrap_or(-1))
    }
}

/// The distance before a move that leads to `child`: one ply more, unless the move mates.
/// `distance` is that of `child` from the mover's view.
pub(super) fn one_ply_earlier(distance: i32, child: &Board) -> i32 {
    if distance == 1 && child.in_check() && !child.has_legal_move() {
        return 1;
    }
    distance + distance.signum()
}

/// The distance if a capture or a pawn move achieves the outcome at once; 0 for a draw.
pub(super) fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -1 - CURSED_PLIES,
        Wdl::Draw => 0,
        Wdl::CursedWin => 1 + CURSED_PLIES,
        Wdl::Win => 1,
    }
}

pub(super) fn is_zeroing(board: &Board, mv: Move) -> bool {
    mv.is_capture() || board.byte_on(mv.from()).is_kind(Kind::Pawn)
}
