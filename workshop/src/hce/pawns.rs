//! What pawns and kings alone say: the structure of the pawns, and a table that
//! remembers it.
//!
//! Pawns are kept as a byte per colour and file, whose bit `r` says whether one
//! stands on rank `r`. All questions of structure are masks over such a byte and
//! its neighbours. Idea: Fabien Letouzey's Fruit.

use carrybit::board::{Board, Color, Family, Kind};

use super::geometry::{Ranks, above, seen_from, shade};
use super::tapered::Tapered;
use super::trace::{Silent, Tally, Trace};
use super::{shelter, terms};

/// How many structures the table remembers; a power of two.
const TABLE_LEN: usize = 1 << 12;

/// Everything about a position that depends on its pawns and kings alone: one
/// cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub(super) struct Structure {
    /// The key of the pawns and kings.
    key: u64,
    /// The terms of the pawns and of the kings' shelter, White's minus Black's.
    pub(super) score: Tapered,
    /// Where the pawns stand, by colour and file.
    pub(super) pawns: [[Ranks; 8]; 2],
    /// Which squares the pawns attack, by their colour and file.
    pub(super) attacks: [[Ranks; 8]; 2],
    /// Which pawns are passed, by colour and file, seen from their own side.
    pub(super) passed: [[Ranks; 8]; 2],
    /// How many pawns stand on dark and on light squares, by colour.
    pub(super) on_shade: [[u8; 2]; 2],
}

impl Structure {
    /// Computes the structure of a position from scratch.
    pub(super) fn of<T: Trace>(board: &Board, trace: &mut T) -> Structure {
        let mut this = Structure { key: key_of(board), ..Structure::default() };
        for side in Color::ALL {
            for (sq, piece) in board.pieces(side) {
                if piece.is_kind(Kind::Pawn) {
                    this.pawns[side.index()][sq.file() as usize] |= 1 << sq.rank();
                    this.on_shade[side.index()][shade(sq.file(), sq.rank())] += 1;
                }
            }
            let pawns = &this.pawns[side.index()];
            this.attacks[side.index()] = std::array::from_fn(|file| {
                let beside = neighbours(pawns, file);
                match side {
                    Color::White => beside << 1,
                    Color::Black => beside >> 1,
                }
            });
        }
        for side in Color::ALL {
            let mut tally = Tally::new(side, trace);
            shelter::add(board.king(side), &this.pawns, side, &mut tally);
            this.passed[side.index()] = assess(
                &this.pawns[side.index()].map(|ranks| seen_from(side, ranks)),
                &this.pawns[side.flip().index()].map(|ranks| seen_from(side, ranks)),
                &mut tally,
            );
            this.score += tally.sum.from_white(side);
        }
        this
    }

    /// Whether a pawn of `side` attacks the square on `file` and `rank`.
    #[inline]
    pub(super) fn is_attacked(&self, side: Color, file: u8, rank: u8) -> bool {
        self.attacks[side.index()][(file & 7) as usize] >> (rank & 7) & 1 != 0
    }
}

/// The ranks of the pawns on the files next to `file`.
#[inline]
fn neighbours(pawns: &[Ranks; 8], file: usize) -> Ranks {
    let west = if file > 0 { pawns[file - 1] } else { 0 };
    let east = if file < 7 { pawns[file + 1] } else { 0 };
    west | east
}

/// Adds the terms of one side's pawns and returns which of them are passed.
/// Both sides' pawns come in as seen from the side to be assessed.
fn assess<T: Trace>(
    ours: &[Ranks; 8],
    theirs: &[Ranks; 8],
    tally: &mut Tally<'_, T>,
) -> [Ranks; 8] {
    let mut passed = [0; 8];
    for file in 0..8 {
        let beside = neighbours(ours, file);
        let theirs_beside = neighbours(theirs, file);
        let mut left = ours[file];
        while left != 0 {
            let rank = left.trailing_zeros() as u8;
            left &= left - 1;
            let ahead = above(rank);
            let is_opposed = theirs[file] & ahead != 0;
            let is_doubled = left != 0;
            if is_doubled {
                tally.add(terms::PAWN_DOUBLED.at(0));
            }
            if beside == 0 {
                tally.add(terms::PAWN_ISOLATED.at(usize::from(is_opposed)));
            } else if beside & !ahead == 0 && theirs_beside & (4 << rank) != 0 {
                tally.add(terms::PAWN_BACKWARD.at(usize::from(is_opposed)));
            }
            if beside << 1 >> rank & 1 != 0 {
                tally.add(terms::PAWN_PROTECTED.at(rank as usize));
            }
            if beside >> rank & 1 != 0 {
                tally.add(terms::PAWN_PHALANX.at(rank as usize));
            }
            if is_opposed || is_doubled {
                continue;
            }
            let (helpers, guards) = (beside & !ahead, theirs_beside & ahead);
            if guards == 0 {
                tally.add(terms::PASSED.at(rank as usize));
                passed[file] |= 1 << rank;
            } else if helpers.count_ones() >= guards.count_ones() {
                tally.add(terms::PAWN_CANDIDATE.at(rank as usize));
            }
        }
    }
    passed
}

/// The key of the pawns and kings of both sides.
#[inline]
fn key_of(board: &Board) -> u64 {
    let kings = Color::ALL.map(|side| board.family_key(side, Family::King));
    board.pawn_key() ^ kings[0] ^ kings[1]
}

/// Remembers structures by the key of pawns and kings. What it returns never depends on
/// what it holds.
pub(super) struct PawnTable(Box<[Structure]>);

impl PawnTable {
    pub(super) fn new() -> PawnTable {
        PawnTable(vec![Structure::default(); TABLE_LEN].into_boxed_slice())
    }

    /// The structure of the position, remembered or computed now.
    #[inline]
    pub(super) fn get(&mut self, board: &Board) -> &Structure {
        let key = key_of(board);
        let slot = &mut self.0[key as usize % TABLE_LEN];
        if slot.key != key {
            *slot = Structure::of(board, &mut Silent);
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_fills_one_cache_line() {
        assert_eq!(size_of::<Structure>(), 64);
    }
}
