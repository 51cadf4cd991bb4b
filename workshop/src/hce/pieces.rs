//! The sweep over knights, bishops, rooks, queens and kings: where each can go,
//! and who attacks what.
//!
//! Each piece is walked once. On the way it leaves its mark on every square it
//! attacks: the bit of its slot in the piece list. From these marks threats and
//! king safety are read off afterwards, without another walk.

use carrybit::board::square::{ALL_STEPS, DIAGONALS, KNIGHT_JUMPS, ORTHOGONALS};
use carrybit::board::{Board, Color, Delta, KING_SLOT, Kind, MAX_PIECES, Square};

use super::geometry::{king_steps, shade};
use super::pawns::Structure;
use super::terms;
use super::trace::{Tally, Trace};

/// A set of pieces of one side: bit `i` is slot `i` of its piece list.
pub(super) type Slots = u16;

/// Own pieces through which a bishop looks.
const THROUGH_FOR_BISHOP: &[Kind] = &[Kind::Queen];
/// Own pieces through which a rook looks.
const THROUGH_FOR_ROOK: &[Kind] = &[Kind::Queen, Kind::Rook];
/// Own pieces through which a queen looks: none.
const THROUGH_FOR_QUEEN: &[Kind] = &[];

/// The lowest bit of each byte.
const LOWEST_BITS: u64 = 0x0101_0101_0101_0101;

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

/// One side's pieces by kind, and which squares they attack.
pub(super) struct Attacks {
    /// Which pieces other than pawns attack each square.
    on: [Slots; 128],
    /// 1 on each square that a pawn attacks.
    by_pawn: [u8; 128],
    /// The pieces of each kind, pawn to king.
    of_kind: [Slots; 6],
}

impl Attacks {
    /// Nothing attacks anything.
    #[inline]
    pub(super) const fn new() -> Attacks {
        Attacks { on: [0; 128], by_pawn: [0; 128], of_kind: [0; 6] }
    }

    /// Sorts the pieces of `side` by kind and enters what its pawns attack.
    #[inline]
    pub(super) fn muster(&mut self, board: &Board, pawns: &Structure, side: Color) {
        for (slot, &sq) in board.list(side).iter().enumerate() {
            if let Some(kind) = board.piece_on(sq).kind() {
                self.of_kind[kind.index()] |= 1 << slot;
            }
        }
        let files = u64::from_le_bytes(pawns.attacks[side.index()]);
        for (rank, row) in self.by_pawn.chunks_exact_mut(16).enumerate() {
            row[..8].copy_from_slice(&(files >> rank & LOWEST_BITS).to_le_bytes());
        }
    }

    /// The pieces other than pawns that attack `sq`.
    #[inline]
    pub(super) fn on(&self, sq: Square) -> Slots {
        self.on[sq.index()]
    }

    /// Whether a pawn attacks `sq`.
    #[inline]
    pub(super) fn by_pawn(&self, sq: Square) -> bool {
        self.by_pawn[sq.index()] != 0
    }

    /// Whether anything attacks `sq`.
    #[inline]
    pub(super) fn any(&self, sq: Square) -> bool {
        self.on(sq) != 0 || self.by_pawn(sq)
    }

    /// The pieces of that kind.
    #[inline]
    pub(super) fn of(&self, kind: Kind) -> Slots {
        self.of_kind[kind.index()]
    }

    /// The knights and bishops.
    #[inline]
    pub(super) fn minors(&self) -> Slots {
        self.of(Kind::Knight) | self.of(Kind::Bishop)
    }

    /// The knights, bishops, rooks and queens.
    #[inline]
    pub(super) fn officers(&self) -> Slots {
        self.minors() | self.of(Kind::Rook) | self.of(Kind::Queen)
    }
}

/// Whether there are two slots or more in the set.
#[inline]
pub(super) const fn is_plural(set: Slots) -> bool {
    set & set.wrapping_sub(1) != 0
}

