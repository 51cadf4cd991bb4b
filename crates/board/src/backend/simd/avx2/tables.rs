//! Lookup tables of the AVX2 backend, all made at compile time.

use crate::backend::simd::geometry::{ATTACKS, Aligned, OFFSETS, packed};
use crate::backend::simd::vector_backend::{BISHOP, ROOK};
use crate::square::{ALL_STEPS, KNIGHT_JUMPS};
use crate::{Move, Square};

/// The lanes of a rook's rays, which fill one register. The bishop's fill the other.
pub(super) const ORTHOGONAL_LANES: u64 = 0xffff_ffff;
const _: () = {
    assert!(ATTACKS[0][ROOK as usize] & !ORTHOGONAL_LANES == 0);
    assert!(ATTACKS[0][BISHOP as usize] & ORTHOGONAL_LANES == 0);
};

/// `[square]`: the places of its lanes in the packed board.
pub(super) static PLACES: [Aligned<[u8; 64]>; 128] = const_array!(128, |square| {
    Aligned(const_array!(64, |lane| packed(OFFSETS.0[lane].wrapping_add(square as u8))))
});

/// `[square]`: the places of a knight's jumps in the packed board.
pub(super) static JUMP_PLACES: [[u8; 8]; 128] = const_array!(128, |square| {
    const_array!(8, |jump| packed(KNIGHT_JUMPS[jump].wrapping_add(square as u8)))
});

/// For each byte of eight keys, the number of the key.
pub(super) static KEY_NUMBERS: Aligned<[u8; 64]> =
    Aligned(const_array!(64, |byte| (byte / 8) as u8));

/// The numbers of the squares.
pub(super) static NUMBERS: Aligned<[u8; 128]> = Aligned(const_array!(128, |square| square as u8));

/// `[ray][lanes with a capture]`: for each lane of the ray, its offset in the byte of a
/// move's target square, and the flag of a capture. The last lane, a jump, is never used.
pub(super) static RAY_OFFSETS: Aligned<[[[u16; 8]; 128]; 8]> =
    Aligned(const_array!(8, |ray| const_array!(128, |mask| const_array!(8, |i| {
        (OFFSETS.0[8 * ray + i] as u16) << 8 | CAPTURE_FLAGS.0[mask][i]
    }))));

/// The offsets of the king's steps and of the knight's jumps, in the byte of the target square.
pub(super) static STEP_OFFSETS: Aligned<[u16; 8]> =
    Aligned(const_array!(8, |i| (ALL_STEPS[i] as u16) << 8));
pub(super) static JUMP_OFFSETS: Aligned<[u16; 8]> =
    Aligned(const_array!(8, |i| (KNIGHT_JUMPS[i] as u16) << 8));
/// `[mask]`: the flag of a capture in the words of the mask.
pub(super) static CAPTURE_FLAGS: Aligned<[[u16; 8]; 256]> = Aligned({
    let origin = Square::new(0, 0);
    let flag = Move::capture(origin, origin).to_bits();
    const_array!(256, |mask| const_array!(8, |word| if mask >> word & 1 != 0 { flag } else { 0 }))
});
/// `[mask]`: a shuffle that moves the words of the mask to the front.
pub(super) static COMPRESS: Aligned<[[u16; 8]; 256]> = Aligned(const_array!(256, |mask| {
    let (mut shuffle, mut front, mut rest) = ([0; 8], 0, mask as u8);
    while rest != 0 {
        let byte = 2 * rest.trailing_zeros() as u8;
        shuffle[front] = u16::from_le_bytes([byte, byte + 1]);
        front += 1;
        rest &= rest - 1;
    }
    shuffle
}));
