//! Static exchange evaluation: what a move wins or loses if both sides keep capturing on
//! its square as long as it pays, cheapest piece first. Of pieces of one kind, the one
//! whose direction from the square comes last in `ALL_STEPS` or `KNIGHT_JUMPS` captures
//! first.
//!
//! Here is what the first move of an exchange decides by itself. What it leaves open
//! is played out by the difference table (`hot/table/see.rs`) or on lanes
//! (`hot/lanes/see.rs`). Pins are ignored; a king captures only what is no longer
//! defended. A promotion counts for the move itself, not for recaptures.

use super::moves::Move;
use super::piece::{Kind, Piece};
use super::position::Board;
use super::square::Square;

/// Values of pawn, knight, bishop, rook, queen and king, in centipawns; the
/// king's must be 0, since it is never lost. Indexed by [`Kind::index`].
pub type SeeValues = [i32; 6];

/// What is left of an exchange once its first move has been made, and is not
/// decided by that.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    /// The square of the exchange.
    pub(super) to: Square,
    /// Where the first piece came from; empty now.
    pub(super) from: Square,
    /// Where it captured en passant, empty now too; else [`Square::NONE`].
    pub(super) victim: Square,
    /// What the side that made the first move has over the threshold if its piece
    /// on the square is lost: less than 0.
    pub(super) balance: i32,
}

/// What is known of an exchange by its first move.
pub(super) enum FirstMove {
    /// Whether the threshold is reached, whatever follows.
    Decides(bool),
    /// The rest must be played out.
    Leaves(Exchange),
}

impl FirstMove {
    /// What the legal move `mv` decides about winning at least `threshold` centipawns.
    #[inline]
    pub(super) fn of(board: &Board, mv: Move, threshold: i32, values: &SeeValues) -> FirstMove {
        if mv.is_castling() {
            return FirstMove::Decides(threshold <= 0);
        }
        let (from, to) = (mv.from(), mv.to());
        let mover = board.piece_on(from);
        let mut balance = gain(board, mv, values) - threshold;
        if balance < 0 {
            return FirstMove::Decides(false);
        }
        let at_stake = match mv.promotion_kind() {
            Some(kind) => values[kind.index()],
            None => value(mover, values),
        };
        balance -= at_stake;
        if balance >= 0 {
            return FirstMove::Decides(true);
        }
        let victim =
            if mv.is_en_passant() { to.step((!board.side).forward()) } else { Square::NONE };
        FirstMove::Leaves(Exchange { to, from, victim, balance })
    }
}

/// What `mv` takes and promotes to, in centipawns.
fn gain(board: &Board, mv: Move, values: &SeeValues) -> i32 {
    let captured = board.captured_kind(mv).map_or(0, |kind| values[kind.index()]);
    let promoted =
        mv.promotion_kind().map_or(0, |kind| values[kind.index()] - values[Kind::Pawn.index()]);
    captured + promoted
}

#[inline]
fn value(piece: Piece, values: &SeeValues) -> i32 {
    piece.kind().map_or(0, |kind| values[kind.index()])
}
