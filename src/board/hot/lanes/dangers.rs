//! Dangers on whole ranks: all pieces of both sides move at once.
//!
//! A slider's byte floods the empty squares in its direction, over one square, then two,
//! then four, and is moved one step further (the parallel prefix by Peter Kogge and Harold
//! Stone, 1973, which Steffan Westcott brought to chess as "occluded fill"). Knights,
//! kings and pawns are moved only. What arrives on a square says who attacks it.

use crate::board::color::Color;
use crate::board::dangers::Dangers;
use crate::board::piece::{Kind, Piece};

use super::ranks::Ranks;

/// Classes of pieces, in the order of their worth, as bits: White's in the lower half of
/// a byte, Black's in the upper.
const PAWN: u8 = 1;
/// Knights and bishops.
const MINOR: u8 = 2;
const ROOK: u8 = 4;
/// Queens and kings, to whom nobody is lesser.
const GREAT: u8 = 8;
/// All classes of White.
pub(super) const WHITE: u8 = 0x0f;
/// How far Black's classes are from White's.
const TO_BLACK: i32 = 4;
/// All classes of Black.
pub(super) const BLACK: u8 = WHITE << TO_BLACK;

// So `classes` has only to shift.
const _: () = assert!(
    Kind::Pawn.bit() == PAWN
        && Kind::Knight.bit() == MINOR
        && Kind::Bishop.bit() >> 1 == MINOR
        && Kind::Rook.bit() >> 1 == ROOK
        && Kind::Queen.bit() >> 1 == GREAT
        && Kind::King.bit() >> 2 == GREAT
);

/// Which pieces hang and which are outranked, by the [`Piece`] bytes of all squares.
#[inline(always)]
pub(super) fn dangers<R: Ranks>(pieces: R) -> Dangers {
    let attackers = attackers(pieces);
    // Seen by the piece itself: its own side below, the other above.
    let is_black = pieces.having(Color::Black.bit());
    let turned = attackers
        .shifted::<{ -TO_BLACK }>()
        .and(pieces.every(WHITE))
        .or(attackers.shifted::<TO_BLACK>().and(pieces.every(BLACK)));
    let seen = attackers.without(is_black).or(turned.and(is_black));
    let hanging = seen.having(BLACK).without(seen.having(WHITE)).and(pieces.having(u8::MAX));
    let outranked = seen.and(lesser(pieces)).having(u8::MAX);
    Dangers { hanging: hanging.top_bits(), outranked: outranked.top_bits() }
}

/// The class of the piece on each square.
#[inline(always)]
fn classes<R: Ranks>(pieces: R) -> R {
    let class = officers(pieces)
        .or(pieces.and(pieces.every(PAWN)))
        .or(pieces.shifted::<-2>().and(pieces.every(GREAT)));
    let is_black = pieces.having(Color::Black.bit());
    class.without(is_black).or(class.shifted::<TO_BLACK>().and(is_black))
}

/// The class of the officer on each square, as if it were White's.
#[inline(always)]
fn officers<R: Ranks>(pieces: R) -> R {
    let shifted = pieces.shifted::<-1>().and(pieces.every(MINOR | ROOK | GREAT));
    pieces.and(pieces.every(MINOR)).or(shifted)
}

/// The classes that outrank the piece on each square, as if they were Black's: for an
/// officer, all below its own.
#[inline(always)]
fn lesser<R: Ranks>(pieces: R) -> R {
    let officers = officers(pieces);
    officers
        .shifted::<{ TO_BLACK - 1 }>()
        .or(officers.shifted::<{ TO_BLACK - 2 }>())
        .or(officers.shifted::<{ TO_BLACK - 3 }>())
        .and(pieces.every((PAWN | MINOR | ROOK) << TO_BLACK))
}

/// The classes of the pieces that attack each square.
#[inline(always)]
pub(super) fn attackers<R: Ranks>(pieces: R) -> R {
    let classes = classes(pieces);
    let empty = pieces.every(u8::MAX).without(pieces.having(Piece::KINDS));
    let straight = classes.and(pieces.having(Kind::Rook.bit() | Kind::Queen.bit()));
    let along_lines = flood::<R, 1, 0>(straight, empty)
        .or(flood::<R, -1, 0>(straight, empty))
        .or(flood::<R, 0, 1>(straight, empty))
        .or(flood::<R, 0, -1>(straight, empty));
    let slanting = classes.and(pieces.having(Kind::Bishop.bit() | Kind::Queen.bit()));
    let along_diagonals = flood::<R, 1, 1>(slanting, empty)
        .or(flood::<R, 1, -1>(slanting, empty))
        .or(flood::<R, -1, 1>(slanting, empty))
        .or(flood::<R, -1, -1>(slanting, empty));
    let knights = classes.and(pieces.having(Kind::Knight.bit()));
    let (beside, further) = (to_both_sides(knights, 1), to_both_sides(knights, 2));
    let by_knights = up_and_down(beside, 2).or(up_and_down(further, 1));
    let kings = classes.and(pieces.having(Kind::King.bit()));
    let beside = to_both_sides(kings, 1);
    let by_kings = beside.or(up_and_down(kings.or(beside), 1));
    let white_pawns = classes.and(classes.every(PAWN));
    let black_pawns = classes.and(classes.every(PAWN << TO_BLACK));
    let ahead = white_pawns.moved::<1, 0>(1).or(black_pawns.moved::<-1, 0>(1));
    let by_pawns = to_both_sides(ahead, 1);
    along_lines.or(along_diagonals).or(by_knights).or(by_kings).or(by_pawns)
}

/// Where sliders arrive in one direction, over `empty` squares and up to the first that is
/// not.
#[inline(always)]
fn flood<R: Ranks, const RANKS: i32, const FILES: i32>(sliders: R, empty: R) -> R {
    let one = sliders.or(empty.and(sliders.moved::<RANKS, FILES>(1)));
    let path = empty.and(empty.moved::<RANKS, FILES>(1));
    let three = one.or(path.and(one.moved::<RANKS, FILES>(2)));
    let path = path.and(path.moved::<RANKS, FILES>(2));
    let all = three.or(path.and(three.moved::<RANKS, FILES>(4)));
    all.moved::<RANKS, FILES>(1)
}

#[inline(always)]
fn to_both_sides<R: Ranks>(bytes: R, files: i32) -> R {
    bytes.moved::<0, 1>(files).or(bytes.moved::<0, -1>(files))
}

#[inline(always)]
fn up_and_down<R: Ranks>(bytes: R, ranks: i32) -> R {
    bytes.moved::<1, 0>(ranks).or(bytes.moved::<-1, 0>(ranks))
}
