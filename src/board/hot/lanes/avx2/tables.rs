//! What the AVX2 unit looks up: where the lanes of each square lie in the packed
//! board, and constants for its registers. All of it is made at compile time.

use crate::board::changes::family_bits;
use crate::board::moves::Move;
use crate::board::square::{ALL_STEPS, KNIGHT_JUMPS, OFF_BOARD, Square};

use crate::board::hot::lanes::geometry::{FLAGS_OF_SLOTS, GEOMETRY, SLOT_OF_LANE, STEPS_OF_SLOTS};
use crate::board::hot::lanes::unit::{BISHOP, ROOK};

/// The lanes of a rook's rays, which fill one register. The bishop's fill the other.
pub(super) const ORTHOGONAL_LANES: u64 = 0xffff_ffff;
const _: () = {
    let attacks = &GEOMETRY.attacks[0];
    assert!(attacks[ROOK as usize] & !ORTHOGONAL_LANES == 0);
    assert!(attacks[BISHOP as usize] & ORTHOGONAL_LANES == 0);
};

/// Bytes or words for large registers.
#[repr(align(32))]
pub(super) struct Aligned<T>(pub(super) T);

/// Eight words for one small register.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Words(pub(super) [u16; 8]);

/// Where a square is in the packed board: the place in its pair of ranks in the
/// low four bits, the pair in the next two. Off the board the top bit is set,
/// for which the shuffle gives 0.
pub(super) const fn packed(square: u8) -> u8 {
    if square & OFF_BOARD != 0 {
        return 0x80;
    }
    let (file, rank) = (square & 7, square >> 4);
    rank >> 1 << 4 | (rank & 1) << 3 | file
}

/// `[square]`: the places of its lanes in the packed board.
pub(super) static PLACES: [Aligned<[u8; 64]>; 128] = places();
/// `[square]`: its lanes that are on the board.
pub(super) static ON_BOARD: [u64; 128] = on_board();
/// `[color]`: the attackers that [`GEOMETRY`] tells.
pub(super) static ATTACKERS: [Aligned<[u8; 64]>; 2] =
    [Aligned(GEOMETRY.attackers[0]), Aligned(GEOMETRY.attackers[1])];
/// The numbers of the squares.
pub(super) static NUMBERS: Aligned<[u8; 128]> = numbers();
/// `[color]`: from a slot's square to its lanes.
pub(super) static PAWN_OFFSETS: [Aligned<[u8; 64]>; 2] =
    [Aligned(STEPS_OF_SLOTS[0]), Aligned(STEPS_OF_SLOTS[1])];
pub(super) static PAWN_SLOTS: Aligned<[u8; 64]> = Aligned(SLOT_OF_LANE);
pub(super) static PAWN_FLAGS: Aligned<[u8; 64]> = Aligned(FLAGS_OF_SLOTS);
/// `[square]`: the places of a knight's jumps in the packed board.
pub(super) static JUMP_PLACES: [[u8; 8]; 128] = jump_places();
/// `[square]`: the jumps that stay on the board.
pub(super) static JUMPS_ON_BOARD: [u8; 128] = jumps_on_board();
/// `[ray][its lanes with a capture]`: the offsets of its lanes, in the byte of a
/// move's target square, and the flag of a capture. The last one, a jump, is never
/// used.
pub(super) static RAY_OFFSETS: [[Words; 128]; 8] = ray_offsets();
/// The offsets of the king's steps and of the knight's jumps.
pub(super) static STEP_OFFSETS: Words = Words(upper_bytes(ALL_STEPS));
pub(super) static JUMP_OFFSETS: Words = Words(upper_bytes(KNIGHT_JUMPS));
/// `[mask]`: the flag of a capture in those of eight words.
pub(super) static CAPTURE_FLAGS: [Words; 256] = capture_flags();
/// `[piece]`: all ones for the key of its family, as [`family_bits`] has it.
pub(super) static FAMILY_MASKS: [Aligned<[u64; 8]>; 256] = families();
/// `[mask]`: a shuffle that brings those of eight words together at the front.
pub(super) static COMPRESS: [Words; 256] = compress();

