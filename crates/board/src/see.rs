//! Static exchange evaluation (SEE): what a move wins or loses if both sides keep capturing
//! on its target square as long as that pays, cheapest piece first.
//!
//! [`Exchange::begin`] makes the first move; `backend/portable/see.rs` or
//! `backend/simd/see.rs` plays out the rest. Pins are ignored; a king captures only
//! undefended pieces. A promotion counts for the move itself, not for recaptures. Among pieces of
//! one kind the order is fixed, and equal in both backends: last in `ALL_STEPS` or
//! `KNIGHT_JUMPS` first.

use core::ops::ControlFlow;

use super::{Board, Kind, Move, Square};

/// Values of pawn, knight, bishop, rook, queen and king, in centipawns; the
/// king's must be 0, since it is never lost. Indexed by [`Kind::index`].
pub type SeeValues = [i32; 6];

/// An exchange after its first move.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    /// The square of the exchange.
    pub(super) to: Square,
    /// The origin of the first piece, empty now.
    pub(super) from: Square,
    /// The square of a pawn captured en passant, empty now; else [`Square::NONE`].
    pub(super) victim: Square,
    /// The gain of the side that made the first move, minus the threshold, if its piece on `to`
    /// is captured and it does not recapture. Below 0.
    pub(super) balance: i32,
}

impl Exchange {
    /// Makes the legal move `mv`. `Break` holds whether it wins at least `threshold`
    /// centipawns, if the recaptures cannot change that.
    pub(super) fn begin(
        board: &Board,
        mv: Move,
        threshold: i32,
        values: &SeeValues,
    ) -> ControlFlow<bool, Exchange> {
        if mv.is_castling() {
            return ControlFlow::Break(threshold <= 0);
        }
        let value = |kind: Option<Kind>| kind.map_or(0, |kind| values[kind.index()]);
        let (from, to) = (mv.from(), mv.target());
        let mut at_risk = value(board.byte_on(from).kind());
        let mut balance = value(board.captured_kind(mv)) - threshold;
        if mv.is_promotion() {
            at_risk = value(mv.promotion_kind());
            balance += at_risk - values[Kind::Pawn.index()];
        }
        if balance < 0 {
            return ControlFlow::Break(false);
        }
        balance -= at_risk;
        if balance >= 0 {
            return ControlFlow::Break(true);
        }
        let victim =
            if mv.is_en_passant() { to.step((!board.side).forward()) } else { Square::NONE };
        ControlFlow::Continue(Exchange { to, from, victim, balance })
    }
}
