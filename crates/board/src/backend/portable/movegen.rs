//! Generation of strictly legal moves, in stages.
//!
//! The check info makes legality cheap: a pinned piece stays on its line, the king takes only
//! its safe steps, and a check is answered only by captures of the checker and blocks.
//! En passant and castling have tests of their own. One generator writes or counts moves.
//!
//! A copy of the squares with padding around them (`PaddedBoard`) makes off-board tests
//! unnecessary.

use core::ops::Range;

use crate::difference::{REACH, STEP};
use crate::make::ORDINARY;
use crate::position::KING_SLOT;
use crate::sink::{ALL, Counter, NOISY, QUIET, Sink, Writer, emit_promotions};
use crate::square::ALL_STEPS;
use crate::{
    Board, CastlingSide, CheckInfo, Color, Delta, Kind, MAX_PIECES, Move, MoveList, PieceByte,
    Square,
};

use super::check_info::compute_check_info;

/// The first slot whose moves [`generate_from`] must add: the king's, so all moves.
pub(in crate::backend) fn generate<const STAGE: u8>(_: &Board, _: &mut MoveList) -> Option<usize> {
    Some(KING_SLOT)
}

/// Appends the stage's moves of the pieces from slot `first` on, castling and en passant.
#[inline(never)]
pub(in crate::backend) fn generate_from<const STAGE: u8>(
    board: &Board,
    first: usize,
    list: &mut MoveList,
) {
    let info = board.check_info_by(compute_check_info);
    list.len = Generator::<STAGE, _>::new(board, Writer::at_end_of(list), info).run(first).len;
}

/// Leaves all positions to [`count_all`].
pub(in crate::backend) fn count(_: &Board) -> Option<u64> {
    None
}

#[inline(never)]
pub(in crate::backend) fn count_all(board: &Board) -> u64 {
    let info = board.check_info_by(compute_check_info);
    Generator::<ALL, _>::new(board, Counter(0), info).run(KING_SLOT).0
}

/// The number of replies to all `moves`.
pub(in crate::backend) fn count_replies(board: &Board, moves: &[Move]) -> u64 {
    let replies = moves.iter().map(|&mv| {
        // In debug builds `Board::make` also checks the result.
        let is_rare = cfg!(debug_assertions) || board.is_rare(mv);
        let child = if is_rare { board.make(mv) } else { super::make::<ORDINARY>(board, mv) };
        count_all(&child)
    });
    replies.sum()
}

/// The board with padding: every square off the board holds a piece of the side to move, of
/// no kind. One lookup tests both for the edge and for an own piece.
pub(super) struct PaddedBoard([PieceByte; 256]);

impl PaddedBoard {
    #[inline(always)]
    pub(super) fn new(squares: &[PieceByte; 128], us: Color) -> PaddedBoard {
        let mut padded = [PieceByte(us.bit()); 256];
        for rank in 0..8 {
            let row = Square::new(0, rank).index();
            padded[row..row + 8].copy_from_slice(&squares[row..row + 8]);
        }
        PaddedBoard(padded)
    }

    /// The piece on `sq`, which may be off the board.
    #[inline(always)]
    pub(super) fn byte_on(&self, sq: Square) -> PieceByte {
        self.0[sq.0 as usize]
    }
}

/// One run over a position. It owns the sink, because a sink behind a reference would be kept in
/// memory, not in registers. So each rare part takes a generator by value and returns the sink.
struct Generator<'a, const STAGE: u8, S> {
    board: &'a Board,
    sink: S,
    us: Color,
    king: Square,
    info: CheckInfo,
}

impl<'a, const STAGE: u8, S: Sink> Generator<'a, STAGE, S> {
    #[inline(always)]
    fn new(board: &'a Board, sink: S, info: CheckInfo) -> Self {
        Generator { board, sink, us: board.side, king: board.king(board.side), info }
    }

    /// Runs with the side to move as a constant, for which the compiler specialises all
    /// steps. Returns the sink.
    #[inline(always)]
    fn run(self, first: usize) -> S {
        match self.us {
            Color::White => Generator { us: Color::White, ..self }.run_for_side(first),
            Color::Black => Generator { us: Color::Black, ..self }.run_for_side(first),
        }
    }

