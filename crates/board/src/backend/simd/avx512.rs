//! The backend for AVX-512 with VBMI. It needs no conversion of 0x88 squares: the board is two
//! registers, and one instruction fetches 64 bytes of it by their square numbers.

use core::arch::x86_64::*;

use crate::sink::ALL;
use crate::square::OFF_BOARD;
use crate::{Color, Kind, MAX_PIECES, Move, MoveList, PieceByte, Square};

use super::geometry::{
    ATTACKERS, Aligned, OFFSETS, PAWN_FLAGS, PAWN_OFFSETS, RAY_STARTS, SLOT_OF_LANE,
};
use super::threats::Ranks;
use super::vector_backend::{PIECES, PawnView, Room, VectorBackend};
use super::view::{View, ViewBackend};

entry_points!(
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx2,bmi1,bmi2,lzcnt,popcnt",
    Avx512,
    OneRegister
);

/// Proof that the processor has the instructions: only the entry points make a value, and they
/// are called only on such a processor.
#[derive(Clone, Copy)]
struct Avx512(());

/// The numbers of the squares in the first half of the board.
static NUMBERS: Aligned<[u8; 64]> = Aligned(const_array!(64, |square| square as u8));
/// `[piece's byte]`: [`PieceByte::key_index`] as a bit.
static KEY_BITS: [u8; 256] = const_array!(256, |byte| 1 << PieceByte(byte as u8).key_index());
/// Moves byte `i` to the upper half of word `i`.
static TO_UPPER_HALVES: Aligned<[u8; 64]> = Aligned(const_array!(64, |byte| (byte / 2) as u8));

// SAFETY of all blocks below: an `Avx512` is proof that the processor has the
// instructions. Those that touch memory say more.

#[inline(always)]
fn load(bytes: &Aligned<[u8; 64]>) -> __m512i {
    // SAFETY: only the methods of `Avx512` call it; the bytes are 64 and aligned.
    unsafe { _mm512_load_si512(bytes.0.as_ptr().cast()) }
}

impl ViewBackend for Avx512 {
    type Squares = (__m512i, __m512i);
    type Lanes = __m512i;

    #[inline(always)]
    fn load(self, squares: &[PieceByte; 128]) -> Self::Squares {
        let start = squares.as_ptr().cast::<u8>();
        // SAFETY: see above; the loads stay within the 128 bytes.
        unsafe { (_mm512_loadu_si512(start.cast()), _mm512_loadu_si512(start.add(64).cast())) }
    }

    #[inline(always)]
    fn view(self, squares: &Self::Squares, sq: Square) -> View<__m512i> {
        let lanes = self.squares_around(sq);
        // SAFETY: see above.
        unsafe {
            let on_board = _mm512_testn_epi8_mask(lanes, _mm512_set1_epi8(OFF_BOARD as i8));
            let pieces = _mm512_maskz_permutex2var_epi8(on_board, squares.0, lanes, squares.1);
            View { pieces, on_board, occupied: _mm512_test_epi8_mask(pieces, pieces) }
        }
    }

    #[inline(always)]
    fn test(self, view: &View<__m512i>, bit: u8) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.pieces, _mm512_set1_epi8(bit as i8)) }
    }

    #[inline(always)]
    fn attackers(self, view: &View<__m512i>, by: Color) -> u64 {
        let kinds = load(&ATTACKERS[by.index()]);
        // SAFETY: see above.
        unsafe { _mm512_mask_test_epi8_mask(self.of(view, by), view.pieces, kinds) }
    }

    #[inline(always)]
    fn ray_starts(self, lanes: u64) -> u8 {
        // SAFETY: see above.
        unsafe { _pext_u64(lanes, RAY_STARTS) as u8 }
    }
}

impl VectorBackend for Avx512 {
    // One instruction fetches all lanes, whatever the kind.
    const SPLIT_BY_KIND: bool = false;
    const PAWN_BATCHES: usize = 1;
    type PawnLanes = __m512i;

