//! The vector unit of AVX-512 with VBMI, where 0x88 is at home: the
//! board is two registers, and one instruction fetches 64 bytes of it by their
//! square numbers.

mod ranks;

use std::arch::x86_64::*;

use crate::board::changes::family_bits;
use crate::board::color::Color;
use crate::board::dangers::Dangers;
use crate::board::exchange::{Exchange, SeeValues};
use crate::board::hot::perft::Rarely;
use crate::board::hot::rest::Rest;
use crate::board::king_pass::KingPass;
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::position::Board;
use crate::board::sink::Writer;
use crate::board::square::{OFF_BOARD, Square};
use crate::board::threats::Threats;

use self::ranks::OneRegister;
use super::geometry::{FLAGS_OF_SLOTS, GEOMETRY, RING, SLOT_OF_LANE, STEPS_OF_SLOTS, shared_by};
use super::unit::{Unit, with_features};
use super::{dangers, king, make, movegen, perft, see, threats};

with_features! {
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx2,bmi1,bmi2,lzcnt,popcnt"

    /// Generation, see [`movegen::generate`].
    pub(in crate::board::hot) fn generate[const STAGE: u8](board: &Board, list: &mut MoveList) -> Option<Rest> {
        movegen::generate::<STAGE, _>(Avx512(()), board, list)
    }

    /// The number of legal moves, see [`movegen::count`].
    pub(in crate::board::hot) fn count[](board: &Board) -> Result<u64, Rest> {
        movegen::count(Avx512(()), board)
    }

    /// The last two plies of a perft, see [`perft::count_replies`].
    pub(in crate::board::hot) fn count_replies[](board: &Board, moves: &[Move], rarely: Rarely) -> u64 {
        perft::count_replies(Avx512(()), board, moves, rarely)
    }

    /// The slots of the pieces that give check, see [`king::find_checkers`].
    pub(in crate::board::hot) fn find_checkers[](board: &Board) -> u16 {
        king::find_checkers(Avx512(()), board)
    }

    /// The king pass, see [`king::look`].
    pub(in crate::board::hot) fn look[](board: &Board) -> KingPass {
        king::look(Avx512(()), board)
    }

    /// Making a move, see [`make::make`].
    pub(in crate::board::hot) fn make[const RARE: bool](
        board: &Board,
        mv: Move,
    ) -> Board {
        make::make::<RARE, _>(Avx512(()), board, mv)
    }

    /// An exchange, see [`see::wins_exchange`].
    pub(in crate::board::hot) fn wins_exchange[](board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
        see::wins_exchange(Avx512(()), board, exchange, values)
    }

    /// The squares that a side attacks, see [`threats::threats`].
    pub(in crate::board::hot) fn threats[](board: &Board, by: Color) -> Threats {
        threats::threats(OneRegister::pack(&board.squares), by)
    }

    /// Hanging and outranked pieces, see [`dangers::dangers`].
    pub(in crate::board::hot) fn dangers[](board: &Board) -> Dangers {
        dangers::dangers(OneRegister::pack(&board.squares))
    }
}

/// Proof that the processor has the instructions: only the entries above, which
/// run on no other, have one.
#[derive(Clone, Copy)]
struct Avx512(());

/// 64 bytes on a boundary, to be loaded into a register.
#[repr(align(64))]
struct Lanes([u8; 64]);

static OFFSETS: Lanes = Lanes(GEOMETRY.offsets);
static ATTACKERS: [Lanes; 2] = [Lanes(GEOMETRY.attackers[0]), Lanes(GEOMETRY.attackers[1])];

