//! Tests whether a move is legal and whether it gives check, without generating moves other than
//! captures en passant. Only `gives_check` makes moves: castling and en passant.
//!
//! A move from the transposition table may belong to another position with the same key
//! bits, so [`Board::is_legal`] assumes nothing about it. The difference table tests whether
//! the piece can make the move, the check info whether its king is safe afterwards.

use super::backend::lanes::{KingLines, LANE_AT};
use super::difference::{REACH, STEP};
use super::square::ALL_STEPS;
use super::{Board, CastlingSide, Color, Delta, Kind, Move, PieceByte, Square};

/// Tests many moves of a position for check; looks along the lines around the enemy king only once.
pub struct CheckTester<'a> {
    board: &'a Board,
    lines: KingLines,
}

impl CheckTester<'_> {
    /// Whether `mv` gives check, as [`Board::gives_check`].
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let board = self.board;
        if mv.is_promotion() || mv.is_castling() || mv.is_en_passant() {
            return board.gives_check(mv);
        }
        let (us, king) = (board.side, board.king(!board.side));
        let (from, to) = (mv.from(), mv.target());
        let piece = board.byte_on(from);
        let is_near = || self.lines.near & LANE_AT[king.delta_to(to) as usize] != 0;
        let checks = REACH[us.index()][to.delta_to(king) as usize] & piece.0 != 0
            && (!piece.is_slider() || is_near());
        let is_shield = self.lines.shields & LANE_AT[king.delta_to(from) as usize] != 0;
        let step_to = |sq: Square| STEP[king.delta_to(sq) as usize];
        let gives_check = checks || (is_shield && step_to(from) != step_to(to));
        debug_assert_eq!(gives_check, board.gives_check(mv), "{mv} in {board}");
        gives_check
    }
}

impl Board {
    /// A test for check of moves of this position.
    #[inline]
    pub fn check_tester(&self) -> CheckTester<'_> {
        CheckTester { board: self, lines: self.king_lines() }
    }

    /// Whether `mv`, which may be of another position, is one of the [`Board::legal_moves`].
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.target());
        let piece = self.byte_on(from);
        if !piece.is_color(us) {
            return false;
        }
        if mv.is_castling() {
            return !mv.is_capture()
                && piece.is_kind(Kind::King)
                && CastlingSide::ALL.into_iter().any(|side| {
                    self.castling_rook_or_none(us, side) == to
                        && self.can_castle(side, self.check_info())
                });
        }
        if mv.is_en_passant() {
            return to == self.ep && self.en_passant_captures(to).any(|legal| legal == mv);
        }
        let target = self.byte_on(to);
        if target.is_color(us) || target.is_empty() == mv.is_capture() {
            return false;
        }
        if piece.is_kind(Kind::King) {
            return !mv.is_special()
                && (0..8).any(|i| {
                    self.check_info().king_moves >> i & 1 != 0 && from.step(ALL_STEPS[i]) == to
                });
        }
        self.is_pseudo_legal(mv, piece) && self.answers_check(to) && self.keeps_pin(from, to)
    }

    /// Whether `mv` gives check, directly or by discovery. It must be legal.
    pub fn gives_check(&self, mv: Move) -> bool {
        if mv.is_castling() || mv.is_en_passant() {
            return self.make(mv).in_check();
        }
        let us = self.side;
        let (from, to) = (mv.from(), mv.target());
        let king = self.king(!us);
        let moved = match mv.promotion_kind() {
            Some(kind) => PieceByte::new(us, kind),
            None => self.byte_on(from),
        };
        let delta = to.delta_to(king) as usize;
        let checks = REACH[us.index()][delta] & moved.0 != 0
            && (!moved.is_slider() || self.is_clear_without([from], to, king));
        checks || self.discovers_check(us, from, to)
    }

    /// Whether a move of `us` from `from` to `to` uncovers an attack by a slider on the enemy
    /// king. A move that stays on the slider's line uncovers nothing.
    fn discovers_check(&self, us: Color, from: Square, to: Square) -> bool {
        let king = self.king(!us);
        let step = STEP[king.delta_to(from) as usize];
        step != 0 && STEP[king.delta_to(to) as usize] != step && self.is_shield(us, from, step)
    }

    /// Whether the first piece behind `from`, seen from the king of `!by` along `step`, is a slider
    /// of `by` that would attack the king if `from` were empty: false if a piece stands before
    /// `from`, unless that piece is the slider.
    pub(super) fn is_shield(&self, by: Color, from: Square, step: Delta) -> bool {
        let king = self.king(!by);
        let mut sq = king.step(step);
        while sq.is_on_board() && (sq == from || self.byte_on(sq).is_empty()) {
            sq = sq.step(step);
        }
        let piece = self.byte_on(sq);
        sq.is_on_board()
            && piece.is_color(by)
            && piece.is_slider()
            && REACH[by.index()][sq.delta_to(king) as usize] & piece.0 != 0
    }

    /// Whether a piece other than the king can make the move, checks and pins aside. The
    /// caller has tested the capture flag.
    fn is_pseudo_legal(&self, mv: Move, piece: PieceByte) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.target());
        let reaches = REACH[us.index()][from.delta_to(to) as usize] & piece.0 != 0;
        if !piece.is_kind(Kind::Pawn) {
            return !mv.is_special()
                && reaches
                && (!piece.is_slider() || self.is_clear_between(from, to));
        }
        if mv.is_promotion() != (to.relative_rank(us) == 7) {
            return false;
        }
        if mv.is_capture() {
            return reaches && !mv.is_double_push();
        }
        let ahead = from.step(us.forward());
        if mv.is_double_push() {
            return from.relative_rank(us) == 1
                && ahead.step(us.forward()) == to
                && self.byte_on(ahead).is_empty();
        }
        ahead == to
    }

    /// Whether moving a piece other than the king to `to` leaves the king out of check.
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

    /// Whether the piece on `from` is not pinned, or stays on its line. The move must answer a
    /// check, if there is one.
    pub(super) fn keeps_pin(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.side);
        let step = STEP[king.delta_to(from) as usize];
        // Only a piece on a line through the king can be pinned.
        if step == 0 || step == STEP[king.delta_to(to) as usize] {
            return true;
        }
        match self.check_info.get() {
            Some(info) => info.pinned == 0 || info.pinned >> self.slot_of(self.side, from) & 1 == 0,
            // For one piece, its line is cheaper than all check info.
            None => !self.is_shield(!self.side, from, step),
        }
    }

    /// Whether a pawn that is on no line through its king, and so cannot be pinned, can move one
    /// rank ahead: a cheap proof that there is a legal move, unless the side to move is in check.
    pub(super) fn has_free_pawn(&self) -> bool {
        const FILES: u64 = 0x0101_0101_0101_0101;
        let king = self.king(self.side);
        let ranks = self.packed();
        let shift = self.side.bit().trailing_zeros();
        // From the second rank on, where most free pawns are. Eight squares at once, a byte each:
        // whether a pawn of ours stands here, and no piece ahead.
        for relative in 1..7 {
            let (rank, ahead) = match self.side {
                Color::White => (relative, relative + 1),
                Color::Black => (7 - relative, 6 - relative),
            };
            let pawns = ranks[rank] & ranks[rank] >> shift;
            let mut free = pawns & !(ranks[ahead] >> 6 | ranks[ahead] >> 7) & FILES;
            while free != 0 {
                let pawn = Square::new(free.trailing_zeros() as u8 / 8, rank as u8);
                if STEP[king.delta_to(pawn) as usize] == 0 {
                    return true;
                }
                free &= free - 1;
            }
        }
        false
    }
}
