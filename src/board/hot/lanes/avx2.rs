//! The vector unit of AVX2.
//!
//! Its byte shuffle looks up 16 bytes at a time. Half of a 0x88 board is never
//! used, and without that half two ranks fit into 16 bytes: four shuffles, one
//! for each pair of ranks, and three choices between their results fetch 32
//! squares of the board. Where the lanes of a square lie in this packed board is
//! kept in a table, made at compile time by the test with 0x88.

mod tables;

use crate::board::color::Color;
use crate::board::dangers::Dangers;
use crate::board::exchange::{Exchange, SeeValues};
use crate::board::hot::perft::Rarely;
use crate::board::hot::rest::Rest;
use crate::board::king_pass::KingPass;
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::position::Board;
use crate::board::sink::{Sink, Writer};
use crate::board::square::Square;
use crate::board::threats::Threats;
use std::arch::x86_64::*;

use self::ranks::TwoRegisters;
use self::tables::*;
use super::geometry::{GEOMETRY, JUMPS, RAY, RING};
use super::unit::{BISHOP, KNIGHT, ROOK, Unit, with_features};
use super::{dangers, king, make, movegen, perft, see, threats};

with_features! {
    "avx2,bmi1,bmi2,lzcnt,popcnt"

    /// Generation, see [`movegen::generate`].
    pub(in crate::board::hot) fn generate[const STAGE: u8](board: &Board, list: &mut MoveList) -> Option<Rest> {
        movegen::generate::<STAGE, _>(Avx2(()), board, list)
    }

    /// The number of legal moves, see [`movegen::count`].
    pub(in crate::board::hot) fn count[](board: &Board) -> Result<u64, Rest> {
        movegen::count(Avx2(()), board)
    }

    /// The last two plies of a perft, see [`perft::count_replies`].
    pub(in crate::board::hot) fn count_replies[](board: &Board, moves: &[Move], rarely: Rarely) -> u64 {
        perft::count_replies(Avx2(()), board, moves, rarely)
    }

    /// The slots of the pieces that give check, see [`king::find_checkers`].
    pub(in crate::board::hot) fn find_checkers[](board: &Board) -> u16 {
        king::find_checkers(Avx2(()), board)
    }

    /// The king pass, see [`king::look`].
    pub(in crate::board::hot) fn look[](board: &Board) -> KingPass {
        king::look(Avx2(()), board)
    }

    /// Making a move, see [`make::make`].
    pub(in crate::board::hot) fn make[const RARE: bool](
        board: &Board,
        mv: Move,
    ) -> Board {
        make::make::<RARE, _>(Avx2(()), board, mv)
    }

    /// An exchange, see [`see::wins_exchange`].
    pub(in crate::board::hot) fn wins_exchange[](board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
        see::wins_exchange(Avx2(()), board, exchange, values)
    }

    /// The squares that a side attacks, see [`threats::threats`].
    pub(in crate::board::hot) fn threats[](board: &Board, by: Color) -> Threats {
        threats::threats(TwoRegisters::pack(&board.squares), by)
    }

    /// Hanging and outranked pieces, see [`dangers::dangers`].
    pub(in crate::board::hot) fn dangers[](board: &Board) -> Dangers {
        dangers::dangers(TwoRegisters::pack(&board.squares))
    }
}

/// Proof that the processor has the instructions: only the entries above, which
/// run on no other, have one.
#[derive(Clone, Copy)]
struct Avx2(());

/// Does the same with each element of an array. (A closure would not do: the
/// compiler would not see that the processor has the instructions.)
macro_rules! each {
    ($name:ident in [$($value:expr),*] => $body:expr) => { [$({ let $name = $value; $body }),*] };
    ($name:ident in $pair:expr => $body:expr) => {{
        let [low, high] = $pair;
        each!($name in [low, high] => $body)
    }};
}

mod ranks;

/// Loads a half, 0 or 1, of 64 bytes.
#[inline(always)]
fn load_half<T>(bytes: &Aligned<[T; 64]>, number: usize) -> __m256i {
    const { assert!(size_of::<T>() == 1) };
    assert!(number < 2);
    // SAFETY: the 32 bytes are within the 64 and aligned; only the methods of
    // `Avx2`, proof that the processor has the instruction, come here.
    unsafe { _mm256_load_si256(bytes.0.as_ptr().cast::<__m256i>().add(number)) }
}

