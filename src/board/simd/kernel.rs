//! The hot path on lanes, written once for all vector units.
//!
//! A [`Unit`] looks at the 64 squares around a centre at once and answers with
//! sets of lanes; the rest is arithmetic on these. Everything here gives exactly
//! what the portable code gives, moves in the same order.

use crate::board::attacks::{KingPass, STEP, Seen};
use crate::board::movegen::{self, Counter, Generator, NOISY, QUIET, Sink};
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Color, Kind, Piece};
use crate::board::see::Exchange;
use crate::board::square::{Delta, Square};
use crate::board::{
    Board, MAX_PIECES, NoObserver, Observer, SeeValues, Threats, Wing, rooks_word, zobrist,
};

use super::image::{Image, State};
use super::lanes::{JUMPS, LANES_PER_SLOT, PAWN_STEPS, RING, reach};
use super::unit::{Unit, Writer};

/// The pawns' lanes that hold a single step.
const PUSHES: u64 = 0x1111_1111_1111_1111;
/// Those that hold a capture.
const CAPTURES: u64 = PUSHES << 2 | PUSHES << 3;
/// The lanes of slot 0.
const SLOT: u64 = 0xf;

/// Where sets of moves go: written or counted.
trait LaneSink<U: Unit>: Sink {
    /// Whether moves are only counted, captures and others alike.
    const COUNTS: bool;

    fn moves(&mut self, unit: U, view: &U::View, from: Square, quiets: u64, captures: u64);
    /// Moves of pawns, none of them a promotion.
    fn pawns(&mut self, unit: U, view: &U::PawnView, lanes: u64);
}

impl<U: Unit> LaneSink<U> for Writer<'_> {
    const COUNTS: bool = false;

    #[inline(always)]
    fn moves(&mut self, unit: U, view: &U::View, from: Square, quiets: u64, captures: u64) {
        unit.write(view, from, quiets, captures, self);
    }

    #[inline(always)]
    fn pawns(&mut self, unit: U, view: &U::PawnView, lanes: u64) {
        unit.write_pawns(view, lanes, self);
    }
}

impl<U: Unit> LaneSink<U> for Counter {
    const COUNTS: bool = true;

    #[inline(always)]
    fn moves(&mut self, _: U, _: &U::View, _: Square, quiets: u64, captures: u64) {
        self.0 += u64::from((quiets | captures).count_ones());
    }

    #[inline(always)]
    fn pawns(&mut self, _: U, _: &U::PawnView, lanes: u64) {
        self.0 += u64::from(lanes.count_ones());
    }
}

/// Appends the legal moves of the stage to `list`; see [`Board::generate`].
#[inline(always)]
pub(super) fn generate<const STAGE: u8, U: Unit>(unit: U, board: &Board, list: &mut MoveList) {
    let writer = Writer { len: list.len, moves: &mut list.moves };
    list.len = run::<STAGE, U, _>(unit, board, writer).len;
}

/// The number of legal moves.
#[inline(always)]
pub(super) fn count<U: Unit>(unit: U, board: &Board) -> u64 {
    run::<{ movegen::ALL }, U, _>(unit, board, Counter(0)).0
}

/// The number of legal sequences of two moves. Compiled as a whole for the unit:
/// what is set up once serves all moves.
#[inline(always)]
pub(super) fn count_replies<U: Unit>(unit: U, board: &Board) -> u64 {
    let mut child = board.clone();
    let mut replies = 0;
    for &mv in board.legal_moves().iter() {
        if super::is_rare(board, mv) {
            super::make_rare_into(board, mv, &mut NoObserver, &mut child);
        } else {
            make_into::<false, U>(unit, board, mv, &mut NoObserver, &mut child);
        }
        board.check_made(mv, &child);
        replies += count(unit, &child);
    }
    replies
}

/// The slots of the enemy's pieces that give check.
#[inline(always)]
pub(super) fn find_checkers<U: Unit>(unit: U, board: &Board) -> u16 {
    let view = unit.view(&unit.load(&board.squares), board.king(board.side));
    checkers(unit, board, board.side, &view)
}

/// The look around the king of the side to move.
#[inline(always)]
pub(super) fn look<U: Unit>(unit: U, board: &Board) -> KingPass {
    let squares = unit.load(&board.squares);
    let view = unit.view(&squares, board.king(board.side));
    look_from(unit, board, board.side, &squares, &view)
}

