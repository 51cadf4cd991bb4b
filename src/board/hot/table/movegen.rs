//! Generation of moves, strictly legal and in stages.
//!
//! What the king pass found makes legality cheap: a pinned piece keeps to its
//! line, the king steps only where its ring allows, and in check only captures
//! of the checker and squares between are looked at. En passant and castling
//! have tests of their own. The same code writes moves or just counts them.
//!
//! A copy of the squares behind a wall (`Walled`) spares all pieces the question
//! whether a step leaves the board.

use std::ops::Range;

use crate::board::color::Color;
use crate::board::difference::{REACH, STEP};
use crate::board::hot::rest::Rest;
use crate::board::king_pass::KingPass;
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::position::{Board, KING_SLOT, Wing};
use crate::board::sink::{
    ALL, BYTE_MOVES, ByteWriter, Counter, NOISY, QUIET, Sink, Writer, promotions,
};
use crate::board::square::{ALL_STEPS, Delta, Square};

use super::king;

/// Appends the legal moves of the stage to `list`. Nothing is left.
#[inline(never)]
pub(in crate::board::hot) fn generate<const STAGE: u8>(
    board: &Board,
    list: &mut MoveList,
) -> Option<Rest> {
    write::<STAGE>(board, Rest::all(board.king_pass_by(king::look)), list);
    None
}

/// Appends what is left of the stage to `list`.
#[inline(never)]
pub(in crate::board::hot) fn generate_rest<const STAGE: u8>(
    board: &Board,
    rest: Rest,
    list: &mut MoveList,
) {
    write::<STAGE>(board, rest, list);
}

/// [`generate_rest`], compiled anew for a rest that is known to be all.
#[inline(always)]
fn write<const STAGE: u8>(board: &Board, rest: Rest, list: &mut MoveList) {
    if let Some(writer) = ByteWriter::at_end_of(list) {
        let count = Generator::<STAGE, _>::new(board, writer, rest.pass).run(rest).count;
        if count <= BYTE_MOVES {
            list.len += count;
            return;
        }
    }
    write_many::<STAGE>(board, rest, list);
}

/// The same if there are more moves than in any game: a side with a dozen queens.
#[cold]
#[inline(never)]
fn write_many<const STAGE: u8>(board: &Board, rest: Rest, list: &mut MoveList) {
    list.len = Generator::<STAGE, _>::new(board, Writer::at_end_of(list), rest.pass).run(rest).len;
}

/// The number of legal moves. Nothing is left.
#[inline(never)]
pub(in crate::board::hot) fn count(board: &Board) -> Result<u64, Rest> {
    Ok(count_all(board, board.king_pass_by(king::look)))
}

/// The number of legal moves of a position with this king pass.
#[inline(always)]
pub(super) fn count_all(board: &Board, pass: KingPass) -> u64 {
    Generator::<ALL, _>::new(board, Counter(0), pass).run(Rest::all(pass)).0
}

/// The number of moves in what is left.
#[inline(never)]
pub(in crate::board::hot) fn count_rest(board: &Board, rest: Rest) -> u64 {
    Generator::<ALL, _>::new(board, Counter(0), rest.pass).run(rest).0
}

/// The board behind a wall: every square off the board holds a piece of the side
/// to move, of no kind. Nothing of that side goes there, so one look answers what would
/// otherwise be two questions.
pub(super) struct Walled([Piece; 256]);

impl Walled {
    /// The squares as `us` sees them.
    #[inline(always)]
    pub(super) fn new(squares: &[Piece; 128], us: Color) -> Walled {
        let mut walled = [Piece::wall(us); 256];
        for rank in 0..8 {
            let row = Square::new(0, rank).index();
            walled[row..row + 8].copy_from_slice(&squares[row..row + 8]);
        }
        Walled(walled)
    }

    /// What stands on `sq`, which may be off the board.
    #[inline(always)]
    pub(super) fn on(&self, sq: Square) -> Piece {
        self.0[sq.0 as usize]
    }
}

/// One run of the generator over a position. It owns the sink. The rarer parts take it
/// over in a generator of their own and hand it back: a sink behind a reference would be
/// kept in memory rather than in registers.
struct Generator<'a, const STAGE: u8, S> {
    board: &'a Board,
    sink: S,
    us: Color,
    king: Square,
    pass: KingPass,
}