/// The lanes whose byte has the top bit set.
#[inline(always)]
fn top_bits(lanes: __m256i) -> u64 {
    // SAFETY: only the methods of `Avx2` come here.
    u64::from(unsafe { _mm256_movemask_epi8(lanes) as u32 })
}

/// The lanes whose byte is 0.
#[inline(always)]
fn zeros(lanes: __m256i) -> u64 {
    // SAFETY: only the methods of `Avx2` come here.
    top_bits(unsafe { _mm256_cmpeq_epi8(lanes, _mm256_setzero_si256()) })
}

/// The lanes with one certain bit set.
#[inline(always)]
fn with_bit(lanes: __m256i, bit: u8) -> u64 {
    // SAFETY: only the methods of `Avx2` come here.
    top_bits(unsafe { _mm256_sll_epi16(lanes, _mm_cvtsi32_si128(bit.leading_zeros() as i32)) })
}

/// 64 lanes of two halves.
#[inline(always)]
fn both([low, high]: [u64; 2]) -> u64 {
    low | high << 32
}

/// Fetches 32 squares of the packed board.
#[inline(always)]
fn gather(squares: &[__m256i; 4], places: __m256i) -> __m256i {
    // SAFETY: only the methods of `Avx2` come here.
    unsafe {
        let [a, b, c, d] = *squares;
        let pairs = each!(pair in [a, b, c, d] => _mm256_shuffle_epi8(pair, places));
        // A choice goes by the top bit: first the low bit of the pair's number,
        // then the high one.
        let odd = _mm256_slli_epi16::<3>(places);
        let upper = _mm256_slli_epi16::<2>(places);
        _mm256_blendv_epi8(
            _mm256_blendv_epi8(pairs[0], pairs[1], odd),
            _mm256_blendv_epi8(pairs[2], pairs[3], odd),
            upper,
        )
    }
}

/// The places of 32 squares in the packed board: [`packed`].
#[inline(always)]
fn pack(squares: __m256i) -> __m256i {
    // SAFETY: only the methods of `Avx2` come here.
    unsafe {
        let file_and_top = _mm256_and_si256(squares, _mm256_set1_epi8(0x87_u8 as i8));
        let rank = _mm256_and_si256(squares, _mm256_set1_epi8(0x70));
        let carry = _mm256_and_si256(squares, _mm256_set1_epi8(0x08));
        let on_board = _mm256_or_si256(file_and_top, _mm256_srli_epi16::<1>(rank));
        _mm256_or_si256(on_board, _mm256_slli_epi16::<4>(carry))
    }
}

/// What stands on the lanes around a square.
#[derive(Clone, Copy)]
pub(super) struct View {
    pieces: [__m256i; 2],
    on_board: u64,
}

/// The lanes of the pawns: the square of the pawn itself, what stands there, the
/// square of the lane and what stands there.
#[derive(Clone, Copy)]
pub(super) struct PawnView {
    from: __m256i,
    men: __m256i,
    squares: __m256i,
    pieces: __m256i,
}

// SAFETY of all blocks below: an `Avx2` is proof that the processor has the
// instructions. Those that touch memory say more.
impl Unit for Avx2 {
    const BY_KIND: bool = true;
    const PARTS: usize = 2;
    /// The packed board: a pair of ranks in both halves of each register.
    type Squares = [__m256i; 4];
    type View = View;
    type Men = __m128i;
    type PawnView = PawnView;

    #[inline(always)]
    fn load(self, squares: &[Piece; 128]) -> Self::Squares {
        // Of a rank's 16 bytes the first eight are on the board.
        const BOTH_RANKS_TWICE: i32 = 0b10_00_10_00;
        let start = squares.as_ptr().cast::<__m256i>();
        // SAFETY: see above; a pair of ranks is 32 bytes, and there are four.
        unsafe {
            each!(pair in [0, 1, 2, 3] => {
                _mm256_permute4x64_epi64::<BOTH_RANKS_TWICE>(_mm256_loadu_si256(start.add(pair)))
            })
        }
    }

