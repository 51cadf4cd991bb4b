//! Generation of moves on lanes: the moves of a piece are a set of lanes around it,
//! and are written or counted as a set. They come in the order in which the table
//! generates them; what is rare is left to it as a `Rest`.

use crate::board::color::Color;
use crate::board::difference::STEP;
use crate::board::hot::rest::Rest;
use crate::board::king_pass::{KingPass, Seen};
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::position::{Board, Wing};
use crate::board::sink::{ALL, Counter, NOISY, QUIET, Sink, Writer};
use crate::board::square::Square;

use super::geometry::{GEOMETRY, JUMPS, LANES_PER_SLOT, PAWN_STEPS, reach};
use super::king;
use super::unit::{BISHOP, KNIGHT, OFFICERS, QUEEN, ROOK, Unit};

/// The pawns' lanes that hold a single step.
const PUSHES: u64 = 0x1111_1111_1111_1111;
/// Those that hold a capture.
const CAPTURES: u64 = PUSHES << 2 | PUSHES << 3;
/// The lanes of the first slot.
const SLOT: u64 = 0xf;

/// `[color][king to pawn]`: the lanes of the first slot on which a pawn stays on its
/// line with the king.
static KEPT: [[u8; 256]; 2] = [kept(Color::White), kept(Color::Black)];

const fn kept(color: Color) -> [u8; 256] {
    let mut lanes = [0; 256];
    let mut delta = 0;
    while delta < 256 {
        let line = STEP[delta];
        let mut lane = 0;
        while lane < LANES_PER_SLOT {
            let along = STEP[PAWN_STEPS[color as usize][lane] as usize];
            if along == line || along == line.wrapping_neg() {
                lanes[delta] |= 1 << lane;
            }
            lane += 1;
        }
        delta += 1;
    }
    lanes
}

/// Where sets of moves go: written or counted.
trait LaneSink<U: Unit>: Sink {
    /// Whether moves are only counted.
    const COUNTS: bool;

    /// Moves of an officer that is of one of the `KINDS`.
    fn moves<const STAGE: u8, const KINDS: u8>(
        &mut self,
        unit: U,
        view: &U::View,
        from: Square,
        quiets: u64,
        captures: u64,
    );
    /// Steps of the king, numbered as in [`KingPass::ring`].
    fn steps(&mut self, unit: U, view: &U::View, king: Square, quiets: u8, captures: u8);
    /// Moves of pawns, none of them a promotion.
    fn pawns(&mut self, unit: U, view: &U::PawnView, lanes: u64);
}

impl<U: Unit> LaneSink<U> for Writer<'_> {
    const COUNTS: bool = false;

    #[inline(always)]
    fn moves<const STAGE: u8, const KINDS: u8>(
        &mut self,
        unit: U,
        view: &U::View,
        from: Square,
        quiets: u64,
        captures: u64,
    ) {
        if STAGE == NOISY {
            unit.write_captures::<KINDS>(view, from, captures, self);
        } else {
            unit.write::<KINDS>(view, from, quiets, captures, self);
        }
    }

    #[inline(always)]
    fn steps(&mut self, unit: U, view: &U::View, king: Square, quiets: u8, captures: u8) {
        unit.write_steps(view, king, quiets, captures, self);
    }

    #[inline(always)]
    fn pawns(&mut self, unit: U, view: &U::PawnView, lanes: u64) {
        unit.write_pawns(view, lanes, self);
    }
}

impl<U: Unit> LaneSink<U> for Counter {
    const COUNTS: bool = true;

    #[inline(always)]
    fn moves<const STAGE: u8, const KINDS: u8>(
        &mut self,
        _: U,
        _: &U::View,
        _: Square,
        quiets: u64,
        captures: u64,
    ) {
        self.0 += u64::from((quiets | captures).count_ones());
    }

    #[inline(always)]
    fn steps(&mut self, _: U, _: &U::View, _: Square, quiets: u8, captures: u8) {
        self.0 += u64::from((quiets | captures).count_ones());
    }

    #[inline(always)]
    fn pawns(&mut self, _: U, _: &U::PawnView, lanes: u64) {
        self.0 += u64::from(lanes.count_ones());
    }
}

/// Appends the legal moves of the stage to `list`, and returns what is left of them.
#[inline(always)]
pub(super) fn generate<const STAGE: u8, U: Unit>(
    unit: U,
    board: &Board,
    list: &mut MoveList,
) -> Option<Rest> {
    let (writer, rest) = run::<STAGE, U, _>(unit, board, Writer::at_end_of(list));
    list.len = writer.len;
    rest
}

/// The number of legal moves.
///
/// # Errors
/// All of them are left.
#[inline(always)]
pub(super) fn count<U: Unit>(unit: U, board: &Board) -> Result<u64, Rest> {
    let (counter, rest) = run::<ALL, U, _>(unit, board, Counter(0));
    rest.map_or(Ok(counter.0), Err)
}

