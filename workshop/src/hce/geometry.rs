//! Squares as the evaluation sees them: distances, colours, files as bytes, and the
//! board from either side.

use carrybit::board::{Color, Square};

/// The ranks of one file: bit `r` stands for rank `r`.
pub(super) type Ranks = u8;

/// The last rank, seen from either side: where its pawns promote.
pub(super) const LAST_RANK: u8 = 7;

/// The ranks above `rank`.
#[inline]
pub(super) const fn above(rank: u8) -> Ranks {
    Ranks::MAX << rank << 1
}

/// The ranks as `side` sees them: rank 0 is its own back rank.
#[inline]
pub(super) const fn seen_from(side: Color, ranks: Ranks) -> Ranks {
    match side {
        Color::White => ranks,
        Color::Black => ranks.reverse_bits(),
    }
}

/// The square on `file` and on the rank that `side` calls `rank`.
#[inline]
pub(super) const fn square_for(side: Color, file: u8, rank: u8) -> Square {
    match side {
        Color::White => Square::new(file, rank),
        Color::Black => Square::new(file, LAST_RANK - rank),
    }
}

/// 0 for a dark square, 1 for a light one.
#[inline]
pub(super) const fn shade(file: u8, rank: u8) -> usize {
    (file ^ rank) as usize & 1
}

/// How many king steps two squares are apart.
#[inline]
pub(super) fn king_steps(a: Square, b: Square) -> i32 {
    i32::from(a.king_steps_to(b))
}

/// The file in the middle of the three at a king, so that all are on the board.
#[inline]
pub(super) fn middle_file(king: Square) -> u8 {
    king.file().clamp(1, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_above_the_last_are_none() {
        assert_eq!(above(7), 0);
        assert_eq!(above(0), 0xfe);
    }
}
