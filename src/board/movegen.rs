//! Generation of moves, strictly legal and in stages.
//!
//! What the king pass found makes legality cheap: a pinned piece keeps to its
//! line, the king steps only where its ring allows, and in check only captures
//! of the checker and squares between are looked at. En passant and castling
//! have tests of their own. The same code writes moves or just counts them.
//!
//! A copy of the squares behind a wall ([`Walled`]) spares all pieces the question
//! whether a step leaves the board.

use std::ops::Range;

use super::attacks::{KingPass, REACH, STEP};
use super::moves::{Move, MoveList};
use super::piece::{Color, Kind, Piece};
use super::square::{ALL_STEPS, DIAGONALS, Delta, EAST, KNIGHT_JUMPS, ORTHOGONALS, Square, WEST};
use super::{Board, KING_SLOT, MAX_PIECES, NoObserver, Wing, simd};

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Captures and promotions to a queen; see [`Move::is_noisy`].
    Noisy,
    /// All other moves.
    Quiet,
    /// Every legal move.
    All,
}

/// The stages as bits, for use in const generics.
pub(super) const NOISY: u8 = 1;
pub(super) const QUIET: u8 = 2;
pub(super) const ALL: u8 = NOISY | QUIET;

/// Where generated moves go.
pub(super) trait Sink {
    /// Takes the move if it is `wanted`. There is no branch: most of the questions
    /// asked of a board have answers that nobody foresees.
    fn emit_if(&mut self, wanted: bool, mv: Move);

    /// Takes the move.
    #[inline(always)]
    fn emit(&mut self, mv: Move) {
        self.emit_if(true, mv);
    }
}

/// Writes moves into a list. It owns its cursor while it writes, so that the
/// compiler keeps it in a register. (`simd/unit.rs` teaches it to write many at
/// once.)
pub(super) struct Writer<'a> {
    pub(super) moves: &'a mut [Move; MoveList::CAPACITY + MoveList::SLACK],
    pub(super) len: usize,
}

impl<'a> Writer<'a> {
    /// Appends to `list`, whose length is to be set to `len` at the end.
    #[inline(always)]
    pub(super) fn at_end_of(list: &'a mut MoveList) -> Self {
        Writer { len: list.len, moves: &mut list.moves }
    }
}

impl Sink for Writer<'_> {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, mv: Move) {
        self.moves[self.len % MoveList::CAPACITY] = mv;
        self.len += usize::from(wanted);
    }
}

/// Counts moves.
pub(super) struct Counter(pub(super) u64);

impl Sink for Counter {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, _: Move) {
        self.0 += u64::from(wanted);
    }
}

impl Board {
    /// Appends the legal moves of that stage to `list`.
    pub fn generate(&self, stage: Stage, list: &mut MoveList) {
        match stage {
            Stage::Noisy => simd::generate::<NOISY>(self, list),
            Stage::Quiet => simd::generate::<QUIET>(self, list),
            Stage::All => simd::generate::<ALL>(self, list),
        }
        debug_assert!(list.len <= MoveList::CAPACITY);
    }

