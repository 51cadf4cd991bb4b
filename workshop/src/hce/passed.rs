//! Passed pawns, as far as the pieces have a say: what stands in the way, and
//! which king is nearer.

use carrybit::board::{Board, Color, Kind, Square};

use super::geometry::{LAST_RANK, king_steps, square_for};
use super::pawns::Structure;
use super::pieces::Attacks;
use super::terms;
use super::trace::{Tally, Trace};

/// Beyond this many king steps, distance makes no difference.
const KING_DISTANCE_MAX: i32 = 5;

/// Adds the terms of the passed pawns of `side`. `ours` and `theirs` are the
/// attacks of `side` and of the other side.
pub(super) fn add<T: Trace>(
    board: &Board,
    pawns: &Structure,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let passed = &pawns.passed[side.index()];
    if u64::from_le_bytes(*passed) == 0 {
        return;
    }
    let them = side.flip();
    let (our_king, their_king) = (board.king(side), board.king(them));
    let mut is_any_unstoppable = false;
    for (file, &ranks) in passed.iter().enumerate() {
        if ranks == 0 {
            continue;
        }
        // A file has one passed pawn at most: the foremost.
        let rank = ranks.trailing_zeros() as u8;
        let file = file as u8;
        let next = square_for(side, file, rank + 1);
        let at = rank as usize;
        if !board.piece_on(next).is_empty() {
            tally.add(terms::PASSED_BLOCKED.at(at));
        } else if !theirs.any(next) {
            tally.add(terms::PASSED_FREE.at(at));
        }
        if ours.on(next) != 0 {
            tally.add(terms::PASSED_COVERED.at(at));
        }
        if let Some(owner) = rook_behind(board, square_for(side, file, rank), side) {
            tally.add(terms::PASSED_ROOK_BEHIND.at(usize::from(owner == them)));
        }
        let ours_away = king_steps(our_king, next).min(KING_DISTANCE_MAX);
        let theirs_away = king_steps(their_king, next).min(KING_DISTANCE_MAX);
        tally.add_times(terms::PASSED_OWN_KING.at(at), ours_away);
        tally.add_times(terms::PASSED_THEIR_KING.at(at), theirs_away);
        if !board.has_non_pawns(them) {
            is_any_unstoppable |= is_unstoppable(board, side, file, rank);
        }
    }
    if is_any_unstoppable {
        tally.add(terms::PASSED_UNSTOPPABLE.at(0));
    }
}

/// Whether a passed pawn promotes before the bare enemy king is there: the rule
/// of the square, with nothing of either side in the pawn's way.
fn is_unstoppable(board: &Board, side: Color, file: u8, rank: u8) -> bool {
    let is_clear = (rank + 1..=LAST_RANK)
        .all(|ahead| board.piece_on(square_for(side, file, ahead)).is_empty());
    let promotion = square_for(side, file, LAST_RANK);
    // From its first rank a pawn saves a step.
    let pawn_steps = i32::from(LAST_RANK - rank.max(2));
    let their_tempo = i32::from(board.side() != side);
    is_clear && king_steps(board.king(side.flip()), promotion) - their_tempo > pawn_steps
}

/// Whose rook it is that stands behind the pawn of `side` on `pawn`, if one does
/// and nothing is between them.
fn rook_behind(board: &Board, pawn: Square, side: Color) -> Option<Color> {
    let back = side.flip().forward();
    let mut behind = pawn.step(back);
    while behind.is_on_board() {
        let piece = board.piece_on(behind);
        if !piece.is_empty() {
            return piece.color().filter(|_| piece.is_kind(Kind::Rook));
        }
        behind = behind.step(back);
    }
    None
}
