//! Endings in which counting terms would mislead: advantages that do not win.

use carrybit::board::{Board, Color, Kind, Square};

use super::geometry::{king_steps, shade};
use super::pawns::Structure;
use super::sums::Sums;

/// The full worth of an advantage; scales are parts of it.
pub const SCALE_FULL: i32 = 64;
/// An advantage that cannot be won.
const SCALE_DRAWN: i32 = 0;
/// Up to a minor piece ahead, without pawns, against a minor piece or less.
const SCALE_MINOR_AHEAD: i32 = 4;
/// Up to a minor piece ahead, without pawns, against more.
const SCALE_NO_PAWNS: i32 = 8;
/// An advantage with pawns, to which [`SCALE_PER_PAWN`] is added.
const SCALE_BASE: i32 = 32;
/// For each pawn of the side that is ahead.
const SCALE_PER_PAWN: i32 = 8;
/// Only bishops of opposite colours and pawns.
const SCALE_OPPOSITE_BISHOPS: i32 = 20;

/// Pieces in pawns, pawn to queen; pawns do not count as pieces.
const PAWNS_WORTH: [(Kind, i32); 4] =
    [(Kind::Knight, 3), (Kind::Bishop, 3), (Kind::Rook, 5), (Kind::Queen, 9)];
/// The phase of a bishop on each side, the most that [`scale_of_bishops`] knows.
const BISHOPS_PHASE: i32 = 2;
/// What a minor piece is worth in [`PAWNS_WORTH`].
const MINOR_WORTH: i32 = 3;

/// How much of an advantage of `strong` counts, in parts of [`SCALE_FULL`].
#[inline]
pub(super) fn scale(board: &Board, sums: &Sums, pawns: &Structure, strong: Color) -> i32 {
    if sums.census.count(strong, Kind::Pawn) == 0 {
        scale_without_pawns(sums, strong)
    } else if sums.phase() <= BISHOPS_PHASE {
        scale_of_bishops(board, sums, pawns, strong)
    } else {
        scale_by_pawns(sums, strong)
    }
}

/// The scale by the number of pawns: the fewer are left, the easier they are all
/// exchanged.
fn scale_by_pawns(sums: &Sums, strong: Color) -> i32 {
    let pawns = sums.census.count(strong, Kind::Pawn);
    (SCALE_BASE + SCALE_PER_PAWN * pawns).min(SCALE_FULL)
}

/// The scale for a side without pawns: a small advantage does not win.
fn scale_without_pawns(sums: &Sums, strong: Color) -> i32 {
    let worth = |side| -> i32 {
        PAWNS_WORTH.iter().map(|&(kind, pawns)| pawns * sums.census.count(side, kind)).sum()
    };
    let (ours, theirs) = (worth(strong), worth(strong.flip()));
    let two_knights = ours == 2 * MINOR_WORTH && sums.census.count(strong, Kind::Knight) == 2;
    if ours <= MINOR_WORTH || two_knights {
        SCALE_DRAWN
    } else if ours - theirs > MINOR_WORTH {
        SCALE_FULL
    } else if theirs <= MINOR_WORTH {
        SCALE_MINOR_AHEAD
    } else {
        SCALE_NO_PAWNS
    }
}

/// The scale for a side with pawns if there are at most two pieces and these are
/// bishops.
fn scale_of_bishops(board: &Board, sums: &Sums, pawns: &Structure, strong: Color) -> i32 {
    let has_only_bishops = Color::ALL.into_iter().all(|side| {
        sums.census.count(side, Kind::Knight) + sums.census.count(side, Kind::Rook) == 0
    });
    if !has_only_bishops {
        return SCALE_FULL;
    }
    let ours = bishop_shades(board, strong);
    let theirs = bishop_shades(board, strong.flip());
    if is_wrong_rook_pawn(board, sums, pawns, strong, ours) {
        SCALE_DRAWN
    } else if ours != theirs && ours[0] != ours[1] && theirs[0] != theirs[1] {
        SCALE_OPPOSITE_BISHOPS
    } else {
        SCALE_FULL
    }
}

/// Whether all pawns of `strong` stand on one rook file, it has no bishop of the
/// colour of their promotion square, and the enemy king holds that corner.
fn is_wrong_rook_pawn(
    board: &Board,
    sums: &Sums,
    pawns: &Structure,
    strong: Color,
    bishops: [bool; 2],
) -> bool {
    let ours = &pawns.pawns[strong.index()];
    let all = sums.census.count(strong, Kind::Pawn);
    let Some(file) = [0, 7].into_iter().find(|&file| ours[file].count_ones() as i32 == all) else {
        return false;
    };
    let rank = if strong == Color::White { 7 } else { 0 };
    let corner = Square::new(file as u8, rank);
    let has_bishop = bishops != [false; 2];
    !bishops[shade(corner.file(), corner.rank())]
        && king_steps(board.king(strong.flip()), corner) <= 1
        && (has_bishop || sums.census.is_bare_king(strong.flip()))
}

/// Whether `side` has bishops on dark and on light squares.
fn bishop_shades(board: &Board, side: Color) -> [bool; 2] {
    let mut shades = [false; 2];
    for (sq, piece) in board.pieces(side) {
        if piece.is_kind(Kind::Bishop) {
            shades[shade(sq.file(), sq.rank())] = true;
        }
    }
    shades
}
