//! Zobrist keys: a random number for each piece on each square, castling right, en passant
//! file and the side to move; a position's key is the xor of its numbers. All are constants,
//! the same in every build.

use crate::random::splitmix64;

use super::color::Color;
use super::piece::Piece;
use super::square::{OFF_BOARD, Square};

/// Toggled when Black is to move.
pub(super) const SIDE: u64 = splitmix64(0x0088_0000);

static PIECES: [[u64; 128]; 16] = {
    let mut keys = [[0; 128]; 16];
    let mut i = 0;
    while i < 16 * 128 {
        let (row, sq) = (i / 128, i % 128);
        if row % 8 < 6 && sq as u8 & OFF_BOARD == 0 {
            keys[row][sq] = splitmix64((row as u64) << 8 | sq as u64 | 0x0088_8000_0000);
        }
        i += 1;
    }
    keys
};

/// The keys of each piece, by its byte.
static KEYS: [&[u64; 128]; 256] = {
    let mut keys = [&PIECES[0]; 256];
    let mut byte = 0;
    while byte < 256 {
        keys[byte] = &PIECES[Piece(byte as u8).index()];
        byte += 1;
    }
    keys
};

static CASTLING: [[u64; 8]; 2] = [file_keys(0x0088_1000), file_keys(0x0088_2000)];
/// By square, so that [`Square::NONE`] has a key too: 0.
static EN_PASSANT: [u64; 128] = {
    let of_files = file_keys(0x0088_3000);
    let mut keys = [0; 128];
    let mut sq = 0;
    while sq < 128 {
        keys[sq] = if sq as u8 & OFF_BOARD == 0 { of_files[sq % 8] } else { 0 };
        sq += 1;
    }
    keys
};

/// Key of `piece` on `sq`.
#[inline]
pub(super) fn piece(piece: Piece, sq: Square) -> u64 {
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

const fn file_keys(seed: u64) -> [u64; 8] {
    let mut keys = [0; 8];
    let mut file = 0;
    while file < 8 {
        keys[file] = splitmix64(seed + file as u64);
        file += 1;
    }
    keys
}
