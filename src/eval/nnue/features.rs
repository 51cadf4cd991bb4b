//! What the network sees: which of its inputs are on in a position.
//!
//! Each side has a view of its own, and each view has 768 features for pieces: one for
//! each piece, own or other, on each square. In a view the own side plays up the
//! board, so Black's is turned upside down and the colours are swapped. If the
//! own king stands on the files e to h, the view is mirrored left to right too:
//! so the king always stands on the files a to d, and what is learnt on one wing
//! holds on the other. (Mirroring by the king's file is common practice; see
//! Stockfish's `HalfKAv2_hm`.)
//!
//! These 768 exist once for each of four zones of the own king; only those of its zone are on.
//! Two zones share the first rank, the second rank is one, all beyond it another. (Elsewhere
//! zones are called king buckets; `HalfKAv2_hm` has 32.)
//!
//! Two more features go with each piece on each square, for the danger that the piece is in
//! ([`Dangers`]): whether it hangs, and whether a lesser piece attacks it. (That inputs
//! for threats pay even for small networks was found by Monty.)

use std::iter;

use crate::board::{Board, Color, Dangers, Piece, Square};

pub use super::quantised::{FEATURES, MARKS, MAX_PIECES, PIECE_FEATURES, ZONES};

// The features are numbered by these bits.
const _: () = assert!(Dangers::HANGING == 1 && Dangers::OUTRANKED == 2 && MARKS == 2);

/// How many views there are: two colours, mirrored or not, in each zone.
pub const VIEWS: usize = 4 * ZONES;

/// How one side looks at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    color: Color,
    is_mirrored: bool,
    zone: u8,
}

impl View {
    /// The view of `color` whose king stands on `king`.
    #[inline]
    #[must_use]
    pub const fn new(color: Color, king: Square) -> View {
        View { color, is_mirrored: king.file() >= 4, zone: zone(color, king) }
    }

    /// The view that `color` has in this position.
    #[inline]
    #[must_use]
    pub fn of(board: &Board, color: Color) -> View {
        View::new(color, board.king(color))
    }

    /// Whose view it is.
    #[inline]
    #[must_use]
    pub const fn color(self) -> Color {
        self.color
    }

    /// Whether left and right are exchanged.
    #[inline]
    #[must_use]
    pub const fn is_mirrored(self) -> bool {
        self.is_mirrored
    }

    /// The number of the view, below [`VIEWS`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.color.index() * 2 + self.is_mirrored as usize) * ZONES + self.zone()
    }

    /// The zone of the own king, below [`ZONES`].
    #[inline]
    #[must_use]
    pub const fn zone(self) -> usize {
        self.zone as usize
    }

    /// The feature of `piece` on `sq` in this view, below [`ZONES`] times [`PIECE_FEATURES`]:
    /// [`PIECE_FEATURES`] for each zone before the own king's, plus 384 if the piece is not
    /// the own side's, plus 64 times its kind, plus its square in the view, from a1 = 0 to
    /// h8 = 63.
    ///
    /// # Panics
    /// In debug builds, if there is no such piece or square. In others, the result
    /// is then no feature.
    #[inline]
    #[must_use]
    pub fn feature(self, piece: Piece, sq: Square) -> usize {
        debug_assert!(!piece.is_empty() && sq.is_on_board(), "{piece:?} on {sq:?}");
        feature_in(self.row(input(0, piece, sq.to_64())))
    }

    /// The row that this view has for an input.
    #[inline]
    pub(super) const fn row(self, input: u16) -> usize {
        self.turn().row(input)
    }

    /// How the view maps inputs to rows.
    #[inline]
    pub(super) const fn turn(self) -> Turn {
        const FILES: u16 = 0o07;
        const RANKS_AND_OWNER: u16 = 0o170;
        let by_color = if matches!(self.color, Color::Black) { RANKS_AND_OWNER } else { 0 };
        let bits = by_color | if self.is_mirrored { FILES } else { 0 };
        Turn { bits, first: (self.zone() * PIECE_FEATURES) as u16 }
    }

    /// All features of a `piece` on `sq` that has these marks, below [`FEATURES`].
    ///
    /// # Panics
    /// As [`View::feature`].
    #[inline]
    pub fn features(self, piece: Piece, sq: Square, marks: u8) -> impl Iterator<Item = usize> {
        let feature = self.feature(piece, sq);
        let of_mark = move |mark| (ZONES + mark) * PIECE_FEATURES + feature % PIECE_FEATURES;
        let is_on = move |&mark: &usize| marks >> mark & 1 != 0;
        iter::once(feature).chain((0..MARKS).filter(is_on).map(of_mark))
    }

    /// The features that are on in this position, each once.
    #[inline]
    pub fn active(self, board: &Board) -> impl Iterator<Item = usize> + '_ {
        let dangers = board.dangers();
        Color::ALL
            .into_iter()
            .flat_map(|color| board.pieces(color))
            .flat_map(move |(sq, piece)| self.features(piece, sq, dangers.marks(sq)))
    }
}

/// The zone of the king of this colour, below [`ZONES`], if it stands on `king`: on its first
/// rank 0 on the two files at either edge, else 1; 2 on the second; 3 beyond.
const fn zone(color: Color, king: Square) -> u8 {
    match king.rank_for(color) {
        0 if king.file() < 2 || king.file() > 5 => 0,
        0 => 1,
        1 => 2,
        _ => 3,
    }
}

