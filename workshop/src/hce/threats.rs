//! Threats: pieces attacked by something cheaper, more often than defended, or
//! not defended at all.

use carrybit::board::square::{EAST, WEST};
use carrybit::board::{Board, Color, Kind, Square};

use super::pieces::{Attacks, Slots, is_plural, slots};
use super::terms;
use super::trace::{Tally, Trace};

/// Index of a pawn in [`terms::HANGING`] and [`terms::OVERLOADED`].
const PAWN: usize = 0;
/// Index of a piece in [`terms::HANGING`] and [`terms::OVERLOADED`].
const PIECE: usize = 1;

/// Adds what `side` threatens. `ours` and `theirs` are the attacks of `side` and
/// of the other side.
pub(super) fn add<T: Trace>(
    board: &Board,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let list = board.list(side.flip());
    for slot in slots(theirs.of(Kind::Pawn)) {
        let sq = list[slot];
        let attackers = ours.on(sq);
        if attackers != 0 {
            add_pressure(attackers, theirs, sq, PAWN, tally);
        }
    }
    let (minors, rooks) = (ours.minors(), ours.of(Kind::Rook));
    for slot in slots(theirs.officers()) {
        let sq = list[slot];
        let target = board.piece_on(sq).kind_index() - Kind::Knight.index();
        let attackers = ours.on(sq);
        if ours.by_pawn(sq) {
            tally.add(terms::THREAT_BY_PAWN.at(target));
        } else if attackers != 0 {
            if attackers & minors != 0 {
                tally.add(terms::THREAT_BY_MINOR.at(target));
            }
            if attackers & rooks != 0 {
                tally.add(terms::THREAT_BY_ROOK.at(target));
            }
            add_pressure(attackers, theirs, sq, PIECE, tally);
        }
        // The square before it, seen from us: pawns that attack it are one step
        // from attacking the piece.
        if ours.by_pawn(sq.step(side.flip().forward())) {
            add_pushes(board, side, ours, theirs, sq, tally);
        }
    }
}

/// Adds the terms of a piece of theirs on `sq` that is not defended, or by one
/// piece only against two.
#[inline]
fn add_pressure<T: Trace>(
    attackers: Slots,
    theirs: &Attacks,
    sq: Square,
    index: usize,
    tally: &mut Tally<'_, T>,
) {
    if theirs.by_pawn(sq) {
        return;
    }
    let defenders = theirs.on(sq);
    if defenders == 0 {
        tally.add(terms::HANGING.at(index));
    } else if is_plural(attackers) && !is_plural(defenders) {
        tally.add(terms::OVERLOADED.at(index));
    }
}

/// Adds the pawns of `side` that can step safely to where they attack `target`.
fn add_pushes<T: Trace>(
    board: &Board,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    target: Square,
    tally: &mut Tally<'_, T>,
) {
    let back = side.flip().forward();
    for beside in [EAST, WEST] {
        let to = target.step(back).step(beside);
        let from = to.step(back);
        if !from.is_on_board() {
            continue;
        }
        let pawn = board.piece_on(from);
        let is_pawn = pawn.is_color(side) && pawn.is_kind(Kind::Pawn);
        let is_safe = !theirs.by_pawn(to) && (theirs.on(to) == 0 || ours.on(to) != 0);
        if is_pawn && board.piece_on(to).is_empty() && is_safe {
            tally.add(terms::THREAT_OF_PUSH.at(0));
        }
    }
}
