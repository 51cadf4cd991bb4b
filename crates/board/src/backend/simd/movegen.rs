//! Move generation on lanes (see `geometry.rs`): the moves of a piece are a set of lanes around
//! it, written or counted at once.
//!
//! The moves come in the same order as from the portable backend, which handles the rare cases:
//! if `generate` returns `Some(slot)`, that backend must generate the moves of this slot and of
//! all later ones.

use crate::backend::portable::count_all;
use crate::difference::STEP;
use crate::make::ORDINARY;
use crate::position::KING_SLOT;
use crate::sink::{ALL, Counter, NOISY, QUIET, Sink, Writer};
use crate::{
    Board, CastlingSide, CheckInfo, Color, Kind, MAX_PIECES, Move, MoveList, PieceByte, Square,
};

use super::check_info::{compute_from_view, is_attacked};
use super::geometry::{ATTACKS, JUMPS, LANE_AT, LANES_PER_SLOT, PAWN_STEPS, RAY_ALONG, reach};
use super::make::make;
use super::vector_backend::{BISHOP, KNIGHT, PIECES, PawnView, QUEEN, ROOK, VectorBackend};
use super::view::View;

/// The pawns' lanes that hold a single step.
const PUSHES: u64 = 0x1111_1111_1111_1111;
/// The pawns' lanes that hold a capture.
const CAPTURES: u64 = PUSHES << 2 | PUSHES << 3;
/// The lanes of the first slot.
const SLOT: u64 = 0xf;

/// `[color][delta from king to pawn]`: the lanes on which a pinned pawn stays on its line with
/// the king, for a pawn in the first slot.
static PINNED_PAWN: [[u8; 256]; 2] = const_array!(2, |color| const_array!(256, |delta| {
    let line = STEP[delta];
    const_mask!(LANES_PER_SLOT, |lane| {
        let along = STEP[PAWN_STEPS[color][lane] as usize];
        along == line || along == line.wrapping_neg()
    })
}));

#[inline(always)]
pub(super) fn generate<const STAGE: u8, B: VectorBackend>(
    backend: B,
    board: &Board,
    list: &mut MoveList,
) -> Option<usize> {
    let (writer, deferred) = run::<STAGE, B, _>(backend, board, Writer::at_end_of(list));
    list.len = writer.len;
    deferred
}

/// The number of legal moves; `None` in rare cases, which are left to the portable backend.
#[inline(always)]
pub(super) fn count<B: VectorBackend>(backend: B, board: &Board) -> Option<u64> {
    let (counter, deferred) = run::<ALL, B, _>(backend, board, Counter(0));
    if deferred.is_none() { Some(counter.0) } else { None }
}

/// The number of replies to all `moves`, in one function so that the vector constants are loaded
/// only once. The [rare](Board::is_rare) moves are left to [`Board::make`].
#[inline(always)]
pub(super) fn count_replies<B: VectorBackend>(backend: B, board: &Board, moves: &[Move]) -> u64 {
    let mut replies = 0;
    for &mv in moves {
        let is_rare = cfg!(debug_assertions) || board.is_rare(mv);
        let child = if is_rare { board.make(mv) } else { make::<ORDINARY, B>(backend, board, mv) };
        replies += match count(backend, &child) {
            Some(count) => count,
            None => count_all(&child),
        };
    }
    replies
}

#[inline(always)]
fn run<const STAGE: u8, B: VectorBackend, S: Sink>(
    backend: B,
    board: &Board,
    sink: S,
) -> (S, Option<usize>) {
    // With the side as a constant, the compiler specialises all masks and steps.
    match board.side {
        Color::White => Run::new(backend, board, Color::White).run::<STAGE, S>(sink),
        Color::Black => Run::new(backend, board, Color::Black).run::<STAGE, S>(sink),
    }
}

/// The arguments that all parts of a run over one position share.
struct Run<'a, B: VectorBackend> {
    backend: B,
    board: &'a Board,
    us: Color,
    king: Square,
    squares: B::Squares,
}

impl<'a, B: VectorBackend> Run<'a, B> {
    #[inline(always)]
    fn new(backend: B, board: &'a Board, us: Color) -> Self {
        Run { backend, board, us, king: board.king(us), squares: backend.load(&board.squares) }
    }

