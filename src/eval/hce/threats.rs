//! Threats: pieces attacked by something cheaper, or not defended at all.

use crate::board::{Board, Color, Kind, Square};

use super::pawns::Structure;
use super::pieces::{Attacks, Slots, slots};
use super::terms;
use super::trace::{Tally, Trace};

/// Index of a pawn in [`terms::HANGING`].
const HANGING_PAWN: usize = 0;
/// Index of a piece in [`terms::HANGING`].
const HANGING_PIECE: usize = 1;

/// Adds what `side` threatens. `ours` and `theirs` are the attacks of `side` and
/// of the other side.
pub(super) fn add<T: Trace>(
    board: &Board,
    pawns: &Structure,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let them = side.flip();
    let minors = minors_of(ours);
    let rooks = ours.of(Kind::Rook);
    let is_guarded =
        |sq: Square| theirs.on(sq) != 0 || pawns.is_attacked(them, sq.file(), sq.rank());
    let list = board.list(them);
    for slot in slots(theirs.of(Kind::Pawn)) {
        let sq = list[slot];
        if ours.on(sq) != 0 && !is_guarded(sq) {
            tally.add(terms::HANGING.at(HANGING_PAWN));
        }
    }
    let officers = minors_of(theirs) | theirs.of(Kind::Rook) | theirs.of(Kind::Queen);
    for slot in slots(officers) {
        let sq = list[slot];
        let target = board.piece_on(sq).kind_index() - Kind::Knight.index();
        let attackers = ours.on(sq);
        if pawns.is_attacked(side, sq.file(), sq.rank()) {
            tally.add(terms::THREAT_BY_PAWN.at(target));
        } else if attackers != 0 {
            if attackers & minors != 0 {
                tally.add(terms::THREAT_BY_MINOR.at(target));
            }
            if attackers & rooks != 0 {
                tally.add(terms::THREAT_BY_ROOK.at(target));
            }
            if !is_guarded(sq) {
                tally.add(terms::HANGING.at(HANGING_PIECE));
            }
        }
    }
}

/// The knights and bishops.
#[inline]
fn minors_of(attacks: &Attacks) -> Slots {
    attacks.of(Kind::Knight) | attacks.of(Kind::Bishop)
}