    /// Emits the moves of the pieces from slot `first` on, castling and en passant.
    #[inline(always)]
    fn run_for_side(mut self, first: usize) -> S {
        let board = self.board;
        let mut steps = if first == KING_SLOT { self.info.king_moves } else { 0 };
        while steps != 0 {
            let to = self.king.step(ALL_STEPS[steps.trailing_zeros() as usize & 7]);
            self.quiet_or_capture(true, self.king, to, board.byte_on(to));
            steps &= steps - 1;
        }
        let checkers = self.info.checkers;
        if checkers == 0 {
            self.sink = Generator { ..self }.pieces_in(first.max(KING_SLOT + 1)..MAX_PIECES);
            if STAGE & QUIET != 0 && board.has_castling_right(self.us) {
                self.sink = Generator { ..self }.castling();
            }
        } else if checkers & (checkers - 1) == 0 {
            let them = !self.us;
            let checker = board.lists[them.index()][checkers.trailing_zeros() as usize & 15];
            self.sink = Generator { ..self }.evasions(checker);
        } else {
            return self.sink; // In double check only the king moves.
        }
        if STAGE & NOISY != 0 && board.ep != Square::NONE {
            self.sink = board.generate_en_passant(self.sink);
        }
        self.sink
    }

    /// Emits the move to `to`, where `target` stands, if it is `possible` and of the stage. The
    /// move is quiet if `target` is empty, else a capture.
    #[inline(always)]
    fn quiet_or_capture(&mut self, possible: bool, from: Square, to: Square, target: PieceByte) {
        let quiet = Move::quiet(from, to);
        let (stage, mv) =
            if target.is_empty() { (QUIET, quiet) } else { (NOISY, quiet.as_capture()) };
        self.sink.emit_if(possible & (STAGE & stage != 0), mv);
    }

    /// Emits the moves of the pieces in these slots. The king must not be in check.
    #[inline(always)]
    fn pieces_in(mut self, slots: Range<usize>) -> S {
        let squares = PaddedBoard::new(&self.board.squares, self.us);
        let list = &self.board.lists[self.us.index()];
        let pinned = self.info.pinned;
        for (slot, from) in slots.map(|slot| (slot, list[slot % MAX_PIECES])) {
            let piece = squares.byte_on(from);
            if pinned >> slot & 1 != 0 {
                self.sink = Generator { ..self }.pinned_piece(&squares, from, piece);
            } else if piece.is_kind(Kind::Pawn) {
                self.pawn(&squares, from, |_| true);
            } else if piece.is_kind(Kind::Knight) {
                self.knight(&squares, from);
            } else if piece.is_kind(Kind::Bishop) {
                self.rays(&squares, from, Kind::Bishop.steps());
            } else if piece.is_kind(Kind::Rook) {
                self.rays(&squares, from, Kind::Rook.steps());
            } else if piece.is_kind(Kind::Queen) {
                self.rays(&squares, from, Kind::Queen.steps());
            }
        }
        self.sink
    }

    /// Emits the moves of a pinned piece, along its line through the king.
    #[inline(never)]
    fn pinned_piece(mut self, squares: &PaddedBoard, from: Square, piece: PieceByte) -> S {
        let line = STEP[self.king.delta_to(from) as usize];
        let back = line.wrapping_neg();
        if piece.is_kind(Kind::Pawn) {
            self.pawn(squares, from, |step| step == line || step == back);
        } else if REACH[self.us.index()][line as usize] & piece.0 & PieceByte::SLIDERS != 0 {
            self.rays(squares, from, &[line, back]);
        }
        self.sink
    }

    #[inline(always)]
    fn rays(&mut self, squares: &PaddedBoard, from: Square, steps: &[Delta]) {
        for &step in steps {
            let mut to = from.step(step);
            let mut mv = Move::quiet(from, to);
            while squares.byte_on(to).is_empty() {
                if STAGE & QUIET != 0 {
                    self.sink.emit(mv);
                }
                to = to.step(step);
                mv = mv.shifted_by(step);
            }
            if STAGE & NOISY != 0 {
                self.sink.emit_if(squares.byte_on(to).is_color(!self.us), mv.as_capture());
            }
        }
    }

    #[inline(always)]
    fn knight(&mut self, squares: &PaddedBoard, from: Square) {
        for &jump in Kind::Knight.steps() {
            let to = from.step(jump);
            let target = squares.byte_on(to);
            self.quiet_or_capture(!target.is_color(self.us), from, to, target);
        }
    }