    /// All moves of the stage. Returns the sink, and the first slot left out.
    #[inline(always)]
    fn run<const STAGE: u8, S: Sink>(&self, mut sink: S) -> (S, Option<usize>) {
        let Run { backend, board, us, king, .. } = *self;
        let is_counting = sink.room().is_none();
        let around = backend.view(&self.squares, king);
        let cached = board.check_info.get();
        let info = match cached {
            Some(info) => info,
            None => compute_from_view(backend, board, us, &self.squares, &around),
        };
        // After counting, the check info is needed again only if something is left out.
        if cached.is_none() && (!is_counting || info.checkers != 0) {
            board.check_info.set(info);
        }
        if info.checkers != 0 {
            return (sink, Some(KING_SLOT));
        }
        let enemies = backend.ray_starts(backend.of(&around, !us));
        let (quiets, captures) = of_stage::<STAGE>(info.king_moves.into(), enemies.into());
        if let Some(room) = sink.room() {
            backend.write_king(king, quiets as u8, captures as u8, room);
        }
        sink.advance((quiets | captures).count_ones());

        let list = &board.lists[us.index()];
        let listed = backend.listed(&self.squares, list);
        let pawns = backend.slots_with(listed, Kind::Pawn.bit());
        let pieces = backend.slots_with(listed, PIECES);
        // Promoted pieces, which are behind the first pawn in the list. If the order matters,
        // their moves must come after the pawn's.
        let first_pawn = pawns & pawns.wrapping_neg();
        let late = if is_counting { 0 } else { pieces & !first_pawn.wrapping_sub(1) };
        self.pieces::<STAGE, S>(pieces & !late, info.pinned, &mut sink);
        for batch in 0..B::PAWN_BATCHES {
            let start = batch * B::SLOTS_PER_BATCH;
            let mask = u16::MAX >> (MAX_PIECES - B::SLOTS_PER_BATCH) << start;
            if (pawns | late) & mask == 0 {
                continue;
            }
            let view = backend.pawn_view(&self.squares, list, listed, us, batch);
            let lanes = self.pawn_lanes(&view, start, info.pinned & pawns & mask);
            let promotions = lanes & view.last_rank;
            if !is_counting && (late & mask != 0 || promotions != 0) {
                return (sink, Some(start.max(pawns.trailing_zeros() as usize)));
            }
            let (quiets, captures) = of_stage::<STAGE>(lanes, CAPTURES);
            if let Some(room) = sink.room() {
                backend.write_pawns(&view, quiets | captures, room);
            }
            // Each promotion is to four kinds.
            sink.advance((quiets | captures).count_ones() + 3 * promotions.count_ones());
        }

        if STAGE & QUIET != 0 && board.has_castling_right(us) {
            self.castling(info, &around, &mut sink);
        }
        if STAGE & NOISY != 0 && board.ep != Square::NONE {
            sink = board.generate_en_passant(sink);
        }
        (sink, None)
    }

