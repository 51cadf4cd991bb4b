//! The sweep over knights, bishops, rooks, queens and kings: where each can go,
//! and who attacks what.
//!
//! Each piece is walked once. On the way it leaves its mark on every square it
//! attacks: the bit of its slot in the piece list. From these marks threats and
//! king safety are read off afterwards, without another walk.

use crate::board::square::{ALL_STEPS, DIAGONALS, KNIGHT_JUMPS, ORTHOGONALS};
use crate::board::{Board, Color, Delta, Kind, MAX_PIECES, Square};

use super::pawns::{Structure, shade};
use super::terms;
use super::trace::{Tally, Trace};

/// A set of pieces of one side: bit `i` is slot `i` of its piece list.
pub(super) type Slots = u16;

/// The rank from which on a piece can be an outpost.
const OUTPOST_MIN_RANK: u8 = 3;

/// The slots in a set, lowest first.
#[inline]
pub(super) fn slots(mut set: Slots) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let slot = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(slot & (MAX_PIECES - 1))
    })
}

/// One side's pieces by kind, and what those other than pawns attack.
pub(super) struct Attacks {
    /// Which pieces attack each square. Pawns are not among them, see
    /// [`Structure::is_attacked`].
    on: [Slots; 128],
    /// The pieces of each kind, pawn to king.
    pub(super) of_kind: [Slots; 6],
}

impl Attacks {
    #[inline]
    pub(super) const fn new() -> Attacks {
        Attacks { on: [0; 128], of_kind: [0; 6] }
    }

    /// Sorts the pieces of `side` by kind.
    #[inline]
    pub(super) fn muster(&mut self, board: &Board, side: Color) {
        // Bit 0 of each byte, gathered into the highest byte in their order.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        const LOWEST_BITS: u64 = 0x0101_0101_0101_0101;
        let list = board.list(side);
        let half = |at: usize| {
            (0..8).fold(0, |bytes, i| bytes | u64::from(board.piece_on(list[at + i]).0) << (8 * i))
        };
        let (low, high) = (half(0), half(8));
        let gather = |bytes: u64| (bytes & LOWEST_BITS).wrapping_mul(GATHER) >> 56;
        self.of_kind =
            std::array::from_fn(|kind| (gather(low >> kind) | gather(high >> kind) << 8) as Slots);
    }

    /// The pieces that attack `sq`.
    #[inline]
    pub(super) fn on(&self, sq: Square) -> Slots {
        self.on[sq.index()]
    }

    /// The pieces of that kind.
    #[inline]
    pub(super) fn of(&self, kind: Kind) -> Slots {
        self.of_kind[kind.index()]
    }
}

/// Walks the pieces of `side`, fills its attacks and adds mobility, outposts,
/// rooks on files, the bishop pair.
pub(super) fn sweep<T: Trace>(
    board: &Board,
    pawns: &Structure,
    side: Color,
    attacks: &mut Attacks,
    tally: &mut Tally<'_, T>,
) {
    let list = board.list(side);
    let [_, knights, bishops, rooks, queens, king] = attacks.of_kind;
    let safe = pawns.safe_from(side.flip());
    let mut walk = Walk { board, safe: &safe, side, attacks };
    for slot in slots(knights) {
        let from = list[slot];
        let mobility = walk.leap(from, 1 << slot, &KNIGHT_JUMPS);
        tally.add(terms::KNIGHT_MOBILITY.at(mobility));
        add_outpost(pawns, side, from, 0, tally);
    }
    for slot in slots(bishops) {
        let from = list[slot];
        let mobility = walk.slide(from, 1 << slot, &DIAGONALS);
        tally.add(terms::BISHOP_MOBILITY.at(mobility));
        add_outpost(pawns, side, from, 1, tally);
        let own_pawns = pawns.on_shade[side.index()][shade(from.file(), from.rank())];
        tally.add_times(terms::BISHOP_PAWNS.at(0), i32::from(own_pawns));
    }
    if bishops & bishops.wrapping_sub(1) != 0 {
        tally.add(terms::BISHOP_PAIR.at(0));
    }
    for slot in slots(rooks) {
        let from = list[slot];
        let mobility = walk.slide(from, 1 << slot, &ORTHOGONALS);
        tally.add(terms::ROOK_MOBILITY.at(mobility));
        let file = from.file() as usize;
        if pawns.pawns[side.index()][file] == 0 {
            let is_open = pawns.pawns[side.flip().index()][file] == 0;
            tally.add(terms::ROOK_FILE.at(usize::from(is_open)));
        }
    }
    for slot in slots(queens) {
        let (from, bit) = (list[slot], 1 << slot);
        let mobility = walk.slide(from, bit, &DIAGONALS) + walk.slide(from, bit, &ORTHOGONALS);
        tally.add(terms::QUEEN_MOBILITY.at(mobility));
    }
    walk.leap(board.king(side), king, &ALL_STEPS);
}

/// Adds the term of a minor piece on an outpost: protected by a pawn, and no
/// enemy pawn attacks its square or one before it on its file.
#[inline]
fn add_outpost<T: Trace>(
    pawns: &Structure,
    side: Color,
    sq: Square,
    index: usize,
    tally: &mut Tally<'_, T>,
) {
    let (file, rank) = (sq.file(), sq.rank());
    if sq.rank_for(side) < OUTPOST_MIN_RANK || !pawns.is_attacked(side, file, rank) {
        return;
    }
    let from_here_on = match side {
        Color::White => 0xff << rank,
        Color::Black => 0xff >> (7 - rank),
    };
    if pawns.attacks[side.flip().index()][file as usize] & from_here_on == 0 {
        tally.add(terms::OUTPOST.at(index));
    }
}

/// The walk over the squares that pieces of one side attack.
struct Walk<'a> {
    board: &'a Board,
    /// 1 on each square that no enemy pawn attacks.
    safe: &'a [u8; 128],
    side: Color,
    attacks: &'a mut Attacks,
}

impl Walk<'_> {
    /// Marks the squares a leaper attacks; how many it can go to safely.
    #[inline]
    fn leap(&mut self, from: Square, bit: Slots, jumps: &[Delta; 8]) -> usize {
        let mut mobility = 0;
        for &jump in jumps {
            let to = from.step(jump);
            if to.is_on_board() {
                self.attacks.on[to.index()] |= bit;
                let is_ours = self.board.piece_on(to).is_color(self.side);
                mobility += self.safe[to.index()] & u8::from(!is_ours);
            }
        }
        usize::from(mobility)
    }

    /// Marks the squares a slider attacks; how many it can go to safely.
    #[inline]
    fn slide(&mut self, from: Square, bit: Slots, steps: &[Delta; 4]) -> usize {
        let mut mobility = 0;
        for &step in steps {
            let mut to = from.step(step);
            while to.is_on_board() {
                self.attacks.on[to.index()] |= bit;
                let target = self.board.piece_on(to);
                if !target.is_empty() {
                    mobility += self.safe[to.index()] & u8::from(!target.is_color(self.side));
                    break;
                }
                mobility += self.safe[to.index()];
                to = to.step(step);
            }
        }
        usize::from(mobility)
    }
}