    /// All legal moves.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Stage::All, &mut list);
        list
    }

    /// The number of legal moves, without writing them.
    #[must_use]
    pub fn count_legal(&self) -> u64 {
        simd::count(self)
    }

    /// The number of legal sequences of two moves, without writing the second.
    #[must_use]
    pub fn count_replies(&self) -> u64 {
        simd::count_replies(self)
    }

    /// [`Board::count_replies`] in plain Rust.
    pub(super) fn count_replies_portably(&self) -> u64 {
        let mut child = self.clone();
        let mut replies = 0;
        for &mv in self.legal_moves().iter() {
            self.make_portably(mv, &mut NoObserver, &mut child);
            self.check_made(mv, &child);
            replies += child.count_portably();
        }
        replies
    }

    /// [`Board::count_legal`] in plain Rust.
    #[inline(never)]
    pub(super) fn count_portably(&self) -> u64 {
        Generator::<ALL, _>::with_pass(self, Counter(0), self.pass()).run().0
    }

    /// Whether there is a legal move at all.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        self.pass().ring != 0 || self.count_legal() != 0
    }

    /// [`Board::generate`] in plain Rust.
    #[inline(never)]
    pub(super) fn generate_portably<const STAGE: u8>(&self, list: &mut MoveList) {
        let writer = Writer::at_end_of(list);
        list.len = Generator::<STAGE, _>::with_pass(self, writer, self.pass()).run().len;
    }

    /// Whether the side to move may castle on that wing now.
    pub(super) fn can_castle(&self, wing: Wing) -> bool {
        if self.in_check() {
            return false;
        }
        let king = self.king(self.side);
        let is_safe = |sq: Square| match ring_bit(king.delta_to(sq)) {
            // Of the squares next to the king the pass has told.
            Some(_) if self.piece_on(sq).is_empty() => true,
            _ => !self.is_attacked(sq, !self.side),
        };
        self.castling_goal(wing, self.pass()).is_some_and(|king_to| on_way(king, king_to, is_safe))
    }

    /// Where the king of the side to move goes if he castles on that wing: if he
    /// has the right to, the squares needed are free, no pin is in the way, and
    /// the `pass` does not tell that his first step leads into an attack. He must
    /// not be in check; the other squares on his way may be attacked.
    #[inline]
    pub(super) fn castling_goal(&self, wing: Wing, pass: KingPass) -> Option<Square> {
        let us = self.side;
        let rook = self.castling_rook(us, wing);
        if !rook.is_on_board() {
            return None;
        }
        let king = self.king(us);
        let king_to = Square::new(wing.king_file(), king.rank());
        let rook_to = Square::new(wing.rook_file(), king.rank());
        let first = king.step(if king_to > king { EAST } else { WEST });
        let is_told = king != king_to && first != rook;
        if is_told && ring_bit(king.delta_to(first)).is_some_and(|bit| pass.ring & bit == 0) {
            return None;
        }
        let is_free = |sq: Square| sq == king || sq == rook || self.piece_on(sq).is_empty();
        let may = on_way(king, king_to, is_free)
            && on_way(rook, rook_to, is_free)
            // A rook that shields its king on the back rank (Chess960) must stay.
            && (pass.pinned == 0 || pass.pinned >> self.slot_of(us, rook) & 1 == 0);
        may.then_some(king_to)
    }
}

/// The bit of the king's ring that belongs to a step along his rank.
#[inline]
const fn ring_bit(step: Delta) -> Option<u8> {
    const EAST_BIT: u8 = bit_of(EAST);
    const WEST_BIT: u8 = bit_of(WEST);
    match step {
        EAST => Some(EAST_BIT),
        WEST => Some(WEST_BIT),
        _ => None,
    }
}

const fn bit_of(step: Delta) -> u8 {
    let mut i = 0;
    while ALL_STEPS[i] != step {
        i += 1;
    }
    1 << i
}

/// Whether it `holds` for all squares from `from` (excluded) to `to` (included),
/// which share a rank.
#[inline]
fn on_way(from: Square, to: Square, holds: impl Fn(Square) -> bool) -> bool {
    let step = if to > from { EAST } else { WEST };
    let mut sq = from;
    while sq != to {
        sq = sq.step(step);
        if !holds(sq) {
            return false;
        }
    }
    true
}

/// Emits what the stage wants of the promotions from `from` to `to`.
pub(super) fn promotions<const STAGE: u8>(
    sink: &mut impl Sink,
    from: Square,
    to: Square,
    captures: bool,
) {
    if STAGE & NOISY != 0 {
        sink.emit(Move::promotion(from, to, Kind::Queen, captures));
    }
    if STAGE & QUIET != 0 {
        for kind in [Kind::Knight, Kind::Rook, Kind::Bishop] {
            sink.emit(Move::promotion(from, to, kind, captures));
        }
    }
}

