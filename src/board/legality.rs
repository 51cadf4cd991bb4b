//! Whether one given move is legal, and whether it gives check, without generating moves
//! and, castling and en passant aside, without making one.
//!
//! A move from the transposition table may belong to another position with the
//! same key bits, so [`Board::is_legal`] trusts nothing about it. The
//! difference table says whether the piece can move so, the king pass whether
//! it may.
use super::color::Color;
use super::difference::{REACH, STEP};
use super::moves::Move;
use super::piece::{Kind, Piece};
use super::position::{Board, Wing};
use super::square::{ALL_STEPS, Square};

impl Board {
    /// Whether `mv`, any 16 bits at all, is a legal move here: exactly then it
    /// is in the list of [`Board::legal_moves`].
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let piece = self.piece_on(from);
        if !piece.is_color(us) {
            return false;
        }
        if mv.is_castling() {
            return !mv.is_capture()
                && piece.is_kind(Kind::King)
                && Wing::ALL.into_iter().any(|wing| {
                    self.castling_rook(us, wing) == to && self.can_castle(wing, self.king_pass())
                });
        }
        if mv.is_en_passant() {
            return mv.is_capture()
                && piece.is_kind(Kind::Pawn)
                && to == self.ep
                && self.en_passant_origins(to).contains(&from)
                && self.is_en_passant_safe(from, to);
        }
        let target = self.piece_on(to);
        if target.is_color(us) || target.is_empty() == mv.is_capture() {
            return false;
        }
        if piece.is_kind(Kind::King) {
            return !mv.is_special()
                && (0..8).any(|i| self.king_pass().ring >> i & 1 != 0 && king_step(from, i) == to);
        }
        self.can_move(mv, piece) && self.answers_check(to) && self.keeps_pin(from, to)
    }

    /// Whether `mv` gives check, directly or by discovery. It must be legal.
    #[must_use]
    pub fn gives_check(&self, mv: Move) -> bool {
        if mv.is_castling() || mv.is_en_passant() {
            return self.make(mv).in_check();
        }
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let king = self.king(!us);
        let moved = match mv.promotion_kind() {
            Some(kind) => Piece::new(us, kind),
            None => self.piece_on(from),
        };
        let delta = to.delta_to(king) as usize;
        if REACH[us.index()][delta] & moved.0 != 0
            && (!moved.is_slider() || self.is_clear_but(to, king, from))
        {
            return true;
        }
        self.discovered_checker(us, from, to).is_some()
    }

    /// The slider of `us` that a move from `from` to `to` uncovers against the
    /// enemy king: the first piece behind `from`, seen from the king, unless the
    /// move stays on that line. The move may have been made already or not.
    #[inline]
    fn discovered_checker(&self, us: Color, from: Square, to: Square) -> Option<Square> {
        let king = self.king(!us);
        let step = STEP[king.delta_to(from) as usize];
        if step == 0 || STEP[king.delta_to(to) as usize] == step {
            return None;
        }
        let mut sq = king.step(step);
        while sq.is_on_board() && (sq == from || self.piece_on(sq).is_empty()) {
            sq = sq.step(step);
        }
        let piece = self.piece_on(sq);
        let attacks = sq.is_on_board()
            && piece.is_color(us)
            && piece.is_slider()
            && REACH[us.index()][sq.delta_to(king) as usize] & piece.0 != 0;
        attacks.then_some(sq)
    }

    /// Whether the squares strictly between are empty, `left` counting as empty.
    #[inline]
    fn is_clear_but(&self, from: Square, to: Square, left: Square) -> bool {
        let step = STEP[from.delta_to(to) as usize];
        let mut sq = from.step(step);
        while sq != to {
            if sq != left && !self.piece_on(sq).is_empty() {
                return false;
            }
            sq = sq.step(step);
        }
        true
    }

    /// Whether a piece other than the king moves so, checks and pins aside. The
    /// capture flag has been found to fit the board.
    fn can_move(&self, mv: Move, piece: Piece) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let reaches = REACH[us.index()][from.delta_to(to) as usize] & piece.0 != 0;
        if !piece.is_kind(Kind::Pawn) {
            return !mv.is_special()
                && reaches
                && (!piece.is_slider() || self.is_clear_between(from, to));
        }
        if mv.is_promotion() != (to.rank_for(us) == 7) {
            return false;
        }
        if mv.is_capture() {
            return reaches && !mv.is_double_push();
        }
        let ahead = from.step(us.forward());
        if mv.is_double_push() {
            return from.rank_for(us) == 1
                && ahead.step(us.forward()) == to
                && self.piece_on(ahead).is_empty();
        }
        ahead == to
    }

    /// Whether a piece other than the king that goes to `to` leaves no check.
    fn answers_check(&self, to: Square) -> bool {
        let checkers = self.checker_slots();
        if checkers == 0 {
            return true;
        }
        if checkers & (checkers - 1) != 0 {
            return false;
        }
        let checker = self.list(!self.side)[checkers.trailing_zeros() as usize & 15];
        let king = self.king(self.side);
        let step = STEP[king.delta_to(checker) as usize];
        to == checker
            || (step != 0
                && STEP[king.delta_to(to) as usize] == step
                && STEP[to.delta_to(checker) as usize] == step)
    }

    /// Whether the piece on `from` is not pinned, or stays on its line.
    fn keeps_pin(&self, from: Square, to: Square) -> bool {
        let pinned = self.king_pass().pinned;
        if pinned == 0 || pinned >> self.slot_of(self.side, from) & 1 == 0 {
            return true;
        }
        let king = self.king(self.side);
        STEP[king.delta_to(from) as usize] == STEP[king.delta_to(to) as usize]
    }
}

#[inline]
fn king_step(king: Square, i: usize) -> Square {
    king.step(ALL_STEPS[i])
}