/// `[color]`: from a slot's square to its lanes.
static PAWN_OFFSETS: [Lanes; 2] = [Lanes(STEPS_OF_SLOTS[0]), Lanes(STEPS_OF_SLOTS[1])];
/// The square numbers of the first and the second half of the board.
static LOWER_NUMBERS: Lanes = Lanes(numbers_from(0));
static UPPER_NUMBERS: Lanes = Lanes(numbers_from(64));
static PAWN_SLOTS: Lanes = Lanes(SLOT_OF_LANE);
static PAWN_FLAGS: Lanes = Lanes(FLAGS_OF_SLOTS);
/// `[piece]`: one bit for the key of its family; none for the empty square.
static FAMILY_BITS: [u8; 256] = family_bits();
/// Takes byte `i` to the upper half of word `i`.
static TO_UPPER_HALVES: Lanes = Lanes(shared_by(2));

const fn numbers_from(first: u8) -> [u8; 64] {
    let mut numbers = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        numbers[lane] = first + lane as u8;
        lane += 1;
    }
    numbers
}

impl Lanes {
    #[inline(always)]
    fn load(&self) -> __m512i {
        // SAFETY: the bytes are 64 and aligned. Where there is a `Avx512`, the
        // processor has the instruction; only its methods come here.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }
}

/// The square numbers of 64 lanes, and what stands there.
#[derive(Clone, Copy)]
pub(super) struct View {
    squares: __m512i,
    pieces: __m512i,
    on_board: u64,
}

/// The lanes of the pawns: the square of the pawn itself, what stands there, the
/// square of the lane and what stands there.
#[derive(Clone, Copy)]
pub(super) struct PawnView {
    from: __m512i,
    men: __m512i,
    squares: __m512i,
    pieces: __m512i,
}

// SAFETY of all blocks below: an `Avx512` is proof that the processor has the
// instructions. Those that touch memory say more.
impl Unit for Avx512 {
    // One instruction looks at all lanes, whatever the kind.
    const BY_KIND: bool = false;
    const PARTS: usize = 1;
    type Squares = (__m512i, __m512i);
    type View = View;
    type Men = __m128i;
    type PawnView = PawnView;

    #[inline(always)]
    fn load(self, squares: &[Piece; 128]) -> Self::Squares {
        let start = squares.as_ptr().cast::<u8>();
        // SAFETY: see above; the loads stay within the 128 bytes.
        unsafe { (_mm512_loadu_si512(start.cast()), _mm512_loadu_si512(start.add(64).cast())) }
    }

    #[inline(always)]
    fn moved(
        self,
        squares: &[Piece; 128],
        from: Square,
        to: Square,
        placed: Piece,
    ) -> [Piece; 128] {
        let halves = self.load(squares);
        // SAFETY: see above; two registers are 128 bytes, and any byte makes a
        // `Piece`.
        unsafe {
            let from = _mm512_set1_epi8(from.0 as i8);
            let to = _mm512_set1_epi8(to.0 as i8);
            let placed = _mm512_set1_epi8(placed.0 as i8);
            let lower = LOWER_NUMBERS.load();
            let upper = UPPER_NUMBERS.load();
            let without = (
                _mm512_maskz_mov_epi8(_mm512_cmpneq_epi8_mask(lower, from), halves.0),
                _mm512_maskz_mov_epi8(_mm512_cmpneq_epi8_mask(upper, from), halves.1),
            );
            std::mem::transmute([
                _mm512_mask_mov_epi8(without.0, _mm512_cmpeq_epi8_mask(lower, to), placed),
                _mm512_mask_mov_epi8(without.1, _mm512_cmpeq_epi8_mask(upper, to), placed),
            ])
        }
    }

    #[inline(always)]
    fn relist(
        self,
        lists: &[[Square; MAX_PIECES]; 2],
        from: Square,
        to: Square,
    ) -> [[Square; MAX_PIECES]; 2] {
        let mut changed = [[Square::NONE; MAX_PIECES]; 2];
        // SAFETY: see above; both lists together are 32 bytes, which may have
        // any value.
        unsafe {
            let old = _mm256_loadu_si256(lists.as_ptr().cast());
            let taken = _mm256_cmpeq_epi8_mask(old, _mm256_set1_epi8(to.0 as i8));
            let moved = _mm256_cmpeq_epi8_mask(old, _mm256_set1_epi8(from.0 as i8));
            let new = _mm256_mask_set1_epi8(old, taken, Square::NONE.0 as i8);
            let new = _mm256_mask_set1_epi8(new, moved, to.0 as i8);
            _mm256_storeu_si256(changed.as_mut_ptr().cast(), new);
        }
        changed
    }