    #[inline(always)]
    fn moved(
        self,
        squares: &[Piece; 128],
        from: Square,
        to: Square,
        placed: Piece,
    ) -> [Piece; 128] {
        // SAFETY: see above; the board and the numbers are four registers each,
        // and any byte makes a `Piece`.
        unsafe {
            let from = _mm256_set1_epi8(from.0 as i8);
            let to = _mm256_set1_epi8(to.0 as i8);
            let placed = _mm256_set1_epi8(placed.0 as i8);
            let quarters = each!(quarter in [0, 1, 2, 3] => {
                let numbers = _mm256_load_si256(NUMBERS.0.as_ptr().cast::<__m256i>().add(quarter));
                let old = _mm256_loadu_si256(squares.as_ptr().cast::<__m256i>().add(quarter));
                let without = _mm256_andnot_si256(_mm256_cmpeq_epi8(numbers, from), old);
                _mm256_blendv_epi8(without, placed, _mm256_cmpeq_epi8(numbers, to))
            });
            std::mem::transmute(quarters)
        }
    }

    #[inline(always)]
    fn relist(
        self,
        lists: &[[Square; MAX_PIECES]; 2],
        from: Square,
        to: Square,
    ) -> [[Square; MAX_PIECES]; 2] {
        // SAFETY: see above; both lists together are 32 bytes, and a `Square` is
        // any byte.
        unsafe {
            let old = _mm256_loadu_si256(lists.as_ptr().cast());
            let target = _mm256_set1_epi8(to.0 as i8);
            let taken = _mm256_cmpeq_epi8(old, target);
            let moved = _mm256_cmpeq_epi8(old, _mm256_set1_epi8(from.0 as i8));
            let new = _mm256_blendv_epi8(old, _mm256_set1_epi8(Square::NONE.0 as i8), taken);
            std::mem::transmute(_mm256_blendv_epi8(new, target, moved))
        }
    }

    #[inline(always)]
    fn rekey(self, keys: &[u64; 8], changes: [(Piece, u64); 2]) -> [u64; 8] {
        // SAFETY: see above; eight keys are two registers, and any bits make a
        // key.
        unsafe {
            let mut halves = each!(i in [0, 1] => {
                _mm256_loadu_si256(keys.as_ptr().cast::<__m256i>().add(i))
            });
            for (piece, key) in changes {
                let key = _mm256_set1_epi64x(key as i64);
                let family = &FAMILY_MASKS[usize::from(piece.0)].0;
                halves = each!(i in [0, 1] => {
                    let here = _mm256_load_si256(family.as_ptr().cast::<__m256i>().add(i));
                    _mm256_xor_si256(halves[i], _mm256_and_si256(here, key))
                });
            }
            std::mem::transmute(halves)
        }
    }

    #[inline(always)]
    fn view(self, squares: &Self::Squares, centre: Square) -> View {
        let places = &PLACES[centre.index()];
        View {
            pieces: each!(i in [0, 1] => gather(squares, load_half(places, i))),
            on_board: ON_BOARD[centre.index()],
        }
    }

