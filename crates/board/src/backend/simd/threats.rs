//! Threats on whole ranks: all pieces of both sides move at once.
//!
//! The board lies in eight words of eight bytes, a rank to each word, without the spare half
//! of 0x88: a byte shifted past the end of its word is lost, and so is a word shifted past
//! the last rank.
//!
//! A slider's byte floods the empty squares in its direction, over one square, then two, then
//! four, and is moved one step further (the parallel prefix of Peter Kogge and Harold Stone,
//! 1973; in chess Steffan Westcott's "occluded fill"). Knights, kings and pawns are only
//! moved. The bytes that arrive on a square are its attackers.

use crate::{Color, Kind, PieceByte, ThreatFeatures, Threats};

/// A byte for each square. Holding a value proves that the processor has the instructions.
pub(super) trait Ranks: Copy {
    /// This byte on every square.
    fn splat(self, byte: u8) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// The bits that `other` does not have.
    fn andnot(self, other: Self) -> Self;
    /// 0xff on the squares whose byte has one of `bits`, else 0.
    fn test(self, bits: u8) -> Self;
    /// Each word shifted by that many bits, to the left if positive. Bits that leave a byte
    /// enter the next one.
    fn shift(self, bits: i32) -> Self;
    /// Each word moved up by 0, ±1, ±2 or ±4 ranks.
    fn step_up(self, ranks: i32) -> Self;
    /// A bit for each byte, which is 0xff or 0, by
    /// [`Square::to_64`](crate::square::Square::to_64).
    fn movemask(self) -> u64;

    /// Each byte moved `RANKS * times` up and `FILES * times` to the right.
    #[inline(always)]
    fn step<const RANKS: i32, const FILES: i32>(self, times: i32) -> Self {
        self.step_up(RANKS * times).shift(8 * FILES * times)
    }
}

/// Classes of pieces by value, as bits: White's in the lower half of a byte, Black's in the
/// upper.
const PAWN: u8 = 1;
/// Knights and bishops.
const MINOR: u8 = 2;
const ROOK: u8 = 4;
/// Queens and kings.
const GREAT: u8 = 8;
const WHITE: u8 = 0x0f;
/// The distance of Black's classes from White's.
const TO_BLACK: i32 = 4;
const BLACK: u8 = WHITE << TO_BLACK;

// `classes` converts kinds to classes by these shifts.
const _: () = assert!(
    Kind::Pawn.bit() == PAWN
        && Kind::Knight.bit() == MINOR
        && Kind::Bishop.bit() >> 1 == MINOR
        && Kind::Rook.bit() >> 1 == ROOK
        && Kind::Queen.bit() >> 1 == GREAT
        && Kind::King.bit() >> 2 == GREAT
);

/// The squares that `by` attacks, from the [`PieceByte`] bytes of all squares.
#[inline(always)]
pub(super) fn threats<R: Ranks>(pieces: R, by: Color) -> Threats {
    let classes = if by == Color::White { WHITE } else { BLACK };
    Threats(attackers(pieces).test(classes).movemask())
}

#[inline(always)]
pub(super) fn threat_features<R: Ranks>(pieces: R) -> ThreatFeatures {
    let attackers = attackers(pieces);
    // `seen` has the attackers of the piece's own side in the lower half, the enemy's above.
    let is_black = pieces.test(Color::Black.bit());
    let turned = attackers
        .shift(-TO_BLACK)
        .and(pieces.splat(WHITE))
        .or(attackers.shift(TO_BLACK).and(pieces.splat(BLACK)));
    let seen = attackers.andnot(is_black).or(turned.and(is_black));
    let hanging = seen.test(BLACK).andnot(seen.test(WHITE)).and(pieces.test(u8::MAX));
    let attacked_by_lesser = seen.and(lesser(pieces)).test(u8::MAX);
    ThreatFeatures {
        hanging: hanging.movemask(),
        attacked_by_lesser: attacked_by_lesser.movemask(),
    }
}

