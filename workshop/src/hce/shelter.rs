//! The pawns before a king: its own, and those that storm it.

use carrybit::board::{Color, Square};

use super::geometry::{Ranks, middle_file, seen_from};
use super::terms;
use super::trace::{Tally, Trace};

/// Adds the pawn shelter of the `king` of `side` and the storm against it. `pawns`
/// are by colour and file.
pub(super) fn add<T: Trace>(
    king: Square,
    pawns: &[[Ranks; 8]; 2],
    side: Color,
    tally: &mut Tally<'_, T>,
) {
    let middle = middle_file(king);
    let not_behind = Ranks::MAX << king.rank_for(side);
    for file in middle - 1..=middle + 1 {
        let nearest = |color: Color| {
            let ranks = seen_from(side, pawns[color.index()][file as usize]) & not_behind;
            // No pawn gives 8, which becomes rank 0, where none can be.
            ranks.trailing_zeros() as usize & 7
        };
        let (ours, theirs) = (nearest(side), nearest(side.flip()));
        let from_edge = file.min(7 - file) as usize;
        tally.add(terms::SHELTER.at(from_edge * 8 + ours));
        let is_rammed = ours != 0 && theirs == ours + 1;
        tally.add(terms::STORM.at(usize::from(is_rammed) * 8 + theirs));
    }
}