    #[inline(always)]
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, centre: Square) -> View {
        let places = &PLACES[centre.index()];
        // SAFETY: see above.
        let nothing = unsafe { _mm256_setzero_si256() };
        match KINDS {
            KNIGHT => View {
                pieces: [jumps(squares, centre), nothing],
                on_board: JUMPS_ON_BOARD[centre.index()].into(),
            },
            ROOK => View {
                pieces: [gather(squares, load_half(places, 0)), nothing],
                on_board: ON_BOARD[centre.index()] & ORTHOGONAL_LANES,
            },
            BISHOP => View {
                pieces: [nothing, gather(squares, load_half(places, 1))],
                on_board: ON_BOARD[centre.index()] & !ORTHOGONAL_LANES,
            },
            _ => self.view(squares, centre),
        }
    }

    #[inline(always)]
    fn open(self, view: &View, color: Color) -> u64 {
        view.on_board & !self.of(view, color)
    }

    #[inline(always)]
    fn occupied(self, view: &View) -> u64 {
        !both(each!(register in view.pieces => zeros(register)))
    }

    #[inline(always)]
    fn of(self, view: &View, color: Color) -> u64 {
        self.having(view, color.bit())
    }

    #[inline(always)]
    fn attackers(self, view: &View, by: Color) -> u64 {
        let kinds = &ATTACKERS[by.index()];
        // SAFETY: see above.
        let others = unsafe {
            each!(i in [0, 1] => zeros(_mm256_and_si256(view.pieces[i], load_half(kinds, i))))
        };
        !both(others) & self.of(view, by)
    }

    #[inline(always)]
    fn having(self, view: &View, bit: u8) -> u64 {
        both(each!(register in view.pieces => with_bit(register, bit)))
    }

    #[inline(always)]
    fn ring(self, lanes: u64) -> u8 {
        // The product moves the bit of byte `i` from `8 * i` to `56 + i`.
        const TO_TOP: u64 = 0x0102_0408_1020_4080;
        ((lanes & RING).wrapping_mul(TO_TOP) >> 56) as u8
    }

    #[inline(always)]
    fn men(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> __m128i {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let list = _mm256_zextsi128_si256(_mm_loadu_si128(list.as_ptr().cast()));
            _mm256_castsi256_si128(gather(squares, pack(list)))
        }
    }

    #[inline(always)]
    fn slots_with(self, men: __m128i, bits: u8) -> u16 {
        // SAFETY: see above.
        let others = unsafe {
            let common = _mm_and_si128(men, _mm_set1_epi8(bits as i8));
            _mm_movemask_epi8(_mm_cmpeq_epi8(common, _mm_setzero_si128()))
        };
        !(others as u16)
    }

    #[inline(always)]
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        men: __m128i,
        us: Color,
        part: usize,
    ) -> PawnView {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let slots = load_half(&PAWN_SLOTS, part);
            let list = _mm256_broadcastsi128_si256(_mm_loadu_si128(list.as_ptr().cast()));
            let from = _mm256_shuffle_epi8(list, slots);
            let lanes = _mm256_add_epi8(from, load_half(&PAWN_OFFSETS[us.index()], 0));
            PawnView {
                from,
                men: _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(men), slots),
                squares: lanes,
                pieces: gather(squares, pack(lanes)),
            }
        }
    }

    #[inline(always)]
    fn pawns(self, view: &PawnView) -> u64 {
        with_bit(view.men, Kind::Pawn.bit())
    }

    #[inline(always)]
    fn pawn_free(self, view: &PawnView) -> u64 {
        zeros(view.pieces)
    }

    #[inline(always)]
    fn pawn_of(self, view: &PawnView, color: Color) -> u64 {
        with_bit(view.pieces, color.bit())
    }

    #[inline(always)]
    fn pawn_on_rank(self, view: &PawnView, rank: u8) -> u64 {
        const RANK: u8 = 0x70;
        // SAFETY: see above.
        top_bits(unsafe {
            let ranks = _mm256_and_si256(view.squares, _mm256_set1_epi8(RANK as i8));
            _mm256_cmpeq_epi8(ranks, _mm256_set1_epi8((rank << 4) as i8))
        })
    }

    #[inline(always)]
    fn write<const KINDS: u8>(
        self,
        _: &View,
        from: Square,
        quiets: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        let lanes = quiets | captures;
        match KINDS {
            KNIGHT => {
                self.write_words(from, &JUMP_OFFSETS, quiets as u8, captures as u8, writer);
            }
            ROOK => self.write_rays(from, [0, 1, 2, 3], lanes, captures, writer),
            BISHOP => self.write_rays(from, [4, 5, 6, 7], lanes, captures, writer),
            _ => self.write_rays(from, [0, 1, 2, 3, 4, 5, 6, 7], lanes, captures, writer),
        }
    }

    #[inline(always)]
    fn write_captures<const KINDS: u8>(
        self,
        _: &View,
        from: Square,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        if KINDS == KNIGHT {
            self.write_words(from, &JUMP_OFFSETS, 0, captures as u8, writer);
            return;
        }
        // Few, and one by one is as good.
        let mut rest = captures;
        while rest != 0 {
            let offset = GEOMETRY.offsets[rest.trailing_zeros() as usize % 64];
            writer.emit(Move::capture(from, from.step(offset)));
            rest &= rest - 1;
        }
    }

    #[inline(always)]
    fn write_steps(
        self,
        _: &View,
        king: Square,
        quiets: u8,
        captures: u8,
        writer: &mut Writer<'_>,
    ) {
        self.write_words(king, &STEP_OFFSETS, quiets, captures, writer);
    }

    #[inline(always)]
    fn write_pawns(self, view: &PawnView, lanes: u64, writer: &mut Writer<'_>) {
        // SAFETY: see above.
        let groups = unsafe {
            let low = _mm256_or_si256(view.from, load_half(&PAWN_FLAGS, 0));
            let even = _mm256_unpacklo_epi8(low, view.squares);
            let odd = _mm256_unpackhi_epi8(low, view.squares);
            [
                _mm256_castsi256_si128(even),
                _mm256_castsi256_si128(odd),
                _mm256_extracti128_si256::<1>(even),
                _mm256_extracti128_si256::<1>(odd),
            ]
        };
        let room = writer.room();
        for (group, words) in groups.into_iter().enumerate() {
            let first = 8 * group;
            let before = (lanes & ((1 << first) - 1)).count_ones();
            self.write_eight(words, (lanes >> first) as u8, room, before as usize);
        }
        writer.advance(lanes.count_ones());
    }
}