    #[inline(always)]
    fn move_piece(
        self,
        squares: &[PieceByte; 128],
        mv: Move,
        placed: PieceByte,
    ) -> [PieceByte; 128] {
        let halves = self.load(squares);
        // SAFETY: see above; two registers are 128 bytes, and any byte makes a
        // `PieceByte`.
        unsafe {
            let from = _mm512_set1_epi8(mv.from().0 as i8);
            let to = _mm512_set1_epi8(mv.target().0 as i8);
            let placed = _mm512_set1_epi8(placed.0 as i8);
            let lower = load(&NUMBERS);
            let upper = _mm512_or_si512(lower, _mm512_set1_epi8(64));
            let without = (
                _mm512_maskz_mov_epi8(_mm512_cmpneq_epi8_mask(lower, from), halves.0),
                _mm512_maskz_mov_epi8(_mm512_cmpneq_epi8_mask(upper, from), halves.1),
            );
            core::mem::transmute([
                _mm512_mask_mov_epi8(without.0, _mm512_cmpeq_epi8_mask(lower, to), placed),
                _mm512_mask_mov_epi8(without.1, _mm512_cmpeq_epi8_mask(upper, to), placed),
            ])
        }
    }

    #[inline(always)]
    fn update_keys(self, keys: &[u64; 8], changes: [(PieceByte, u64); 2]) -> [u64; 8] {
        // SAFETY: see above; eight keys are 64 bytes, and any bits make a key.
        unsafe {
            let mut new = _mm512_loadu_si512(keys.as_ptr().cast());
            for (piece, key) in changes {
                let key = _mm512_set1_epi64(key as i64);
                new = _mm512_mask_xor_epi64(new, KEY_BITS[piece.0 as usize], new, key);
            }
            core::mem::transmute::<__m512i, [u64; 8]>(new)
        }
    }

    #[inline(always)]
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, sq: Square) -> View<__m512i> {
        self.view(squares, sq)
    }

    #[inline(always)]
    fn listed(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> __m128i {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let list = _mm512_castsi128_si512(_mm_loadu_si128(list.as_ptr().cast()));
            _mm512_castsi512_si128(_mm512_permutex2var_epi8(squares.0, list, squares.1))
        }
    }

    #[inline(always)]
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        listed: __m128i,
        us: Color,
        _batch: usize,
    ) -> PawnView<__m512i> {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let slots = load(&SLOT_OF_LANE);
            let list = _mm512_broadcast_i32x4(_mm_loadu_si128(list.as_ptr().cast()));
            let from = _mm512_shuffle_epi8(list, slots);
            let to = _mm512_add_epi8(from, load(&PAWN_OFFSETS[us.index()]));
            let movers = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(listed), slots);
            let targets = _mm512_permutex2var_epi8(squares.0, to, squares.1);
            let ranks = _mm512_and_si512(to, _mm512_set1_epi8(0x70));
            let fourth_rank = Square::new(0, 3).relative_rank(us) << 4;
            let last_rank = Square::new(0, 7).relative_rank(us) << 4;
            PawnView {
                from,
                to,
                pawns: _mm512_test_epi8_mask(movers, _mm512_set1_epi8(Kind::Pawn.bit() as i8)),
                empty: _mm512_testn_epi8_mask(targets, targets),
                enemies: _mm512_test_epi8_mask(targets, _mm512_set1_epi8((!us).bit() as i8)),
                fourth_rank: _mm512_cmpeq_epi8_mask(ranks, _mm512_set1_epi8(fourth_rank as i8)),
                last_rank: _mm512_cmpeq_epi8_mask(ranks, _mm512_set1_epi8(last_rank as i8)),
            }
        }
    }

    #[inline(always)]
    fn write<const STAGE: u8, const KINDS: u8>(
        self,
        from: Square,
        quiets: u64,
        captures: u64,
        room: &mut Room,
    ) {
        let flag = Move::capture(from, from).to_bits() as i8;
        // SAFETY: see above.
        let low = unsafe { _mm512_mask_set1_epi8(_mm512_set1_epi8(from.0 as i8), captures, flag) };
        self.write_lanes(quiets | captures, low, self.squares_around(from), room);
    }

    #[inline(always)]
    fn write_king(self, king: Square, quiets: u8, captures: u8, room: &mut Room) {
        // SAFETY: see above.
        let (quiets, captures) = unsafe {
            (_pdep_u64(quiets.into(), RAY_STARTS), _pdep_u64(captures.into(), RAY_STARTS))
        };
        self.write::<ALL, PIECES>(king, quiets, captures, room);
    }

    #[inline(always)]
    fn write_pawns(self, view: &PawnView<__m512i>, lanes: u64, room: &mut Room) {
        // SAFETY: see above.
        let low = unsafe { _mm512_or_si512(view.from, load(&PAWN_FLAGS)) };
        self.write_lanes(lanes, low, view.to, room);
    }
}

