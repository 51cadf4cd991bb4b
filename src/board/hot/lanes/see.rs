//! Exchanges on lanes: one view from the square of the exchange shows all that take
//! part.

use crate::board::color::Color;
use crate::board::exchange::{Exchange, SeeValues};
use crate::board::piece::Kind;
use crate::board::position::Board;
use crate::board::square::Square;

use super::geometry::{GEOMETRY, JUMPS, reach};
use super::unit::Unit;

/// Whether the side to move, which made the first move of `exchange`, comes out
/// of it with the threshold at least.
///
/// A piece that has captured is taken off its lane, and the reach computed anew
/// shows who stood behind it.
#[inline(always)]
pub(super) fn wins_exchange<U: Unit>(
    unit: U,
    board: &Board,
    exchange: Exchange,
    values: &SeeValues,
) -> bool {
    let Exchange { to, from, victim, mut balance } = exchange;
    let view = unit.view(&unit.load(&board.squares), to);
    let lane_of = |sq: Square| GEOMETRY.lane[to.delta_to(sq) as usize];
    let gone = lane_of(from) | if victim == Square::NONE { 0 } else { lane_of(victim) };
    let mut occupied = unit.occupied(&view) & !gone;
    // No closures where a unit is at work: the compiler would not see that the
    // processor has its instructions.
    let attackers = [unit.attackers(&view, Color::White), unit.attackers(&view, Color::Black)];
    let mut kinds = [0; 6];
    for kind in Kind::ALL {
        kinds[kind.index()] = unit.having(&view, kind.bit());
    }
    let mut turn = !board.side;
    loop {
        let seen = (reach(occupied) | JUMPS) & occupied;
        let ours = seen & attackers[turn.index()];
        let Some(kind) = Kind::ALL.into_iter().find(|kind| ours & kinds[kind.index()] != 0) else {
            break;
        };
        let candidates = ours & kinds[kind.index()];
        occupied &= !(1 << 63 >> candidates.leading_zeros());
        if kind == Kind::King {
            let seen = (reach(occupied) | JUMPS) & occupied;
            if seen & attackers[(!turn).index()] != 0 {
                break; // The king cannot capture what is defended.
            }
        }
        turn = !turn;
        balance = -balance - 1 - values[kind.index()];
        if balance >= 0 {
            break; // Ahead even if the piece that has just captured is lost.
        }
    }
    // The side whose turn it is cannot or need not capture, and has lost.
    turn != board.side
}