const fn places() -> [Aligned<[u8; 64]>; 128] {
    let mut places = [const { Aligned([0; 64]) }; 128];
    let mut square = 0;
    while square < 128 {
        let mut lane = 0;
        while lane < 64 {
            places[square].0[lane] = packed(GEOMETRY.offsets[lane].wrapping_add(square as u8));
            lane += 1;
        }
        square += 1;
    }
    places
}

const fn on_board() -> [u64; 128] {
    let mut lanes = [0; 128];
    let mut square = 0;
    while square < 128 {
        let mut lane = 0;
        while lane < 64 {
            if GEOMETRY.offsets[lane].wrapping_add(square as u8) & OFF_BOARD == 0 {
                lanes[square] |= 1 << lane;
            }
            lane += 1;
        }
        square += 1;
    }
    lanes
}

const fn numbers() -> Aligned<[u8; 128]> {
    let mut numbers = [0; 128];
    let mut square = 0;
    while square < 128 {
        numbers[square] = square as u8;
        square += 1;
    }
    Aligned(numbers)
}

const fn upper_bytes(bytes: [u8; 8]) -> [u16; 8] {
    let mut words = [0; 8];
    let mut i = 0;
    while i < 8 {
        words[i] = (bytes[i] as u16) << 8;
        i += 1;
    }
    words
}

const fn jump_places() -> [[u8; 8]; 128] {
    let mut places = [[0; 8]; 128];
    let mut square = 0;
    while square < 128 {
        let mut jump = 0;
        while jump < 8 {
            places[square][jump] = packed(KNIGHT_JUMPS[jump].wrapping_add(square as u8));
            jump += 1;
        }
        square += 1;
    }
    places
}

const fn jumps_on_board() -> [u8; 128] {
    let mut jumps = [0; 128];
    let mut square = 0;
    while square < 128 {
        let mut jump = 0;
        while jump < 8 {
            if KNIGHT_JUMPS[jump].wrapping_add(square as u8) & OFF_BOARD == 0 {
                jumps[square] |= 1 << jump;
            }
            jump += 1;
        }
        square += 1;
    }
    jumps
}

const fn ray_offsets() -> [[Words; 128]; 8] {
    let flags = capture_flags();
    let mut offsets = [[Words([0; 8]); 128]; 8];
    let mut lane = 0;
    while lane < 64 {
        let mut mask = 0;
        while mask < 128 {
            let offset = (GEOMETRY.offsets[lane] as u16) << 8;
            offsets[lane / 8][mask].0[lane % 8] = offset | flags[mask].0[lane % 8];
            mask += 1;
        }
        lane += 1;
    }
    offsets
}

const fn families() -> [Aligned<[u64; 8]>; 256] {
    let bits = family_bits();
    let mut families = [const { Aligned([0; 8]) }; 256];
    let mut piece = 0;
    while piece < 256 {
        if bits[piece] != 0 {
            families[piece].0[bits[piece].trailing_zeros() as usize] = u64::MAX;
        }
        piece += 1;
    }
    families
}

const fn capture_flags() -> [Words; 256] {
    let origin = Square::new(0, 0);
    let flag = Move::capture(origin, origin).to_bits();
    let mut flags = [Words([0; 8]); 256];
    let mut mask = 0;
    while mask < 256 {
        let mut word = 0;
        while word < 8 {
            if mask >> word & 1 != 0 {
                flags[mask].0[word] = flag;
            }
            word += 1;
        }
        mask += 1;
    }
    flags
}

const fn compress() -> [Words; 256] {
    let mut shuffles = [Words([0; 8]); 256];
    let mut mask = 0;
    while mask < 256 {
        let mut front = 0;
        let mut word = 0;
        while word < 8 {
            if mask >> word & 1 != 0 {
                shuffles[mask].0[front] = u16::from_le_bytes([2 * word, 2 * word + 1]);
                front += 1;
            }
            word += 1;
        }
        mask += 1;
    }
    shuffles
}
