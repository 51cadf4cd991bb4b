//! The backend for AVX2.
//!
//! Its byte shuffle looks up 16 bytes at a time. Without the unused half of a 0x88 board, two
//! ranks fit into 16 bytes. Four shuffles, one for each pair of ranks, and three blends of
//! their results fetch 32 squares of the board. For each square, a table has the places of its
//! lanes in this packed board, computed by the off-board test at compile time.

mod tables;

use core::arch::x86_64::*;

use crate::make::KEY_INDEX;
use crate::sink::NOISY;
use crate::{Color, Kind, MAX_PIECES, Move, MoveList, PieceByte, Square};

use self::tables::*;
use super::geometry::{
    ATTACKERS, Aligned, JUMPS, OFFSETS, ON_BOARD, PAWN_FLAGS, PAWN_OFFSETS, RAY, SLOT_OF_LANE,
};
use super::threats::Ranks;
use super::vector_backend::{BISHOP, KNIGHT, PawnView, ROOK, Room, VectorBackend};
use super::view::{View, ViewBackend};

entry_points!("avx2,bmi1,bmi2,lzcnt,popcnt", Avx2, TwoRegisters);

/// Proof that the processor has the instructions: only the entry points make a value, and they
/// are called only on such a processor.
#[derive(Clone, Copy)]
struct Avx2(());

/// Applies an expression to each element of an array. (A closure would be compiled without
/// the target features.)
macro_rules! each {
    ($name:ident in [$($value:expr),*] => $body:expr) => { [$({ let $name = $value; $body }),*] };
    ($name:ident in $pair:expr => $body:expr) => {{
        let [low, high] = $pair;
        each!($name in [low, high] => $body)
    }};
}

// SAFETY of all blocks below: only the methods of `Avx2` and `TwoRegisters`, whose values
// are proof of the instructions, call these functions.

/// Loads a half, 0 or 1, of 64 bytes.
#[inline(always)]
fn load_half(bytes: &Aligned<[u8; 64]>, half: usize) -> __m256i {
    assert!(half < 2);
    // SAFETY: see above; the 32 bytes are within the 64 and aligned.
    unsafe { _mm256_load_si256(bytes.0.as_ptr().cast::<__m256i>().add(half)) }
}

/// The lanes whose byte has the top bit set.
#[inline(always)]
fn movemask(lanes: __m256i) -> u64 {
    // SAFETY: see above.
    u64::from(unsafe { _mm256_movemask_epi8(lanes) as u32 })
}

/// The lanes whose byte is 0.
#[inline(always)]
fn zeros(lanes: __m256i) -> u64 {
    // SAFETY: see above.
    movemask(unsafe { _mm256_cmpeq_epi8(lanes, _mm256_setzero_si256()) })
}

/// The lanes with this one bit set.
#[inline(always)]
fn with_bit(lanes: __m256i, bit: u8) -> u64 {
    // SAFETY: see above.
    movemask(unsafe { _mm256_sll_epi16(lanes, _mm_cvtsi32_si128(bit.leading_zeros() as i32)) })
}

/// Joins two halves to 64 lanes.
#[inline(always)]
fn both([low, high]: [u64; 2]) -> u64 {
    low | high << 32
}

/// Fetches 32 squares of the packed board.
#[inline(always)]
fn gather(squares: &[__m256i; 4], places: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let [a, b, c, d] = *squares;
        let pairs = each!(pair in [a, b, c, d] => _mm256_shuffle_epi8(pair, places));
        // A blend chooses by the top bit of each byte. These shifts move the low and the high
        // bit of the pair's number there.
        let odd = _mm256_slli_epi16::<3>(places);
        let upper = _mm256_slli_epi16::<2>(places);
        _mm256_blendv_epi8(
            _mm256_blendv_epi8(pairs[0], pairs[1], odd),
            _mm256_blendv_epi8(pairs[2], pairs[3], odd),
            upper,
        )
    }
}

