//! Exchanges on lanes: one view from the square of the exchange shows all attackers.

use crate::see::Exchange;
use crate::{Board, Color, Kind, SeeValues, Square};

use super::geometry::{JUMPS, LANE_AT, reach};
use super::view::ViewBackend;

/// Whether the side to move, which made the first move of `exchange`, reaches the threshold.
///
/// A piece that has captured is removed from its lane; recomputing the reach reveals the
/// piece behind it.
#[inline(always)]
pub(super) fn see_loop<B: ViewBackend>(
    backend: B,
    board: &Board,
    exchange: Exchange,
    values: &SeeValues,
) -> bool {
    let Exchange { to, from, victim, mut balance } = exchange;
    let view = backend.view(&backend.load(&board.squares), to);
    let lane_of = |sq: Square| LANE_AT[to.delta_to(sq) as usize];
    // If `victim` is `NONE`, which is off the board, its lane is not occupied.
    let mut occupied = view.occupied & !(lane_of(from) | lane_of(victim));
    // No closures may use the backend: they would be compiled without its instructions.
    let attackers =
        [backend.attackers(&view, Color::White), backend.attackers(&view, Color::Black)];
    let mut kinds = [0; 6];
    for kind in Kind::ALL {
        kinds[kind.index()] = backend.test(&view, kind.bit());
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
    // The side to capture has lost.
    turn != board.side
}
