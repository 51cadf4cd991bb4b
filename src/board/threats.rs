//! Which squares a side attacks, all at once.
//!
//! For a single square the difference table is cheaper ([`Board::is_attacked`]);
//! a node that asks about all its quiet moves takes this map once.

use super::piece::{Color, Kind};
use super::square::{ALL_STEPS, DIAGONALS, Delta, KNIGHT_JUMPS, ORTHOGONALS, Square};
use super::{Board, simd};

/// The squares that one side attacks, one byte a square, by [`Square::to_64`].
#[derive(Clone)]
pub struct Threats(pub(super) [bool; 64]);

impl Threats {
    /// No square is attacked.
    pub const NONE: Threats = Threats([false; 64]);

    /// Whether `sq`, a square of the board, is attacked.
    #[inline]
    #[must_use]
    pub fn contains(&self, sq: Square) -> bool {
        self.0[sq.to_64() % 64]
    }

    /// Marks `sq`, which is on the board.
    #[inline]
    pub(super) fn add(&mut self, sq: Square) {
        self.0[sq.to_64() % 64] = true;
    }

    /// Marks what a leaper on `from` attacks.
    #[inline]
    fn leap(&mut self, from: Square, jumps: &[Delta]) {
        for &jump in jumps {
            let to = from.step(jump);
            if to.is_on_board() {
                self.add(to);
            }
        }
    }

    /// Marks what a slider on `from` attacks, up to and with the first piece.
    #[inline]
    fn slide(&mut self, board: &Board, from: Square, steps: &[Delta]) {
        for &step in steps {
            let mut sq = from.step(step);
            while sq.is_on_board() {
                self.add(sq);
                if !board.piece_on(sq).is_empty() {
                    break;
                }
                sq = sq.step(step);
            }
        }
    }
}

impl Board {
    /// The squares that `by` attacks, its own pieces' included.
    #[must_use]
    pub fn threats(&self, by: Color) -> Threats {
        simd::threats(self, by)
    }

    /// [`Board::threats`] in plain Rust.
    pub(super) fn threats_portably(&self, by: Color) -> Threats {
        let mut threats = Threats::NONE;
        let captures = [by.forward().wrapping_sub(1), by.forward().wrapping_add(1)];
        for (from, piece) in self.pieces(by) {
            match piece.kind() {
                Some(Kind::Pawn) => threats.leap(from, &captures),
                Some(Kind::Knight) => threats.leap(from, &KNIGHT_JUMPS),
                Some(Kind::Bishop) => threats.slide(self, from, &DIAGONALS),
                Some(Kind::Rook) => threats.slide(self, from, &ORTHOGONALS),
                Some(Kind::Queen) => threats.slide(self, from, &ALL_STEPS),
                Some(Kind::King) => threats.leap(from, &ALL_STEPS),
                None => {}
            }
        }
        threats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_agrees_with_the_question_about_each_square() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "nN5n/P6p/8/q3B2k/K7/8/p6P/N6n w - - 0 1",
            "7k/6N1/8/3p4/4P3/8/2q5/K6R b - - 0 1",
        ] {
            let board: Board = fen.parse().expect("a valid position");
            for by in Color::ALL {
                let threats = board.threats(by);
                for sq in Square::all() {
                    assert_eq!(threats.contains(sq), board.is_attacked(sq, by), "{sq} {fen}");
                }
            }
        }
    }
}