/// [`packed`] for 32 squares at once.
#[inline(always)]
fn pack(squares: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let file_and_top = _mm256_and_si256(squares, _mm256_set1_epi8(0x87_u8 as i8));
        let rank = _mm256_and_si256(squares, _mm256_set1_epi8(0x70));
        let carry = _mm256_and_si256(squares, _mm256_set1_epi8(0x08));
        let on_board = _mm256_or_si256(file_and_top, _mm256_srli_epi16::<1>(rank));
        _mm256_or_si256(on_board, _mm256_slli_epi16::<4>(carry))
    }
}

// SAFETY of all blocks below: an `Avx2` is proof that the processor has the
// instructions. Those that touch memory say more.
impl ViewBackend for Avx2 {
    /// The packed board: a pair of ranks in both halves of each register.
    type Squares = [__m256i; 4];
    type Lanes = [__m256i; 2];

    #[inline(always)]
    fn load(self, squares: &[PieceByte; 128]) -> Self::Squares {
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
    fn view(self, squares: &Self::Squares, sq: Square) -> View<Self::Lanes> {
        let places = &PLACES[sq.index()];
        let pieces = each!(i in [0, 1] => gather(squares, load_half(places, i)));
        view_of(pieces, ON_BOARD[sq.index()])
    }

    #[inline(always)]
    fn test(self, view: &View<Self::Lanes>, bit: u8) -> u64 {
        both(each!(register in view.pieces => with_bit(register, bit)))
    }

    #[inline(always)]
    fn attackers(self, view: &View<Self::Lanes>, by: Color) -> u64 {
        let kinds = &ATTACKERS[by.index()];
        // SAFETY: see above.
        let others = unsafe {
            each!(i in [0, 1] => zeros(_mm256_and_si256(view.pieces[i], load_half(kinds, i))))
        };
        !both(others) & self.of(view, by)
    }
}

impl VectorBackend for Avx2 {
    const SPLIT_BY_KIND: bool = true;
    const PAWN_BATCHES: usize = 2;
    type PawnLanes = __m256i;

    #[inline(always)]
    fn move_piece(
        self,
        squares: &[PieceByte; 128],
        mv: Move,
        placed: PieceByte,
    ) -> [PieceByte; 128] {
        // SAFETY: see above; the board and the numbers are four registers each,
        // and any byte makes a `PieceByte`.
        unsafe {
            let from = _mm256_set1_epi8(mv.from().0 as i8);
            let to = _mm256_set1_epi8(mv.target().0 as i8);
            let placed = _mm256_set1_epi8(placed.0 as i8);
            let quarters = each!(quarter in [0, 1, 2, 3] => {
                let numbers = _mm256_load_si256(NUMBERS.0.as_ptr().cast::<__m256i>().add(quarter));
                let old = _mm256_loadu_si256(squares.as_ptr().cast::<__m256i>().add(quarter));
                let without = _mm256_andnot_si256(_mm256_cmpeq_epi8(numbers, from), old);
                _mm256_blendv_epi8(without, placed, _mm256_cmpeq_epi8(numbers, to))
            });
            core::mem::transmute(quarters)
        }
    }

    #[inline(always)]
    fn update_keys(self, keys: &[u64; 8], changes: [(PieceByte, u64); 2]) -> [u64; 8] {
        // SAFETY: see above; eight keys are two registers, and any bits make a key.
        unsafe {
            let mut halves = each!(i in [0, 1] => {
                _mm256_loadu_si256(keys.as_ptr().cast::<__m256i>().add(i))
            });
            for (piece, key) in changes {
                let key = _mm256_set1_epi64x(key as i64);
                let index = _mm256_set1_epi8(KEY_INDEX[usize::from(piece.0)] as i8);
                halves = each!(i in [0, 1] => {
                    let here = _mm256_cmpeq_epi8(load_half(&KEY_NUMBERS, i), index);
                    _mm256_xor_si256(halves[i], _mm256_and_si256(here, key))
                });
            }
            core::mem::transmute(halves)
        }
    }

