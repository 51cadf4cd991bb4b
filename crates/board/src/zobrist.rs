//! Zobrist keys: a random number for each piece on each square, castling right, en passant
//! file and the side to move; a position's key is the xor of its numbers. All are constants,
//! the same in every build.

use crate::random::splitmix64;

use super::square::OFF_BOARD;
use super::{Color, PieceByte, Square};

/// Part of the key when Black is to move.
pub(super) const SIDE: u64 = splitmix64(0x0088_0000);

static PIECES: [[u64; 128]; 16] = const_array!(16, |row| const_array!(128, |sq| {
    let seed = (row as u64) << 8 | sq as u64 | 0x0088_8000_0000;
    if row % 8 < 6 && sq as u8 & OFF_BOARD == 0 { splitmix64(seed) } else { 0 }
}));

/// The keys of each piece, by its byte.
static KEYS: [&[u64; 128]; 256] = const_array!(256, |byte| &PIECES[PieceByte(byte as u8).index()]);

static CASTLING: [[u64; 8]; 2] = const_array!(2, |color| const_array!(8, |file| {
    splitmix64(0x0088_1000 + 0x1000 * color as u64 + file as u64)
}));
/// By square, so that [`Square::NONE`] has a key too: 0.
static EN_PASSANT: [u64; 128] = const_array!(128, |sq| {
    if sq as u8 & OFF_BOARD == 0 { splitmix64(0x0088_3000 + sq as u64 % 8) } else { 0 }
});

#[inline]
pub(super) fn piece(piece: PieceByte, sq: Square) -> u64 {
    KEYS[piece.0 as usize][sq.index()]
}

/// Key of the right of `color` to castle with the rook on `rook`; 0 if `rook`
/// is [`Square::NONE`].
#[inline]
pub(super) fn castling(color: Color, rook: Square) -> u64 {
    if rook.is_on_board() { CASTLING[color.index()][rook.file() as usize] } else { 0 }
}

/// Key of the en passant square; 0 for [`Square::NONE`].
#[inline]
pub(super) fn en_passant(ep: Square) -> u64 {
    EN_PASSANT[ep.index()]
}