#[inline(always)]
fn run<const STAGE: u8, U: Unit, S: LaneSink<U>>(
    unit: U,
    board: &Board,
    sink: S,
) -> (S, Option<Rest>) {
    // With the side as a constant the compiler builds it into each mask and step.
    match board.side {
        Color::White => Run::new(unit, board, Color::White).run::<STAGE, S>(sink),
        Color::Black => Run::new(unit, board, Color::Black).run::<STAGE, S>(sink),
    }
}

/// One run over a position: what all its parts need to know.
struct Run<'a, U: Unit> {
    unit: U,
    board: &'a Board,
    us: Color,
    king: Square,
    squares: U::Squares,
}

impl<'a, U: Unit> Run<'a, U> {
    #[inline(always)]
    fn new(unit: U, board: &'a Board, us: Color) -> Self {
        Run { unit, board, us, king: board.king(us), squares: unit.load(&board.squares) }
    }

    /// All moves of the stage. Returns the sink, and what is left.
    #[inline(always)]
    fn run<const STAGE: u8, S: LaneSink<U>>(&self, mut sink: S) -> (S, Option<Rest>) {
        let Run { unit, board, us, king, .. } = *self;
        let around = unit.view(&self.squares, king);
        let pass = match board.seen.get().pass() {
            Some(pass) => pass,
            None => {
                let pass = king::look_from(unit, board, us, &self.squares, &around);
                // A generator that only counts is not asked again.
                if !S::COUNTS {
                    board.seen.set(Seen::all(pass));
                }
                pass
            }
        };
        if pass.checkers != 0 {
            return (sink, Some(Rest::all(pass)));
        }
        let enemies = unit.ring(unit.of(&around, !us));
        let (quiets, captures) = asked::<STAGE>(pass.ring.into(), enemies.into());
        sink.steps(unit, &around, king, quiets as u8, captures as u8);

        let men = unit.men(&self.squares, &board.lists[us.index()]);
        let pawns = unit.slots_with(men, Kind::Pawn.bit());
        let officers = unit.slots_with(men, OFFICERS);
        // Officers whose turn comes after the first pawn's, if turns matter: promoted
        // pieces.
        let first_pawn = pawns & pawns.wrapping_neg();
        let late = if S::COUNTS { 0 } else { officers & !first_pawn.wrapping_sub(1) };
        self.officers::<STAGE, S>(officers & !late, pass.pinned, &mut sink);
        for part in 0..U::PARTS {
            let slots = part * U::SLOTS_PER_PART..(part + 1) * U::SLOTS_PER_PART;
            let mask = u16::MAX >> (MAX_PIECES - U::SLOTS_PER_PART) << slots.start;
            if (pawns | late) & mask == 0 {
                continue;
            }
            let view = unit.pawn_view(&self.squares, &board.lists[us.index()], men, us, part);
            let lanes = self.pawn_lanes(&view, slots.start, pass.pinned & pawns & mask);
            let promotions = lanes & self.on_rank(&view, 7);
            if S::COUNTS {
                sink.pawns(unit, &view, lanes);
                for _other_kind in [Kind::Knight, Kind::Bishop, Kind::Rook] {
                    sink.pawns(unit, &view, promotions);
                }
            } else if late & mask != 0 || promotions != 0 {
                let first = slots.start.max(pawns.trailing_zeros() as usize);
                return (sink, Some(Rest::from_slot(first, pass)));
            } else {
                let (quiets, captures) = asked::<STAGE>(lanes, CAPTURES);
                sink.pawns(unit, &view, quiets | captures);
            }
        }

        if STAGE & QUIET != 0 && board.has_castling_right(us) {
            self.castling(pass, &around, &mut sink);
        }
        if STAGE & NOISY != 0 && board.ep != Square::NONE {
            sink = board.en_passant(sink);
        }
        (sink, None)
    }

