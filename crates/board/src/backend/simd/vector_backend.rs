//! The interface between the generic vector code and the processors' instructions.

use core::arch::x86_64::*;

use crate::{Color, Kind, MAX_PIECES, Move, MoveList, PieceByte, Square};

use super::view::{View, ViewBackend};

/// Sets of kinds as bits of a [`PieceByte`].
pub(super) const KNIGHT: u8 = Kind::Knight.bit();
pub(super) const BISHOP: u8 = Kind::Bishop.bit();
pub(super) const ROOK: u8 = Kind::Rook.bit();
pub(super) const QUEEN: u8 = Kind::Queen.bit();
/// Every kind but pawn and king.
pub(super) const PIECES: u8 = KNIGHT | BISHOP | ROOK | QUEEN;

/// The pawn moves from a batch of slots, a lane for each slot and step. They are computed even
/// where a slot holds no pawn.
#[derive(Clone, Copy)]
pub(super) struct PawnView<L> {
    /// The squares of the slots.
    pub(super) from: L,
    /// The squares of the lanes.
    pub(super) to: L,
    /// The lanes of slots that hold a pawn.
    pub(super) pawns: u64,
    /// The lanes whose square is empty, on the board or off it.
    pub(super) empty: u64,
    /// The lanes whose square holds an enemy.
    pub(super) enemies: u64,
    /// The lanes on our fourth and on our last rank.
    pub(super) fourth_rank: u64,
    pub(super) last_rank: u64,
}

/// The place for the moves of one write, of which only the first few may count.
pub(super) type Room = [Move; MoveList::SLACK];

/// Instructions that work on many squares at once. Holding a value proves that the
/// processor has them, and AVX2 too.
pub(super) trait VectorBackend: ViewBackend {
    /// Whether a view costs less if the kind of the piece is known: then `KINDS` is always a
    /// single kind, else it is always [`PIECES`].
    const SPLIT_BY_KIND: bool;
    /// The number of pawn views that cover all slots of the piece list.
    const PAWN_BATCHES: usize;
    const SLOTS_PER_BATCH: usize = MAX_PIECES / Self::PAWN_BATCHES;
    /// The bytes of one batch of pawns.
    type PawnLanes: Copy;

    /// The board after the move, with `placed` on its target square.
    fn move_piece(
        self,
        squares: &[PieceByte; 128],
        mv: Move,
        placed: PieceByte,
    ) -> [PieceByte; 128];
    /// The group keys after these changes: each is combined by xor with the key of the
    /// piece's group. The change for an empty square must be 0.
    fn update_keys(self, keys: &[u64; 8], changes: [(PieceByte, u64); 2]) -> [u64; 8];

    /// The lanes that a piece of one of the `KINDS` reaches from `sq` on an empty board; the
    /// others are not in `on_board`. For knights, the first eight lanes are the jumps, in the
    /// order of [`KNIGHT_JUMPS`](crate::square::KNIGHT_JUMPS).
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, sq: Square) -> View<Self::Lanes>;
    /// The pieces in the slots of `list`.
    fn listed(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> __m128i;

    /// The slots of the `listed` pieces that have one of these bits.
    #[inline(always)]
    fn slots_with(self, listed: __m128i, bits: u8) -> u16 {
        // SAFETY: a value is proof that the processor has AVX2.
        let others = unsafe {
            let common = _mm_and_si128(listed, _mm_set1_epi8(bits as i8));
            _mm_movemask_epi8(_mm_cmpeq_epi8(common, _mm_setzero_si128()))
        };
        !(others as u16)
    }

    /// The lanes around a batch of slots, for pawns of `us`.
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        listed: __m128i,
        us: Color,
        batch: usize,
    ) -> PawnView<Self::PawnLanes>;

    /// Writes the moves from `from` to these lanes of `view_for::<KINDS>`. On each ray, the
    /// lanes must start next to `from` and have no gap, unless `STAGE` is `NOISY`.
    fn write<const STAGE: u8, const KINDS: u8>(
        self,
        from: Square,
        quiets: u64,
        captures: u64,
        room: &mut Room,
    );
    /// Writes steps of the king, numbered as in [`ALL_STEPS`].
    ///
    /// [`ALL_STEPS`]: crate::square::ALL_STEPS
    fn write_king(self, king: Square, quiets: u8, captures: u8, room: &mut Room);
    /// Writes the pawns' moves to these lanes, none of them a promotion.
    fn write_pawns(self, view: &PawnView<Self::PawnLanes>, lanes: u64, room: &mut Room);
}