#[inline(always)]
fn look_from<U: Unit>(
    unit: U,
    board: &Board,
    us: Color,
    squares: &U::Squares,
    view: &U::View,
) -> KingPass {
    let king = board.king(us);
    let open = unit.open(view, us);
    KingPass {
        checkers: checkers(unit, board, us, view),
        pinned: pinned(unit, board, us, view),
        ring: unit.ring(safe_steps(unit, king, us, squares, open & RING)),
    }
}

/// The slots of the enemy's pieces that attack our king, who is the centre of
/// `view`.
#[inline(always)]
fn checkers<U: Unit>(unit: U, board: &Board, us: Color, view: &U::View) -> u16 {
    let mut attackers = (reach(unit.occupied(view)) | JUMPS) & unit.attackers(view, !us);
    let mut checkers = 0;
    while attackers != 0 {
        let lane = attackers.trailing_zeros() as usize % 64;
        let sq = board.king(us).step(U::GEOMETRY.offsets[lane]);
        checkers |= 1 << board.slot_of(!us, sq);
        attackers &= attackers - 1;
    }
    checkers
}

/// The slots of our pieces that shield our king, who is the centre of `view`.
#[inline(always)]
fn pinned<U: Unit>(unit: U, board: &Board, us: Color, view: &U::View) -> u16 {
    // Who would attack the king if our first piece on his ray were not there?
    let occupied = unit.occupied(view);
    let near = reach(occupied);
    let shields = near & unit.of(view, us) & !JUMPS;
    let far = reach(occupied & !shields);
    let mut pinners = far & !near & !JUMPS & unit.attackers(view, !us);
    let mut pinned = 0;
    while pinners != 0 {
        let ray = 0xff << (pinners.trailing_zeros() & !7);
        let shield = (shields & ray).trailing_zeros() as usize % 64;
        pinned |= 1 << board.slot_of(us, board.king(us).step(U::GEOMETRY.offsets[shield]));
        pinners &= pinners - 1;
    }
    pinned
}

/// The `open` lanes of our king's ring where no piece attacks him.
#[inline(always)]
fn safe_steps<U: Unit>(
    unit: U,
    king: Square,
    us: Color,
    squares: &U::Squares,
    mut open: u64,
) -> u64 {
    let mut safe = 0;
    while open != 0 {
        // Two at a time, if need be the same one twice: there are seldom more,
        // and a loop that ends as foreseen costs less than a look.
        let rest = open & (open - 1);
        let other = if rest == 0 { open } else { rest };
        safe |= safe_step(unit, king, us, squares, open.trailing_zeros());
        safe |= safe_step(unit, king, us, squares, other.trailing_zeros());
        open = rest & rest.wrapping_sub(1);
    }
    safe
}

/// This lane of the king's ring, if no piece attacks him there.
#[inline(always)]
fn safe_step<U: Unit>(unit: U, king: Square, us: Color, squares: &U::Squares, lane: u32) -> u64 {
    let lane = lane as usize % 64;
    let around = unit.view(squares, king.step(U::GEOMETRY.offsets[lane]));
    // The king does not shield the square behind him.
    let occupied = unit.occupied(&around) & !U::GEOMETRY.king_behind[lane / 8];
    let attackers = (reach(occupied) | JUMPS) & unit.attackers(&around, !us);
    u64::from(attackers == 0) << lane
}

#[inline(always)]
fn run<const STAGE: u8, U: Unit, S: LaneSink<U>>(unit: U, board: &Board, sink: S) -> S {
    // With the side as a constant the compiler builds it into each mask and step.
    match board.side {
        Color::White => run_for::<STAGE, U, S>(unit, board, Color::White, sink),
        Color::Black => run_for::<STAGE, U, S>(unit, board, Color::Black, sink),
    }
}

