//! Attacks computed by file and rank, one step at a time, without tables, piece lists or 0x88
//! arithmetic.

use carrybit_board::{Board, Color, Kind, PieceByte, Square};

type Coordinates = (i32, i32);

const JUMPS: [Coordinates; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The eight steps of a king, in the order of `square::ALL_STEPS`: a rook's from north
/// clockwise, then a bishop's.
pub(crate) const KING_STEPS: [Coordinates; 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The square `step` away, if it is on the board.
pub(crate) fn stepped(sq: Square, step: Coordinates) -> Option<Square> {
    let file = i32::from(sq.file()) + step.0;
    let rank = i32::from(sq.rank()) + step.1;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then(|| Square::new(file as u8, rank as u8))
}

#[derive(Clone)]
pub(crate) struct Diagram([PieceByte; 64]);

impl Diagram {
    pub(crate) fn of(board: &Board) -> Diagram {
        Diagram(std::array::from_fn(|i| board.byte_on(Square::from_64(i))))
    }

    pub(crate) fn byte_on(&self, sq: Square) -> PieceByte {
        self.0[sq.to_64()]
    }

    pub(crate) fn set(&mut self, sq: Square, piece: PieceByte) {
        self.0[sq.to_64()] = piece;
    }

    pub(crate) fn without(&self, sq: Square) -> Diagram {
        let mut other = self.clone();
        other.set(sq, PieceByte::EMPTY);
        other
    }

    pub(crate) fn attackers(&self, sq: Square, by: Color) -> Vec<Square> {
        Square::all()
            .filter(|&from| self.byte_on(from).is_color(by) && self.attacks(from, sq))
            .collect()
    }

    pub(crate) fn attacks(&self, from: Square, to: Square) -> bool {
        let piece = self.byte_on(from);
        let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else { return false };
        let leaps = |steps: &[Coordinates]| steps.iter().any(|&s| stepped(from, s) == Some(to));
        let slides = |steps: &[Coordinates]| steps.iter().any(|&s| self.slides(from, s, to));
        let forward = if color == Color::White { 1 } else { -1 };
        match kind {
            Kind::Pawn => leaps(&[(-1, forward), (1, forward)]),
            Kind::Knight => leaps(&JUMPS),
            Kind::Bishop => slides(&KING_STEPS[4..]),
            Kind::Rook => slides(&KING_STEPS[..4]),
            Kind::Queen => slides(&KING_STEPS),
            Kind::King => leaps(&KING_STEPS),
        }
    }

    fn slides(&self, from: Square, step: Coordinates, to: Square) -> bool {
        let mut at = stepped(from, step);
        while let Some(sq) = at {
            if sq == to {
                return true;
            }
            if !self.byte_on(sq).is_empty() {
                return false;
            }
            at = stepped(sq, step);
        }
        false
    }
}
