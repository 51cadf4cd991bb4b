//! Correction history: comparing what the search found with what the static
//! evaluation said teaches how the evaluation errs for such pawns, pieces and moves.
//! Idea: Caissa and Stockfish.
//!
//! All threads of a crew learn together (Reckless). The errors are relaxed atomics: two
//! threads that learn about the same thing at once may lose what one of them says.

use std::iter;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::board::{Board, Color};
use crate::sys::cpu::prefetch;
use crate::score::Score;
use crate::sys::cpu::prefetch;

use super::history::NO_MOVE;
use super::params::correction;

/// Errors stay within plus and minus this, in a unit of their own.
const ERROR_MAX: i32 = 1024;
/// The most by which a single node changes an error.
const CHANGE_MAX: i32 = ERROR_MAX / 4;

/// Entries of a table (a power of two).
const ENTRIES: usize = 1 << 14;

/// Number of tables indexed by a key of the position: pawns, White's pieces, Black's
/// pieces, minor pieces, major pieces.
const KEYED: usize = 5;

/// Where the corrections of one node are looked up.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    side: Color,
    entries: [usize; KEYED],
    /// The cells of the move before the last and of the last.
    moves: (usize, usize),
}

impl Indices {
    /// Those of `board`, reached by the moves with the cells `last` and, a ply earlier,
    /// `before` (see [`cell`](super::history::cell)).
    #[must_use]
    pub fn new(board: &Board, [last, before]: [usize; 2]) -> Indices {
        let keys = [
            board.pawn_key(),
            board.non_pawn_key(Color::White),
            board.non_pawn_key(Color::Black),
            board.minor_key(),
            board.major_key(),
        ];
        Indices {
            side: board.side(),
            entries: keys.map(|key| key as usize % ENTRIES),
            moves: (before, last),
        }
    }

    /// The cells of the last two moves, if both are known.
    #[inline]
    fn continuation(&self) -> Option<(usize, usize)> {
        let (before, last) = self.moves;
        (before != NO_MOVE && last != NO_MOVE).then_some((before, last))
    }
}

/// The correction history. Without experience, if all is 0, it corrects nothing.
#[derive(Zeroable)]
pub struct Correction {
    /// `[table][side][key]`
    keyed: [[[AtomicI16; ENTRIES]; 2]; KEYED],
    /// `[cell of the move before the last][cell of the last move]`
    continuation: [[AtomicI16; NO_MOVE]; NO_MOVE],
}

impl Correction {
    /// Hints that the corrections of the position, those of the moves aside, will soon be read.
    #[inline]
    pub fn prefetch(&self, indices: &Indices) {
        for (table, entry) in iter::zip(&self.keyed, indices.entries) {
            prefetch(&table[indices.side.index()][entry]);
        }
    }

    /// By how many centipawns the static evaluation is too low.
    #[inline]
    #[must_use]
    pub fn at(&self, indices: &Indices) -> Score {
        let weights = [
            correction::pawn(),
            correction::non_pawn(),
            correction::non_pawn(),
            correction::minor(),
            correction::major(),
        ];
        let mut sum = 0;
        for (table, weight) in weights.into_iter().enumerate() {
            let error = &self.keyed[table][indices.side.index()][indices.entries[table]];
            sum += weight * i32::from(error.load(Relaxed));
        }
        if let Some((before, last)) = indices.continuation() {
            sum += correction::continuation()
                * i32::from(self.continuation[before][last].load(Relaxed));
        }
        sum / ERROR_MAX
    }

    /// Learns that a search `depth` plies deep came out `error` centipawns above the
    /// corrected evaluation.
    pub fn learn(&self, indices: &Indices, error: Score, depth: i32) {
        let change = (error * depth / correction::change_div()).clamp(-CHANGE_MAX, CHANGE_MAX);
        for (table, entry) in indices.entries.into_iter().enumerate() {
            add(&self.keyed[table][indices.side.index()][entry], change);
        }
        if let Some((before, last)) = indices.continuation() {
            add(&self.continuation[before][last], change);
        }
    }

    /// Forgets everything.
    pub fn forget(&self) {
        let keyed = self.keyed.as_flattened().as_flattened();
        for error in keyed.iter().chain(self.continuation.as_flattened()) {
            error.store(0, Relaxed);
        }
    }
}

/// Adds `change` with gravity, as the histories do.
#[inline]
fn add(error: &AtomicI16, change: i32) {
    let old = i32::from(error.load(Relaxed));
    error.store((old + change - old * change.abs() / ERROR_MAX) as i16, Relaxed);
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::sys::large_pages::LargeBox;

    #[test]
    fn threads_learn_together() {
        let indices = Indices::new(&Board::default(), [3, 700]);
        let correction: LargeBox<Correction> = LargeBox::zeroed();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..500).for_each(|_| correction.learn(&indices, 200, 10)));
            }
        });
        let both = correction.at(&indices);
        (0..500).for_each(|_| correction.learn(&indices, -200, 10));
        assert!(both > 50 && correction.at(&indices) < -50, "{both}");
    }

    #[test]
    fn a_repeated_error_is_learnt_and_stays_in_bounds() {
        let indices = Indices::new(&Board::default(), [3, 700]);
        let correction: LargeBox<Correction> = LargeBox::zeroed();
        assert_eq!(correction.at(&indices), 0);
        for _ in 0..1000 {
            correction.learn(&indices, 30_000, 200);
        }
        let learnt = correction.at(&indices);
        assert!(learnt > 50 && learnt < 500, "{learnt}");
        correction.learn(&indices, -100, 8);
        assert!(correction.at(&indices) < learnt);
        correction.forget();
        assert_eq!(correction.at(&indices), 0);
    }
}