    #[inline(always)]
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, sq: Square) -> View<Self::Lanes> {
        let (places, on_board) = (&PLACES[sq.index()], ON_BOARD[sq.index()]);
        // SAFETY: see above; the places of the jumps are eight bytes.
        let (nothing, jumps) = unsafe {
            let places = _mm_loadl_epi64(JUMP_PLACES[sq.index()].as_ptr().cast());
            (_mm256_setzero_si256(), _mm256_zextsi128_si256(places))
        };
        match KINDS {
            // The other lanes hold the piece on a1, but are not in `on_board`.
            KNIGHT => {
                view_of([gather(squares, jumps), nothing], self.ray_starts(on_board >> 7).into())
            }
            ROOK => view_of(
                [gather(squares, load_half(places, 0)), nothing],
                on_board & ORTHOGONAL_LANES,
            ),
            BISHOP => view_of(
                [nothing, gather(squares, load_half(places, 1))],
                on_board & !ORTHOGONAL_LANES,
            ),
            _ => self.view(squares, sq),
        }
    }

    #[inline(always)]
    fn listed(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> __m128i {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let list = _mm256_zextsi128_si256(_mm_loadu_si128(list.as_ptr().cast()));
            _mm256_castsi256_si128(gather(squares, pack(list)))
        }
    }

    #[inline(always)]
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        listed: __m128i,
        us: Color,
        batch: usize,
    ) -> PawnView<__m256i> {
        // SAFETY: see above; the list is 16 bytes.
        unsafe {
            let slots = load_half(&SLOT_OF_LANE, batch);
            let list = _mm256_broadcastsi128_si256(_mm_loadu_si128(list.as_ptr().cast()));
            let from = _mm256_shuffle_epi8(list, slots);
            let to = _mm256_add_epi8(from, load_half(&PAWN_OFFSETS[us.index()], 0));
            let movers = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(listed), slots);
            let targets = gather(squares, pack(to));
            let ranks = _mm256_and_si256(to, _mm256_set1_epi8(0x70));
            let [fourth_rank, last_rank] = each!(rank in [3, 7] => {
                let rank = Square::new(0, rank).relative_rank(us) << 4;
                movemask(_mm256_cmpeq_epi8(ranks, _mm256_set1_epi8(rank as i8)))
            });
            PawnView {
                from,
                to,
                pawns: with_bit(movers, Kind::Pawn.bit()),
                empty: zeros(targets),
                enemies: with_bit(targets, (!us).bit()),
                fourth_rank,
                last_rank,
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
        let lanes = quiets | captures;
        match KINDS {
            KNIGHT => self.write_words(from, &JUMP_OFFSETS, quiets as u8, captures as u8, room),
            _ if STAGE == NOISY => {
                // Captures are few: one by one is as fast.
                let (mut rest, mut count) = (captures, 0);
                while rest != 0 {
                    let offset = OFFSETS.0[rest.trailing_zeros() as usize % 64];
                    room[count % MoveList::SLACK] = Move::capture(from, from.step(offset));
                    count += 1;
                    rest &= rest - 1;
                }
            }
            ROOK => self.write_rays(from, [0, 1, 2, 3], lanes, captures, room),
            BISHOP => self.write_rays(from, [4, 5, 6, 7], lanes, captures, room),
            _ => self.write_rays(from, [0, 1, 2, 3, 4, 5, 6, 7], lanes, captures, room),
        }
    }

    #[inline(always)]
    fn write_king(self, king: Square, quiets: u8, captures: u8, room: &mut Room) {
        self.write_words(king, &STEP_OFFSETS, quiets, captures, room);
    }

    #[inline(always)]
    fn write_pawns(self, view: &PawnView<__m256i>, lanes: u64, room: &mut Room) {
        // SAFETY: see above.
        let groups = unsafe {
            let low = _mm256_or_si256(view.from, load_half(&PAWN_FLAGS, 0));
            let even = _mm256_unpacklo_epi8(low, view.to);
            let odd = _mm256_unpackhi_epi8(low, view.to);
            [
                _mm256_castsi256_si128(even),
                _mm256_castsi256_si128(odd),
                _mm256_extracti128_si256::<1>(even),
                _mm256_extracti128_si256::<1>(odd),
            ]
        };
        for (group, words) in groups.into_iter().enumerate() {
            let first = 8 * group;
            let before = (lanes & ((1 << first) - 1)).count_ones();
            self.write_eight(words, (lanes >> first) as u8, room, before as usize);
        }
    }
}