    #[inline(always)]
    fn pieces<const STAGE: u8, S: Sink>(&self, mut slots: u16, pinned: u16, sink: &mut S) {
        let Run { board, us, .. } = *self;
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize % MAX_PIECES;
            let from = board.lists[us.index()][slot];
            let is_pinned = pinned >> slot & 1 != 0;
            if B::SPLIT_BY_KIND {
                match board.byte_on(from).0 & PieceByte::KINDS {
                    KNIGHT => self.piece::<STAGE, KNIGHT, S>(from, is_pinned, sink),
                    BISHOP => self.piece::<STAGE, BISHOP, S>(from, is_pinned, sink),
                    ROOK => self.piece::<STAGE, ROOK, S>(from, is_pinned, sink),
                    _ => self.piece::<STAGE, QUEEN, S>(from, is_pinned, sink),
                }
            } else {
                self.piece::<STAGE, PIECES, S>(from, is_pinned, sink);
            }
            slots &= slots - 1;
        }
    }

    #[inline(always)]
    fn piece<const STAGE: u8, const KINDS: u8, S: Sink>(
        &self,
        from: Square,
        is_pinned: bool,
        sink: &mut S,
    ) {
        let Run { backend, board, us, king, .. } = *self;
        let view = backend.view_for::<KINDS>(&self.squares, from);
        let enemies = backend.of(&view, !us);
        let mut lanes = backend.open(&view, us);
        if KINDS == KNIGHT {
            if is_pinned {
                return; // A pinned knight cannot stay on its line.
            }
        } else {
            let kind =
                if KINDS == PIECES { board.byte_on(from).0 & PieceByte::KINDS } else { KINDS };
            lanes &= reach(view.occupied) | JUMPS;
            lanes &= ATTACKS[us.index()][usize::from(kind)];
        }
        if is_pinned {
            // It stays on its line: first the moves away from the king, then those towards it.
            let away = lanes & RAY_ALONG[king.delta_to(from) as usize];
            self.write::<STAGE, KINDS, S>(from, away, enemies, sink);
            lanes &= RAY_ALONG[from.delta_to(king) as usize];
        }
        self.write::<STAGE, KINDS, S>(from, lanes, enemies, sink);
    }

    #[inline(always)]
    fn write<const STAGE: u8, const KINDS: u8, S: Sink>(
        &self,
        from: Square,
        lanes: u64,
        enemies: u64,
        sink: &mut S,
    ) {
        let (quiets, captures) = of_stage::<STAGE>(lanes, enemies);
        if let Some(room) = sink.room() {
            self.backend.write::<STAGE, KINDS>(from, quiets, captures, room);
        }
        sink.advance((quiets | captures).count_ones());
    }

    /// The lanes of the pawns' moves, promotions included. The view starts with slot `start`.
    #[inline(always)]
    fn pawn_lanes(&self, view: &PawnView<B::PawnLanes>, start: usize, mut pinned: u16) -> u64 {
        let Run { board, us, .. } = *self;
        let push = view.pawns & view.empty & PUSHES;
        let double = push << 1 & view.empty & view.fourth_rank;
        let captures = view.pawns & view.enemies & CAPTURES;
        let mut moves = push | double | captures;
        while pinned != 0 {
            let slot = pinned.trailing_zeros() as usize % MAX_PIECES;
            let from = board.lists[us.index()][slot];
            let first_lane = (slot - start) * LANES_PER_SLOT;
            let kept = u64::from(PINNED_PAWN[us.index()][self.king.delta_to(from) as usize]);
            moves &= kept << first_lane | !(SLOT << first_lane);
            pinned &= pinned - 1;
        }
        moves
    }

    /// Castling, for a king that is not in check; `around` is the view around it.
    #[inline(always)]
    fn castling<S: Sink>(&self, info: CheckInfo, around: &View<B::Lanes>, sink: &mut S) {
        let Run { board, us, king, .. } = *self;
        let seen = reach(around.occupied);
        for side in CastlingSide::ALL {
            let rook = board.castling_rook_or_none(us, side);
            // All squares between king and rook must be empty: this rules out most rooks early.
            if seen & LANE_AT[king.delta_to(rook) as usize] != 0
                && let Some(king_to) = board.castling_target(side, info)
                && self.is_path_safe(king_to)
            {
                sink.emit(Move::castling(king, rook));
            }
        }
    }

    /// Whether no enemy attacks the squares from the king (excluded) to `king_to`
    /// (included), which share a rank.
    #[inline(always)]
    fn is_path_safe(&self, king_to: Square) -> bool {
        let Run { backend, us, king, .. } = *self;
        let step = STEP[king.delta_to(king_to) as usize];
        let mut sq = king;
        while sq != king_to {
            sq = sq.step(step);
            if is_attacked(backend, &backend.view(&self.squares, sq), 0, !us) {
                return false;
            }
        }
        true
    }
}

/// The quiet moves to `lanes` and the captures of `enemies` there, if they are of the stage.
#[inline(always)]
fn of_stage<const STAGE: u8>(lanes: u64, enemies: u64) -> (u64, u64) {
    let quiets = if STAGE & QUIET != 0 { lanes & !enemies } else { 0 };
    let captures = if STAGE & NOISY != 0 { lanes & enemies } else { 0 };
    (quiets, captures)
}