#[inline(always)]
fn run_for<const STAGE: u8, U: Unit, S: LaneSink<U>>(
    unit: U,
    board: &Board,
    us: Color,
    mut sink: S,
) -> S {
    let king = board.king(us);
    let squares = unit.load(&board.squares);
    let king_view = unit.view(&squares, king);
    let pass = match board.seen.get().pass() {
        Some(pass) => pass,
        None => {
            let pass = look_from(unit, board, us, &squares, &king_view);
            // Who only counts does not come back.
            if !S::COUNTS {
                board.seen.set(Seen::all(pass));
            }
            pass
        }
    };
    if pass.checkers != 0 {
        return Generator::<STAGE, S>::with_pass(board, sink, pass).run();
    }
    let steps = unit.ring_lanes(pass.ring);
    moves_to::<STAGE, U, S>(unit, &king_view, king, steps, us, &mut sink);

    let list = &board.lists[us.index()];
    let view = unit.pawn_view(&squares, list, us);
    let pawns = unit.pawns(&view);
    let mut officers = unit.officers(&view);
    // Promoted pieces whose turn comes between the pawns, if turns matter.
    let first_pawn = pawns & pawns.wrapping_neg();
    let late = if S::COUNTS { 0 } else { officers & !first_pawn.wrapping_sub(1) };
    officers &= !late;
    while officers != 0 {
        let slot = officers.trailing_zeros() as usize / LANES_PER_SLOT % MAX_PIECES;
        let from = list[slot];
        let around = unit.view(&squares, from);
        let mut lanes = (reach(unit.occupied(&around)) | JUMPS)
            & U::GEOMETRY.attacks[us.index()][usize::from(board.piece_on(from).0 & Piece::KINDS)]
            & unit.open(&around, us);
        if pass.pinned >> slot & 1 != 0 {
            // It keeps to its line: away from the king, then back.
            let away = lanes & U::GEOMETRY.along[king.delta_to(from) as usize];
            moves_to::<STAGE, U, S>(unit, &around, from, away, us, &mut sink);
            lanes &= U::GEOMETRY.along[from.delta_to(king) as usize];
        }
        moves_to::<STAGE, U, S>(unit, &around, from, lanes, us, &mut sink);
        officers &= officers - 1;
    }

    let mut moves = pawn_moves(unit, board, us, pass, pawns, &view);
    let promotions = moves & last_rank(unit, us, &view);
    if S::COUNTS {
        sink.pawns(unit, &view, moves);
        for _other_kind in [Kind::Knight, Kind::Bishop, Kind::Rook] {
            sink.pawns(unit, &view, promotions);
        }
    } else if late | promotions != 0 {
        let first = pawns.trailing_zeros() as usize / LANES_PER_SLOT;
        let rest = Generator::<STAGE, S>::with_pass(board, sink, pass);
        sink = rest.pieces_from(first);
    } else {
        if STAGE & NOISY == 0 {
            moves &= !CAPTURES;
        }
        if STAGE & QUIET == 0 {
            moves &= CAPTURES;
        }
        sink.pawns(unit, &view, moves);
    }
    if STAGE & QUIET != 0 && board.has_castling_right(us) {
        for wing in Wing::ALL {
            if let Some(king_to) = board.castling_goal(wing, pass)
                && is_way_safe(unit, board, us, king, king_to)
            {
                sink.emit(Move::castling(king, board.castling_rook(us, wing)));
            }
        }
    }
    if STAGE & NOISY != 0 && board.ep != Square::NONE {
        sink = Generator::<STAGE, S>::with_pass(board, sink, pass).en_passant();
    }
    sink
}

/// Whether no enemy attacks the squares from `king` (excluded) to `king_to`
/// (included), which share a rank.
#[inline(always)]
fn is_way_safe<U: Unit>(unit: U, board: &Board, us: Color, king: Square, king_to: Square) -> bool {
    let squares = unit.load(&board.squares);
    let step = STEP[king.delta_to(king_to) as usize];
    let mut sq = king;
    while sq != king_to {
        sq = sq.step(step);
        let around = unit.view(&squares, sq);
        if (reach(unit.occupied(&around)) | JUMPS) & unit.attackers(&around, !us) != 0 {
            return false;
        }
    }
    true
}

/// Hands the moves from the centre of `view` to those of `lanes` that the stage
/// wants to the sink. None of them is off the board or holds a piece of ours.
#[inline(always)]
fn moves_to<const STAGE: u8, U: Unit, S: LaneSink<U>>(
    unit: U,
    view: &U::View,
    from: Square,
    lanes: u64,
    us: Color,
    sink: &mut S,
) {
    let quiets_and_captures = match STAGE {
        NOISY => (0, lanes & unit.of(view, !us)),
        QUIET => (lanes & !unit.occupied(view), 0),
        _ if S::COUNTS => (lanes, 0),
        _ => {
            let enemies = unit.of(view, !us);
            (lanes & !enemies, lanes & enemies)
        }
    };
    let (quiets, captures) = quiets_and_captures;
    sink.moves(unit, view, from, quiets, captures);
}

