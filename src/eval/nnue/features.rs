//! The network's inputs: the features that are active in a position.
//!
//! Each side has its own perspective, in which it plays up the board: Black's is flipped
//! vertically, with colours swapped. If the side's king is on the files e to h, the board is also
//! mirrored horizontally, which puts the king on a to d. (Like Stockfish's `HalfKAv2_hm`.)
//!
//! * Pieces by king bucket: 768 features for each bucket, one for each piece of either side on
//!   each square. Only those of the bucket of the side's king are active.
//! * Threat inputs: 768 features for each threat plane, one for each piece on each square, by
//!   [`Board::threat_features`]. The first plane is for hanging pieces, the second for pieces
//!   that a lesser piece attacks. (Monty found that threat inputs help even small networks.)
//!
//! Three numberings: an `input` is a piece or a threat before a perspective is applied;
//! `Perspective::row` maps it to the row of weights in memory; `feature_in` maps a row to its
//! feature, the number in the file.

use carrybit_board::{Board, Color, PieceByte, Square};

use super::embedded::{KING_BUCKETS, SHAPE};
use super::shape::{KING_SQUARES, PIECE_FEATURES, Shape};

/// Two colours, mirrored or not, with each king bucket.
pub(super) const PERSPECTIVES: usize = 4 * KING_BUCKETS;

/// The bits of an [`input`] to flip for a mirrored perspective, and for Black's.
const FILES: u16 = 0o07;
const RANKS_AND_OWNER: u16 = 0o170;

/// The perspective of a side, by its colour and the square of its king: maps inputs to rows
/// of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The bits of an input to flip: the index map of this perspective.
    flips: u16,
    /// The first row of the king bucket.
    first: u16,
}

impl Perspective {
    /// The perspective of `color` with its king on `king`, in networks of this shape.
    #[inline]
    pub const fn new(shape: &Shape, color: Color, king: Square) -> Perspective {
        let is_mirrored = king.file() >= 4;
        let file = if is_mirrored { king.file() ^ 7 } else { king.file() };
        let sq = (king.relative_rank(color) * 4 + file) as usize % KING_SQUARES;
        let by_color = if matches!(color, Color::Black) { RANKS_AND_OWNER } else { 0 };
        let flips = by_color | if is_mirrored { FILES } else { 0 };
        Perspective { flips, first: shape.king_buckets[sq] as u16 * PIECE_FEATURES as u16 }
    }

    /// The perspective of `color` in this position, in the engine's network.
    #[inline]
    pub fn of(board: &Board, color: Color) -> Perspective {
        Perspective::new(&SHAPE, color, board.king(color))
    }

    /// Whether the board is mirrored horizontally.
    #[inline]
    pub const fn is_mirrored(self) -> bool {
        self.flips & FILES != 0
    }

    /// The bucket of the side's king.
    #[inline]
    pub const fn king_bucket(self) -> usize {
        self.first as usize / PIECE_FEATURES
    }

    /// A number below [`PERSPECTIVES`].
    #[inline]
    pub(super) const fn index(self) -> usize {
        let is_black = self.flips & RANKS_AND_OWNER != 0;
        (is_black as usize * 2 + self.is_mirrored() as usize) * KING_BUCKETS + self.king_bucket()
    }

    /// The row of weights of an [`input`] in this perspective.
    #[inline(always)]
    pub(super) const fn row(self, input: u16) -> usize {
        // No branch, because the order of pieces and threats is unpredictable.
        let is_piece = (input < PIECE_FEATURES as u16) as u16;
        ((input ^ self.flips) + is_piece * self.first) as usize
    }
}

impl Shape {
    /// Calls `push` with the features of pieces, each given with its threats, a bit for each
    /// plane. The feature of a piece is 768 × the king bucket + 384 for an enemy piece + 64 × its
    /// kind + its square in the perspective, a1 = 0 to h8 = 63. Those of its threats follow.
    #[inline]
    pub fn for_each_feature(
        &self,
        perspective: Perspective,
        pieces: impl Iterator<Item = (PieceByte, Square, u8)>,
        mut push: impl FnMut(usize),
    ) {
        let king_buckets = self.king_bucket_count();
        pieces.for_each(|(piece, sq, threats)| {
            let feature = feature_in(perspective.row(input(0, piece, sq.to_64())));
            push(feature);
            for plane in (0..self.threat_planes).filter(|plane| threats >> plane & 1 != 0) {
                push((king_buckets + plane) * PIECE_FEATURES + feature % PIECE_FEATURES);
            }
        });
    }

    /// The active features of this position, each once, from the perspective of `color`.
    pub fn active_features(&self, board: &Board, color: Color) -> Vec<usize> {
        let perspective = Perspective::new(self, color, board.king(color));
        let threats = board.threat_features();
        let pieces = Color::ALL.into_iter().flat_map(|color| board.pieces_of(color));
        let pieces = pieces.map(|(sq, piece)| (piece, sq, threats.planes(sq)));
        let mut features = Vec::new();
        self.for_each_feature(perspective, pieces, |feature| features.push(feature));
        features
    }
}

/// The number of an input, which is a feature before a perspective is applied: a piece on a
/// square (part 0), or one of its threats (parts 1 and 2). The number is that of the row of
/// weights for White, not mirrored, in the first king bucket; [`Perspective::row`] maps it to
/// other rows.
///
/// Rows are in the order of the features, except that the owner comes after the kind: as a
/// single bit above the square, which a perspective can flip.
#[inline]
pub(super) const fn input(part: usize, piece: PieceByte, sq: usize) -> u16 {
    let is_black = (piece.0 & PieceByte::BLACK != 0) as usize;
    let set = if part == 0 { 0 } else { KING_BUCKETS - 1 + part };
    (set * PIECE_FEATURES + piece.kind_index() * 2 * 64 + is_black * 64 + sq) as u16
}

/// The feature whose weights are in `row`.
#[inline]
pub(super) const fn feature_in(row: usize) -> usize {
    let (set, kind, owner, sq) =
        (row / PIECE_FEATURES, row % PIECE_FEATURES / 128, row / 64 % 2, row % 64);
    set * PIECE_FEATURES + owner * (PIECE_FEATURES / 2) + kind * 64 + sq
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_numbered_by_owner_kind_and_square() {
        let last = (KING_BUCKETS - 1) * PIECE_FEATURES;
        for (color, own_king, piece, sq, expected) in [
            (Color::White, "a1", 'P', "a1", 0),
            (Color::White, "a1", 'P', "b2", 9),
            (Color::White, "a1", 'k', "h8", 384 + 5 * 64 + 63),
            (Color::Black, "a8", 'k', "h8", 5 * 64 + 7),
            (Color::Black, "a8", 'P', "b2", 384 + 6 * 8 + 1),
            (Color::White, "h1", 'P', "b2", 8 + 6),
            (Color::Black, "f5", 'k', "f5", last + 5 * 64 + 3 * 8 + 2),
        ] {
            let [king, square] =
                [own_king, sq].map(|name| name.parse::<Square>().expect("a square"));
            let byte = PieceByte::from_letter(piece).expect("a piece");
            let row = Perspective::new(&SHAPE, color, king).row(input(0, byte, square.to_64()));
            assert_eq!(feature_in(row), expected, "{piece} on {sq}");
        }
    }
}
