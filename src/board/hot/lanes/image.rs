//! A position as the vector units make it: four lines of 64 bytes, each written
//! whole. What is stored byte by byte and then loaded as a vector makes the
//! processor wait.
//!
//! The last half line holds all that is not on the board: key, clocks, rights,
//! whose turn it is. What a move does to it is nearly the same each time, so it
//! is done to all of it at once:
//!
//! ```text
//!           key      rooks  halfmove fullmove  seen   side   ep
//! add                          1     1 if Black                      saturating
//! and                        0 if it starts anew  0            0
//! xor       change  change                             1    "none"
//! ```

use std::arch::x86_64::*;
use std::mem::offset_of;

use crate::board::king_pass::Seen;
use crate::board::piece::{MAX_PIECES, Piece};
use crate::board::position::{Board, UNUSED};
use crate::board::square::Square;
use crate::board::zobrist;

use super::unit::Unit;

/// A [`Board`], with its last half line as bytes.
#[repr(C, align(64))]
pub(super) struct Image {
    pub(super) squares: [Piece; 128],
    pub(super) family_keys: [u64; 8],
    pub(super) lists: [[Square; MAX_PIECES]; 2],
    pub(super) state: State,
}

/// The last half line of a [`Board`]; made by [`State::after`] alone.
#[repr(align(32))]
pub(super) struct State(#[expect(dead_code, reason = "read as a part of the board")] [u8; 32]);

/// What is done to a [`State`], byte by byte.
#[repr(align(32))]
struct Mask([u8; 32]);

/// Where it begins.
const STATE: usize = offset_of!(Image, state);

const _: () = {
    assert!(offset_of!(Image, squares) == offset_of!(Board, squares));
    assert!(offset_of!(Image, family_keys) == offset_of!(Board, family_keys));
    assert!(offset_of!(Image, lists) == offset_of!(Board, lists));
    assert!(offset_of!(Board, key) == STATE);
    assert!(offset_of!(Board, rooks) == STATE + size_of::<u64>());
    // No byte of it is padding, and it lies on a boundary.
    assert!(offset_of!(Board, seen) % size_of::<Seen>() == 0);
    assert!(offset_of!(Board, unused) + UNUSED == size_of::<Board>());
    assert!(align_of::<Board>() == align_of::<Image>());
};

impl Image {
    /// The position that this is.
    #[inline(always)]
    pub(super) fn into_board(self) -> Board {
        // SAFETY: the fields are the same in the same places, and a `State` is
        // only made from a valid one: the side is flipped, and the other fields
        // may have any bytes.
        unsafe { std::mem::transmute::<Image, Board>(self) }
    }
}

/// What is added to each word of the state when a move has been made, and what
/// is kept of it.
#[repr(align(64))]
struct Tick {
    added: Mask,
    kept: Mask,
}

/// `[color that moved][whether the move is irreversible]`
static TICKS: [[Tick; 2]; 2] = [[tick(0, false), tick(0, true)], [tick(1, false), tick(1, true)]];

const fn tick(color: u8, is_irreversible: bool) -> Tick {
    const HALFMOVE: usize = offset_of!(Board, halfmove) - STATE;
    let mut added = [0; 32];
    added[HALFMOVE] = 1;
    added[offset_of!(Board, fullmove) - STATE] = color;
    let mut kept = [0xff; 32];
    let mut seen = offset_of!(Board, seen) - STATE;
    while seen < offset_of!(Board, seen) - STATE + size_of::<Seen>() {
        kept[seen] = 0;
        seen += 1;
    }
    kept[offset_of!(Board, ep) - STATE] = 0;
    if is_irreversible {
        kept[HALFMOVE] = 0;
        kept[HALFMOVE + 1] = 0;
    }
    Tick { added: Mask(added), kept: Mask(kept) }
}

/// What every move flips.
static FLIPPED: Mask = flipped();

const fn flipped() -> Mask {
    let mut bytes = [0; 32];
    let key = zobrist::SIDE.to_le_bytes();
    let mut byte = 0;
    while byte < key.len() {
        bytes[byte] = key[byte];
        byte += 1;
    }
    bytes[offset_of!(Board, side) - STATE] = 1;
    // After the old square has been cleared.
    bytes[offset_of!(Board, ep) - STATE] = Square::NONE.0;
    Mask(bytes)
}

impl Mask {
    #[inline(always)]
    fn load(&self) -> __m256i {
        // SAFETY: 32 bytes on a boundary; only `State::after` comes here, which
        // has a unit as proof of AVX2.
        unsafe { _mm256_load_si256(self.0.as_ptr().cast()) }
    }
}

impl State {
    /// The state of `board` after a move that changes `key` and `rooks` by
    /// exclusive or. It may start the clock of reversible plies anew; there is
    /// no en passant square after it.
    #[inline(always)]
    pub(super) fn after<U: Unit>(
        _: U,
        board: &Board,
        key: u64,
        rooks: u32,
        is_irreversible: bool,
    ) -> State {
        let tick = &TICKS[board.side.index()][usize::from(is_irreversible)];
        // SAFETY: the state is the last 32 bytes of the board, on a boundary; all
        // units have AVX2, and one is here as proof.
        unsafe {
            let state = std::ptr::from_ref(board).cast::<u8>().add(STATE);
            let counted = _mm256_adds_epu16(_mm256_load_si256(state.cast()), tick.added.load());
            let kept = _mm256_and_si256(counted, tick.kept.load());
            let changes = _mm256_set_epi64x(0, 0, i64::from(rooks), key as i64);
            let flips = _mm256_xor_si256(FLIPPED.load(), changes);
            std::mem::transmute(_mm256_xor_si256(kept, flips))
        }
    }
}