/// The lanes of the pawns' moves, pinned pawns and promotions included.
#[inline(always)]
fn pawn_moves<U: Unit>(
    unit: U,
    board: &Board,
    us: Color,
    pass: KingPass,
    pawns: u64,
    view: &U::PawnView,
) -> u64 {
    let free = unit.pawn_free(view);
    let push = pawns & free & PUSHES;
    let double = push << 1 & free & unit.pawn_on_rank(view, rank_of(us, 3));
    let captures = pawns & unit.pawn_of(view, !us) & CAPTURES;
    let mut moves = push | double | captures;
    let mut pinned = pass.pinned;
    while pinned != 0 {
        let slot = pinned.trailing_zeros() as usize % MAX_PIECES;
        let from = board.lists[us.index()][slot];
        let first_lane = slot * LANES_PER_SLOT;
        moves &= kept(us, board.king(us).delta_to(from)) << first_lane | !(SLOT << first_lane);
        pinned &= pinned - 1;
    }
    moves
}

/// The pawns' lanes that lie on the last rank.
#[inline(always)]
fn last_rank<U: Unit>(unit: U, us: Color, view: &U::PawnView) -> u64 {
    unit.pawn_on_rank(view, rank_of(us, 7))
}

/// The rank that is `rank` for `us`.
#[inline(always)]
fn rank_of(us: Color, rank: u8) -> u8 {
    Square::new(0, rank).rank_for(us)
}

/// The lanes of slot 0 on which a pawn of `us` stays on its line with the king,
/// from whom it is `delta` away.
#[cold]
fn kept(us: Color, delta: Delta) -> u64 {
    let line = STEP[delta as usize];
    let stays = |&step: &Delta| {
        let along = STEP[step as usize];
        along == line || along == line.wrapping_neg()
    };
    PAWN_STEPS[us.index()]
        .iter()
        .enumerate()
        .fold(0, |lanes, (lane, step)| lanes | u64::from(stays(step)) << lane)
}

/// The position after `mv`, which is neither castling nor en passant, nor a
/// double push beside an enemy pawn; see [`Board::make`]. If it is not `RARE`, it
/// is no promotion and costs no castling right.
///
/// Nothing is stored before all is known; see [`Image`].
#[inline(always)]
pub(super) fn make<const RARE: bool, U: Unit>(
    unit: U,
    board: &Board,
    mv: Move,
    observer: &mut impl Observer,
) -> Board {
    let (from, to) = (mv.from(), mv.to());
    let mover = board.piece_on(from);
    let victim = board.piece_on(to);
    let moved = zobrist::piece(mover, from) ^ zobrist::piece(mover, to);
    let taken = zobrist::piece(victim, to);
    let mut family_keys = unit.rekey(&board.family_keys, [(mover, moved), (victim, taken)]);
    let mut key = zobrist::en_passant(board.ep) ^ moved ^ taken;
    let mut placed = mover;
    let mut rooks = 0;
    if RARE && let Some(kind) = mv.promotion_kind() {
        placed = Piece::new(board.side, kind);
        let (pawn, officer) = (zobrist::piece(mover, to), zobrist::piece(placed, to));
        family_keys = unit.rekey(&family_keys, [(mover, pawn), (placed, officer)]);
        key ^= pawn ^ officer;
    }
    if RARE && board.may_lose_rights(mover, victim) {
        let (left, lost) = board.rights_after(mv, mover);
        rooks = rooks_word(left) ^ rooks_word(board.rooks);
        key ^= lost;
    }
    if !victim.is_empty() {
        observer.removed(victim, to);
    }
    observer.removed(mover, from);
    observer.added(placed, to);
    let is_irreversible = victim.0 | (mover.0 & Kind::Pawn.bit()) != 0;
    let image = Image {
        squares: unit.moved(&board.squares, from, to, placed),
        family_keys,
        lists: unit.relist(&board.lists, from, to),
        state: State::after(unit, board, key, rooks, is_irreversible),
    };
    image.into_board()
}

/// Makes `next` what [`make`] returns.
#[inline(always)]
pub(super) fn make_into<const RARE: bool, U: Unit>(
    unit: U,
    board: &Board,
    mv: Move,
    observer: &mut impl Observer,
    next: &mut Board,
) {
    *next = make::<RARE, _>(unit, board, mv, observer);
}