#[inline(always)]
fn view_of(pieces: [__m256i; 2], on_board: u64) -> View<[__m256i; 2]> {
    View { pieces, on_board, occupied: !both(each!(register in pieces => zeros(register))) }
}

impl Avx2 {
    /// Writes the moves from `from` to the `lanes` of some rays. The lanes of a ray have no
    /// gap, so its eight words are stored at once, and the next ray overwrites the surplus.
    #[inline(always)]
    fn write_rays<const N: usize>(
        self,
        from: Square,
        rays: [usize; N],
        lanes: u64,
        captures: u64,
        room: &mut Room,
    ) {
        const { assert!(N <= 8 && MoveList::SLACK >= 8 * 8) };
        let room = room.as_mut_ptr();
        let mut done = 0;
        for ray in rays {
            let capture = captures >> (8 * ray) & (RAY & !JUMPS);
            // SAFETY: see the trait's methods; the words are 16 bytes; of the room, 64 moves,
            // no more than 56 have been used by seven rays; any bits make a `Move`.
            unsafe {
                let origin = _mm_set1_epi16(Move::quiet(from, from).to_bits() as i16);
                let offsets = (&raw const RAY_OFFSETS.0[ray][capture as usize]).cast();
                let words = _mm_add_epi16(origin, _mm_loadu_si128(offsets));
                _mm_storeu_si128(room.add((lanes & done).count_ones() as usize).cast(), words);
            }
            done |= RAY << (8 * ray);
        }
    }

    /// Writes the moves from `from` by the `offsets` whose bits are in `quiets` or `captures`.
    #[inline(always)]
    fn write_words(
        self,
        from: Square,
        offsets: &Aligned<[u16; 8]>,
        quiets: u8,
        captures: u8,
        room: &mut Room,
    ) {
        // SAFETY: see the trait's methods; the words are 16 bytes.
        let words = unsafe {
            let origin = _mm_set1_epi16(Move::quiet(from, from).to_bits() as i16);
            let offsets = _mm_load_si128(offsets.0.as_ptr().cast());
            let flags = _mm_loadu_si128((&raw const CAPTURE_FLAGS.0[usize::from(captures)]).cast());
            _mm_or_si128(_mm_add_epi16(origin, offsets), flags)
        };
        self.write_eight(words, quiets | captures, room, 0);
    }

    /// Writes those of eight moves that are in `mask` to the room, from index `before` on.
    #[inline(always)]
    fn write_eight(self, words: __m128i, mask: u8, room: &mut Room, before: usize) {
        let room = room[before..].first_chunk_mut::<8>().expect("room for eight").as_mut_ptr();
        // SAFETY: see the trait's methods; the shuffle is 16 bytes, the room is no shorter,
        // and any bits make a `Move`.
        unsafe {
            let shuffle = _mm_loadu_si128((&raw const COMPRESS.0[usize::from(mask)]).cast());
            _mm_storeu_si128(room.cast(), _mm_shuffle_epi8(words, shuffle));
        }
    }
}

/// Eight words, four in each register. The first is rank 1.
#[derive(Clone, Copy)]
struct TwoRegisters([__m256i; 2]);

