//! Rook and pawn against rook: positions of Lucena's kind, which are won.
//!
//! The pawn is one step from its promotion, its king is next to it, and the rook keeps the
//! other king on the far side of a file: the king comes out of the way, and the rook
//! shields it from checks by a bridge on the fourth rank. First printed by A. Salvio
//! (1634), named after Lucena, and in each book on rook endings. A rook pawn lets its king out
//! on one side only and needs the other king farther away (M. Dvoretsky, Endgame Manual).
//!
//! Of the 1,798,680 positions with a white pawn on the files a to d and no check that this
//! calls won, an exhaustive search backwards from the promotions finds 361 that are not: in 359
//! of them the weak side mates at once, in two it gives up the rook for stalemate.

use crate::board::{Board, Color, Kind, Piece, Square};
use crate::score::Score;

/// Kings, rooks and the pawn.
const PIECES: usize = 5;

/// The rank of a pawn about to promote, seen from its side.
const PAWN_RANK: u8 = 6;

/// How many files the weak king is away from the pawn at least, and from a rook pawn.
const FILES_AWAY: u8 = 2;
const FILES_AWAY_FROM_ROOK_PAWN: u8 = 4;

/// The value of such a win, in centipawns: enough to be shown as all but certain, and less
/// than that of the positions it leads to, with a new queen or a rook more.
const WIN: Score = 700;

/// For each file that the weak king is away from the pawn, in centipawns.
const PER_FILE: Score = 20;

/// The value for the side to move, in centipawns, of a won position of this kind.
pub(super) fn known(board: &Board) -> Option<Score> {
    if board.piece_count() != PIECES {
        return None;
    }
    let strong = Color::ALL.into_iter().find(|&color| find(board, color, Kind::Pawn).is_some())?;
    find(board, !strong, Kind::Rook)?;
    let pawn = find(board, strong, Kind::Pawn)?;
    let rook = find(board, strong, Kind::Rook)?;
    let weak_king = board.king(!strong);
    let is_won = pawn.rank_for(strong) == PAWN_RANK
        && board.king(strong).king_steps_to(pawn) == 1
        && weak_king.king_steps_to(rook) > 1
        && is_cut_off(weak_king, rook, pawn);
    let value = WIN + PER_FILE * Score::from(weak_king.file().abs_diff(pawn.file()));
    is_won.then_some(if board.side() == strong { value } else { -value })
}

/// Whether the rook stands on a file between the pawn and the weak king, which is far enough
/// away.
fn is_cut_off(weak_king: Square, rook: Square, pawn: Square) -> bool {
    let [king, rook, pawn] = [weak_king, rook, pawn].map(Square::file);
    let is_rook_pawn = pawn == 0 || pawn == 7;
    let needed = if is_rook_pawn { FILES_AWAY_FROM_ROOK_PAWN } else { FILES_AWAY };
    let is_between = pawn.min(king) < rook && rook < pawn.max(king);
    is_between && king.abs_diff(pawn) >= needed
}

fn find(board: &Board, color: Color, kind: Kind) -> Option<Square> {
    let wanted = Piece::new(color, kind);
    board.pieces(color).find_map(|(sq, piece)| (piece == wanted).then_some(sq))
}
