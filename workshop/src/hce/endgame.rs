//! Endings in which counting terms would mislead: wins that need a plan, and
//! advantages that do not win.

use carrybit::board::{Board, Color, Kind, Square};
use carrybit::score::{DRAW, Score};

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

/// Added to the evaluation of an ending that is won against the bare king, in
/// centipawns.
const KNOWN_WIN: Score = 4000;
/// For each step that the bare king stands nearer to the edge, in centipawns.
const PER_STEP_TO_EDGE: Score = 20;
/// For each step that the bare king stands nearer to a corner of the bishop's
/// colour, if bishop and knight are to mate there, in centipawns.
const PER_STEP_TO_CORNER: Score = 40;
/// For each step that the kings stand nearer to each other, in centipawns.
const PER_STEP_OF_KINGS: Score = 10;

/// The most king steps between two squares.
const STEPS_MAX: i32 = 7;

/// Pieces in pawns, pawn to queen; pawns do not count as pieces.
const PAWNS_WORTH: [(Kind, i32); 4] =
    [(Kind::Knight, 3), (Kind::Bishop, 3), (Kind::Rook, 5), (Kind::Queen, 9)];
/// The phase of a bishop on each side, the most that [`scale_of_bishops`] knows.
const BISHOPS_PHASE: i32 = 2;
/// What a minor piece is worth in [`PAWNS_WORTH`].
const MINOR_WORTH: i32 = 3;

/// The value of a position whose outcome is known from its pieces, in
/// centipawns from White's view: one side has its bare king.
#[inline]
pub(super) fn known(board: &Board, sums: &Sums) -> Option<Score> {
    let bare = Color::ALL.into_iter().find(|&side| sums.census.is_bare_king(side))?;
    let strong = bare.flip();
    let value = against_bare_king(board, sums, strong)?;
    Some(if strong == Color::White { value } else { -value })
}

/// The value for `strong` against a bare king, if the pieces alone decide.
fn against_bare_king(board: &Board, sums: &Sums, strong: Color) -> Option<Score> {
    let count = |kind| sums.census.count(strong, kind);
    let (knights, bishops) = (count(Kind::Knight), count(Kind::Bishop));
    let has_majors = count(Kind::Rook) + count(Kind::Queen) > 0;
    let [dark, light] = bishop_shades(board, strong);
    let mates_anywhere = has_majors || dark && light || knights > 2;
    let is_bishop_and_knight = !mates_anywhere && knights > 0 && bishops > 0;
    if !mates_anywhere && !is_bishop_and_knight {
        return if count(Kind::Pawn) == 0 { Some(DRAW) } else { None };
    }
    let king = board.king(strong.flip());
    let driven = if is_bishop_and_knight {
        PER_STEP_TO_CORNER * (STEPS_MAX - steps_to_corner(king, light))
    } else {
        PER_STEP_TO_EDGE * (edge_nearness(king.file()) + edge_nearness(king.rank()))
    };
    let together = STEPS_MAX - king_steps(king, board.king(strong));
    let material = sums.placement.eg().abs();
    Some(KNOWN_WIN + material + driven + PER_STEP_OF_KINGS * together)
}

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

/// 0 in the middle of the board to 3 on the edge, for a file or a rank.
fn edge_nearness(coordinate: u8) -> i32 {
    3 - i32::from(coordinate.min(7 - coordinate))
}

/// How many steps along files and ranks to the nearest corner of that colour; 7
/// on the long diagonal of the other colour, the most.
fn steps_to_corner(sq: Square, is_light: bool) -> i32 {
    let file = if is_light { 7 - sq.file() } else { sq.file() };
    STEPS_MAX - i32::from((file + sq.rank()).abs_diff(7))
}