/// How a view maps inputs to the rows that it has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The bits to flip.
    pub(super) bits: u16,
    /// Its first row for pieces.
    pub(super) first: u16,
}

impl Turn {
    /// The row for an input.
    #[inline(always)]
    pub(super) const fn row(self, input: u16) -> usize {
        // No branch: pieces and marks come in no order that could be predicted.
        let is_piece = (input < PIECE_FEATURES as u16) as u16;
        ((input ^ self.bits) + is_piece * self.first) as usize
    }
}

/// An input whatever the view: a piece on a square (part 0), or one of its marks (parts 1
/// and 2). It is the number of the row of weights that White's view has for it, if that is
/// not mirrored and its king in the first zone; a [`Turn`] leads to the row of any other view.
///
/// Rows are in the order of the features, except that the owner comes after the kind: next
/// to the square, where one bit tells it.
#[inline]
pub(super) const fn input(part: usize, piece: Piece, sq: usize) -> u16 {
    let is_black = (piece.0 & Piece::BLACK != 0) as usize;
    let set = if part == 0 { 0 } else { ZONES - 1 + part };
    (set * PIECE_FEATURES + piece.kind_index() * 2 * 64 + is_black * 64 + sq) as u16
}

/// The feature whose weights are in that row.
pub(super) const fn feature_in(row: usize) -> usize {
    let (set, kind, owner, sq) =
        (row / PIECE_FEATURES, row % PIECE_FEATURES / 128, row / 64 % 2, row % 64);
    set * PIECE_FEATURES + owner * (PIECE_FEATURES / 2) + kind * 64 + sq
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Kind;

    fn square(name: &str) -> Square {
        name.parse().expect("a square")
    }

    #[test]
    fn features_are_numbered_by_owner_kind_and_square() {
        let white = View::new(Color::White, square("b1"));
        let black = View::new(Color::Black, square("b8"));
        let pawn = Piece::new(Color::White, Kind::Pawn);
        let king = Piece::new(Color::Black, Kind::King);
        assert_eq!(white.feature(pawn, square("a1")), 0);
        assert_eq!(white.feature(pawn, square("b2")), 9);
        assert_eq!(white.feature(king, square("h8")), 384 + 5 * 64 + 63);
        assert_eq!(black.feature(king, square("h8")), 5 * 64 + 7);
        assert_eq!(black.feature(pawn, square("b2")), 384 + 6 * 8 + 1);
        let mirrored = View::new(Color::White, square("g1"));
        assert!(mirrored.is_mirrored() && !white.is_mirrored());
        assert_eq!(mirrored.feature(pawn, square("b2")), 8 + 6);
        let far = View::new(Color::Black, square("f5"));
        assert_eq!(far.feature(king, square("f5")), 3 * PIECE_FEATURES + 5 * 64 + 3 * 8 + 2);
    }

    #[test]
    fn the_kings_zone_is_the_same_for_both_sides_and_wings() {
        let ranks =
            [[0, 0, 1, 1, 1, 1, 0, 0], [2; 8], [3; 8], [3; 8], [3; 8], [3; 8], [3; 8], [3; 8]];
        for sq in Square::all() {
            let zone = ranks[usize::from(sq.rank())][usize::from(sq.file())];
            assert_eq!(View::new(Color::White, sq).zone(), zone, "{sq}");
            assert_eq!(View::new(Color::Black, sq.flip_rank()).zone(), zone, "{sq}");
        }
    }

    #[test]
    fn every_view_numbers_all_pieces_on_all_squares() {
        let mut views = [None; VIEWS];
        for king in Square::all() {
            for color in Color::ALL {
                let view = View::new(color, king);
                assert_eq!(*views[view.index()].get_or_insert(view), view);
                let mut seen = [false; PIECE_FEATURES];
                for owner in Color::ALL {
                    for kind in Kind::ALL {
                        for sq in Square::all() {
                            let feature = view.feature(Piece::new(owner, kind), sq);
                            assert_eq!(feature / PIECE_FEATURES, view.zone());
                            seen[feature % PIECE_FEATURES] = true;
                        }
                    }
                }
                assert_eq!(seen, [true; PIECE_FEATURES]);
            }
        }
        assert!(!views.contains(&None));
    }

    #[test]
    fn each_piece_has_a_feature_and_one_for_each_danger() {
        // A pawn attacks the knight, which is defended, and the rook, which is not.
        let board: Board = "6k1/8/8/8/3p4/2N1R3/1P6/6K1 w - - 0 1".parse().expect("a FEN");
        for color in Color::ALL {
            let view = View::of(&board, color);
            let mut features: Vec<usize> = view.active(&board).collect();
            let of = |letter, name| {
                view.feature(Piece::from_letter(letter).expect("a piece"), square(name))
            };
            let (knight, rook) = (of('N', "c3"), of('R', "e3"));
            let mut expected =
                vec![knight, rook, of('p', "d4"), of('P', "b2"), of('K', "g1"), of('k', "g8")];
            let marked = |mark, piece| (ZONES + mark) * PIECE_FEATURES + piece % PIECE_FEATURES;
            expected.extend([marked(0, rook), marked(1, rook), marked(1, knight)]);
            features.sort_unstable();
            expected.sort_unstable();
            assert_eq!(features, expected);
        }
    }
}