    #[inline(always)]
    fn rekey(self, keys: &[u64; 8], changes: [(Piece, u64); 2]) -> [u64; 8] {
        // SAFETY: see above; eight keys are 64 bytes, and any bits make a key.
        unsafe {
            let mut new = _mm512_loadu_si512(keys.as_ptr().cast());
            for (piece, key) in changes {
                let key = _mm512_set1_epi64(key as i64);
                new = _mm512_mask_xor_epi64(new, FAMILY_BITS[piece.0 as usize], new, key);
            }
            std::mem::transmute::<__m512i, [u64; 8]>(new)
        }
    }

    #[inline(always)]
    fn view(self, squares: &Self::Squares, centre: Square) -> View {
        // SAFETY: see above.
        unsafe {
            let lanes = _mm512_add_epi8(_mm512_set1_epi8(centre.0 as i8), OFFSETS.load());
            let on_board = _mm512_testn_epi8_mask(lanes, _mm512_set1_epi8(OFF_BOARD as i8));
            let pieces = _mm512_maskz_permutex2var_epi8(on_board, squares.0, lanes, squares.1);
            View { squares: lanes, pieces, on_board }
        }
    }

    #[inline(always)]
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, centre: Square) -> View {
        self.view(squares, centre)
    }

    #[inline(always)]
    fn open(self, view: &View, color: Color) -> u64 {
        let color = color.bit() as i8;
        // SAFETY: see above.
        unsafe { _mm512_mask_testn_epi8_mask(view.on_board, view.pieces, _mm512_set1_epi8(color)) }
    }

