//! Making a move on lanes: each part of the position is loaded, changed and stored as whole
//! vectors. (A vector load right after single-byte stores stalls: store forwarding fails.)

use core::arch::x86_64::*;
use core::mem::offset_of;

use crate::position::{UNUSED, castling_rooks_word};
use crate::zobrist;
use crate::{Board, Color, Kind, MAX_PIECES, Move, PieceByte, Square};

use super::vector_backend::VectorBackend;

/// A [`Board`] whose state, the last 32 bytes, is in two vectors.
#[repr(C, align(64))]
struct BoardBytes {
    squares: [PieceByte; 128],
    group_keys: [u64; 8],
    lists: [[Square; MAX_PIECES]; 2],
    state: [__m128i; 2],
}

/// The offsets of the two halves of the state: key, rooks and clocks; then the rest.
const LOWER: usize = offset_of!(BoardBytes, state);
const UPPER: usize = LOWER + size_of::<__m128i>();

const _: () = {
    assert!(offset_of!(BoardBytes, squares) == offset_of!(Board, squares));
    assert!(offset_of!(BoardBytes, group_keys) == offset_of!(Board, group_keys));
    assert!(offset_of!(BoardBytes, lists) == offset_of!(Board, lists));
    assert!(offset_of!(Board, key) == LOWER);
    assert!(offset_of!(Board, castling_rooks) == LOWER + size_of::<u64>());
    assert!(offset_of!(Board, side) == UPPER);
    // No byte is padding.
    assert!(offset_of!(Board, unused) + UNUSED == offset_of!(Board, check_info));
};

/// The bit offset of a field in its half of the state.
const HALFMOVE: usize = 8 * (offset_of!(Board, halfmove) - LOWER);
const FULLMOVE: usize = 8 * (offset_of!(Board, fullmove) - LOWER);
const EP: usize = 8 * (offset_of!(Board, ep) - UPPER);

/// `[color that moved]`: added to the clocks.
static ADDED: [u128; 2] = [1 << HALFMOVE, 1 << HALFMOVE | 1 << FULLMOVE];
/// `[whether the move is irreversible]`: the bits of the lower half that are kept.
static KEPT: [u128; 2] = [!0, !(0xffff << HALFMOVE)];
/// `[color that moved]`: the upper half after the move: the other side, no en passant square,
/// no check info.
static AFTER: [u128; 2] = [
    Color::Black as u128 | (Square::NONE.0 as u128) << EP,
    Color::White as u128 | (Square::NONE.0 as u128) << EP,
];

/// The position after `mv`, without an en passant square. The move must be neither castling nor
/// en passant; a promotion, or a move that costs a castling right, needs `RARE`.
#[inline(always)]
pub(super) fn make<const RARE: bool, B: VectorBackend>(
    backend: B,
    board: &Board,
    mv: Move,
) -> Board {
    let (from, to) = (mv.from(), mv.target());
    let mover = board.byte_on(from);
    let victim = board.byte_on(to);
    let moved = zobrist::piece(mover, from) ^ zobrist::piece(mover, to);
    let taken = zobrist::piece(victim, to);
    let mut group_keys = backend.update_keys(&board.group_keys, [(mover, moved), (victim, taken)]);
    let mut key = zobrist::SIDE ^ zobrist::en_passant(board.ep) ^ moved ^ taken;
    let mut placed = mover;
    let mut rooks = 0;
    if RARE && let Some(kind) = mv.promotion_kind() {
        placed = PieceByte::new(board.side, kind);
        let (pawn, piece) = (zobrist::piece(mover, to), zobrist::piece(placed, to));
        group_keys = backend.update_keys(&group_keys, [(mover, pawn), (placed, piece)]);
        key ^= pawn ^ piece;
    }
    if RARE && board.may_lose_rights(mover, victim) {
        let (left, lost) = board.rights_after(mv, mover);
        rooks = castling_rooks_word(left) ^ castling_rooks_word(board.castling_rooks);
        key ^= lost;
    }
    let is_irreversible = victim.0 | (mover.0 & Kind::Pawn.bit()) != 0;
    let bytes = BoardBytes {
        squares: backend.move_piece(&board.squares, mv, placed),
        group_keys,
        lists: move_in_lists(backend, &board.lists, from, to),
        state: state_after(backend, board, key, rooks, is_irreversible),
    };
    // SAFETY: the fields are the same in the same places, and their bytes are valid.
    unsafe { core::mem::transmute::<BoardBytes, Board>(bytes) }
}

/// The state after a move. It applies `key` and `rooks` to the old values by xor.
#[inline(always)]
fn state_after<B: VectorBackend>(
    _: B,
    board: &Board,
    key: u64,
    rooks: u32,
    is_irreversible: bool,
) -> [__m128i; 2] {
    let us = board.side.index();
    // SAFETY: a backend is proof of AVX2. All loads are of 16 aligned bytes; the lower half of
    // the state never changes, unlike the check info, which other threads may write.
    unsafe {
        let lower = _mm_load_si128(core::ptr::from_ref(board).byte_add(LOWER).cast());
        let counted = _mm_adds_epu16(lower, _mm_load_si128((&raw const ADDED[us]).cast()));
        let kept = _mm_load_si128((&raw const KEPT[usize::from(is_irreversible)]).cast());
        let changes = _mm_set_epi64x(i64::from(rooks), key as i64);
        let lower = _mm_xor_si128(_mm_and_si128(counted, kept), changes);
        [lower, _mm_load_si128((&raw const AFTER[us]).cast())]
    }
}

/// The piece lists after a move from `from` to `to`, which captures a piece on `to`, if any.
#[inline(always)]
fn move_in_lists<B: VectorBackend>(
    _: B,
    lists: &[[Square; MAX_PIECES]; 2],
    from: Square,
    to: Square,
) -> [[Square; MAX_PIECES]; 2] {
    // SAFETY: a backend is proof of AVX2; both lists together are 32 bytes, and a `Square` is
    // any byte.
    unsafe {
        let old = _mm256_loadu_si256(lists.as_ptr().cast());
        let target = _mm256_set1_epi8(to.0 as i8);
        let taken = _mm256_cmpeq_epi8(old, target);
        let moved = _mm256_cmpeq_epi8(old, _mm256_set1_epi8(from.0 as i8));
        let new = _mm256_blendv_epi8(old, _mm256_set1_epi8(Square::NONE.0 as i8), taken);
        core::mem::transmute(_mm256_blendv_epi8(new, target, moved))
    }
}