impl Avx512 {
    /// The square numbers of the lanes around `sq`.
    #[inline(always)]
    fn squares_around(self, sq: Square) -> __m512i {
        // SAFETY: see the trait's methods.
        unsafe { _mm512_add_epi8(_mm512_set1_epi8(sq.0 as i8), load(&OFFSETS)) }
    }

    /// Writes the moves of `lanes`, at most 32, whose lower and upper bytes are given.
    #[inline(always)]
    fn write_lanes(self, lanes: u64, low: __m512i, high: __m512i, room: &mut Room) {
        const HALF: usize = 16;
        const { assert!(MoveList::SLACK >= 2 * HALF) };
        const UPPER_HALVES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let room = room.as_mut_ptr();
        // SAFETY: see the trait's methods; both halves fit into the room, as asserted, and any
        // bits make a `Move`.
        unsafe {
            let low = _mm512_maskz_compress_epi8(lanes, low);
            let high = _mm512_maskz_compress_epi8(lanes, high);
            let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(low));
            let to_upper = load(&TO_UPPER_HALVES);
            let moves = _mm512_mask_permutexvar_epi8(low, UPPER_HALVES, to_upper, high);
            // One store of 64 bytes would cross a cache line more often, which is slower.
            _mm256_storeu_si256(room.cast(), _mm512_castsi512_si256(moves));
            if lanes.count_ones() as usize > HALF {
                let upper = _mm512_extracti64x4_epi64::<1>(moves);
                _mm256_storeu_si256(room.add(HALF).cast(), upper);
            }
        }
    }
}

/// Eight words. The first is rank 1.
#[derive(Clone, Copy)]
struct OneRegister(__m512i);

impl OneRegister {
    /// The board without its spare half. Only this function makes a value, so a value proves
    /// that the processor has the instructions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn pack(squares: &[PieceByte; 128]) -> OneRegister {
        let start = squares.as_ptr().cast::<u8>();
        // SAFETY: the loads stay within the 128 bytes.
        unsafe {
            let lower = _mm512_loadu_si512(start.cast());
            let upper = _mm512_loadu_si512(start.add(64).cast());
            let used = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            OneRegister(_mm512_permutex2var_epi64(lower, used, upper))
        }
    }
}

// SAFETY of all blocks below: a value is proof that the processor has the instructions.
impl Ranks for OneRegister {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn andnot(self, other: Self) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn test(self, bits: u8) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe {
            _mm512_movm_epi8(_mm512_test_epi8_mask(self.0, _mm512_set1_epi8(bits as i8)))
        })
    }

    #[inline(always)]
    fn shift(self, bits: i32) -> Self {
        // SAFETY: see above.
        OneRegister(unsafe {
            let count = _mm_cvtsi32_si128(bits.abs());
            if bits > 0 { _mm512_sll_epi64(self.0, count) } else { _mm512_srl_epi64(self.0, count) }
        })
    }

    #[inline(always)]
    fn step_up(self, ranks: i32) -> Self {
        let words = self.0;
        // SAFETY: see above.
        OneRegister(unsafe {
            let none = _mm512_setzero_si512();
            match ranks {
                0 => words,
                1 => _mm512_alignr_epi64::<7>(words, none),
                2 => _mm512_alignr_epi64::<6>(words, none),
                4 => _mm512_alignr_epi64::<4>(words, none),
                -1 => _mm512_alignr_epi64::<1>(none, words),
                -2 => _mm512_alignr_epi64::<2>(none, words),
                -4 => _mm512_alignr_epi64::<4>(none, words),
                ranks => unreachable!("no step of {ranks} ranks"),
            }
        })
    }

    #[inline(always)]
    fn movemask(self) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_movepi8_mask(self.0) }
    }
}