    /// Emits the moves of the pawn on `from` by the steps that are `allowed`.
    #[inline(always)]
    fn pawn(&mut self, squares: &PaddedBoard, from: Square, allowed: impl Fn(Delta) -> bool) {
        let forward = self.us.forward();
        let promotes = from.relative_rank(self.us) == 6;
        if allowed(forward) {
            let ahead = from.step(forward);
            let second = ahead.step(forward);
            let is_free = squares.byte_on(ahead).is_empty();
            if promotes && is_free {
                emit_promotions::<STAGE>(&mut self.sink, from, ahead, false);
            } else if !promotes && STAGE & QUIET != 0 {
                self.sink.emit_if(is_free, Move::quiet(from, ahead));
                let is_first = from.relative_rank(self.us) == 1;
                let may_double = is_free & is_first & squares.byte_on(second).is_empty();
                self.sink.emit_if(may_double, Move::double_push(from, second));
            }
        }
        for step in self.us.pawn_captures() {
            let to = from.step(step);
            let captures = allowed(step) & squares.byte_on(to).is_color(!self.us);
            if promotes && captures {
                emit_promotions::<STAGE>(&mut self.sink, from, to, true);
            } else if !promotes && STAGE & NOISY != 0 {
                self.sink.emit_if(captures, Move::capture(from, to));
            }
        }
    }

    #[inline(never)]
    fn castling(mut self) -> S {
        for side in CastlingSide::ALL {
            if self.board.can_castle(side, self.info) {
                self.sink.emit(Move::castling(
                    self.king,
                    self.board.castling_rook_or_none(self.us, side),
                ));
            }
        }
        self.sink
    }

    /// Emits the evasions of a single check, except king moves: captures of the checker, and
    /// blocks. The difference table finds the pieces that can reach each target.
    #[inline(never)]
    fn evasions(mut self, checker: Square) -> S {
        // An under-promotion that captures the checker is a quiet move (`Move::is_noisy`).
        let takers = if STAGE & NOISY != 0 { PieceByte::KINDS } else { Kind::Pawn.bit() };
        if STAGE & NOISY != 0 || checker.relative_rank(self.us) == 7 {
            self.pieces_to(checker, takers, |generator, from, piece| {
                if piece.is_kind(Kind::Pawn) && checker.relative_rank(generator.us) == 7 {
                    emit_promotions::<STAGE>(&mut generator.sink, from, checker, true);
                } else if STAGE & NOISY != 0 {
                    generator.sink.emit(Move::capture(from, checker));
                }
            });
        }
        let step = STEP[self.king.delta_to(checker) as usize];
        if step == 0 {
            return self.sink;
        }
        let mut between = self.king.step(step);
        while between != checker {
            if STAGE & QUIET != 0 {
                self.pieces_to(between, !Kind::Pawn.bit(), |generator, from, _| {
                    generator.sink.emit(Move::quiet(from, between));
                });
            }
            self.pawn_block(between);
            between = between.step(step);
        }
        self.sink
    }

    /// Calls `found` for each unpinned piece of one of `kinds`, except the king, that can move
    /// to `to`.
    #[inline(always)]
    fn pieces_to(
        &mut self,
        to: Square,
        kinds: u8,
        mut found: impl FnMut(&mut Self, Square, PieceByte),
    ) {
        let board = self.board;
        let reach = &REACH[self.us.index()];
        let list = &board.lists[self.us.index()];
        for (slot, &from) in list.iter().enumerate().skip(KING_SLOT + 1) {
            let piece = board.byte_on(from);
            if reach[from.delta_to(to) as usize] & piece.0 & kinds != 0
                && self.info.pinned >> slot & 1 == 0
                && (!piece.is_slider() || board.is_clear_between(from, to))
            {
                found(self, from, piece);
            }
        }
    }

    /// Emits the pawn pushes to the empty square `to`, which block the check.
    fn pawn_block(&mut self, to: Square) {
        let pawn = PieceByte::new(self.us, Kind::Pawn);
        let back = (!self.us).forward();
        let one = to.step(back);
        if !one.is_on_board() {
            return;
        }
        let is_unpinned =
            |from: Square| self.info.pinned >> self.board.slot_of(self.us, from) & 1 == 0;
        if self.board.byte_on(one) == pawn {
            if is_unpinned(one) {
                if to.relative_rank(self.us) == 7 {
                    emit_promotions::<STAGE>(&mut self.sink, one, to, false);
                } else if STAGE & QUIET != 0 {
                    self.sink.emit(Move::quiet(one, to));
                }
            }
        } else if STAGE & QUIET != 0
            && to.relative_rank(self.us) == 3
            && self.board.byte_on(one).is_empty()
        {
            let two = one.step(back);
            if self.board.byte_on(two) == pawn && is_unpinned(two) {
                self.sink.emit(Move::double_push(two, to));
            }
        }
    }
}