    /// The moves of the officers of these slots.
    #[inline(always)]
    fn officers<const STAGE: u8, S: LaneSink<U>>(&self, mut slots: u16, pinned: u16, sink: &mut S) {
        let Run { board, us, .. } = *self;
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize % MAX_PIECES;
            let from = board.lists[us.index()][slot];
            let is_pinned = pinned >> slot & 1 != 0;
            if U::BY_KIND {
                match board.piece_on(from).0 & Piece::KINDS {
                    KNIGHT => self.officer::<STAGE, KNIGHT, S>(from, is_pinned, sink),
                    BISHOP => self.officer::<STAGE, BISHOP, S>(from, is_pinned, sink),
                    ROOK => self.officer::<STAGE, ROOK, S>(from, is_pinned, sink),
                    _ => self.officer::<STAGE, QUEEN, S>(from, is_pinned, sink),
                }
            } else {
                self.officer::<STAGE, OFFICERS, S>(from, is_pinned, sink);
            }
            slots &= slots - 1;
        }
    }

    /// The moves of a knight, bishop, rook or queen.
    #[inline(always)]
    fn officer<const STAGE: u8, const KINDS: u8, S: LaneSink<U>>(
        &self,
        from: Square,
        is_pinned: bool,
        sink: &mut S,
    ) {
        let Run { unit, board, us, king, .. } = *self;
        let view = unit.view_for::<KINDS>(&self.squares, from);
        let enemies = unit.of(&view, !us);
        let mut lanes = unit.open(&view, us);
        if KINDS == KNIGHT {
            if is_pinned {
                return; // A pinned knight cannot stay on its line.
            }
        } else {
            let kind =
                if KINDS == OFFICERS { board.piece_on(from).0 & Piece::KINDS } else { KINDS };
            lanes &= reach(unit.occupied(&view)) | JUMPS;
            lanes &= GEOMETRY.attacks[us.index()][usize::from(kind)];
        }
        if is_pinned {
            // It keeps to its line: away from the king, then back.
            let away = lanes & GEOMETRY.along[king.delta_to(from) as usize];
            let (quiets, captures) = asked::<STAGE>(away, enemies);
            sink.moves::<STAGE, KINDS>(unit, &view, from, quiets, captures);
            lanes &= GEOMETRY.along[from.delta_to(king) as usize];
        }
        let (quiets, captures) = asked::<STAGE>(lanes, enemies);
        sink.moves::<STAGE, KINDS>(unit, &view, from, quiets, captures);
    }

    /// The lanes of the pawns' moves, promotions included. The view begins with slot
    /// `first`; those in `pinned` are pinned.
    #[inline(always)]
    fn pawn_lanes(&self, view: &U::PawnView, first: usize, mut pinned: u16) -> u64 {
        let Run { unit, board, us, .. } = *self;
        let pawns = unit.pawns(view);
        let free = unit.pawn_free(view);
        let push = pawns & free & PUSHES;
        let double = push << 1 & free & self.on_rank(view, 3);
        let captures = pawns & unit.pawn_of(view, !us) & CAPTURES;
        let mut moves = push | double | captures;
        while pinned != 0 {
            let slot = pinned.trailing_zeros() as usize % MAX_PIECES;
            let from = board.lists[us.index()][slot];
            let first_lane = (slot - first) * LANES_PER_SLOT;
            let kept = u64::from(KEPT[us.index()][self.king.delta_to(from) as usize]);
            moves &= kept << first_lane | !(SLOT << first_lane);
            pinned &= pinned - 1;
        }
        moves
    }

    /// The pawns' lanes that lie on the rank that is `rank` for us.
    #[inline(always)]
    fn on_rank(&self, view: &U::PawnView, rank: u8) -> u64 {
        self.unit.pawn_on_rank(view, Square::new(0, rank).rank_for(self.us))
    }

    /// Castling, for a king that is not in check; `around` is the view around it.
    #[inline(always)]
    fn castling<S: LaneSink<U>>(&self, pass: KingPass, around: &U::View, sink: &mut S) {
        let Run { unit, board, us, king, .. } = *self;
        let seen = reach(unit.occupied(around));
        for wing in Wing::ALL {
            let rook = board.castling_rook(us, wing);
            // The two pass each other, so that all squares between them must be free:
            // one look rules out most rooks early.
            if seen & GEOMETRY.lane[king.delta_to(rook) as usize] != 0
                && let Some(king_to) = board.castling_goal(wing, pass)
                && self.is_way_safe(king_to)
            {
                sink.emit(Move::castling(king, rook));
            }
        }
    }

    /// Whether no enemy attacks the squares from the king (excluded) to `king_to`
    /// (included), which share a rank.
    #[inline(always)]
    fn is_way_safe(&self, king_to: Square) -> bool {
        let Run { unit, us, king, .. } = *self;
        let step = STEP[king.delta_to(king_to) as usize];
        let mut sq = king;
        while sq != king_to {
            sq = sq.step(step);
            if king::is_attacked(unit, &unit.view(&self.squares, sq), 0, !us) {
                return false;
            }
        }
        true
    }
}

/// The moves to `lanes` that the stage asks for: quiet moves, and captures of the
/// `enemies`.
#[inline(always)]
fn asked<const STAGE: u8>(lanes: u64, enemies: u64) -> (u64, u64) {
    let quiets = if STAGE & QUIET != 0 { lanes & !enemies } else { 0 };
    let captures = if STAGE & NOISY != 0 { lanes & enemies } else { 0 };
    (quiets, captures)
}