/// Whether the side to move, which made the first move of `exchange`, comes out
/// of it with the threshold at least; see [`Board::see_ge`].
///
/// A piece that has captured is taken off its lane, and the reach computed anew
/// shows who stood behind it.
#[inline(always)]
pub(super) fn wins_exchange<U: Unit>(
    unit: U,
    board: &Board,
    exchange: Exchange,
    values: &SeeValues,
) -> bool {
    let Exchange { to, from, victim, mut balance } = exchange;
    let view = unit.view(&unit.load(&board.squares), to);
    let lane_of = |sq: Square| U::GEOMETRY.lane[to.delta_to(sq) as usize];
    let gone = lane_of(from) | if victim == Square::NONE { 0 } else { lane_of(victim) };
    let mut occupied = unit.occupied(&view) & !gone;
    // No closures where a unit is at work: the compiler would not see that the
    // processor has its instructions.
    let attackers = [unit.attackers(&view, Color::White), unit.attackers(&view, Color::Black)];
    let mut kinds = [0; 6];
    for kind in Kind::ALL {
        kinds[kind.index()] = unit.having(&view, kind.bit());
    }
    let mut turn = !board.side;
    loop {
        let seen = (reach(occupied) | JUMPS) & occupied;
        let ours = seen & attackers[turn.index()];
        let Some(kind) = Kind::ALL.into_iter().find(|kind| ours & kinds[kind.index()] != 0) else {
            break;
        };
        let candidates = ours & kinds[kind.index()];
        occupied &= !(1 << 63 >> candidates.leading_zeros());
        if kind == Kind::King {
            let seen = (reach(occupied) | JUMPS) & occupied;
            if seen & attackers[(!turn).index()] != 0 {
                break; // The king cannot capture what is defended.
            }
        }
        turn = !turn;
        balance = -balance - 1 - values[kind.index()];
        if balance >= 0 {
            break; // Ahead even if the piece that has just captured is lost.
        }
    }
    // The side whose turn it is cannot or need not capture, and has lost.
    turn != board.side
}

/// The squares that `by` attacks; see [`Board::threats`].
#[inline(always)]
pub(super) fn threats<U: Unit>(unit: U, board: &Board, by: Color) -> Threats {
    let squares = unit.load(&board.squares);
    let mut marks = unit.no_marks();
    for &from in &board.lists[by.index()] {
        let piece = board.piece_on(from);
        if piece.is_empty() {
            continue;
        }
        let view = unit.view(&squares, from);
        let attacks = &U::GEOMETRY.attacks[by.index()];
        let lanes =
            (reach(unit.occupied(&view)) | JUMPS) & attacks[usize::from(piece.0 & Piece::KINDS)];
        unit.mark(&mut marks, from, lanes);
    }
    unit.threats(marks)
}

/// The functions of this file for one unit, with its name and the instructions that
/// they and all that they call are compiled for.
macro_rules! entries {
    ($unit:ident, $features:literal) => {
        entries! { $unit, $features;
            /// [`kernel::generate`].
            fn generate[const STAGE: u8](board: &Board, list: &mut MoveList)
                = kernel::generate::<STAGE, _>;
            /// [`kernel::count`].
            fn count(board: &Board) -> u64 = kernel::count;
            /// [`kernel::count_replies`].
            fn count_replies(board: &Board) -> u64 = kernel::count_replies;
            /// [`kernel::find_checkers`].
            fn find_checkers(board: &Board) -> u16 = kernel::find_checkers;
            /// [`kernel::look`].
            fn look(board: &Board) -> KingPass = kernel::look;
            /// [`kernel::make`] of a move that is not rare.
            fn make[O: Observer](board: &Board, mv: Move, observer: &mut O) -> Board
                = kernel::make::<false, _>;
            /// [`kernel::make_into`].
            fn make_into[const RARE: bool, O: Observer]
                (board: &Board, mv: Move, observer: &mut O, next: &mut Board)
                = kernel::make_into::<RARE, _>;
            /// [`kernel::wins_exchange`].
            fn wins_exchange(board: &Board, exchange: Exchange, values: &SeeValues) -> bool
                = kernel::wins_exchange;
            /// [`kernel::threats`].
            fn threats(board: &Board, by: Color) -> Threats = kernel::threats;
        }
    };
    ($unit:ident, $features:literal; $($(#[$doc:meta])* fn $name:ident $([$($generics:tt)*])?
        ($($arg:ident: $type:ty),*) $(-> $result:ty)? = $kernel:expr;)*) => {$(
        $(#[$doc])*
        #[target_feature(enable = $features)]
        pub(super) fn $name $(<$($generics)*>)? ($($arg: $type),*) $(-> $result)? {
            $kernel($unit(()), $($arg),*)
        }
    )*};
}

pub(super) use entries;