/// Rotates four words up: each to the next place, and the last to the first.
const UP: i32 = 0b_10_01_00_11;
/// Rotates four words down: each to the place before, and the first to the last.
const DOWN: i32 = 0b_00_11_10_01;
/// The first word as a mask for a blend of 32-bit halves of words.
const FIRST: i32 = 0b_0000_0011;
/// The last word as such a mask.
const LAST: i32 = 0b_1100_0000;

impl TwoRegisters {
    /// The board without its spare half. Only this function makes a value, so a value proves
    /// that the processor has the instructions.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn pack(squares: &[PieceByte; 128]) -> TwoRegisters {
        let start = squares.as_ptr().cast::<__m256i>();
        // SAFETY: the four loads are of the 128 bytes.
        let words = unsafe {
            let [a, b, c, d] = each!(at in [0, 1, 2, 3] => _mm256_loadu_si256(start.add(at)));
            let pairs = [_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d)];
            each!(pair in pairs => _mm256_permute4x64_epi64::<0b_11_01_10_00>(pair))
        };
        TwoRegisters(words)
    }
}

// SAFETY of all blocks below: a value is proof that the processor has the instructions.
impl Ranks for TwoRegisters {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: see above.
        TwoRegisters([unsafe { _mm256_set1_epi8(byte as i8) }; 2])
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        TwoRegisters(unsafe { each!(i in [0, 1] => _mm256_and_si256(self.0[i], other.0[i])) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        TwoRegisters(unsafe { each!(i in [0, 1] => _mm256_or_si256(self.0[i], other.0[i])) })
    }

    #[inline(always)]
    fn andnot(self, other: Self) -> Self {
        // SAFETY: see above.
        TwoRegisters(unsafe { each!(i in [0, 1] => _mm256_andnot_si256(other.0[i], self.0[i])) })
    }

    #[inline(always)]
    fn test(self, bits: u8) -> Self {
        let words = self.and(self.splat(bits)).0;
        // SAFETY: see above.
        let lacking = TwoRegisters(unsafe {
            each!(half in words => _mm256_cmpeq_epi8(half, _mm256_setzero_si256()))
        });
        self.splat(u8::MAX).andnot(lacking)
    }

    #[inline(always)]
    fn shift(self, bits: i32) -> Self {
        // SAFETY: see above.
        TwoRegisters(unsafe {
            let count = _mm_cvtsi32_si128(bits.abs());
            if bits > 0 {
                each!(half in self.0 => _mm256_sll_epi64(half, count))
            } else {
                each!(half in self.0 => _mm256_srl_epi64(half, count))
            }
        })
    }

    #[inline(always)]
    fn step_up(self, ranks: i32) -> Self {
        let [low, high] = self.0;
        // SAFETY: see above.
        TwoRegisters(unsafe {
            let none = _mm256_setzero_si256();
            match ranks {
                0 => [low, high],
                1 => {
                    let [low, high] =
                        each!(half in [low, high] => _mm256_permute4x64_epi64::<UP>(half));
                    [_mm256_blend_epi32::<FIRST>(low, none), _mm256_blend_epi32::<FIRST>(high, low)]
                }
                2 => [
                    _mm256_permute2x128_si256::<0x08>(low, low),
                    _mm256_permute2x128_si256::<0x21>(low, high),
                ],
                4 => [none, low],
                -1 => {
                    let [low, high] =
                        each!(half in [low, high] => _mm256_permute4x64_epi64::<DOWN>(half));
                    [_mm256_blend_epi32::<LAST>(low, high), _mm256_blend_epi32::<LAST>(high, none)]
                }
                -2 => [
                    _mm256_permute2x128_si256::<0x21>(low, high),
                    _mm256_permute2x128_si256::<0x81>(high, high),
                ],
                -4 => [high, none],
                ranks => unreachable!("no step of {ranks} ranks"),
            }
        })
    }

    #[inline(always)]
    fn movemask(self) -> u64 {
        both(each!(half in self.0 => movemask(half)))
    }
}
