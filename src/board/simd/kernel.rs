//! The hot path on lanes but for the generation of moves: the king pass, making a
//! move, exchanges and threats, written once for all vector units.
//!
//! A [`Unit`] looks at the 64 squares around a centre at once and answers with
//! sets of lanes; the rest is arithmetic on these. Everything here gives exactly
//! what the portable code gives.

use crate::board::attacks::KingPass;
use crate::board::moves::Move;
use crate::board::piece::{Color, Kind, Piece};
use crate::board::see::Exchange;
use crate::board::square::Square;
use crate::board::{Board, Observer, SeeValues, Threats, rooks_word, zobrist};

use super::image::{Image, State};
use super::lanes::{GEOMETRY, JUMPS, RAY, RING, reach};
use super::unit::Unit;

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

/// The same for `us`, with the board in registers and the view around our king.
#[inline(always)]
pub(super) fn look_from<U: Unit>(
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
        let sq = board.king(us).step(GEOMETRY.offsets[lane]);
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
        let ray = RAY << (pinners.trailing_zeros() & !7);
        let shield = (shields & ray).trailing_zeros() as usize % 64;
        pinned |= 1 << board.slot_of(us, board.king(us).step(GEOMETRY.offsets[shield]));
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
        let lane = open.trailing_zeros() as usize % 64;
        let view = unit.view(squares, king.step(GEOMETRY.offsets[lane]));
        // The king does not shield the square behind him.
        let is_safe = !is_attacked(unit, &view, GEOMETRY.king_behind[lane / 8], !us);
        safe |= u64::from(is_safe) << lane;
        open &= open - 1;
    }
    safe
}

/// Whether a piece of `by` attacks the centre of `view` when those on the lanes of
/// `gone` are not there.
#[inline(always)]
pub(super) fn is_attacked<U: Unit>(unit: U, view: &U::View, gone: u64, by: Color) -> bool {
    (reach(unit.occupied(view) & !gone) | JUMPS) & unit.attackers(view, by) != 0
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
    let lane_of = |sq: Square| GEOMETRY.lane[to.delta_to(sq) as usize];
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
        let attacks = &GEOMETRY.attacks[by.index()];
        let lanes =
            (reach(unit.occupied(&view)) | JUMPS) & attacks[usize::from(piece.0 & Piece::KINDS)];
        unit.mark(&mut marks, from, lanes);
    }
    unit.threats(marks)
}

/// The functions of this file and of `movegen` for one unit, with its name and the instructions that
/// they and all that they call are compiled for.
macro_rules! entries {
    ($unit:ident, $features:literal) => {
        entries! { $unit, $features;
            /// [`movegen::generate`].
            fn generate[const STAGE: u8](board: &Board, list: &mut MoveList)
                = movegen::generate::<STAGE, _>;
            /// [`movegen::count`].
            fn count(board: &Board) -> u64 = movegen::count;
            /// [`movegen::count_replies`].
            fn count_replies(board: &Board) -> u64 = movegen::count_replies;
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