/// What stands on the squares of a knight's jumps, in the first eight bytes; in the
/// others what stands on a1.
#[inline(always)]
fn jumps(squares: &[__m256i; 4], centre: Square) -> __m256i {
    // SAFETY: only the methods of `Avx2` come here; the places are eight bytes.
    unsafe {
        let places = _mm_loadl_epi64(JUMP_PLACES[centre.index()].as_ptr().cast());
        gather(squares, _mm256_zextsi128_si256(places))
    }
}

impl Avx2 {
    /// Writes the moves from `from` along some rays, to the first few squares of each:
    /// nothing need be brought together.
    #[inline(always)]
    fn write_rays<const N: usize>(
        self,
        from: Square,
        rays: [usize; N],
        lanes: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    ) {
        const { assert!(N <= 8 && MoveList::SLACK >= 8 * 8) };
        let room = writer.room().as_mut_ptr();
        let mut done = 0;
        for ray in rays {
            let capture = captures >> (8 * ray) & (RAY & !JUMPS);
            // SAFETY: see the trait's methods; the words are 16 bytes and aligned; of
            // the room, 64 moves, no more than 56 have been used by seven rays; any
            // bits make a `Move`.
            unsafe {
                let offsets = _mm_load_si128(RAY_OFFSETS[ray][capture as usize].0.as_ptr().cast());
                let words = _mm_add_epi16(self.origin(from), offsets);
                _mm_storeu_si128(room.add((lanes & done).count_ones() as usize).cast(), words);
            }
            done |= RAY << (8 * ray);
        }
        writer.advance(lanes.count_ones());
    }

    /// Eight times a move on the spot, to which offsets are added.
    #[inline(always)]
    fn origin(self, from: Square) -> __m128i {
        // SAFETY: see the trait's methods.
        unsafe { _mm_set1_epi16(Move::quiet(from, from).to_bits() as i16) }
    }

    /// Writes the moves from `from` by those `offsets` that `quiets` and `captures`
    /// have bits for.
    #[inline(always)]
    fn write_words(
        self,
        from: Square,
        offsets: &Words,
        quiets: u8,
        captures: u8,
        writer: &mut Writer<'_>,
    ) {
        let lanes = quiets | captures;
        // SAFETY: see the trait's methods; the words are 16 bytes and aligned.
        let words = unsafe {
            let offsets = _mm_load_si128(offsets.0.as_ptr().cast());
            let flags = _mm_load_si128(CAPTURE_FLAGS[usize::from(captures)].0.as_ptr().cast());
            _mm_or_si128(_mm_add_epi16(self.origin(from), offsets), flags)
        };
        self.write_eight(words, lanes, writer.room(), 0);
        writer.advance(lanes.count_ones());
    }

    /// Writes those of eight moves that `mask` has bits for, behind the first
    /// `before` of the room.
    #[inline(always)]
    fn write_eight(
        self,
        words: __m128i,
        mask: u8,
        room: &mut [Move; MoveList::SLACK],
        before: usize,
    ) {
        let room = room[before..].first_chunk_mut::<8>().expect("room for eight").as_mut_ptr();
        // SAFETY: see the trait's methods; the shuffle is 16 bytes and aligned,
        // the room is no shorter, and any bits make a `Move`.
        unsafe {
            let shuffle = _mm_load_si128(COMPRESS[usize::from(mask)].0.as_ptr().cast());
            _mm_storeu_si128(room.cast(), _mm_shuffle_epi8(words, shuffle));
        }
    }
}
