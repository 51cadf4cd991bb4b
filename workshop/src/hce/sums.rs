//! What follows from the pieces and their squares alone, kept up to date by the
//! changes of each move.

use carrybit::board::{Board, Color, Kind, Observer, Piece, Square};

use super::tapered::Tapered;
use super::{terms, weights};

/// How much of the middle game a piece of each kind stands for, pawn to king.
const PHASE_OF_KIND: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// The phase of the start position, and the most that counts.
pub const PHASE_MAX: i32 = 24;

/// How many of each piece there are: four bits per colour and kind, at the
/// position that [`Piece::index`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Census(u64);

impl Census {
    const fn unit(piece: Piece) -> u64 {
        1 << (4 * piece.index())
    }

    /// How many pieces of that colour and kind there are.
    #[inline]
    #[must_use]
    pub const fn count(self, color: Color, kind: Kind) -> i32 {
        (self.0 >> (4 * Piece::new(color, kind).index()) & 15) as i32
    }

    /// Whether `color` has its king and nothing else.
    #[inline]
    #[must_use]
    pub const fn is_bare_king(self, color: Color) -> bool {
        let king = Census::unit(Piece::new(Color::White, Kind::King)) as u32;
        (self.0 >> (32 * color as u32)) as u32 == king
    }
}

/// Material and placement, the phase of the game and the census: the running
/// sums of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sums {
    /// Material and placement, White's minus Black's.
    pub placement: Tapered,
    /// The sum of [`PHASE_OF_KIND`]; above [`PHASE_MAX`] after promotions.
    phase: i32,
    /// The piece counts.
    pub census: Census,
}

impl Sums {
    /// The sums of a position, from scratch.
    #[must_use]
    pub fn of(board: &Board) -> Sums {
        let mut sums = Sums::default();
        for color in Color::ALL {
            for (sq, piece) in board.pieces(color) {
                sums.added(piece, sq);
            }
        }
        sums
    }

    /// The phase of the game, from 0, only kings and pawns, to [`PHASE_MAX`].
    #[inline]
    #[must_use]
    pub fn phase(&self) -> i32 {
        self.phase.min(PHASE_MAX)
    }
}

impl Observer for Sums {
    #[inline]
    fn added(&mut self, piece: Piece, sq: Square) {
        self.placement += PLACEMENT[piece.index()][sq.index()];
        self.phase += PHASE[piece.kind_index()];
        self.census.0 += Census::unit(piece);
    }

    #[inline]
    fn removed(&mut self, piece: Piece, sq: Square) {
        self.placement -= PLACEMENT[piece.index()][sq.index()];
        self.phase -= PHASE[piece.kind_index()];
        self.census.0 -= Census::unit(piece);
    }
}

/// The term of a piece of `kind` on `sq`, seen from `color`.
#[must_use]
pub(super) const fn placement_term(color: Color, kind: Kind, sq: Square) -> usize {
    let seen = match color {
        Color::White => sq,
        Color::Black => sq.flip_rank(),
    };
    terms::PLACEMENT.at(kind.index() * 64 + seen.to_64())
}

/// [`PHASE_OF_KIND`] with rows for the empty square, by [`Piece::kind_index`].
static PHASE: [i32; 8] = {
    let mut table = [0; 8];
    let mut kind = 0;
    while kind < PHASE_OF_KIND.len() {
        table[kind] = PHASE_OF_KIND[kind];
        kind += 1;
    }
    table
};

/// Material and placement in one table: by [`Piece::index`] and square, from
/// White's view.
static PLACEMENT: [[Tapered; 128]; 16] = {
    let mut table = [[Tapered::ZERO; 128]; 16];
    let mut row = 0;
    while row < 12 {
        let kind = Kind::ALL[row % 6];
        let color = Color::ALL[row / 6];
        let mut index = 0;
        while index < 64 {
            let sq = Square::from_64(index);
            let mut value = weights::LINEAR[placement_term(color, kind, sq)];
            if kind as usize != Kind::King as usize {
                value = value.plus(weights::LINEAR[terms::MATERIAL.at(kind.index())]);
            }
            table[Piece::new(color, kind).index()][sq.index()] = match color {
                Color::White => value,
                Color::Black => value.negated(),
            };
            index += 1;
        }
        row += 1;
    }
    table
};
