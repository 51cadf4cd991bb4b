//! Lookup tables of the AVX2 backend, all made at compile time.

use crate::board::backend::simd::geometry::{ATTACKS, Aligned, OFFSETS, lane_numbers};
use crate::board::backend::simd::vector_backend::{BISHOP, ROOK};
use crate::board::moves::Move;
use crate::board::square::{ALL_STEPS, KNIGHT_JUMPS, OFF_BOARD, Square};

/// The lanes of a rook's rays, which fill one register. The bishop's fill the other.
pub(super) const ORTHOGONAL_LANES: u64 = 0xffff_ffff;
const _: () = {
    assert!(ATTACKS[0][ROOK as usize] & !ORTHOGONAL_LANES == 0);
    assert!(ATTACKS[0][BISHOP as usize] & ORTHOGONAL_LANES == 0);
};

/// The place of a square in the packed board: its place in a pair of ranks in the low four
/// bits, the pair in the next two. Off the board the top bit is set, for which the shuffle
/// gives 0.
pub(super) const fn packed(square: u8) -> u8 {
    if square & OFF_BOARD != 0 {
        return 0x80;
    }
    let (file, rank) = (square & 7, square >> 4);
    rank >> 1 << 4 | (rank & 1) << 3 | file
}

/// `[square]`: the places of its lanes in the packed board.
pub(super) static PLACES: [Aligned<[u8; 64]>; 128] = {
    let mut places = [const { Aligned([0; 64]) }; 128];
    let mut i = 0;
    while i < 128 * 64 {
        let (square, lane) = (i / 64, i % 64);
        places[square].0[lane] = packed(OFFSETS.0[lane].wrapping_add(square as u8));
        i += 1;
    }
    places
};

/// `[square]`: its lanes on the board.
pub(super) static ON_BOARD: [u64; 128] = {
    let mut lanes = [0; 128];
    let mut i = 0;
    while i < 128 * 64 {
        let (square, lane) = (i / 64, i % 64);
        if OFFSETS.0[lane].wrapping_add(square as u8) & OFF_BOARD == 0 {
            lanes[square] |= 1 << lane;
        }
        i += 1;
    }
    lanes
};

/// `[square]`: the places of a knight's jumps in the packed board.
pub(super) static JUMP_PLACES: [[u8; 8]; 128] = {
    let mut places = [[0; 8]; 128];
    let mut i = 0;
    while i < 128 * 8 {
        places[i / 8][i % 8] = packed(KNIGHT_JUMPS[i % 8].wrapping_add((i / 8) as u8));
        i += 1;
    }
    places
};

/// The numbers of eight keys, each in all bytes of its key.
pub(super) static KEY_NUMBERS: Aligned<[u8; 64]> = Aligned(lane_numbers(8));

/// The numbers of the squares.
pub(super) static NUMBERS: Aligned<[u8; 128]> = Aligned({
    let mut numbers = [0; 128];
    let mut square = 0;
    while square < 128 {
        numbers[square] = square as u8;
        square += 1;
    }
    numbers
});

/// `[ray][its lanes with a capture]`: the offsets of its lanes, in the byte of a
/// move's target square, and the flag of a capture. The last one, a jump, is never
/// used.
pub(super) static RAY_OFFSETS: Aligned<[[[u16; 8]; 128]; 8]> = Aligned({
    let flags = capture_flags();
    let mut offsets = [[[0; 8]; 128]; 8];
    let mut i = 0;
    while i < 128 * 64 {
        let (mask, lane) = (i / 64, i % 64);
        let offset = (OFFSETS.0[lane] as u16) << 8;
        offsets[lane / 8][mask][lane % 8] = offset | flags[mask][lane % 8];
        i += 1;
    }
    offsets
});

/// The offsets of the king's steps and of the knight's jumps, likewise.
pub(super) static STEP_OFFSETS: Aligned<[u16; 8]> = Aligned(upper_bytes(ALL_STEPS));
pub(super) static JUMP_OFFSETS: Aligned<[u16; 8]> = Aligned(upper_bytes(KNIGHT_JUMPS));
/// `[mask]`: the flag of a capture in those of eight words.
pub(super) static CAPTURE_FLAGS: Aligned<[[u16; 8]; 256]> = Aligned(capture_flags());
/// `[mask]`: a shuffle that brings those of eight words together at the front.
pub(super) static COMPRESS: Aligned<[[u16; 8]; 256]> = Aligned({
    let mut shuffles = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut front = 0;
        let mut word = 0;
        while word < 8 {
            if mask >> word & 1 != 0 {
                shuffles[mask][front] = u16::from_le_bytes([2 * word, 2 * word + 1]);
                front += 1;
            }
            word += 1;
        }
        mask += 1;
    }
    shuffles
});

const fn upper_bytes(bytes: [u8; 8]) -> [u16; 8] {
    let mut words = [0; 8];
    let mut i = 0;
    while i < 8 {
        words[i] = (bytes[i] as u16) << 8;
        i += 1;
    }
    words
}

const fn capture_flags() -> [[u16; 8]; 256] {
    let origin = Square::new(0, 0);
    let flag = Move::capture(origin, origin).to_bits();
    let mut flags = [[0; 8]; 256];
    let mut i = 0;
    while i < 256 * 8 {
        let (mask, word) = (i / 8, i % 8);
        if mask >> word & 1 != 0 {
            flags[mask][word] = flag;
        }
        i += 1;
    }
    flags
}
