//! A position as the network sees it, and what has changed between two.

use crate::board::{Board, Dangers, Piece};

use super::features::{MARKS, MAX_PIECES, input};

/// The pieces of a position, a byte each to a square and a rank to each word, and their
/// dangers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Sight {
    pieces: [u64; 8],
    dangers: Dangers,
}

impl Sight {
    /// The empty board.
    pub(super) const EMPTY: Sight =
        Sight { pieces: [0; 8], dangers: Dangers { hanging: 0, outranked: 0 } };

    /// What there is to be seen of a position.
    #[inline]
    pub(super) fn of(board: &Board) -> Sight {
        Sight { pieces: board.packed(), dangers: board.dangers() }
    }

    /// The same without the piece on the square of that number. The dangers of others stay.
    pub(super) fn without(mut self, sq: usize) -> Sight {
        self.pieces[sq / 8] &= !(0xff << (8 * (sq % 8)));
        self.dangers.hanging &= !(1 << sq);
        self.dangers.outranked &= !(1 << sq);
        self
    }

    /// The piece on the square of that number, as a byte.
    #[inline]
    fn piece(&self, sq: usize) -> u8 {
        (self.pieces[sq / 8] >> (8 * (sq % 8))) as u8
    }

    /// Notes what is on here and was not on `before`, and the other way round.
    #[inline]
    pub(super) fn changes_since(&self, before: &Sight, changes: &mut Changes) {
        let Changes { added, removed } = changes;
        let (mut added, mut removed) = (added.refill(), removed.refill());
        let other_piece = self.squares_with_other_pieces(before);
        for sq in bits(other_piece) {
            removed.push_if(before.piece(sq) != 0, PIECE, before.piece(sq), sq);
            added.push_if(self.piece(sq) != 0, PIECE, self.piece(sq), sq);
        }
        let (old, new) = (&before.dangers, &self.dangers);
        for (part, old, new) in
            [(HANGING, old.hanging, new.hanging), (OUTRANKED, old.outranked, new.outranked)]
        {
            for sq in bits(old & (other_piece | !new)) {
                removed.push_if(true, part, before.piece(sq), sq);
            }
            for sq in bits(new & (other_piece | !old)) {
                added.push_if(true, part, self.piece(sq), sq);
            }
        }
        (changes.added.len, changes.removed.len) = (added.len, removed.len);
    }

    /// The squares on which the pieces differ, a bit for each.
    #[inline]
    fn squares_with_other_pieces(&self, other: &Sight) -> u64 {
        const LOW_BITS: u64 = u64::from_le_bytes([0x7f; 8]);
        // Times this, the top bits of eight bytes come together in the top byte.
        const GATHER: u64 = 0x0002_0408_1020_4081;
        (0..8).fold(0, |squares, rank| {
            let bytes = self.pieces[rank] ^ other.pieces[rank];
            // The top bit of a byte is set if any is.
            let tops = (((bytes & LOW_BITS) + LOW_BITS) | bytes) & !LOW_BITS;
            squares | (tops.wrapping_mul(GATHER) >> 56) << (8 * rank)
        })
    }
}

/// The numbers of the bits that are set, from the lowest.
#[inline]
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit % 64
        })
    })
}

/// The inputs that one position has and another has not, whatever the view.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    added: Inputs,
    removed: Inputs,
}

impl Changes {
    pub(super) const NONE: Changes = Changes { added: Inputs::NONE, removed: Inputs::NONE };

    /// The [inputs](input) that are added.
    #[inline]
    pub(super) fn added(&self) -> &[u16] {
        self.added.as_slice()
    }

    /// Those that are removed.
    #[inline]
    pub(super) fn removed(&self) -> &[u16] {
        self.removed.as_slice()
    }
}

/// A list of [inputs](input).
#[derive(Clone, Debug)]
struct Inputs {
    inputs: [u16; ROOM],
    len: usize,
}

/// The most inputs that are on: all pieces with all their marks.
const MAX_INPUTS: usize = MAX_PIECES * (1 + MARKS);

/// Room for them and one more that is not wanted; a power of two.
const ROOM: usize = (MAX_INPUTS + 1).next_power_of_two();

/// The parts of a piece's features: the piece itself and its marks.
const PIECE: usize = 0;
const HANGING: usize = 1;
const OUTRANKED: usize = 2;

impl Inputs {
    const NONE: Inputs = Inputs { inputs: [0; ROOM], len: 0 };

    /// The list to be filled from its beginning. Its length is to be noted afterwards:
    /// until then it stays in a register.
    #[inline]
    fn refill(&mut self) -> Filling<'_> {
        Filling { inputs: &mut self.inputs, len: 0 }
    }

    #[inline]
    fn as_slice(&self) -> &[u16] {
        &self.inputs[..self.len.min(ROOM)]
    }
}

/// A list being filled.
struct Filling<'a> {
    inputs: &'a mut [u16; ROOM],
    len: usize,
}

impl Filling<'_> {
    /// Adds an input of a piece if it is `wanted`; without a branch, since nobody could
    /// foresee that.
    #[inline]
    fn push_if(&mut self, wanted: bool, part: usize, piece: u8, sq: usize) {
        self.inputs[self.len % ROOM] = input(part, Piece(piece), sq);
        self.len += usize::from(wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::{View, feature_in};
    use super::*;
    use crate::board::Color;

    #[test]
    fn what_has_changed_leads_from_one_position_to_any_other() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "6k1/8/1K6/8/3p4/2N1R3/1P6/8 w - - 0 1",
            "8/3k4/8/8/3p4/2N1R3/1P4K1/8 w - - 0 1",
        ];
        let boards = fens.map(|fen| fen.parse::<Board>().expect("a FEN"));
        let mut changes = Changes::NONE;
        for (before, after) in boards.iter().flat_map(|a| boards.iter().map(move |b| (a, b))) {
            Sight::of(after).changes_since(&Sight::of(before), &mut changes);
            for color in Color::ALL {
                let view = View::of(after, color);
                let mut features: Vec<usize> = view.active(before).collect();
                let seen = |&input: &u16| feature_in(view.row(input));
                for feature in changes.removed().iter().map(seen) {
                    let at = features.iter().position(|&on| on == feature);
                    features.swap_remove(at.expect("only what is on is removed"));
                }
                features.extend(changes.added().iter().map(seen));
                let mut expected: Vec<usize> = view.active(after).collect();
                features.sort_unstable();
                expected.sort_unstable();
                assert_eq!(features, expected);
            }
        }
    }
}