/// The class of the piece on each square.
#[inline(always)]
fn classes<R: Ranks>(pieces: R) -> R {
    let class = middle_classes(pieces)
        .or(pieces.and(pieces.splat(PAWN)))
        .or(pieces.shift(-2).and(pieces.splat(GREAT)));
    let is_black = pieces.test(Color::Black.bit());
    class.andnot(is_black).or(class.shift(TO_BLACK).and(is_black))
}

/// The class of the piece on each square in the lower half of the byte, for either colour; 0 for
/// pawns and kings.
#[inline(always)]
fn middle_classes<R: Ranks>(pieces: R) -> R {
    let shifted = pieces.shift(-1).and(pieces.splat(MINOR | ROOK | GREAT));
    pieces.and(pieces.splat(MINOR)).or(shifted)
}

/// The classes that are lesser than the piece on each square, in the upper half of the byte.
#[inline(always)]
fn lesser<R: Ranks>(pieces: R) -> R {
    let classes = middle_classes(pieces);
    classes
        .shift(TO_BLACK - 1)
        .or(classes.shift(TO_BLACK - 2))
        .or(classes.shift(TO_BLACK - 3))
        .and(pieces.splat((PAWN | MINOR | ROOK) << TO_BLACK))
}

/// The classes of the pieces that attack each square.
#[inline(always)]
fn attackers<R: Ranks>(pieces: R) -> R {
    let classes = classes(pieces);
    let empty = pieces.splat(u8::MAX).andnot(pieces.test(PieceByte::KINDS));
    let orthogonal = classes.and(pieces.test(Kind::Rook.bit() | Kind::Queen.bit()));
    let by_orthogonal = flood::<R, 1, 0>(orthogonal, empty)
        .or(flood::<R, -1, 0>(orthogonal, empty))
        .or(flood::<R, 0, 1>(orthogonal, empty))
        .or(flood::<R, 0, -1>(orthogonal, empty));
    let diagonal = classes.and(pieces.test(Kind::Bishop.bit() | Kind::Queen.bit()));
    let by_diagonal = flood::<R, 1, 1>(diagonal, empty)
        .or(flood::<R, 1, -1>(diagonal, empty))
        .or(flood::<R, -1, 1>(diagonal, empty))
        .or(flood::<R, -1, -1>(diagonal, empty));
    let knights = classes.and(pieces.test(Kind::Knight.bit()));
    let (beside, further) = (to_both_sides(knights, 1), to_both_sides(knights, 2));
    let by_knights = up_and_down(beside, 2).or(up_and_down(further, 1));
    let kings = classes.and(pieces.test(Kind::King.bit()));
    let beside = to_both_sides(kings, 1);
    let by_kings = beside.or(up_and_down(kings.or(beside), 1));
    let white_pawns = classes.and(classes.splat(PAWN));
    let black_pawns = classes.and(classes.splat(PAWN << TO_BLACK));
    let ahead = white_pawns.step::<1, 0>(1).or(black_pawns.step::<-1, 0>(1));
    let by_pawns = to_both_sides(ahead, 1);
    by_orthogonal.or(by_diagonal).or(by_knights).or(by_kings).or(by_pawns)
}

/// The bytes of the sliders on the squares that they attack in one direction: over `empty`
/// squares, up to and including the first square that is not empty.
#[inline(always)]
fn flood<R: Ranks, const RANKS: i32, const FILES: i32>(sliders: R, empty: R) -> R {
    let one = sliders.or(empty.and(sliders.step::<RANKS, FILES>(1)));
    let path = empty.and(empty.step::<RANKS, FILES>(1));
    let three = one.or(path.and(one.step::<RANKS, FILES>(2)));
    let path = path.and(path.step::<RANKS, FILES>(2));
    let all = three.or(path.and(three.step::<RANKS, FILES>(4)));
    all.step::<RANKS, FILES>(1)
}

#[inline(always)]
fn to_both_sides<R: Ranks>(bytes: R, files: i32) -> R {
    bytes.step::<0, 1>(files).or(bytes.step::<0, -1>(files))
}

#[inline(always)]
fn up_and_down<R: Ranks>(bytes: R, ranks: i32) -> R {
    bytes.step::<1, 0>(ranks).or(bytes.step::<-1, 0>(ranks))
}
