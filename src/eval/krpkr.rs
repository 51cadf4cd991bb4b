//! Rook and pawn against rook: the Lucena position, which is won.
//!
//! The pawn is on the seventh rank, its king is next to it, and the rook cuts the other king
//! off on a file. The king leaves the promotion square, and the rook builds a bridge on the
//! fourth rank against checks. (First printed by A. Salvio, 1634.) With a rook pawn the king can
//! leave on one side only, so the other king must be farther away (M. Dvoretsky, Endgame
//! Manual).
//!
//! This rule calls 1,607,034 positions won, counted without checks and with the pawn on the
//! files a to d. A retrograde analysis found 361 errors: in 359 the weak side mates at once, in
//! two it sacrifices the rook for stalemate. The rule leaves out 191,646 others, in which the weak
//! side can take the rook: 99,681 of them are not won, by tablebases.

use crate::score::Score;
use carrybit_board::{Board, Color, Kind, PieceByte, Square};

/// The rank of a pawn about to promote, from its side's view.
const PAWN_RANK: u8 = 6;

/// The least distance of the weak king from the pawn, in files.
const FILES_AWAY: u8 = 2;
const FILES_AWAY_FROM_ROOK_PAWN: u8 = 4;

/// The value of a win, in centipawns. Users see a nearly certain win. The value is less than that
/// of the positions that follow, with a new queen or an extra rook.
const WIN: Score = 700;

/// For each file between the weak king and the pawn, in centipawns.
const PER_FILE: Score = 20;

/// The value of a won position for the side to move, in centipawns.
pub(super) fn score(board: &Board) -> Option<Score> {
    if board.piece_count() != 5 {
        return None;
    }
    let pawn = |color| Some((color, find(board, color, Kind::Pawn)?));
    let (strong, pawn) = Color::ALL.into_iter().find_map(pawn)?;
    find(board, !strong, Kind::Rook)?;
    let rook = find(board, strong, Kind::Rook)?;
    let weak_king = board.king(!strong);
    let king = board.king(strong);
    let is_hanging =
        board.side() != strong && board.is_attacked(rook, !strong) && king.distance_to(rook) > 1;
    let is_won = !is_hanging
        && pawn.relative_rank(strong) == PAWN_RANK
        && king.distance_to(pawn) == 1
        && weak_king.distance_to(rook) > 1
        && is_cut_off(weak_king, rook, pawn);
    let value = WIN + PER_FILE * Score::from(weak_king.file().abs_diff(pawn.file()));
    is_won.then_some(if board.side() == strong { value } else { -value })
}

/// Whether the rook stands on a file between the pawn and the weak king, and the king is far
/// enough away.
fn is_cut_off(weak_king: Square, rook: Square, pawn: Square) -> bool {
    let [king, rook, pawn] = [weak_king, rook, pawn].map(Square::file);
    let is_rook_pawn = pawn == 0 || pawn == 7;
    let needed = if is_rook_pawn { FILES_AWAY_FROM_ROOK_PAWN } else { FILES_AWAY };
    let is_between = pawn.min(king) < rook && rook < pawn.max(king);
    is_between && king.abs_diff(pawn) >= needed
}

fn find(board: &Board, color: Color, kind: Kind) -> Option<Square> {
    let wanted = PieceByte::new(color, kind);
    board.pieces_of(color).find_map(|(sq, piece)| (piece == wanted).then_some(sq))
}
