//! Correction history (corrhist): the difference between search results and the static
//! evaluation, by pawns, pieces and last moves (Caissa, Stockfish).
//!
//! Shared by all threads (Reckless) as relaxed atomics: of two simultaneous updates one may be
//! lost.

use std::iter;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::score::Score;
use carrybit_board::cpu::prefetch;
use carrybit_board::{Board, Color};

use super::history::NO_PIECE_TO;
use super::params::corrhist;

/// Entries stay within plus and minus this. They have no unit: the weights in `params` convert
/// them to centipawns.
const ERROR_MAX: i32 = 1024;
const CHANGE_MAX: i32 = ERROR_MAX / 4;

const ENTRIES: usize = 1 << 14;

/// Number of tables indexed by a key: of the pawns, White's pieces, Black's pieces, the minor
/// pieces, the major pieces.
const KEYED: usize = 5;

/// The indices of one node.
pub(super) struct CorrHistKeys {
    side: Color,
    entries: [usize; KEYED],
    /// The `piece_to` of the move before the last and of the last, if both exist.
    moves: Option<(usize, usize)>,
}

impl CorrHistKeys {
    /// `last` and `before` are the `piece_to` of the last move and of the one before it.
    pub(super) fn new(board: &Board, [last, before]: [usize; 2]) -> CorrHistKeys {
        let keys = [
            board.pawn_key(),
            board.non_pawn_key(Color::White),
            board.non_pawn_key(Color::Black),
            board.minor_key(),
            board.major_key(),
        ];
        CorrHistKeys {
            side: board.side(),
            entries: keys.map(|key| key as usize % ENTRIES),
            moves: (before != NO_PIECE_TO && last != NO_PIECE_TO).then_some((before, last)),
        }
    }
}

#[derive(Zeroable)]
pub(super) struct CorrectionHistory {
    /// `[table][side][key]`
    keyed: [[[AtomicI16; ENTRIES]; 2]; KEYED],
    /// `[piece_to of the move before the last][piece_to of the last move]`
    continuation: [[AtomicI16; NO_PIECE_TO]; NO_PIECE_TO],
}

impl CorrectionHistory {
    /// Prefetches the entries by key.
    #[inline]
    pub(super) fn prefetch(&self, keys: &CorrHistKeys) {
        for (table, entry) in iter::zip(&self.keyed, keys.entries) {
            prefetch(&table[keys.side.index()][entry]);
        }
    }

    /// Centipawns to add to the static evaluation.
    #[inline]
    pub(super) fn at(&self, keys: &CorrHistKeys) -> Score {
        let weights = [
            corrhist::pawn(),
            corrhist::non_pawn(),
            corrhist::non_pawn(),
            corrhist::minor(),
            corrhist::major(),
        ];
        let mut sum = 0;
        for (table, weight) in weights.into_iter().enumerate() {
            let error = &self.keyed[table][keys.side.index()][keys.entries[table]];
            sum += weight * i32::from(error.load(Relaxed));
        }
        if let Some((before, last)) = keys.moves {
            let error = &self.continuation[before][last];
            sum += corrhist::continuation() * i32::from(error.load(Relaxed));
        }
        sum / ERROR_MAX
    }

    /// Records that a search `depth` plies deep scored `error` centipawns above the corrected
    /// evaluation.
    pub(super) fn update(&self, keys: &CorrHistKeys, error: Score, depth: i32) {
        let change = (error * depth / corrhist::change_div()).clamp(-CHANGE_MAX, CHANGE_MAX);
        for (table, entry) in keys.entries.into_iter().enumerate() {
            add(&self.keyed[table][keys.side.index()][entry], change);
        }
        if let Some((before, last)) = keys.moves {
            add(&self.continuation[before][last], change);
        }
    }

    pub(super) fn reset(&self) {
        /// The compiler unrolls a loop of this length.
        const BLOCK: usize = 64;
        const { assert!(ENTRIES.is_multiple_of(BLOCK) && NO_PIECE_TO.is_multiple_of(BLOCK)) };
        let keyed = self.keyed.as_flattened().as_flattened();
        for errors in [keyed, self.continuation.as_flattened()] {
            for block in errors.as_chunks::<BLOCK>().0 {
                block.iter().for_each(|error| error.store(0, Relaxed));
            }
        }
    }
}

/// Adds `change` with gravity, as the histories do.
fn add(error: &AtomicI16, change: i32) {
    let old = i32::from(error.load(Relaxed));
    error.store((old + change - old * change.abs() / ERROR_MAX) as i16, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::large_pages::LargeBox;

    #[test]
    fn repeated_error_is_corrected_within_bounds() {
        let keys = CorrHistKeys::new(&Board::default(), [3, 700]);
        let corrhist: LargeBox<CorrectionHistory> = LargeBox::zeroed();
        assert_eq!(corrhist.at(&keys), 0);
        (0..1000).for_each(|_| corrhist.update(&keys, 30_000, 200));
        let correction = corrhist.at(&keys);
        assert!(correction > 50 && correction < 500, "{correction}");
        corrhist.update(&keys, -100, 8);
        assert!(corrhist.at(&keys) < correction);
        corrhist.reset();
        assert_eq!(corrhist.at(&keys), 0);
    }
}