    #[inline(always)]
    fn occupied(self, view: &View) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.pieces, view.pieces) }
    }

    #[inline(always)]
    fn of(self, view: &View, color: Color) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.pieces, _mm512_set1_epi8(color.bit() as i8)) }
    }

    #[inline(always)]
    fn attackers(self, view: &View, by: Color) -> u64 {
        let kinds = ATTACKERS[by.index()].load();
        // SAFETY: see above.
        unsafe { _mm512_mask_test_epi8_mask(self.of(view, by), view.pieces, kinds) }
    }

    #[inline(always)]
    fn having(self, view: &View, bit: u8) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.pieces, _mm512_set1_epi8(bit as i8)) }
    }

    #[inline(always)]
    fn ring(self, lanes: u64) -> u8 {
        // SAFETY: see above.
        unsafe { _pext_u64(lanes, RING) as u8 }
    }

    #[inline(always)]
    fn men(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> __m128i {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let list = _mm512_castsi128_si512(_mm_loadu_si128(list.as_ptr().cast()));
            _mm512_castsi512_si128(_mm512_permutex2var_epi8(squares.0, list, squares.1))
        }
    }

    #[inline(always)]
    fn slots_with(self, men: __m128i, bits: u8) -> u16 {
        // SAFETY: see above.
        unsafe { _mm_test_epi8_mask(men, _mm_set1_epi8(bits as i8)) }
    }

    #[inline(always)]
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        men: __m128i,
        us: Color,
        _part: usize,
    ) -> PawnView {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let list = _mm512_broadcast_i32x4(_mm_loadu_si128(list.as_ptr().cast()));
            let from = _mm512_shuffle_epi8(list, PAWN_SLOTS.load());
            let lanes = _mm512_add_epi8(from, PAWN_OFFSETS[us.index()].load());
            PawnView {
                from,
                men: _mm512_shuffle_epi8(_mm512_broadcast_i32x4(men), PAWN_SLOTS.load()),
                squares: lanes,
                pieces: _mm512_permutex2var_epi8(squares.0, lanes, squares.1),
            }
        }
    }

    #[inline(always)]
    fn pawns(self, view: &PawnView) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.men, _mm512_set1_epi8(Kind::Pawn.bit() as i8)) }
    }

    #[inline(always)]
    fn pawn_free(self, view: &PawnView) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi8_mask(view.pieces, view.pieces) }
    }

    #[inline(always)]
    fn pawn_of(self, view: &PawnView, color: Color) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(view.pieces, _mm512_set1_epi8(color.bit() as i8)) }
    }

    #[inline(always)]
    fn pawn_on_rank(self, view: &PawnView, rank: u8) -> u64 {
        const RANK: u8 = 0x70;
        // SAFETY: see above.
        unsafe {
            let ranks = _mm512_and_si512(view.squares, _mm512_set1_epi8(RANK as i8));
            _mm512_cmpeq_epi8_mask(ranks, _mm512_set1_epi8((rank << 4) as i8))
        }
    }

    #[inline(always)]
    fn write<const KINDS: u8>(
        self,
        view: &View,
        from: Square,
        quiets: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        self.write_around(view, from, quiets, captures, writer);
    }

    #[inline(always)]
    fn write_captures<const KINDS: u8>(
        self,
        view: &View,
        from: Square,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        self.write_around(view, from, 0, captures, writer);
    }

    #[inline(always)]
    fn write_steps(
        self,
        view: &View,
        king: Square,
        quiets: u8,
        captures: u8,
        writer: &mut Writer<'_>,
    ) {
        // SAFETY: see above.
        let (quiets, captures) =
            unsafe { (_pdep_u64(u64::from(quiets), RING), _pdep_u64(u64::from(captures), RING)) };
        self.write_around(view, king, quiets, captures, writer);
    }

    #[inline(always)]
    fn write_pawns(self, view: &PawnView, lanes: u64, writer: &mut Writer<'_>) {
        // SAFETY: see above.
        let low = unsafe { _mm512_or_si512(view.from, PAWN_FLAGS.load()) };
        self.write_lanes(lanes, low, view.squares, writer);
    }
}

impl Avx512 {
    /// Writes the moves from `from`, the centre of `view`, to these lanes.
    #[inline(always)]
    fn write_around(
        self,
        view: &View,
        from: Square,
        quiets: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        let flag = Move::capture(from, from).to_bits() as i8;
        // SAFETY: an `Avx512` is proof that the processor has the instructions.
        let low = unsafe { _mm512_mask_set1_epi8(_mm512_set1_epi8(from.0 as i8), captures, flag) };
        self.write_lanes(quiets | captures, low, view.squares, writer);
    }

    /// Writes the moves of `lanes`, at most 32, whose lower and upper bytes are
    /// given.
    #[inline(always)]
    fn write_lanes(self, lanes: u64, low: __m512i, high: __m512i, writer: &mut Writer<'_>) {
        const HALF: usize = 16;
        const { assert!(MoveList::SLACK >= 2 * HALF) };
        let count = lanes.count_ones();
        let room = writer.room().as_mut_ptr();
        // SAFETY: an `Avx512` is proof that the processor has the instructions;
        // both halves fit into the room, as asserted, and any bits make a `Move`.
        unsafe {
            let low = _mm512_maskz_compress_epi8(lanes, low);
            let high = _mm512_maskz_compress_epi8(lanes, high);
            let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(low));
            const UPPER_HALVES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
            let moves =
                _mm512_mask_permutexvar_epi8(low, UPPER_HALVES, TO_UPPER_HALVES.load(), high);
            // Stores that end in the next line of the cache cost more.
            _mm256_storeu_si256(room.cast(), _mm512_castsi512_si256(moves));
            if count as usize > HALF {
                let upper = _mm512_extracti64x4_epi64::<1>(moves);
                _mm256_storeu_si256(room.add(HALF).cast(), upper);
            }
        }
        writer.advance(count);
    }
}