/// The board behind a wall: every square off the board holds a piece of the side
/// to move, of no kind. Nothing of that side goes there, so one look answers what
/// would else be two questions.
struct Walled([Piece; 256]);

impl Walled {
    /// The squares as `us` sees them.
    #[inline(always)]
    fn new(squares: &[Piece; 128], us: Color) -> Walled {
        let mut walled = [Piece::wall(us); 256];
        for rank in 0..8 {
            let row = Square::new(0, rank).index();
            walled[row..row + 8].copy_from_slice(&squares[row..row + 8]);
        }
        Walled(walled)
    }

    /// What stands on `sq`, which may be off the board.
    #[inline(always)]
    fn on(&self, sq: Square) -> Piece {
        self.0[sq.0 as usize]
    }
}

/// One run of the generator over a position. It owns the sink; a rarer part gets
/// it with a generator of its own and returns it, for a sink that others point to
/// would be kept in memory.
pub(super) struct Generator<'a, const STAGE: u8, S> {
    board: &'a Board,
    sink: S,
    us: Color,
    king: Square,
    pass: KingPass,
}

impl<'a, const STAGE: u8, S: Sink> Generator<'a, STAGE, S> {
    /// A generator that knows the king pass of the position.
    #[inline(always)]
    pub(super) fn with_pass(board: &'a Board, sink: S, pass: KingPass) -> Self {
        Generator { board, sink, us: board.side, king: board.king(board.side), pass }
    }

    /// Runs with the side to move as a constant, which the compiler then builds
    /// into each step and rank. Returns the sink.
    #[inline(always)]
    pub(super) fn run(self) -> S {
        match self.us {
            Color::White => Generator { us: Color::White, ..self }.run_for_side(),
            Color::Black => Generator { us: Color::Black, ..self }.run_for_side(),
        }
    }

    #[inline(always)]
    fn run_for_side(mut self) -> S {
        let board = self.board;
        self.king_steps();
        let checkers = self.pass.checkers;
        if checkers == 0 {
            self.sink = Generator { ..self }.pieces_in(KING_SLOT + 1..MAX_PIECES);
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
            self.sink = Generator { ..self }.en_passant();
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
    pub(super) fn pieces_in(mut self, slots: Range<usize>) -> S {
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
                self.rays(&squares, from, &DIAGONALS);
            } else if piece.is_kind(Kind::Rook) {
                self.rays(&squares, from, &ORTHOGONALS);
            } else if piece.is_kind(Kind::Queen) {
                self.rays(&squares, from, &ALL_STEPS);
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
            for side in [WEST, EAST] {
                let step = forward.wrapping_add(side);
                if step == line || step == back {
                    self.pawn_capture(squares, from, side);
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
        for jump in KNIGHT_JUMPS {
            let to = from.step(jump);
            let target = squares.on(to);
            self.quiet_or_capture(!target.is_color(self.us), from, to, target);
        }
    }

    #[inline(always)]
    fn pawn(&mut self, squares: &Walled, from: Square) {
        self.pawn_pushes(squares, from);
        for side in [WEST, EAST] {
            self.pawn_capture(squares, from, side);
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

    /// The capture of the pawn on `from` on that side, if an enemy stands there.
    #[inline(always)]
    fn pawn_capture(&mut self, squares: &Walled, from: Square, side: Delta) {
        let to = from.step(self.us.forward()).step(side);
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
    pub(super) fn en_passant(mut self) -> S {
        let ep = self.board.ep;
        for from in self.board.en_passant_origins(ep) {
            if self.board.piece_on(from) == Piece::new(self.us, Kind::Pawn)
                && self.board.is_en_passant_safe(from, ep)
            {
                self.sink.emit(Move::en_passant(from, ep));
            }
        }
        self.sink
    }

    #[inline(never)]
    fn castling(mut self) -> S {
        for wing in Wing::ALL {
            if self.board.can_castle(wing) {
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