/// Walks the pieces of `side` other than pawns, enters what they attack and adds
/// mobility, outposts, distance from the king, rooks on files, the bishop pair.
pub(super) fn sweep<T: Trace>(
    board: &Board,
    pawns: &Structure,
    side: Color,
    ours: &mut Attacks,
    theirs: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let list = board.list(side);
    let king = board.king(side);
    let [_, knights, bishops, rooks, queens, _] = ours.of_kind;
    let mut walk = Walk { board, side, on: &mut ours.on, by_their_pawn: &theirs.by_pawn };
    walk.leap(king, 1 << KING_SLOT, &ALL_STEPS);
    for slot in slots(knights) {
        let from = list[slot];
        let mobility = walk.leap(from, 1 << slot, &KNIGHT_JUMPS);
        tally.add(terms::KNIGHT_MOBILITY.at(mobility));
        tally.add_times(terms::MINOR_FROM_KING.at(0), king_steps(from, king));
        add_outpost(pawns, side, from, 0, tally);
    }
    for slot in slots(bishops) {
        let from = list[slot];
        let mobility = walk.slide(from, 1 << slot, &DIAGONALS, THROUGH_FOR_BISHOP);
        tally.add(terms::BISHOP_MOBILITY.at(mobility));
        tally.add_times(terms::MINOR_FROM_KING.at(1), king_steps(from, king));
        add_outpost(pawns, side, from, 1, tally);
        let own_pawns = pawns.on_shade[side.index()][shade(from.file(), from.rank())];
        tally.add_times(terms::BISHOP_PAWNS.at(0), i32::from(own_pawns));
    }
    if is_plural(bishops) {
        tally.add(terms::BISHOP_PAIR.at(0));
    }
    for slot in slots(rooks) {
        let from = list[slot];
        let mobility = walk.slide(from, 1 << slot, &ORTHOGONALS, THROUGH_FOR_ROOK);
        tally.add(terms::ROOK_MOBILITY.at(mobility));
        let file = from.file() as usize;
        if pawns.pawns[side.index()][file] == 0 {
            let is_open = pawns.pawns[side.flip().index()][file] == 0;
            tally.add(terms::ROOK_FILE.at(usize::from(is_open)));
        }
    }
    for slot in slots(queens) {
        let (from, bit) = (list[slot], 1 << slot);
        let mobility = walk.slide(from, bit, &DIAGONALS, THROUGH_FOR_QUEEN)
            + walk.slide(from, bit, &ORTHOGONALS, THROUGH_FOR_QUEEN);
        tally.add(terms::QUEEN_MOBILITY.at(mobility));
    }
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
    side: Color,
    on: &'a mut [Slots; 128],
    by_their_pawn: &'a [u8; 128],
}

impl Walk<'_> {
    /// 1 if no enemy pawn attacks `sq`, else 0.
    #[inline]
    fn safety_of(&self, sq: Square) -> u8 {
        self.by_their_pawn[sq.index()] ^ 1
    }

    /// Enters the squares a leaper attacks; how many it can go to safely.
    #[inline]
    fn leap(&mut self, from: Square, bit: Slots, jumps: &[Delta; 8]) -> usize {
        let mut mobility = 0;
        for &jump in jumps {
            let to = from.step(jump);
            if to.is_on_board() {
                self.on[to.index()] |= bit;
                let is_ours = self.board.piece_on(to).is_color(self.side);
                mobility += self.safety_of(to) & u8::from(!is_ours);
            }
        }
        usize::from(mobility)
    }

    /// Enters the squares a slider attacks; how many it can go to safely, not
    /// counting its own side's pieces of the kinds `through`, which it looks
    /// through because they slide the same way.
    #[inline(always)]
    fn slide(&mut self, from: Square, bit: Slots, steps: &[Delta; 4], through: &[Kind]) -> usize {
        let mut mobility = 0;
        for &step in steps {
            let mut to = from.step(step);
            while to.is_on_board() {
                self.on[to.index()] |= bit;
                let target = self.board.piece_on(to);
                if target.is_empty() {
                    mobility += self.safety_of(to);
                } else if target.is_color(self.side) {
                    if !through.iter().any(|&kind| target.is_kind(kind)) {
                        break;
                    }
                } else {
                    mobility += self.safety_of(to);
                    break;
                }
                to = to.step(step);
            }
        }
        usize::from(mobility)
    }
}