impl<'a, const STAGE: u8, S: Sink> Generator<'a, STAGE, S> {
    /// A generator that knows the king pass of the position.
    #[inline(always)]
    fn new(board: &'a Board, sink: S, pass: KingPass) -> Self {
        Generator { board, sink, us: board.side, king: board.king(board.side), pass }
    }

    /// Runs with the side to move as a constant, which the compiler then builds
    /// into each step and rank. Returns the sink.
    #[inline(always)]
    fn run(self, rest: Rest) -> S {
        match self.us {
            Color::White => Generator { us: Color::White, ..self }.run_for_side(rest.first),
            Color::Black => Generator { us: Color::Black, ..self }.run_for_side(rest.first),
        }
    }

    /// Emits the moves of the pieces from slot `first` on, castling and en passant.
    #[inline(always)]
    fn run_for_side(mut self, first: usize) -> S {
        let board = self.board;
        if first == KING_SLOT {
            self.king_steps();
        }
        let checkers = self.pass.checkers;
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
            self.sink = board.en_passant(self.sink);
        }
        self.sink
    }

    /// Emits the move to `to`, where `target` stands, if the stage asks for it and
    /// it is `possible`: a capture if an enemy stands there, else a quiet move.
    #[inline(always)]
    fn quiet_or_capture(&mut self, possible: bool, from: Square, to: Square, target: Piece) {
        let captures = !target.is_empty();
        let asked = if captures { STAGE & NOISY } else { STAGE & QUIET } != 0;
        self.sink.emit_if(possible & asked, Move::ordinary(from, to, captures));
    }

    #[inline(always)]
    fn king_steps(&mut self) {
        let mut ring = self.pass.ring;
        while ring != 0 {
            let to = self.king.step(ALL_STEPS[ring.trailing_zeros() as usize & 7]);
            self.quiet_or_capture(true, self.king, to, self.board.piece_on(to));
            ring &= ring - 1;
        }
    }

    /// All pieces of these slots, with no check to answer.
    #[inline(always)]
    fn pieces_in(mut self, slots: Range<usize>) -> S {
        let squares = Walled::new(&self.board.squares, self.us);
        let list = &self.board.lists[self.us.index()];
        let pinned = self.pass.pinned;
        for (slot, from) in slots.map(|slot| (slot, list[slot % MAX_PIECES])) {
            let piece = squares.on(from);
            if pinned >> slot & 1 != 0 {
                self.sink = Generator { ..self }.pinned_piece(&squares, from, piece);
            } else if piece.is_kind(Kind::Pawn) {
                self.pawn(&squares, from);
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

    /// A piece that shields the king moves along the line through it, if it can.
    #[inline(never)]
    fn pinned_piece(mut self, squares: &Walled, from: Square, piece: Piece) -> S {
        let line = STEP[self.king.delta_to(from) as usize];
        let back = line.wrapping_neg();
        if piece.is_kind(Kind::Pawn) {
            let forward = self.us.forward();
            if forward == line || forward == back {
                self.pawn_pushes(squares, from);
            }
            for step in self.us.captures() {
                if step == line || step == back {
                    self.pawn_capture(squares, from, step);
                }
            }
        } else if REACH[self.us.index()][line as usize] & piece.0 & Piece::SLIDERS != 0 {
            self.rays(squares, from, &[line, back]);
        }
        self.sink
    }

    #[inline(always)]
    fn rays(&mut self, squares: &Walled, from: Square, steps: &[Delta]) {
        for &step in steps {
            let mut to = from.step(step);
            let mut mv = Move::quiet(from, to);
            while squares.on(to).is_empty() {
                if STAGE & QUIET != 0 {
                    self.sink.emit(mv);
                }
                to = to.step(step);
                mv = mv.further(step);
            }
            if STAGE & NOISY != 0 {
                self.sink.emit_if(squares.on(to).is_color(!self.us), mv.capturing());
            }
        }
    }

    #[inline(always)]
    fn knight(&mut self, squares: &Walled, from: Square) {
        for &jump in Kind::Knight.steps() {
            let to = from.step(jump);
            let target = squares.on(to);
            self.quiet_or_capture(!target.is_color(self.us), from, to, target);
        }
    }

    #[inline(always)]
    fn pawn(&mut self, squares: &Walled, from: Square) {
        self.pawn_pushes(squares, from);
        for step in self.us.captures() {
            self.pawn_capture(squares, from, step);
        }
    }

    /// The push of the pawn on `from`, and the second step, where they are free.
    #[inline(always)]
    fn pawn_pushes(&mut self, squares: &Walled, from: Square) {
        let ahead = from.step(self.us.forward());
        let second = ahead.step(self.us.forward());
        let is_free = squares.on(ahead).is_empty();
        if self.is_promoting(from) {
            if is_free {
                self.promotions(from, ahead, false);
            }
        } else if STAGE & QUIET != 0 {
            self.sink.emit_if(is_free, Move::quiet(from, ahead));
            let is_first = from.rank_for(self.us) == 1;
            let may_double = is_free & is_first & squares.on(second).is_empty();
            self.sink.emit_if(may_double, Move::double_push(from, second));
        }
    }

    /// Whether the next step of the pawn on `from` promotes it.
    #[inline(always)]
    fn is_promoting(&self, from: Square) -> bool {
        from.rank_for(self.us) == 6
    }

    /// The capture of the pawn on `from` by that step, if an enemy stands there.
    #[inline(always)]
    fn pawn_capture(&mut self, squares: &Walled, from: Square, step: Delta) {
        let to = from.step(step);
        let captures = squares.on(to).is_color(!self.us);
        if self.is_promoting(from) {
            if captures {
                self.promotions(from, to, true);
            }
        } else if STAGE & NOISY != 0 {
            self.sink.emit_if(captures, Move::capture(from, to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, from: Square, to: Square, captures: bool) {
        promotions::<STAGE>(&mut self.sink, from, to, captures);
    }

    #[inline(never)]
    fn castling(mut self) -> S {
        for wing in Wing::ALL {
            if self.board.can_castle(wing, self.pass) {
                self.sink.emit(Move::castling(self.king, self.board.castling_rook(self.us, wing)));
            }
        }
        self.sink
    }

    /// Answers to a single check, the king's own steps aside: capture the
    /// checker, or stand between. Which of our pieces can do so is asked of the
    /// difference table, target by target. Pinned pieces never can.
    #[inline(never)]
    fn evasions(mut self, checker: Square) -> S {
        // A pawn that captures the checker may promote to a lesser piece: a quiet move.
        let takers = if STAGE & NOISY != 0 { Piece::KINDS } else { Kind::Pawn.bit() };
        if STAGE & NOISY != 0 || checker.rank_for(self.us) == 7 {
            self.pieces_to(checker, takers, |generator, from, piece| {
                if piece.is_kind(Kind::Pawn) && checker.rank_for(generator.us) == 7 {
                    generator.promotions(from, checker, true);
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

    /// Calls `found` for each unpinned piece but the king, of one of `kinds`,
    /// that can move to `to`.
    #[inline(always)]
    fn pieces_to(
        &mut self,
        to: Square,
        kinds: u8,
        mut found: impl FnMut(&mut Self, Square, Piece),
    ) {
        let board = self.board;
        let reach = &REACH[self.us.index()];
        let list = &board.lists[self.us.index()];
        for (slot, &from) in list.iter().enumerate().skip(KING_SLOT + 1) {
            let piece = board.piece_on(from);
            if reach[from.delta_to(to) as usize] & piece.0 & kinds != 0
                && self.pass.pinned >> slot & 1 == 0
                && (!piece.is_slider() || board.is_clear_between(from, to))
            {
                found(self, from, piece);
            }
        }
    }

    /// Pawn pushes to the empty square `to`, which shield the king.
    fn pawn_block(&mut self, to: Square) {
        let pawn = Piece::new(self.us, Kind::Pawn);
        let back = (!self.us).forward();
        let one = to.step(back);
        if !one.is_on_board() {
            return;
        }
        let is_free = |from: Square| self.pass.pinned >> self.board.slot_of(self.us, from) & 1 == 0;
        if self.board.piece_on(one) == pawn {
            if is_free(one) {
                if to.rank_for(self.us) == 7 {
                    self.promotions(one, to, false);
                } else if STAGE & QUIET != 0 {
                    self.sink.emit(Move::quiet(one, to));
                }
            }
        } else if STAGE & QUIET != 0
            && to.rank_for(self.us) == 3
            && self.board.piece_on(one).is_empty()
        {
            let two = one.step(back);
            if self.board.piece_on(two) == pawn && is_free(two) {
                self.sink.emit(Move::double_push(two, to));
            }
        }
    }
}
